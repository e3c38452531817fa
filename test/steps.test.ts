import { expect, test } from 'vitest'
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

test('a step within its limit leaves no timer behind', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  await run('true', [], { limitSeconds: 60 })

  const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  expect(after).toBe(before)
})
