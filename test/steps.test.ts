import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'
import { run } from '../scripts/run.ts'
import { slowness } from './support/limits.ts'

test('a step that reaches its limit says which command it was, its limit, how long it ran and what to do', async () => {
  const { code, output, seconds } = await run('bash', ['-c', 'echo begun; sleep 600; echo'], {
    limitSeconds: 1,
  })

  expect(code).toBe(1)
  expect(output).toContain('begun\n')
  const limit = slowness().toFixed(0)
  expect(output).toContain(`sleep 600; echo\` was ended at its limit of ${limit} s, after `)
  expect(output).toContain('run it by hand')
  expect(seconds).toBeLessThan(600)
})

test('a step that is ended from outside does not say that it was slow', async () => {
  const { code, output } = await run('bash', ['-c', 'kill -9 $$'], { limitSeconds: 60 })

  expect(code).toBe(1)
  expect(output).toBe('It was ended by SIGKILL, which it was sent from outside.')
})

test('a process whose step has ended within its limit ends, too', async () => {
  const script =
    "import('./scripts/run.ts').then(({ run }) => run('true', [], { limitSeconds: 86_400 }))"
  const { code } = await run(process.execPath, ['--eval', script], { cwd: root })

  expect(code).toBe(0)
})
