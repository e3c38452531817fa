import { afterAll, beforeAll, test } from 'vitest'
import { type Field, startField } from './field.ts'
import { drillMail } from './mail-drill.ts'

// One short round; `npx pnpm test:drills` is the long form.

let field: Field
beforeAll(async () => {
  field = await startField()
})
afterAll(() => field?.[Symbol.asyncDispose]())

test('each message is sent once, past fifty that are refused, and after kill -9 none is lost', async () => {
  await drillMail(field, { count: 100, isShort: true })
})
