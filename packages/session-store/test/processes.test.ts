import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import { expect, test } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { createBrowser } from '../../express/test/support/browser.ts'
import { startRedis, type TestRedis } from './support/redis.ts'

const secret = 'session-secret-0123456789-session-secret'

interface Deployment {
  readonly redis: TestRedis
  readonly provider: MisbehavingProvider
  readonly workers: { readonly url: string; readonly process: ChildProcess }[]
  /** Signs a user in at the first process; the cookie opens the session on all. */
  signIn(sub: string): Promise<string>
  [Symbol.asyncDispose](): Promise<void>
}

/** Four processes of one application, as behind a load balancer. */
async function deploy(count = 4): Promise<Deployment> {
  const redis = await startRedis()
  const provider = await startMisbehavingProvider()
  const ports = await Promise.all(Array.from({ length: count }, () => freePort()))
  const baseUrl = `http://127.0.0.1:${ports[0]}`
  const { issuer, clientId, clientSecret } = provider
  const router = { issuer, clientId, clientSecret, baseUrl, session: { secret } }
  const workers = ports.map((port) => ({
    url: `http://127.0.0.1:${port}`,
    process: fork(
      fileURLToPath(new URL('support/worker.ts', import.meta.url)),
      [JSON.stringify({ port, redis: redis.url, router })],
      { execArgv: ['--conditions=latchkey-source'], silent: true },
    ),
  }))
  await Promise.all(workers.map((worker) => once(worker.process, 'message')))
  return {
    redis,
    provider,
    workers,
    async signIn(sub) {
      provider.user = { sub, name: `Name of ${sub}`, email: `${sub}@example.com` }
      const browser = createBrowser()
      const { text } = await browser.open(`${baseUrl}/login?returnTo=/account`)
      expect(text).toBe(`Hello ${sub}`)
      const [cookie] = [...browser.cookies].filter(([key]) => key.endsWith(' latchkey'))
      return `latchkey=${cookie?.[1].value}`
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers) worker.process.kill('SIGKILL')
      await provider.close()
      await redis[Symbol.asyncDispose]()
    },
  }
}

const send = (url: string, cookie: string): Promise<Response> =>
  fetch(url, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' })

test('two hundred people on four processes refresh at once, and one process is killed: nobody is logged out', async () => {
  await using site = await deploy()
  const { provider, redis, workers } = site
  const cookies: string[] = []
  for (let n = 0; n < 200; n++) cookies.push(await site.signIn(`user-${n}`))
  const spent = (): string[] =>
    provider.requests.flatMap(({ body }) => body.get('refresh_token') ?? [])
  const refresh = (at: number, cookie: string): Promise<number> =>
    send(`${workers[at]?.url}/refresh`, cookie).then(
      (response) => response.status,
      () => 0,
    )
  const everybodyAtThree = (): Promise<number[]> =>
    Promise.all(cookies.flatMap((cookie) => [0, 1, 2].map((at) => refresh(at, cookie))))

  expect(new Set(await everybodyAtThree())).toEqual(new Set([200]))
  expect(new Set(spent()).size).toBe(spent().length)

  // Fifty at each process, all of them waiting for the provider when the last process is killed.
  const before = spent().length
  provider.fault = 'token: delayed'
  const second = cookies.map((cookie, n) => refresh(n % 4, cookie))
  await expect.poll(() => spent().length - before).toBe(200)
  workers[3]?.process.kill('SIGKILL')
  const died = await Promise.all(second.filter((_, n) => n % 4 === 3))
  provider.release()
  expect(new Set(died)).toEqual(new Set([0]))
  expect(new Set(await Promise.all(second.filter((_, n) => n % 4 !== 3)))).toEqual(new Set([200]))

  // The dead process holds fifty locks, which end by themselves after thirty seconds.
  const locks = await redis.inspect((r) => r.keys('latchkey:l:*'))
  expect(locks).toHaveLength(50)
  expect(await redis.inspect((r) => r.pttl(locks[0] as string))).toBeLessThanOrEqual(30_000)
  await redis.inspect((r) => r.del(locks))
  const asked = spent().length
  // A refresh token that was spent twice would be refused by the provider, and end its session.
  expect(new Set(await everybodyAtThree())).toEqual(new Set([200]))
  const afterwards = spent().slice(asked)
  expect(new Set(afterwards).size).toBe(afterwards.length)
})

test('a back-channel logout at one process ends the session at all, also under a request in flight', async () => {
  await using site = await deploy()
  const cookie = await site.signIn('ada')
  const other = await site.signIn('grace')
  const [first, second, third] = site.workers as [
    Deployment['workers'][0],
    Deployment['workers'][0],
    Deployment['workers'][0],
  ]
  const inFlight = send(`${second.url}/slow`, cookie)
  await expect.poll(() => send(`${second.url}/account`, cookie).then((r) => r.status)).toBe(200)

  // A NumericDate may have a fraction (RFC 7519 §2).
  const token = site.provider.logoutToken({ sub: 'ada', exp: Date.now() / 1000 + 120 })
  const logout = (url: string): Promise<Response> =>
    fetch(`${url}/backchannel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    })
  expect((await logout(first.url)).status).toBe(200)
  expect((await logout(third.url)).status).toBe(400)
  second.process.send('go on')
  await inFlight

  for (const { url } of site.workers) {
    expect((await send(`${url}/account`, cookie)).status).toBe(401)
    expect((await send(`${url}/account`, other)).status).toBe(200)
  }
})

test('a dump of Redis holds no session id, token, name or address in the clear', async () => {
  await using site = await deploy(1)
  const cookie = await site.signIn('ada-lovelace')
  await (await send(`${site.workers[0]?.url}/refresh`, cookie)).text()

  const values = await site.redis.inspect(async (r) => {
    const keys = await r.keys('*')
    const dumps = await Promise.all(keys.map((key) => r.dumpBuffer(key)))
    return Buffer.concat([...keys.map((key) => Buffer.from(key)), ...dumps.map((d) => d as Buffer)])
  })
  const dump = values.toString('latin1')

  expect(values.length).toBeGreaterThan(500)
  const id = cookie.slice('latchkey='.length).split('.')[0] as string
  expect(id).toHaveLength(43)
  const secrets = [id, 'access-', 'refresh-', 'eyJ', 'ada-lovelace', 'Name of', 'example.com']
  for (const one of [...secrets, site.provider.issuer, secret]) expect(dump).not.toContain(one)
})
