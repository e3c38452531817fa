import { afterAll, beforeAll, expect, test } from 'vitest'
import { drills, verify } from './drills.ts'
import { type Field, startField } from './field.ts'
import { startLoad } from './load.ts'
import { releaseMail } from './mail-drill.ts'

// One short round; `npx pnpm test:drills` is the long form.

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
