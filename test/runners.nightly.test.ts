import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Outcome, run } from '../scripts/run.ts'

const cwd = fileURLToPath(new URL('.', import.meta.url))
const bin = 'node_modules/.bin'

/** How each runner is started on the file of its folder that is named so. */
const RUNNERS = [
  {
    runner: 'Vitest',
    command: (file: string) => [
      `${bin}/vitest`,
      ...['run', file, '--root', 'runners/vitest', '--reporter=tap-flat'],
    ],
    passes: (tests: number) => `1..${tests}\n`,
  },
  {
    runner: 'node:test',
    command: (file: string) => [
      ...[process.execPath, '--conditions=latchkey-source', '--test', '--test-reporter=tap'],
      `runners/node-test/${file}.test.ts`,
    ],
    passes: (tests: number) => `# pass ${tests}\n`,
  },
  {
    runner: 'Jest',
    command: (file: string) => [
      ...[process.execPath, '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
      ...['--config', 'runners/jest/jest.config.js', '--ci', file],
    ],
    passes: (tests: number) => ` ${tests} passed, ${tests} total\n`,
  },
]

// A small suite for each runner, as an application would have it, in a process of its own.
test.concurrent.for(RUNNERS)(
  'users are logged in within tests of $runner',
  async ({ command, passes }) => {
    const { code, output } = await start(command('account'))
    expect(output).toContain(passes(2))
    expect(code, output).toBe(0)
  },
)

// Under Vitest every adapter of ours runs it.
test.concurrent.for(RUNNERS.filter(({ runner }) => runner !== 'Vitest'))(
  'the contract of adapters runs under $runner, and prints a table of what passed',
  async ({ command, passes }) => {
    const { code, output } = await start(command('adapter'))
    const { accounted, cases } = countsIn(output)
    expect(code, output).toBe(0)
    expect(output).toContain('The adapter contract under Express\n')
    expect(cases).toBeGreaterThanOrEqual(140)
    expect(accounted).toBe(cases)
    expect(output).toContain(passes(cases))
  },
)

// Under Vitest the tests of the package run it.
test.for(RUNNERS.filter(({ runner }) => runner !== 'Vitest'))(
  'the attacks on a login run under $runner, and all of them fail',
  async ({ command, passes }) => {
    const { code, output } = await start(command('login'))
    const { accounted, cases } = countsIn(output)
    expect(code, output).toBe(0)
    expect(cases).toBeGreaterThanOrEqual(40)
    expect(accounted).toBe(cases)
    expect(output).toContain(passes(cases))
  },
)

/** The cases of the printed table: those that passed or that the table says it could not try, and all. */
function countsIn(output: string): { accounted: number; cases: number } {
  const [, passed, cases, left = 0] =
    /^\W*all +(\d+) of (\d+)(?:, (\d+) not tried)?$/m.exec(output) ?? []
  return { accounted: Number(passed) + Number(left), cases: Number(cases) }
}

function start([program = '', ...args]: string[]): Promise<Outcome> {
  return run(program, args, { cwd, limitSeconds: 150 })
}
