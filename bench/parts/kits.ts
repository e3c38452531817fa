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
const scope = 'openid profile email'

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
  },
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
      session: { secret: sessionSecret, store },
    }),
  )
  app.get('/page', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).name}`))
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
