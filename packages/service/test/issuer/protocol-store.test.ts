import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSqliteProtocolStore } from '../../src/store/sqlite/protocol-store.ts'
import { describeEntries } from './entries-suite.ts'
import { describeProtocolStore, type StoreUnderTest } from './protocol-store-suite.ts'

function testClock() {
  const clock = { millis: 1_800_000_000_000, now: () => clock.millis }
  return clock
}

describe('the SQLite store in memory', () => {
  describeProtocolStore(async () => {
    const clock = testClock()
    const store = createSqliteProtocolStore({ path: ':memory:', clock })
    return { store, clock, [Symbol.asyncDispose]: () => store.close() }
  })
})

describe('the SQLite store', () => {
  async function open(): Promise<StoreUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-protocol-'))
    const clock = testClock()
    const store = createSqliteProtocolStore({ path: join(folder, 'protocol.db'), clock })
    return {
      store,
      clock,
      async [Symbol.asyncDispose]() {
        await store.close()
        await rm(folder, { recursive: true })
      },
    }
  }
  describeProtocolStore(open)
  describeEntries(open)

  test('an entry is still there after the file was closed and opened again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-protocol-'))
    const clock = testClock()
    const options = { path: join(folder, 'protocol.db'), clock }
    const name = { tenantId: 'ten_1', kind: 'Grant', key: 'k' }
    const first = createSqliteProtocolStore(options)
    const putting = first.put({ ...name, payload: '{}', expiresAt: Number.MAX_SAFE_INTEGER })
    await first.close()
    await putting
    const second = createSqliteProtocolStore(options)
    expect((await second.find(name))?.payload).toBe('{}')
    await second.close()
    await rm(folder, { recursive: true })
  })
})
