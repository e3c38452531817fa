import type { KeyObject } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import type { Express, RequestHandler } from 'express'
import type { Store } from 'express-session'
import type { Profile, VerifyCallback } from 'passport-openidconnect'

/** Settings of the application in a measurement. */
export interface KitSettings {
  readonly issuer: string
  readonly baseUrl: string
  /** The port of a Redis to keep sessions in, `undefined` to keep them in the process. */
  readonly redisPort: string | undefined
}

const client = { id: 'app', secret: 'client-secret-0123456789-client-secret' }
const sessionSecret = 'session-secret-0123456789-session-secret'
const scope = process.env.SCOPE ?? 'openid profile email'

/**
 * The same application on each kit: `/page` is for logged-in people and says their name. Each is
 * mounted as its documentation has it, and loads nothing that the others need.
 */
export const kits: Record<string, (app: Express, settings: KitSettings) => Promise<void>> = {
  async express(app) {
    app.get('/page', (_req, res) => void res.send('Hello Ada'))
  },

  async 'express-session'(app, settings) {
    app.use(await sessions(settings))
    app.get('/login', (req, res) => {
      Object.assign(req.session, { user: { sub: 'ada', name: 'Ada', email: 'ada@example.com' } })
      res.send('')
    })
    app.get('/page', (req, res) => {
      const { user } = req.session as unknown as { user?: { name: string } }
      if (user) res.send(`Hello ${user.name}`)
      else res.redirect('/login')
    })
  },

  async latchkey(app, settings) {
    await mountLatchkey(app, settings, (url) => ({ url }))
  },

  async 'latchkey, node-redis'(app, settings) {
    const { createClient } = await import('redis')
    const connected = await createClient({ url: redisUrl(settings) }).connect()
    await mountLatchkey(app, settings, () => ({ client: connected as never }))
  },

  async 'passport-openidconnect'(app, settings) {
    const { default: passport } = await import('passport')
    const { default: Strategy } = await import('passport-openidconnect')
    const { issuer, baseUrl } = settings
    app.use(await sessions(settings))
    const options = {
      issuer,
      authorizationURL: `${issuer}/auth`,
      tokenURL: `${issuer}/token`,
      userInfoURL: `${issuer}/userinfo`,
      clientID: client.id,
      clientSecret: client.secret,
      callbackURL: `${baseUrl}/callback`,
      scope: ['profile', 'email'],
    }
    const verify = (_issuer: string, profile: Profile, done: VerifyCallback) => {
      done(null, { sub: profile.id, name: profile.displayName })
    }
    mountPassport(app, passport, new Strategy(options, verify), 'openidconnect')
  },

  async 'openid-client/passport'(app, settings) {
    const { default: passport } = await import('passport')
    const { Strategy } = await import('openid-client/passport')
    const oidc = await import('openid-client')
    const { issuer, baseUrl } = settings
    app.use(await sessions(settings))
    const method = oidc.ClientSecretBasic(client.secret)
    // The result of `discovery()`, so that starting needs no provider.
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      code_challenge_methods_supported: ['S256'],
    }
    const config = new oidc.Configuration(metadata, client.id, client.secret, method)
    oidc.allowInsecureRequests(config)
    const strategy = new Strategy(
      { config, scope, callbackURL: `${baseUrl}/callback` },
      (tokens, done) => {
        const { sub, name } = tokens.claims() as { sub: string; name?: string }
        done(null, { sub, name })
      },
    )
    mountPassport(app, passport, strategy, strategy.name)
  },

  async 'bare guard'(app, settings) {
    await mountBareGuard(app, settings)
  },

  async 'bare, verified'(app, settings) {
    await mountBare(app, settings, await redeemByHand(settings))
  },

  async 'bare, openid-client'(app, settings) {
    const config = await configuration(settings)
    await mountBare(app, settings, await redeemByClient(config))
    const { refreshTokenGrant } = await import('openid-client')
    app.get('/fresh', async (req, res) => {
      const { user } = req.session as unknown as { user: BareUser }
      const tokens = await refreshTokenGrant(config, user.refreshToken ?? '')
      Object.assign(user, { refreshToken: tokens.refresh_token, accessToken: tokens.access_token })
      res.send(user.accessToken)
    })
  },

  async 'express-openid-connect'(app, settings) {
    const { auth, requiresAuth } = (await import('express-openid-connect')).default
    const { MemoryStore } = (await import('express-session')).default
    const store = settings.redisPort ? await redisStore(settings) : new MemoryStore()
    app.use(
      auth({
        issuerBaseURL: settings.issuer,
        baseURL: settings.baseUrl,
        clientID: client.id,
        clientSecret: client.secret,
        secret: sessionSecret,
        authRequired: false,
        authorizationParams: { response_type: 'code', scope },
        session: { store: store as never },
      }),
    )
    app.get('/page', requiresAuth(), (req, res) => void res.send(`Hello ${req.oidc.user?.name}`))
    app.get('/fresh', requiresAuth(), async (req, res) => {
      res.send((await req.oidc.accessToken?.refresh())?.access_token)
    })
  },
}

/**
 * The least that a guard takes: the id of a session in a signed cookie whose signature was computed once, one read of
 * its record, and a redirect to the provider with `state`, `nonce` and PKCE in a signed cookie.
 */
async function mountBareGuard(app: Express, settings: KitSettings): Promise<void> {
  const { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } = await import(
    'node:crypto'
  )
  const key = createSecretKey(Buffer.from(sessionSecret))
  const random = () => randomBytes(32).toString('base64url')
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  const signed = new Map<string, Buffer>()
  const records = await bareRecords(settings)
  const common = new URLSearchParams({
    client_id: client.id,
    redirect_uri: `${settings.baseUrl}/callback`,
    response_type: 'code',
    scope,
    code_challenge_method: 'S256',
  })
  const idIn = (header: string | undefined): string | undefined => {
    const [, id, signature] = /(?:^|; )sid=([\w-]+)\.([\w-]+)/.exec(header ?? '') ?? []
    if (id === undefined || signature === undefined) return undefined
    const expected = signed.get(id) ?? Buffer.from(sign(id))
    const given = Buffer.from(signature)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    signed.set(id, expected)
    return id
  }
  const askToLogIn: RequestHandler = (req, res) => {
    const login = { state: random(), nonce: random(), verifier: random(), returnTo: req.url }
    const kept = Buffer.from(JSON.stringify(login)).toString('base64url')
    const challenge = hash('sha256', login.verifier, 'base64url')
    res.setHeader('set-cookie', `login=${kept}.${sign(kept)}; Path=/; Max-Age=600; HttpOnly`)
    res.redirect(
      `${settings.issuer}/auth?${common}&state=${login.state}&nonce=${login.nonce}&code_challenge=${challenge}`,
    )
  }
  const guard: RequestHandler = (req, res, next) => {
    res.setHeader('cache-control', 'private, no-store')
    res.setHeader('vary', 'Cookie')
    const id = idIn(req.headers.cookie)
    const use = (record: BareRecord | undefined): void => {
      if (!record || record.expiresAt < Date.now()) {
        askToLogIn(req, res, next)
        return
      }
      res.locals.user = record.user
      next()
    }
    const found = id === undefined ? undefined : records.get(id)
    if (found instanceof Promise) found.then(use, next)
    else use(found)
  }
  app.get('/login', async (_req, res) => {
    const id = random()
    const user = { sub: 'ada', name: 'Ada', email: 'ada@example.com' }
    await records.set(id, { user, expiresAt: Date.now() + 86_400_000 })
    res.setHeader('set-cookie', `sid=${id}.${sign(id)}; Path=/; HttpOnly`).send('')
  })
  app.get('/page', guard, (_req, res) => void res.send(`Hello ${res.locals.user.name}`))
}

interface BareRecord {
  readonly user: { readonly name: string }
  readonly expiresAt: number
}

interface BareRecords {
  get(id: string): BareRecord | undefined | Promise<BareRecord | undefined>
  set(id: string, record: BareRecord): unknown
}

/** Records in a map, or as JSON in Redis. */
async function bareRecords(settings: KitSettings): Promise<BareRecords> {
  if (!settings.redisPort) return new Map<string, BareRecord>()
  const { createClient } = await import('redis')
  const redis = await createClient({ url: redisUrl(settings) }).connect()
  return {
    get: (id) => redis.get(id).then((json) => (json ? JSON.parse(json) : undefined)),
    set: (id, record) => redis.set(id, JSON.stringify(record)),
  }
}

interface BareLogin {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

interface BareUser {
  sub: string
  name?: string
  accessToken?: string | undefined
  refreshToken?: string | undefined
}

type Redeem = (url: URL, login: BareLogin) => Promise<BareUser>

/** The least that a login with PKCE, `state` and `nonce` takes, on express-session. */
async function mountBare(app: Express, settings: KitSettings, redeem: Redeem): Promise<void> {
  const { hash, randomBytes } = await import('node:crypto')
  const random = () => randomBytes(32).toString('base64url')
  const redirectUri = `${settings.baseUrl}/callback`
  app.use(await sessions(settings))
  app.get('/login', (req, res) => {
    const login = { state: random(), nonce: random(), verifier: random() }
    Object.assign(req.session, { login })
    const parameters = new URLSearchParams({
      client_id: client.id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope,
      state: login.state,
      nonce: login.nonce,
      code_challenge: hash('sha256', login.verifier, 'base64url'),
      code_challenge_method: 'S256',
    })
    res.redirect(`${settings.issuer}/auth?${parameters}`)
  })
  app.get('/callback', async (req, res) => {
    const { login } = req.session as unknown as { login: BareLogin }
    const user = await redeem(new URL(req.url, settings.baseUrl), login)
    req.session.regenerate(() => {
      Object.assign(req.session, { user })
      res.redirect('/page')
    })
  })
}

/** Sends forms to one address over node:http, and reads the responses. */
function formSender(url: string): (headers: OutgoingHttpHeaders, body: string) => Promise<string> {
  // An import of the module would load undici in the other kits, too.
  const http = process.getBuiltinModule('node:http')
  const target = urlToHttpOptions(new URL(url))
  const send = (headers: OutgoingHttpHeaders, body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = http.request({ ...target, method: 'POST', headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve(text))
      })
      sent.on('error', reject).end(body)
    })
  return send
}

/** Checks what OpenID Connect Core 1.0 §3.1.3.7 demands, without a library. */
async function redeemByHand({ issuer, baseUrl }: KitSettings): Promise<Redeem> {
  const { createPublicKey, verify } = await import('node:crypto')
  const authorization = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`
  const send = formSender(`${issuer}/token`)
  let key: KeyObject | undefined
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return async ({ searchParams }, login) => {
    if (searchParams.get('state') !== login.state) throw new Error('state')
    if (!key) {
      const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: never[] }
      key = createPublicKey({ format: 'jwk', key: keys[0] as never })
    }
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code: searchParams.get('code') ?? '',
      redirect_uri: `${baseUrl}/callback`,
      code_verifier: login.verifier,
    })
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const { id_token } = JSON.parse(await send(headers, `${form}`))
    const [header = '', payload = '', signature = ''] = id_token.split('.')
    const signed = Buffer.from(`${header}.${payload}`)
    const isSigned =
      parse(header).alg === 'RS256' &&
      verify('sha256', signed, key, Buffer.from(signature, 'base64url'))
    const { iss, aud, exp, nonce, ...claims } = parse(payload)
    const isCurrent = exp > Date.now() / 1000
    if (!(isSigned && iss === issuer && aud === client.id && isCurrent && nonce === login.nonce)) {
      throw new Error('ID token')
    }
    return claims
  }
}

/** openid-client checks claims; the signature only if told to, as it trusts the connection to the token endpoint. */
async function configuration({ issuer }: KitSettings) {
  const oidc = await import('openid-client')
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  }
  const method = oidc.ClientSecretBasic(client.secret)
  const config = new oidc.Configuration(metadata, client.id, client.secret, method)
  oidc.allowInsecureRequests(config)
  oidc.enableNonRepudiationChecks(config)
  const send = formSender(metadata.token_endpoint)
  config[oidc.customFetch] = async (url, { method, headers, body }) => {
    if (method !== 'POST') return fetch(url)
    const text = await send(headers as OutgoingHttpHeaders, String(body))
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }
  return config
}

async function redeemByClient(config: import('openid-client').Configuration): Promise<Redeem> {
  const { authorizationCodeGrant } = await import('openid-client')
  return async (url, login) => {
    const tokens = await authorizationCodeGrant(config, url, {
      expectedState: login.state,
      expectedNonce: login.nonce,
      pkceCodeVerifier: login.verifier,
      idTokenExpected: true,
    })
    return { ...(tokens.claims() as { sub: string }), refreshToken: tokens.refresh_token }
  }
}

async function mountLatchkey(
  app: Express,
  { issuer, baseUrl, redisPort }: KitSettings,
  redis: (url: string) => { url: string } | { client: never },
): Promise<void> {
  const { createAuthRouter, getUser, requireUser } = await import('@latchkey/express')
  const store = redisPort
    ? (await import('@latchkey/session-store')).createSessionStore(redis(redisUrl({ redisPort })))
    : undefined
  app.use(
    createAuthRouter({
      issuer,
      clientId: client.id,
      clientSecret: client.secret,
      baseUrl,
      scope,
      session: { secret: sessionSecret, store },
    }),
  )
  app.get('/page', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).name}`))
  app.get('/fresh', requireUser(), async (req, res) => {
    res.send(await req.auth.accessToken({ force: true }))
  })
}

function mountPassport(
  app: Express,
  passport: typeof import('passport'),
  strategy: import('passport').Strategy,
  name: string,
): void {
  passport.use(strategy)
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user: Express.User, done) => done(null, user))
  const authenticate = passport.authenticate(name) as RequestHandler
  app.use(passport.authenticate('session') as RequestHandler)
  app.get('/login', authenticate)
  app.get('/callback', authenticate, (_req, res) => res.redirect('/page'))
  app.get(
    '/page',
    (req, res, next) => (req.isAuthenticated() ? next() : authenticate(req, res, next)),
    (req, res) => void res.send(`Hello ${(req.user as { name?: string }).name}`),
  )
}

async function sessions(settings: KitSettings): Promise<RequestHandler> {
  const { default: expressSession } = await import('express-session')
  return expressSession({
    secret: sessionSecret,
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax', maxAge: 86_400_000 },
    ...(settings.redisPort ? { store: await redisStore(settings) } : {}),
  })
}

async function redisStore(settings: KitSettings): Promise<Store> {
  const { RedisStore } = await import('connect-redis')
  const { createClient } = await import('redis')
  return new RedisStore({ client: await createClient({ url: redisUrl(settings) }).connect() })
}

function redisUrl({ redisPort }: Pick<KitSettings, 'redisPort'>): string {
  return `redis://127.0.0.1:${redisPort}`
}
