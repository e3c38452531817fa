import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../scripts/run.ts'

const cwd = fileURLToPath(new URL('.', import.meta.url))
const bin = 'node_modules/.bin'

// A small suite for each runner, as an application would have it, in a process of its own.
// Three start-ups at once take their time on a busy machine.
test.concurrent.for([
  {
    runner: 'Vitest',
    command: [`${bin}/vitest`, 'run', '--root', 'runners/vitest', '--reporter=tap-flat'],
    passes: '1..2',
  },
  {
    runner: 'node:test',
    command: [
      ...[process.execPath, '--conditions=latchkey-source', '--test', '--test-reporter=tap'],
      'runners/node-test/account.test.ts',
    ],
    passes: '# pass 2',
  },
  {
    runner: 'Jest',
    command: [
      ...[process.execPath, '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
      ...['--config', 'runners/jest/jest.config.js', '--ci'],
    ],
    passes: '2 passed, 2 total',
  },
])(
  'users are signed in within tests of $runner',
  { timeout: 60_000 },
  async ({ command, passes }) => {
    const [program = '', ...args] = command
    const { code, output } = await run(program, args, { cwd, timeout: 60_000 })
    expect(output).toContain(passes)
    expect(code, output).toBe(0)
  },
)
