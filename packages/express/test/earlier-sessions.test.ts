import { readFileSync } from 'node:fs'
import { type AuthSession, createMemoryStore, type SessionStore } from '@latchkey/core'
import type { ExpressStore } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import expressSession, { type SessionData } from 'express-session'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRedis } from '../../session-store/test/support/redis.ts'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

/** A session of an earlier release: its cookie as 0.2 writes it, and its record in Redis and in any other store. */
const kept = JSON.parse(
  readFileSync(new URL('./fixtures/earlier-session.json', import.meta.url), 'utf8'),
) as {
  madeAt: number
  cookie: string
  id: string
  record: SessionData & { theme: string; latchkey: AuthSession }
  redis: { key: string; value: string }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: (kept.madeAt + 600) * 1000 })
})

afterEach(() => {
  vi.useRealTimers()
})

async function visit(store: SessionStore | ExpressStore): Promise<string[]> {
  await using site = await startSite(
    (app) => {
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
      })
      app.get('/add', (req, res) => {
        Object.assign(req.session, { cart: 1 })
        res.send('added')
      })
      app.get('/data', (req, res) => {
        res.json({ ...req.session, cookie: undefined })
      })
    },
    { issuer: kept.record.latchkey.registeredIssuer, session: { store } },
  )
  const answers: string[] = []
  for (const path of ['/', '/add', '/data']) {
    const headers = { cookie: `latchkey=${kept.cookie}` }
    answers.push(await (await createBrowser().send(site.url + path, { headers })).text())
  }
  return answers
}

const EXPECTED = ['in as ada', 'added', '{"theme":"dark","cart":1}']

test.each([
  ["core's memory store", createMemoryStore],
  ['createSessionStore() in memory', createSessionStore],
])('a cookie of an earlier release is read, on %s', async (_name, make) => {
  const store = make()
  const { cookie, latchkey: login, ...data } = kept.record
  const expiresAt = new Date(cookie.expires as Date).getTime() / 1000
  await store.set(kept.id, { login, data, expiresAt })

  expect(await visit(store)).toEqual(EXPECTED)
})

test('a session of an earlier release stays valid, on a store of express-session', async () => {
  const store = new expressSession.MemoryStore()
  await new Promise<unknown>((resolve) => {
    store.set(kept.id, kept.record, resolve)
  })

  expect(await visit(store)).toEqual(EXPECTED)
})

test('a session of an earlier release stays valid, on Redis', async () => {
  await using redis = await startRedis()
  const value = Buffer.from(kept.redis.value, 'base64')
  await redis.inspect((r) => r.set(kept.redis.key, value, 'EX', 600))
  const store = createSessionStore({ url: redis.url })

  expect(await visit(store)).toEqual(EXPECTED)
  await store.close()
})
