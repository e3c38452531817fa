import type { User } from '@latchkey/core'
import { type AuthOptions, requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

/** A site with a page for admins; its clock can be moved ahead. */
async function start(
  options: AuthOptions = {},
  metadata: Record<string, unknown> = {},
  rewrite?: Site['provider']['rewrite'],
): Promise<{ site: Site; browser: Browser; advance: (seconds: number) => void }> {
  // The clock stands still, so no second passes while a request is on its way.
  const begun = Math.floor(Date.now() / 1000)
  let ahead = 0
  const advance = (seconds: number): void => {
    ahead += seconds
  }
  const site = await startSite(
    (app) => {
      app.get('/admin', requireUser({ roles: ['admin'], respond: 'json' }), (_req, res) => {
        res.send('admin')
      })
      app.get('/me', requireUser(), (req, res) => {
        res.json(req.auth.user)
      })
      app.get('/refresh-tokens', requireUser(), async (req, res) => {
        await req.auth.accessToken({ force: true })
        res.json(req.auth.user)
      })
      app.get('/refresh-user', requireUser(), async (req, res) => {
        res.json([await req.auth.refreshUser(), req.auth.user])
      })
    },
    { now: () => begun + ahead, ...options },
  )
  site.provider.metadata = metadata
  site.provider.user = { sub: 'ada', name: 'Ada', roles: ['admin'], team: 'red' }
  site.provider.rewrite = rewrite
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  return { site, browser, advance }
}

const get = async (site: Site, browser: Browser, path: string): Promise<string> =>
  (await browser.open(site.url + path)).text
const statusOf = async (site: Site, browser: Browser, path: string): Promise<number> =>
  (await browser.open(site.url + path)).response.status

test('a role that was taken away is gone after a refresh whose ID token lacks it', async () => {
  const { site, browser } = await start()
  await using _ = site
  expect(await get(site, browser, '/admin')).toBe('admin')
  site.provider.user = { sub: 'ada', name: 'Ada Lovelace', roles: [] }

  await get(site, browser, '/refresh-tokens')

  expect(await statusOf(site, browser, '/admin')).toBe(403)
  expect(JSON.parse(await get(site, browser, '/me'))).toMatchObject({ name: 'Ada Lovelace' })
})

test('a claim that the provider no longer sends at all is gone after a refresh', async () => {
  const { site, browser } = await start()
  await using _ = site
  site.provider.user = { sub: 'ada', name: 'Ada' }

  await get(site, browser, '/refresh-tokens')

  expect(await statusOf(site, browser, '/admin')).toBe(403)
})

test('a refreshed ID token that has only a sub takes nothing away from the user', async () => {
  const { site, browser } = await start()
  await using _ = site
  site.provider.fault = 'refreshed id_token with sub alone'

  await get(site, browser, '/refresh-tokens')

  expect(await get(site, browser, '/admin')).toBe('admin')
})

test('claims that the application added at login are kept by a refresh', async () => {
  const { site, browser } = await start({
    hooks: { afterCallback: ({ user }) => ({ user: { ...user, plan: 'gold' } }) },
  })
  await using _ = site

  await get(site, browser, '/refresh-tokens')

  expect(JSON.parse(await get(site, browser, '/me'))).toMatchObject({ plan: 'gold', name: 'Ada' })
})

test('onSession sees the new claims at a refresh, and may change them', async () => {
  const { site, browser } = await start({
    hooks: {
      onSession: (session, reason) =>
        reason === 'refresh'
          ? { ...session, user: { ...session.user, seen: session.user.name } }
          : undefined,
    },
  })
  await using _ = site
  site.provider.user = { sub: 'ada', name: 'Ada Lovelace' }

  await get(site, browser, '/refresh-tokens')

  expect(JSON.parse(await get(site, browser, '/me'))).toMatchObject({ seen: 'Ada Lovelace' })
})

/** The log line of a schema that refuses or fails, as at a login. */
const SCHEMA = {
  code: 'LATCHKEY_TOKEN_INVALID',
  remedy: expect.stringContaining('Correct the schema of the option `claims`'),
}

test('a refresh whose claims do not fit the schema ends the session', async () => {
  const { site, browser } = await start({
    claims: {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) =>
          (value as User).name ? { value: value as User } : { issues: [{ path: ['name'] }] },
      },
    },
  })
  await using _ = site
  site.provider.user = { sub: 'ada', roles: ['admin'] }

  expect(await statusOf(site, browser, '/refresh-tokens')).toBe(401)

  expect(await statusOf(site, browser, '/admin')).toBe(401)
  expect(site.log).toMatchObject([
    { facts: SCHEMA, message: expect.stringContaining('do not fit the schema') },
  ])
})

test('a claims schema that fails at a refresh logs no user out, and the next refresh succeeds', async () => {
  let isDown = false
  const { site, browser } = await start({
    claims: {
      '~standard': {
        version: 1,
        vendor: 'test',
        async validate(value) {
          if (isDown) throw new Error('connect ECONNREFUSED 10.0.0.5:5432')
          return { value: value as User }
        },
      },
    },
  })
  await using _ = site
  isDown = true
  expect(await statusOf(site, browser, '/refresh-tokens')).toBe(503)
  expect(site.log).toMatchObject([
    { facts: { ...SCHEMA, cause: 'connect ECONNREFUSED 10.0.0.5:5432' } },
  ])
  expect(await get(site, browser, '/admin')).toBe('admin')
  isDown = false
  expect(await statusOf(site, browser, '/refresh-tokens')).toBe(200)
})

test('refreshUser() reads the user from userinfo now, for this request and the next', async () => {
  const { site, browser } = await start()
  await using _ = site
  site.provider.user = { sub: 'ada', name: 'Ada', roles: ['reader'] }

  const [returned, current] = JSON.parse(await get(site, browser, '/refresh-user'))

  expect(returned).toMatchObject({ roles: ['reader'], from_userinfo: true })
  expect(current).toEqual(returned)
  expect(await statusOf(site, browser, '/admin')).toBe(403)
  expect(site.provider.count('/token')).toBe(1)
})

/** The ways to read userinfo again. */
const READINGS = [
  { way: 'refreshUser()', userinfo: 'login', path: '/refresh-user', seconds: 0 },
  { way: 'userinfo: { everySeconds }', userinfo: { everySeconds: 60 }, path: '/me', seconds: 61 },
  { way: 'a refresh of tokens', userinfo: 'login', path: '/refresh-tokens', seconds: 0 },
] as const
/** The ID tokens of a provider, at the login and later. */
const ID_TOKENS = [
  { has: 'all claims', atLogin: true, later: true },
  { has: 'all claims at the login alone', atLogin: true, later: false },
  { has: 'sub alone', atLogin: false, later: false },
] as const
const withdrawals = READINGS.flatMap((reading) =>
  ID_TOKENS.flatMap((idToken) =>
    [undefined, null].map((roles) => ({ ...reading, ...idToken, roles })),
  ),
)

test.each(withdrawals)(
  'a role that userinfo has no more ($roles) is gone after $way, if the ID token has $has',
  async ({ userinfo, path, seconds, atLogin, later, roles }) => {
    const { site, browser, advance } = await start({ userinfo }, {}, (answer, json) => {
      const { team, ...claims } = JSON.parse(json)
      if (answer === 'userinfo') return JSON.stringify(claims)
      if (answer !== 'id_token' || (claims.nonce ? atLogin : later)) return json
      const { name, roles, ...others } = claims
      return JSON.stringify(others)
    })
    await using _ = site
    await get(site, browser, '/refresh-tokens')
    expect(await get(site, browser, '/admin')).toBe('admin')
    site.provider.user = { sub: 'ada', name: 'Ada L.', roles, team: 'red' }

    advance(seconds)
    await get(site, browser, path)
    expect(await statusOf(site, browser, '/admin')).toBe(403)
    advance(seconds)
    await get(site, browser, path)
    expect(await statusOf(site, browser, '/admin')).toBe(403)
    await get(site, browser, '/refresh-tokens')
    expect(await statusOf(site, browser, '/admin')).toBe(403)
    const user = JSON.parse(await get(site, browser, '/me'))
    expect(user).toMatchObject({ name: 'Ada L.', ...(atLogin && { team: 'red' }) })
  },
)

test('refreshUser() uses the ID token of a refresh where the provider has no userinfo', async () => {
  const { site, browser } = await start({ userinfo: 'never' }, { userinfo_endpoint: undefined })
  await using _ = site
  site.provider.user = { sub: 'ada', name: 'Ada Lovelace' }

  const [user] = JSON.parse(await get(site, browser, '/refresh-user'))

  expect(user).toMatchObject({ name: 'Ada Lovelace' })
  expect(site.provider.count('/userinfo')).toBe(0)
})

test('userinfo: { everySeconds } reads the user again once that time has passed, and not before', async () => {
  const { site, browser, advance } = await start({ userinfo: { everySeconds: 300 } })
  await using _ = site
  site.provider.user = { sub: 'ada', name: 'Ada', roles: [] }
  advance(299)
  expect(await get(site, browser, '/admin')).toBe('admin')
  expect(site.provider.count('/userinfo')).toBe(1)
  advance(2)

  const statuses = await Promise.all([1, 2, 3].map(() => statusOf(site, browser, '/admin')))

  expect(statuses).toEqual([403, 403, 403])
  expect(site.provider.count('/userinfo')).toBe(2)
  expect(await statusOf(site, browser, '/admin')).toBe(403)
  expect(site.provider.count('/userinfo')).toBe(2)
})

test('while userinfo is down the user stays as it is, and it is not asked at every request', async () => {
  const { site, browser, advance } = await start({ userinfo: { everySeconds: 60 } })
  await using _ = site
  site.provider.user = { sub: 'ada', name: 'Ada', roles: [] }
  site.provider.fault = 'userinfo: server error'
  advance(61)

  for (let i = 0; i < 4; i++) expect(await get(site, browser, '/admin')).toBe('admin')
  expect(site.provider.count('/userinfo')).toBe(2)

  site.provider.fault = undefined
  advance(31)
  expect(await statusOf(site, browser, '/admin')).toBe(403)
})

test.each([
  [
    'throws an error',
    (): never => {
      throw new Error('connect ECONNREFUSED 10.0.0.5:5432')
    },
    /ECONNREFUSED.+option .+claims.+ failed/,
  ],
  [
    'rejects',
    () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.5:5432')),
    /ECONNREFUSED.+option .+claims.+ failed/,
  ],
  ['does not let the user pass', () => ({ issues: [{ path: ['name'] }] }), /do not fit .+: name/],
] as const)(
  'while the claims schema %s, a user who is due stays as it is, with the tokens',
  async (_how, fail, logged) => {
    let isDown = false
    const { site, browser, advance } = await start({
      userinfo: { everySeconds: 60 },
      claims: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value) => (isDown ? fail() : { value: value as User }),
        },
      },
    })
    await using _ = site
    site.provider.user = { sub: 'ada', name: 'Ada', roles: [] }
    isDown = true
    advance(61)

    for (let i = 0; i < 3; i++) expect(await get(site, browser, '/admin')).toBe('admin')
    expect(site.provider.count('/userinfo')).toBe(2)
    expect(site.log).toMatchObject([{ facts: SCHEMA }])
    expect(JSON.stringify(site.log)).toMatch(logged)

    isDown = false
    advance(31)
    expect(await statusOf(site, browser, '/admin')).toBe(403)
    expect(await statusOf(site, browser, '/refresh-tokens')).toBe(200)
  },
)

test('while the claims schema fails, a due user whose access token has expired keeps the session and the new refresh token', async () => {
  let isDown = false
  const { site, browser, advance } = await start({
    userinfo: { everySeconds: 60 },
    claims: {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate(value) {
          if (isDown) throw new Error('connect ECONNREFUSED 10.0.0.5:5432')
          return { value: value as User }
        },
      },
    },
  })
  await using _ = site
  site.provider.accessTokenSeconds = 60
  expect(await statusOf(site, browser, '/refresh-tokens')).toBe(200)
  isDown = true
  advance(61)

  expect(await get(site, browser, '/admin')).toBe('admin')
  expect(await statusOf(site, browser, '/refresh-user')).toBe(503)
  isDown = false
  advance(31)
  expect(await statusOf(site, browser, '/refresh-user')).toBe(200)
  const spent = site.provider.requests.flatMap(({ body }) => body.get('refresh_token') ?? [])
  expect(new Set(spent).size).toBe(spent.length)
})

test('a user whose grant was revoked is logged out when the user is read again', async () => {
  const { site, browser, advance } = await start({ userinfo: { everySeconds: 300 } })
  await using _ = site
  site.provider.fault = 'invalid_grant'
  advance(601)

  expect(await statusOf(site, browser, '/admin')).toBe(401)
})
