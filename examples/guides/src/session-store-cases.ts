import { test } from 'node:test'
import { sessionStoreCases } from '@latchkey/testing/session-store'
import { createSqliteStore } from './session-store.ts'

const store = createSqliteStore(':memory:')

for (const { ability, name, run } of sessionStoreCases()) {
  await test(`${ability}: ${name}`, () => run(() => store))
}
