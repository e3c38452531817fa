import { expect, test } from 'vitest'
import { sendBesideSilent } from './shares.ts'

// On a cluster, as each night.
test('240 endpoints of 24 tenants that never answer delay no event of another tenant', async () => {
  const { milliseconds, givenUp } = await sendBesideSilent('memory', false)
  process.stdout.write(`Waited: ${milliseconds} ms\n`)
  // All places would be taken until the first of them are given up.
  expect(givenUp).toBe(0)
})
