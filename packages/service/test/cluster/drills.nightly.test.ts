import { afterAll, beforeAll, expect, test } from 'vitest'
import { drillClocks } from './clocks-drill.ts'
import { drills, verify } from './drills.ts'
import { type Field, startField } from './field.ts'
import { startLoad } from './load.ts'
import { releaseMail } from './mail-drill.ts'
import { disturbances, drillNotices } from './notices-drill.ts'
import { drillWebhooks } from './webhooks-drill.ts'

// Short rounds; `npx pnpm test:drills` is the long form.

let field: Field
beforeAll(async () => {
  field = await startField()
})
afterAll(() => field?.[Symbol.asyncDispose]())

test('through kill -9, a restart of PostgreSQL and a failover of Redis nothing acknowledged is lost, and no code is spent twice', async () => {
  const load = startLoad(field, 1)
  await load.progress(1)
  for (const name of [
    'kill -9 of a process',
    'a restart of PostgreSQL',
    'a failover of Redis by Sentinel',
  ] as const) {
    await drills[name](field, load, 0)
    await load.progress(1)
  }
  await load.stop()
  await releaseMail(field)
  const findings = await verify(field, load.ledger)
  expect(findings.users).toBeGreaterThan(0)
  expect(findings.codes).toBeGreaterThan(0)
})

test.each(Object.entries(disturbances))(
  '%s delays no logout notice beyond its limit',
  async (_, disturbance) => {
    const { slowest } = await drillNotices(field, disturbance, 5)
    expect(slowest).toBeGreaterThan(0)
  },
)

test('every committed change reaches its endpoint through kill -9 and a restart of PostgreSQL, beside endpoints that hang (W3)', async () => {
  const found = await drillWebhooks(field, {
    ...{ endpoints: 20, hanging: 2, changesPerSecond: 20 },
    ...{ seconds: 15, killEverySeconds: 4, restartsPostgres: true },
  })
  expect(found.committed).toBeGreaterThan(100)
  expect(found.lost).toBe(0)
  expect(found.kills).toBeGreaterThan(0)
  expect(found.twice).toBeLessThan(found.committed * 0.1)
})

test('processes whose clocks differ by minutes send each message once, none late, and let users log in', async () => {
  await drillClocks(field, 21)
})
