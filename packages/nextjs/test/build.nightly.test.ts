import path from 'node:path'
import { expect, test } from 'vitest'
import { build } from './support/fixture.ts'

test('"next build" makes no options, also where it tries handlers of GET', async () => {
  const { code, output } = await build(path.join(import.meta.dirname, 'tried-in-advance'))
  expect(code, output).toBe(0)
  expect(output).toContain('/api/me')
  expect(output).not.toContain('the options were made')
})

test('"next build" fails with a sentence at a guarded page that is forced to be static', async () => {
  const { code, output } = await build(path.join(import.meta.dirname, 'forced'))
  expect(code).toBe(1)
  expect(output).toContain('A page or a route handler that asks who is logged in cannot be static')
})
