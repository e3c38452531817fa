import { createHash } from 'node:crypto'
import { type AuthOptions, LatchkeyError, requireUser } from '@latchkey/express'
import type { JsonAnswer } from '@latchkey/testing/misbehaving-provider'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

// Providers write "nothing" in three ways: the member is missing, null, or an empty text.

const MEMBERS = {
  code: ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'id_token', 'error'],
  refresh: ['access_token', 'token_type', 'expires_in', 'scope', 'id_token', 'error'],
  id_token: [
    ...['iss', 'aud', 'exp', 'iat', 'sub', 'nonce', 'azp', 'auth_time', 'nbf', 'at_hash'],
    ...['acr', 'amr', 'sid', 'jti', 'name', 'email', 'email_verified'],
  ],
  userinfo: ['sub', 'name', 'email', 'email_verified'],
  discovery: [
    ...['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
    ...['userinfo_endpoint', 'end_session_endpoint', 'pushed_authorization_request_endpoint'],
    ...['introspection_endpoint', 'require_pushed_authorization_requests', 'scopes_supported'],
    ...['code_challenge_methods_supported', 'token_endpoint_auth_methods_supported'],
    ...['id_token_signing_alg_values_supported', 'authorization_response_iss_parameter_supported'],
  ],
  jwks: [],
} as const satisfies Record<JsonAnswer, readonly string[]>

/** The members without which no login succeeds. */
const REQUIRED: readonly string[] = [
  ...['code.access_token', 'code.token_type', 'code.id_token', 'userinfo.sub'],
  ...['iss', 'aud', 'exp', 'iat', 'sub', 'nonce'].map((claim) => `id_token.${claim}`),
  ...['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'].map(
    (name) => `discovery.${name}`,
  ),
]

const SPELLINGS = { null: null, 'an empty text': '' }

type Rewrite = (json: string) => string

const errors: LatchkeyError[] = []
const opened: Site[] = []
let site: Site
let withUserinfo: Site
let entered = (): void => {}
/** Resolves when a request for `/late` may go on. */
let gate: Promise<void> = Promise.resolve()

const open = async (options: AuthOptions = {}): Promise<Site> => {
  const one = await startSite(
    (app) => {
      app.get('/refresh', requireUser(), async (req, res) => {
        res.json(await req.auth.accessToken({ force: true }).then(Boolean, codeOf))
      })
      app.get('/token', requireUser(), async (req, res) => {
        res.json(nameOf(await req.auth.accessToken()))
      })
      app.get('/late', requireUser(), async (req, res) => {
        entered()
        await gate
        res.json(nameOf(await req.auth.accessToken({ force: true })))
      })
      app.get('/recent', requireUser({ maxAge: 3600 }), (_req, res) => void res.json('recent'))
      app.get('/', (req, res) => void res.json(req.auth.isAuthenticated ? req.auth.user : null))
    },
    { ...options, hooks: { onError: (error) => void errors.push(error), ...options.hooks } },
  )
  opened.push(one)
  return one
}
/** A name of a token, which a page may show. */
const nameOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
const codeOf = (error: unknown): unknown => (error instanceof LatchkeyError ? error.code : error)

beforeAll(async () => {
  site = await open()
  withUserinfo = await open({ userinfo: 'login' })
})
afterEach(() => {
  site.provider.rewrite = undefined
  errors.length = 0
})
afterAll(() => Promise.all(opened.map((one) => one.close())))

/** The same text with another value of a member; `undefined` leaves it out. */
const withMember =
  (name: string, value: unknown): Rewrite =>
  (json) =>
    JSON.stringify({ ...JSON.parse(json), [name]: value })

/** The same text with the member a second time, which JSON allows. */
const withSecond =
  (name: string, value: unknown): Rewrite =>
  (json) =>
    `${json.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`

async function logIn(at: Site): Promise<Browser> {
  const browser = createBrowser()
  await browser.open(`${at.url}/login`)
  return browser
}

/** The user of a login whose provider rewrites one answer, or the code of its failure. */
async function login(answer: JsonAnswer, rewrite: Rewrite): Promise<unknown> {
  const at = answer === 'discovery' ? await open() : answer === 'userinfo' ? withUserinfo : site
  at.provider.rewrite = (one, json) => (one === answer ? rewrite(json) : json)
  errors.length = 0
  const browser = await logIn(at)
  at.provider.rewrite = undefined
  const user = JSON.parse((await browser.open(at.url)).text)
  return user ?? errors.map(codeOf)
}

/** The result of a refresh that the provider answers so, and of the next one, which it answers well. */
async function refreshes(answer: JsonAnswer, rewrite: Rewrite): Promise<unknown[]> {
  const browser = await logIn(site)
  site.provider.rewrite = (one, json) => (one === answer ? rewrite(json) : json)
  const results = [JSON.parse((await browser.open(`${site.url}/refresh`)).text)]
  site.provider.rewrite = undefined
  return [...results, JSON.parse((await browser.open(`${site.url}/refresh`)).text)]
}

const cases = (...answers: (keyof typeof MEMBERS)[]) =>
  answers.flatMap((answer) => MEMBERS[answer].map((name) => [answer, name] as const))

describe('at a login', () => {
  test.each(cases('code', 'id_token', 'userinfo', 'discovery'))(
    '%s: "%s" that is null or empty is one that is missing',
    async (answer, name) => {
      const missing = await login(answer, withMember(name, undefined))
      for (const [spelling, value] of Object.entries(SPELLINGS)) {
        expect([spelling, await login(answer, withMember(name, value))]).toEqual([
          spelling,
          missing,
        ])
      }
      const isRefused = Array.isArray(missing)
      expect(isRefused, JSON.stringify(missing)).toBe(REQUIRED.includes(`${answer}.${name}`))
    },
  )

  test.each(cases('code', 'id_token', 'userinfo'))(
    '%s: of "%s" sent twice the last one counts',
    async (answer, name) => {
      expect(await login(answer, withSecond(name, null))).toEqual(
        await login(answer, withMember(name, undefined)),
      )
      const other = ['another value']
      expect(await login(answer, withSecond(name, other))).toEqual(
        await login(answer, withMember(name, other)),
      )
    },
  )

  test('a required member of another type is refused, and no answer fails the application', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.boolean(), fc.double())
    const place = fc.constantFrom(...cases('code', 'id_token', 'userinfo'))
    await fc.assert(
      fc.asyncProperty(place, value, async ([answer, name], sent) => {
        const outcome = await login(answer, withMember(name, sent))
        const isRefused = Array.isArray(outcome)
        const type = name === 'exp' || name === 'iat' ? 'number' : 'string'
        if (REQUIRED.includes(`${answer}.${name}`) && typeof sent !== type) {
          expect(isRefused).toBe(true)
        }
        for (const error of errors) expect(error.status).toBeLessThan(500)
      }),
      { numRuns: 60 },
    )
  })

  test.each(Object.entries(SPELLINGS))(
    'an auth_time that is %s passes for no recent login where one was asked for',
    async (_, value) => {
      site.provider.rewrite = (answer, json) =>
        answer === 'id_token' ? withMember('auth_time', value)(json) : json
      const browser = createBrowser()
      const { text } = await browser.open(`${site.url}/recent`)
      expect(text).not.toContain('recent"')
      expect(errors.map(codeOf)).toEqual(['LATCHKEY_STEP_UP_FAILED'])
    },
  )
})

describe('at a refresh', () => {
  test.each([...cases('refresh'), ...cases('id_token').filter(([, name]) => name !== 'nonce')])(
    '%s: "%s" that is null or empty is one that is missing',
    async (answer, name) => {
      const missing = await refreshes(answer, withMember(name, undefined))
      for (const [spelling, value] of Object.entries(SPELLINGS)) {
        const result = await refreshes(answer, withMember(name, value))
        expect([spelling, ...result]).toEqual([spelling, ...missing])
      }
    },
  )

  test('an answer that cannot be used leaves its refresh token to the next refresh', async () => {
    const value = fc.constantFrom([], {}, true, 'x', -1, null, '')
    const place = fc.constantFrom(
      ...cases('refresh', 'id_token').filter(([, name]) => name !== 'sub'),
    )
    await fc.assert(
      fc.asyncProperty(place, value, async ([answer, name], sent) => {
        const [, next] = await refreshes(answer, withMember(name, sent))
        expect(next).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test.each(Object.entries(SPELLINGS))(
    'a refresh token that is %s leaves the one before in use',
    async (_, value) => {
      const browser = await logIn(site)
      site.provider.rewrite = (one, json) =>
        one === 'refresh' ? withMember('refresh_token', value)(json) : json
      expect((await browser.open(`${site.url}/refresh`)).text).toBe('true')
      await browser.open(`${site.url}/refresh`)
      const used = refreshTokens()
      expect(used.at(-1)).toBe(used.at(-2))
    },
  )

  test('an answer that speaks of another user leaves no refresh token behind', async () => {
    const another = withMember('sub', 'mallory')
    const [result] = await refreshes('id_token', (json) => withMember('exp', null)(another(json)))
    expect(result).toBe('LATCHKEY_REFRESH_UNAVAILABLE')
    const used = refreshTokens()
    expect(used.at(-1)).toBe(used.at(-2))
  })

  test('a hook that fails leaves the new refresh token to the next refresh', async () => {
    let isBroken = false
    const onSession = (_session: unknown, reason: string): undefined => {
      if (isBroken && reason === 'refresh') throw new Error('the hook fails')
    }
    const at = await open({ hooks: { onSession } })
    const browser = await logIn(at)
    isBroken = true
    await browser.open(`${at.url}/refresh`)
    isBroken = false
    expect((await browser.open(`${at.url}/refresh`)).text).toBe('true')
  })

  test('a request from before a refresh without use refreshes itself, and gets a new token', async () => {
    const browser = await logIn(site)
    const first = JSON.parse((await browser.open(`${site.url}/token`)).text)
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const inside = new Promise<void>((resolved) => {
      entered = resolved
    })
    const late = browser.send(`${site.url}/late`)
    await inside
    site.provider.rewrite = (one, json) =>
      one === 'refresh' ? withMember('access_token', null)(json) : json
    await browser.open(`${site.url}/refresh`)
    site.provider.rewrite = undefined
    resolve()
    expect(await (await late).json()).not.toBe(first)
  })
})

/** The refresh tokens that the provider was shown, in order. */
const refreshTokens = (): string[] =>
  site.provider.requests.flatMap(({ path, body }) =>
    path === '/token' ? (body.get('refresh_token') ?? []) : [],
  )
