import { afterAll, beforeAll, test } from 'vitest'
import { CLUSTER_START_MS } from '../support/cluster.ts'
import { type Field, startField } from './field.ts'
import { drillMail } from './mail-drill.ts'

// One short round; `npx pnpm test:drills` is the long form.

let field: Field
beforeAll(async () => {
  field = await startField()
}, CLUSTER_START_MS)
afterAll(() => field?.[Symbol.asyncDispose]())

test('each message is sent once, past fifty that are refused, and after kill -9 none is lost', {
  timeout: 180_000,
}, async () => {
  await drillMail(field, { count: 100, isShort: true })
})
