import { expect, test } from 'vitest'
import { sendBesideSilent } from './shares.ts'

test.each(['memory', 'cluster'] as const)(
  'on %s, 240 endpoints of 24 tenants that never answer delay no event of another tenant',
  async (store) => {
    const { milliseconds, givenUp } = await sendBesideSilent(store, false)
    process.stdout.write(`Waited on ${store}: ${milliseconds} ms\n`)
    // All places would be taken until the first of them are given up.
    expect(givenUp).toBe(0)
  },
)
