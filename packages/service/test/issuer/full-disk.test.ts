import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/store/errors.ts'
import type { ProtocolStore } from '../../src/store/protocol-store.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

/** A store whose writes fail for as long as the disk is full. */
function failing(store: ProtocolStore, disk: { isFull: boolean }): ProtocolStore {
  const refused = async (write: () => Promise<unknown>) => {
    if (disk.isFull) throw new StoreError('database or disk is full')
    return write()
  }
  return {
    ...store,
    put: (entry) => refused(() => store.put(entry)) as Promise<void>,
    write: (changes) => refused(() => store.write(changes)) as Promise<boolean>,
    endAttempt: (...given) => refused(() => store.endAttempt(...given)) as Promise<void>,
  }
}

describe.each(storeKinds)('on %s', (store) => {
  test('while the disk is full a login is answered 503, and goes on when there is space', async () => {
    const disk = { isFull: false }
    await using issuer = await startIssuer({ store, wrap: (inner) => failing(inner, disk) })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const begun = await app.begin()
    const form = await browser.get(begun.url)

    disk.isFull = true
    const beginning = await browser.peek((await app.begin()).url)
    const submitted = await browser.submitOnly(form, ada)
    for (const answer of [beginning, submitted]) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.html).toContain('Please try again in a moment')
    }

    disk.isFull = false
    const callback = await browser.submit(form, ada)
    disk.isFull = true
    await expect(app.redeem(begun, callback)).rejects.toMatchObject({ cause: { status: 503 } })
    disk.isFull = false
    const again = await browser.get((await app.begin({ prompt: 'login' })).url)
    expect((await browser.submit(again, ada)).location).toContain('code=')
  })
})

test('a store that fails once the answer is made, when its changes are written, is answered 503 as well', async () => {
  const disk = { isFull: false }
  const wrap = (store: ProtocolStore): ProtocolStore => ({
    ...store,
    write: async (changes) => {
      if (disk.isFull) throw new StoreError('database or disk is full')
      return store.write(changes)
    },
  })
  await using issuer = await startIssuer({ store: 'memory', wrap })
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const { browser } = await logIn(issuer, app, ada)
  disk.isFull = true
  const answer = await browser.peek((await app.begin()).url)
  expect(answer.status).toBe(503)
  expect(answer.location).toBeUndefined()
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(answer.html).toContain('Please try again in a moment')
  disk.isFull = false
  expect((await browser.peek((await app.begin()).url)).location).toContain('code=')
})
