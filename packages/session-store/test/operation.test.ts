import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect, promisify } from 'node:util'
import type { SessionRecord } from '@latchkey/core'
import { createSessionStore } from '@latchkey/session-store'
import express from 'express'
import expressSession from 'express-session'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startSilentProxy } from '../../../test/support/silent-proxy.ts'
import { record } from './support/record.ts'
import { startRedis, type TestRedis, until } from './support/redis.ts'

const run = promisify(execFile)
const secret = 'a secret of the tests, 32 characters long'
let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis[Symbol.asyncDispose]())

test('after Redis forgot its scripts, sessions are written as before', async () => {
  const store = createSessionStore({ url: redis.url, secret })
  await store.set('scripts', record({ n: 0 }))
  const increment = async (): Promise<string> => {
    const seen = (await store.get('scripts')) as SessionRecord
    return store.update('scripts', record({ n: Number(seen.data.n) + 1 }), seen)
  }
  expect(await increment()).toBe('updated')
  await redis.inspect((r) => r.script('FLUSH'))
  expect(await increment()).toBe('updated')
  expect((await store.get('scripts'))?.data.n).toBe(2)
  await store.close()
})

test('a session of a megabyte is kept, with names in every script', async () => {
  const store = createSessionStore({ url: redis.url, secret })
  const notes = 'Grüße, 世界 🍵 '.repeat(60_000)
  await store.set('large', record({ notes }))
  expect((await store.get('large'))?.data.notes === notes).toBe(true)
  await store.close()
})

test('a key of another type in place of an index is replaced', async () => {
  const store = createSessionStore({ url: redis.url, secret, prefix: 'types:' })
  await store.set('one', record())
  await store.index.add(['user'], 'one', 600)
  const [key = ''] = await redis.inspect((r) => r.keys('types:i:*'))
  const spoil = (): Promise<unknown> =>
    redis.inspect((r) => r.multi().del(key).set(key, 'x').exec())

  await spoil()
  expect(await store.index.find('user')).toEqual([])
  await spoil()
  await store.index.remove(['user'], 'one')
  await spoil()
  await store.index.add(['user'], 'one', 600)
  expect(await store.index.find('user')).toEqual(['one'])
  await store.close()
})

test('counting, listing and clearing stay below the prefix, whatever it is made of', async () => {
  const client = new Redis(redis.url, { keyPrefix: 'app*:' })
  onTestFinished(() => client.disconnect())
  const nodeRedis = createClient({ url: redis.url, keyPrefix: 'app?:' }).on('error', () => {})
  await nodeRedis.connect()
  onTestFinished(() => nodeRedis.destroy())
  const other = createSessionStore({ url: redis.url, secret, prefix: 'app1:a1:' })
  await other.set('of another application', record())
  for (const one of [client, nodeRedis]) {
    const store = createSessionStore({ client: one as Redis, secret, prefix: 'a[1]*:' })
    for (const id of ['one', 'two']) await store.set(id, record({ of: id }))
    await store.destroy('two')
    expect(await store.length()).toBe(1)
    expect(await store.ids()).toEqual(['one'])
    expect(await store.all()).toMatchObject([{ id: 'one', data: { of: 'one' } }])
    await store.clear()
    expect(await store.length()).toBe(0)
  }
  expect(await other.ids()).toEqual(['of another application'])
  await other.close()
})

test('closing the store does not close a client that was passed in', async () => {
  const client = new Redis(redis.url)
  await createSessionStore({ client, secret }).close()
  expect(await client.ping()).toBe('PONG')
  client.disconnect()
})

test('a client of node-redis that listens to no errors ends no process when Redis goes away, and health() says why', async () => {
  await using down = await startRedis()
  const client = createClient({ url: down.url })
  const store = createSessionStore({ client, secret, timeoutMilliseconds: 300 })
  await client.connect()
  onTestFinished(() => client.destroy())
  await store.set('kept', record())

  await down.kill()

  await until('the store is told', () => store.health().status === 'unavailable')
  expect(store.health().reason).toMatch(/Socket closed|ECONNREFUSED|no connection/)
  await expect(store.get('kept')).rejects.toMatchObject({ code: 'LATCHKEY_SESSION_UNAVAILABLE' })
})

test('the Redis permissions of the check-list are sufficient, and health() reports missing ones', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, rights = ''] = /`ACL SETUSER app on >… (.*?)`/s.exec(readme) ?? []
  await redis.inspect(async (r) => {
    await r.call('ACL', 'SETUSER', 'app', 'on', '>pass', ...rights.split(/\s+/))
    await r.call('ACL', 'SETUSER', 'reader', 'on', '>pass', '~other:*', '+get', '+info')
  })
  const url = (user: string) => redis.url.replace('//', `//${user}@`)
  const store = createSessionStore({ url: url('app:pass'), secret })
  await store.set('rights', record({ n: 0 }))
  const seen = (await store.get('rights')) as SessionRecord
  expect(await store.update('rights', record({ n: 1 }), seen)).toBe('updated')
  await store.index.add(['user'], 'rights', 60)
  expect(await store.index.find('user')).toEqual(['rights'])
  await store.index.remove(['user'], 'rights')
  expect(await store.once.consume('once', 60)).toBe(true)
  await (await store.lock.acquire('turn', 60))?.()
  await store.destroy('rights')
  expect(await store.length()).toBeGreaterThanOrEqual(0)
  await store.close()

  for (const user of ['reader:pass', 'app:not-the-password']) {
    const refused = createSessionStore({ url: url(user), secret })
    const error = await refused.get('rights').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'LATCHKEY_SESSION_UNAVAILABLE' })
    expect(refused.health()).toMatchObject({
      status: 'unavailable',
      reason: expect.stringMatching(/NOPERM|NOAUTH|WRONGPASS/),
    })
    expect(inspect([error, refused.health()], { depth: 10 })).not.toContain('not-the-password')
    await refused.close()
  }
})

test('answers that come too late are errors in time, and do not pass for health', async () => {
  const store = createSessionStore({ url: redis.url, secret, timeoutMilliseconds: 300 })
  await until('Redis is in time', () => store.set('slow', record()).then(() => true))
  await redis.inspect((r) => r.call('CLIENT', 'PAUSE', 1500))
  await expect(store.get('slow')).rejects.toMatchObject({ code: 'LATCHKEY_SESSION_UNAVAILABLE' })
  await sleep(1500)
  expect(store.health().status).toBe('unavailable')
  await until('Redis is in time again', () => store.get('slow').then(Boolean))
  expect(store.health().status).toBe('ok')
  await store.close()
})

test('a connection that went silent is replaced by a new one', async () => {
  using proxy = await startSilentProxy(redis.port)
  const store = createSessionStore({
    url: `redis://127.0.0.1:${proxy.port}`,
    secret,
    timeoutMilliseconds: 300,
  })
  await until('Redis is in time', () => store.set('route', record()).then(() => true))
  proxy.silence()

  await expect(store.get('route')).rejects.toThrow('no answer within 300 ms')
  await until('the store has another connection', () => store.get('route').then(Boolean))
  expect(proxy.connections()).toBeGreaterThan(1)
  await store.close()
})

test('with express-session alone a Redis that is away means 503 with retry-after', async () => {
  await using down = await startRedis()
  const store = createSessionStore({ url: down.url, secret, timeoutMilliseconds: 1000 })
  const app = express().set('env', 'test')
  app.use(
    expressSession({
      secret,
      store: store.forExpressSession(),
      resave: false,
      saveUninitialized: true,
    }),
  )
  app.get('/', (_req, res) => void res.send('fine'))
  const server = app.listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const [cookie = ''] = (await fetch(url)).headers.getSetCookie()
  await down.kill()

  const answer = await fetch(url, { headers: { cookie: cookie.split(';')[0] as string } })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  server.close()
  server.closeAllConnections()
  await store.close()
})

test('with express-session alone a session in use lives on, and one that is not used expires', async () => {
  const store = createSessionStore({ url: redis.url, secret })
  const app = express()
  const cookie = { maxAge: 2_000 }
  app.use(
    expressSession({
      ...{ secret, cookie, resave: false, rolling: true, saveUninitialized: true },
      store: store.forExpressSession(),
    }),
  )
  app.get('/', (req, res) => void res.send(req.session.id))
  const server = app.listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const first = await fetch(url)
  const headers = { cookie: (first.headers.getSetCookie()[0] as string).split(';')[0] as string }
  const id = await first.text()
  const visit = async () => (await fetch(url, { headers })).text()
  for (let visits = 0; visits < 5; visits++) {
    await sleep(700)
    expect(await visit()).toBe(id)
  }
  await sleep(3_100)
  expect(await visit()).not.toBe(id)
  server.close()
  server.closeAllConnections()
  await store.close()
})

test('with express-session alone a session is destroyed without a callback while Redis is away, and the process lives', async () => {
  await using down = await startRedis()
  const store = createSessionStore({ url: down.url, secret, timeoutMilliseconds: 300 })
  const sessions = store.forExpressSession()
  await down.kill()
  sessions.destroy('id')
  await expect(store.get('id')).rejects.toThrow('Redis')
  await store.close()
})

test('forExpressSession() without connect-redis names what to install', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(name, context, next) {
        if (name === 'connect-redis') throw new Error('It is not installed.')
        return next(name, context)
      },
    })
    const { createSessionStore } = await import('@latchkey/session-store')
    const store = createSessionStore({})
    try { store.forExpressSession() } catch ({ code, message }) { console.log(code, message) }`
  const { stdout } = await run(
    process.execPath,
    ['--conditions=latchkey-source', '--input-type=module', '-e', script],
    { cwd: import.meta.dirname },
  )
  expect(stdout).toContain('LATCHKEY_CONFIG_INVALID')
  expect(stdout).toContain('npm install connect-redis redis express-session')
})
