import { expect, test } from 'vitest'
import { sendBesideSilent } from './shares.ts'

const stores = ['memory', 'cluster'] as const

/** As many endpoints that are failing hold a place. */
const FAILING = 50

test.each(stores)(
  'on %s, 240 endpoints of 24 tenants that never answer delay no event of another tenant',
  async (store) => {
    const { milliseconds, givenUp } = await sendBesideSilent(store, false)
    process.stdout.write(`Waited on ${store}: ${milliseconds} ms\n`)
    // All places would be taken until the first of them are given up.
    expect(givenUp).toBe(0)
  },
)

test.each(stores)(
  'on %s, 240 endpoints that are known to be failing delay no event of another tenant',
  async (store) => {
    const { milliseconds, givenUp } = await sendBesideSilent(store, true)
    process.stdout.write(`Waited on ${store}: ${milliseconds} ms\n`)
    expect(givenUp).toBeLessThan(FAILING)
  },
)
