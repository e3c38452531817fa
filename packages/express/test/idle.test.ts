import type { SessionStore } from '@latchkey/core'
import type { ExpressStore } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import type { Express } from 'express'
import expressSession from 'express-session'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'
import { openStore, STORES } from './support/stores.ts'

function routes(app: Express): void {
  app.get('/', (req, res) => {
    res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
  })
}

const pass = (seconds: number): unknown => vi.setSystemTime(Date.now() + seconds * 1000)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

const stores: {
  name: string
  open: () => Promise<{ store: SessionStore | ExpressStore; close(): unknown }>
}[] = [
  ...STORES.map((name) => ({ name, open: () => openStore(name) })),
  {
    name: 'of express-session',
    open: async () => ({
      store: new expressSession.MemoryStore(),
      close: () => {},
    }),
  },
  {
    name: 'that expires nothing and knows no touch',
    open: async () => ({ store: store(), close: () => {} }),
  },
  {
    name: 'that prolongs nothing by a touch',
    open: async () => {
      const touch: ExpressStore['touch'] = (_id, _session, done) => done?.()
      return { store: { ...store(), touch }, close() {} }
    },
  },
]

describe.each(stores)('on a store $name', ({ open }) => {
  test.each([8, 40, 600])(
    'with %i idle seconds, an active user stays logged in and an idle one does not',
    async (idle) => {
      const { store, close } = await open()
      await using site = await startSite(routes, { session: { store, idleSeconds: idle } })
      await using other = await startSite(routes, {
        issuer: site.provider.issuer,
        session: { store, idleSeconds: idle },
      })
      const browser = createBrowser()
      await browser.open(`${site.url}/login`)
      const cookie = [...browser.cookies.entries()]
        .filter(([name]) => name.endsWith(' latchkey'))
        .map(([, { value }]) => `latchkey=${value}`)
        .join()
      const visit = async (url: string): Promise<string> =>
        (await createBrowser().send(url, { headers: { cookie } })).text()

      // Two processes, and more than twice the idle time.
      for (let turn = 0; turn < 9; turn++) {
        pass(idle / 4)
        expect(await visit(turn % 2 ? site.url : other.url)).toBe('in as ada')
      }
      pass(idle + 1)
      expect(await visit(site.url)).toBe('out')
      expect(await visit(other.url)).toBe('out')
      await close()
    },
  )
})

test('a store is touched as often as its touchSeconds say', async () => {
  const store = createSessionStore({ touchSeconds: 10 })
  const touch = vi.spyOn(store, 'touch')
  await using site = await startSite(routes, { session: { store } })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  for (let second = 0; second < 60; second += 5) {
    pass(5)
    await browser.open(site.url)
  }

  expect(touch).toHaveBeenCalledTimes(6)
})

function store(): ExpressStore {
  const records = new Map<string, string>()
  return {
    get(id, done) {
      done(undefined, JSON.parse(records.get(id) ?? 'null'))
    },
    set(id, record, done) {
      records.set(id, JSON.stringify(record))
      done?.()
    },
    destroy(id, done) {
      records.delete(id)
      done?.()
    },
  }
}
