import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { createMemoryStore, type Logger, type SessionStore } from '@latchkey/core'
import { createAuthRouter, DeniedError, requireUser } from '@latchkey/express'
import { expect, test, vi } from 'vitest'
import { overhear } from '../../../test/support/leaks.ts'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

const UUID = /[0-9a-f-]{36}/

/** A logger with a method `log`, as `console` and winston have; it keeps the lines. */
function textLogger(): { logger: Logger & Console; lines: string[] } {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      overhear('log', String(chunk))
      lines.push(String(chunk))
      done()
    },
  })
  return { logger: new Console(stream), lines }
}

test('a failed login leaves one line with code, message, remedy and the correlation id of the page', async () => {
  await using site = await startSite()
  site.provider.fault = 'access_denied'

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(site.log).toEqual([
    {
      level: 'warn',
      message: expect.stringContaining('access_denied'),
      facts: {
        code: 'LATCHKEY_LOGIN_DENIED',
        remedy: expect.stringContaining('Show a way to try again.'),
        correlationId: expect.stringMatching(UUID),
      },
    },
  ])
  expect(visit.text).toContain(site.log[0]?.facts.correlationId)
})

test('a logger of the shape of console receives the same in one line of text', async () => {
  const { logger, lines } = textLogger()
  await using site = await startSite(() => {}, { logger })
  site.provider.fault = 'access_denied'

  await createBrowser().open(`${site.url}/login`)

  expect(lines).toEqual([
    expect.stringMatching(
      /^\[latchkey\] LATCHKEY_LOGIN_DENIED: .+ What to do: Show a way .+ \(correlation id [0-9a-f-]{36}\)\n$/,
    ),
  ])
})

test('without a logger the lines go to the console, and with `false` nowhere', async () => {
  const said = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')]
  for (const spy of said) spy.mockImplementation(() => {})
  for (const logger of [false as const, undefined]) {
    await using site = await startSite(() => {}, { logger: logger as false })
    site.provider.fault = 'access_denied'
    await createBrowser().open(`${site.url}/login`)
  }
  const lines = said.flatMap((spy) => spy.mock.calls)
  for (const spy of said) spy.mockRestore()

  expect(lines).toEqual([[expect.stringContaining('[latchkey] LATCHKEY_LOGIN_DENIED: ')]])
})

test('a store that is down leaves one line, and one when it is back with how many were left out', async () => {
  const memory = createMemoryStore()
  let isDown = false
  const store: SessionStore = {
    ...memory,
    get(id) {
      if (isDown) throw new Error('connect redis://app:hush-hush@cache:6379 ECONNREFUSED')
      return memory.get(id)
    },
  }
  await using site = await startSite(
    (app) => {
      app.get('/private', requireUser(), (_req, res) => void res.send('private'))
      app.get('/public', (_req, res) => void res.send('public'))
    },
    { session: { store } },
  )
  const browser = createBrowser()
  await browser.open(`${site.url}/private`)

  isDown = true
  for (let i = 0; i < 20; i++) await browser.open(`${site.url}/${i % 2 ? 'private' : 'public'}`)
  isDown = false
  for (let i = 0; i < 5; i++) await browser.open(`${site.url}/public`)

  expect(site.log.map(({ level, facts }) => [level, facts.code, facts.leftOut])).toEqual([
    ['error', 'LATCHKEY_SESSION_UNAVAILABLE', undefined],
    ['info', 'LATCHKEY_SESSION_UNAVAILABLE', 19],
  ])
  expect(site.log[0]?.facts.cause).toBe('connect redis://cache:6379 ECONNREFUSED')
})

test('the last line about a store that fails again and again is true, and the lines are limited', async () => {
  const memory = createMemoryStore()
  let [isDown, ahead] = [false, 0]
  const store: SessionStore = {
    ...memory,
    get(id) {
      if (isDown) throw new Error('connect ECONNREFUSED')
      return memory.get(id)
    },
  }
  await using site = await startSite(
    (app) => app.get('/private', requireUser(), (_req, res) => void res.send('private')),
    { session: { store }, now: () => Math.floor(Date.now() / 1000) + ahead },
  )
  const browser = createBrowser()
  await browser.open(`${site.url}/private`)
  const ask = async (down: boolean): Promise<void> => {
    isDown = down
    await browser.open(`${site.url}/private`)
  }
  const levels = (): (string | undefined)[] => site.log.map(({ level }) => level)

  for (const down of [true, false, true]) {
    await ask(down)
    ahead += 10
  }
  expect(levels()).toEqual(['error', 'info', 'error'])

  for (let times = 0; times < 50; times++) {
    await ask(false)
    await ask(true)
  }
  expect(levels().length).toBeLessThan(25)
  expect(levels().at(-1)).toBe('error')
  ahead += 60
  await ask(false)
  expect(levels().at(-1)).toBe('info')
})

test('a provider that is down leaves one line, and one when a login works again', async () => {
  await using site = await startSite((app) => app.get('/', (_req, res) => void res.send('home')))
  await site.provider.stop()
  for (let i = 0; i < 3; i++) await createBrowser().open(`${site.url}/login`)
  await site.provider.start()
  // After a failure the kit waits a moment before it asks the provider again.
  await expect
    .poll(async () => (await createBrowser().open(`${site.url}/login`)).response.status)
    .toBe(200)

  expect(site.log.map(({ level, facts }) => [level, facts.code])).toEqual([
    ['error', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
    ['info', 'LATCHKEY_PROVIDER_UNAVAILABLE'],
  ])
})

test('a refused logout token leaves a line, and a flood of them no more than ten in a minute', async () => {
  await using site = await startSite()
  const post = { method: 'POST', body: 'logout_token=not.a.token' }

  for (let i = 0; i < 30; i++) {
    await createBrowser().send(`${site.url}/backchannel-logout`, post)
  }

  expect(site.log).toHaveLength(10)
  expect(site.log[0]).toMatchObject({
    level: 'warn',
    facts: { code: 'LATCHKEY_LOGOUT_TOKEN_INVALID' },
  })
})

test('a visitor who has to log in leaves no log line, and a refused user leaves one with the reason', async () => {
  await using site = await startSite((app) => {
    app.get('/admin', requireUser({ roles: ['admin'] }), (_req, res) => void res.send('admin'))
  })
  const browser = createBrowser()

  await browser.send(`${site.url}/admin`)
  await browser.open(`${site.url}/admin`)
  await browser.send(`${site.url}/login`, { method: 'POST' })

  expect(site.log).toEqual([
    {
      level: 'info',
      message: expect.stringContaining('requirement "roles": it asks for one of "admin", and'),
      facts: {
        code: 'LATCHKEY_FORBIDDEN',
        remedy: expect.stringContaining('Give the user the role'),
        correlationId: expect.stringMatching(UUID),
      },
    },
  ])
})

test('a log line has no control characters for a terminal', async () => {
  const reason = 'bell \u0007 red \u001b[31m line\nLATCHKEY: forged \u202e'
  const { logger, lines } = textLogger()
  await using site = await startSite(() => {}, {
    logger,
    hooks: { afterCallback: () => Promise.reject(new DeniedError(reason)) },
  })

  await createBrowser().open(`${site.url}/login`)

  expect(lines).toHaveLength(1)
  expect(lines[0]?.trimEnd()).toMatch(/^[\x20-\x7e…]+$/)
})

test('a logger that throws does not make a login fail', async () => {
  const broken = () => {
    throw new Error('disk full')
  }
  await using site = await startSite(() => {}, {
    logger: { info: broken, warn: broken, error: broken },
  })
  site.provider.fault = 'access_denied'

  expect((await createBrowser().open(`${site.url}/login`)).response.status).toBe(403)
})

test('in development the error page shows message and remedy; in production and elsewhere it does not', async () => {
  const show = async (site: { url: string }): Promise<string> =>
    (await createBrowser().open(`${site.url}/login`)).text
  await using site = await startSite()
  site.provider.fault = 'access_denied'
  expect(await show(site)).toContain('What to do: Show a way to try again.')

  vi.stubEnv('NODE_ENV', 'production')
  await using live = await startSite()
  live.provider.fault = 'access_denied'
  const page = await show(live)
  vi.unstubAllEnvs()

  expect(page).toContain('LATCHKEY_LOGIN_DENIED')
  expect(page).not.toContain('What to do')
})

test('a logger option that is no logger is refused', () => {
  expect(() => createAuthRouter({ logger: { warn() {} } as never })).toThrow(
    '"logger" must be a logger with info(), warn() and error() or false',
  )
})
