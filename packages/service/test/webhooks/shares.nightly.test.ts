import { expect, test } from 'vitest'
import { sendBesideSilent } from './shares.ts'

/** As many endpoints that are failing hold a place. */
const FAILING = 50

test('on cluster, 240 endpoints of 24 tenants that never answer delay no event of another tenant', async () => {
  const { milliseconds, givenUp } = await sendBesideSilent('cluster', false)
  process.stdout.write(`Waited on cluster: ${milliseconds} ms\n`)
  expect(givenUp).toBe(0)
})

test.each(['memory', 'cluster'] as const)(
  'on %s, 240 endpoints that are known to be failing delay no event of another tenant',
  async (store) => {
    const { milliseconds, givenUp } = await sendBesideSilent(store, true)
    process.stdout.write(`Waited on ${store}: ${milliseconds} ms\n`)
    expect(givenUp).toBeLessThan(FAILING)
  },
)
