import { expect, test } from 'vitest'
import { root } from '../scripts/packages.ts'
import { run } from '../scripts/run.ts'

test('a part that tests share and that cannot be had fails one test, and the others say why they were not tried', async () => {
  const { code, output } = await run(
    'vitest',
    ['run', '--config', 'test/shared/vitest.config.ts', '--reporter=verbose'],
    { cwd: root, env: { ...process.env, NO_COLOR: '1' } },
  )

  expect(code).toBe(1)
  expect(output).toMatch(/× .*first/)
  expect(output).toContain('Error: it needs steam')
  for (const name of ['second', 'third']) {
    expect(output).toMatch(
      new RegExp(`↓ .*${name} .*\\[not tried: the engine could not be had \\(it needs steam\\)\\]`),
    )
  }
  expect(output).toContain('1 failed | 2 skipped (3)')
})
