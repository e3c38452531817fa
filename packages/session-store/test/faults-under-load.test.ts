import { setTimeout as sleep } from 'node:timers/promises'
import { requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import { expect, test, vi } from 'vitest'
import { type Browser, createBrowser } from '../../express/test/support/browser.ts'
import { type Site, startSite } from '../../express/test/support/site.ts'
import { startRedis, startSentinel, until } from './support/redis.ts'

const PEOPLE = 20

async function start(store: ReturnType<typeof createSessionStore>): Promise<Site> {
  return startSite(
    (app) => {
      app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.sub}`))
      app.get('/note', requireUser(), (req, res, next) => {
        Object.assign(req.session, { at: Date.now() })
        req.session.save((error) => (error ? next(error) : res.send('noted')))
      })
    },
    { session: { store } },
  )
}

async function signIn(site: Site): Promise<Browser> {
  const browser = createBrowser()
  expect((await browser.open(`${site.url}/login?returnTo=/account`)).text).toBe('Hello ada')
  return browser
}

/** How a fault looked to those who were logged in and went on reading and writing. */
interface Seen {
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<number, number>>
  /** From the fault until the last request that was not served. */
  readonly secondsToRecover: number
}

/** Lets everybody read and write without pause while `fault` happens, and until all is well again. */
async function underLoad(
  what: string,
  site: Site,
  people: readonly Browser[],
  fault: () => Promise<unknown>,
): Promise<Seen> {
  const statuses: Record<number, number> = {}
  let [isOver, begin, lastRefused, servedSince] = [false, Date.now(), 0, 0]
  const use = async (browser: Browser): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const path = n % 3 === 0 ? '/note' : '/account'
      const { status } = await browser.send(site.url + path, { headers: { accept: 'text/html' } })
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 200) servedSince += 1
      else [lastRefused, servedSince] = [Date.now(), 0]
      await sleep(5)
    }
  }
  const everybody = Promise.all(people.map(use))
  await sleep(300)
  begin = Date.now()
  await fault()
  await until('everybody is served again', () => servedSince > 10 * PEOPLE && lastRefused > 0)
  isOver = true
  await everybody
  const secondsToRecover = (lastRefused - begin) / 1000
  const told = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  process.stdout.write(`${what}: ${told.join(', ')}; served again after ${secondsToRecover} s\n`)
  return { statuses, secondsToRecover }
}

test('a failover under load answers 503 for a while, and nobody is logged out', async () => {
  await using redis = await startSentinel()
  process.env.REDIS_SENTINELS = `127.0.0.1:${redis.sentinel.port}`
  vi.spyOn(process, 'emitWarning').mockReturnValue()
  const { client, store } = await import('./support/sentinel-example.ts')
  await using site = await start(store)
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => signIn(site)))
  await until('the replica has the sessions', async () => {
    const keys = await redis.replica.inspect((r) => r.keys('latchkey:s:*'))
    return keys.length === PEOPLE
  })

  const { statuses } = await underLoad('failover', site, people, () => redis.master.kill())

  expect(Object.keys(statuses)).toEqual(['200', '503'])
  expect(await redis.replica.inspect((r) => r.info('replication'))).toContain('role:master')
  client.disconnect()
})

test('a restart of Redis under load answers 503 for a while, and nobody is logged out', async () => {
  await using redis = await startRedis(['appendonly yes', 'appendfsync always'])
  const store = createSessionStore({ url: redis.url })
  await using site = await start(store)
  const people = await Promise.all(Array.from({ length: PEOPLE }, () => signIn(site)))

  const { statuses } = await underLoad('restart', site, people, async () => {
    await redis.kill()
    await sleep(500)
    await redis.restart()
  })

  expect(Object.keys(statuses)).toEqual(['200', '503'])
  expect(store.health().status).toBe('ok')
  await store.close()
})
