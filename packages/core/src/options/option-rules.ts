import { KeyObject } from 'node:crypto'
import { ERROR_CODES, type VisitorText } from '../errors/codes.ts'
import {
  callable,
  either,
  flag,
  group,
  oneOf,
  type Rule,
  type Rules,
  rule,
  seconds,
  text,
  textRecord,
  texts,
} from '../shared/check-options.ts'
import { isRecord } from '../shared/records.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import type { Hooks } from './hooks.ts'
import { isImpliedScopes } from './implied-scopes.ts'
import type {
  AdoptOptions,
  AuthOptions,
  AuthSessionOptions,
  BearerOptions,
  ClientAssertionOptions,
  KeepFormsOptions,
  ReturnToOptions,
  RouteOptions,
} from './options.ts'

const url = rule('a URL, as a string or an object', (value) => {
  return typeof value === 'string' || value instanceof URL
})
const isFilledUrl = (value: unknown): boolean => value !== '' && url.fits(value)
const off = rule('false', (value) => value === false)
const path = rule('a path such as "/auth/login", which begins with a slash', (value) => {
  return typeof value === 'string' && /^\/[\w\-./~]+$/.test(value)
})
const methods = (...names: readonly string[]) => {
  return (value: unknown) =>
    names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function')
}

const isBasicStore = methods('get', 'set', 'update', 'touch', 'destroy')

/** The optional abilities of a store, and the methods of each. */
const ABILITIES: readonly (readonly [name: string, fits: (value: unknown) => boolean])[] = [
  ['index', methods('add', 'find', 'remove')],
  ['once', methods('consume', 'isConsumed')],
  ['lock', methods('acquire')],
  ['useSecrets', callable.fits],
  ['health', callable.fits],
]

function isStore(value: unknown): boolean {
  if (!isBasicStore(value)) return false
  const store = value as Readonly<Record<string, unknown>>
  return ABILITIES.every(([name, fits]) => store[name] === undefined || fits(store[name]))
}

const isTracing = methods('getTracer', 'getActiveSpan', 'setSpan')

function isTelemetryApi(value: unknown): boolean {
  const { trace, context, metrics } = Object(value) as Readonly<Record<string, unknown>>
  return isTracing(trace) && methods('active', 'with')(context) && methods('getMeter')(metrics)
}

const origins = rule(
  '"any", or an array of origins without "*", such as "https://admin.example.com"',
  (value) => {
    return value === 'any' || (Array.isArray(value) && value.every(isOrigin))
  },
)

function isOneOrMore(value: unknown): boolean {
  return typeof value === 'string' || texts.fits(value)
}

function isOrigin(value: unknown): boolean {
  // A pattern would be compared as it stands, and match no origin.
  if (typeof value !== 'string' || value.includes('*')) return false
  return /^https?:/.test(value) && URL.parse(value)?.origin === value
}

const everySeconds = rule('{ everySeconds: 300 }', (value) => {
  if (typeof value !== 'object' || value === null) return false
  const [only, ...others] = Object.entries(value)
  return only?.[0] === 'everySeconds' && seconds.fits(only[1]) && others.length === 0
})

const visitorText = group<VisitorText>({ title: text, advice: text })

const pageTexts: Rule = {
  mustBe: 'an object with a member for each language, such as { fr: { logIn: "Se connecter" } }',
  fits: (value) => isRecord(value) && Object.keys(value).every((name) => /^[a-z]{2,3}$/.test(name)),
  each: group<PageTexts>({
    logIn: text,
    logInAgain: text,
    startPage: text,
    logOut: text,
    stayLoggedIn: text,
    continue: text,
    send: text,
    doNotSend: text,
    askLogout: text,
    loggedOut: text,
    oneMoment: text,
    askSend: text,
    notSentYet: text,
    fieldsLeftOut: text,
    otherError: visitorText,
    loginNotStored: visitorText,
    formLost: visitorText,
    errors: group(Object.fromEntries(ERROR_CODES.map((code) => [code, visitorText]))),
  }),
}

/** The rule for each option. An option that is added to {@link AuthOptions} needs a line here. */
export const OPTION_RULES: Rules<AuthOptions> = {
  issuer: either(url, callable),
  clientId: text,
  clientSecret: either(text, callable),
  clientAuth: oneOf('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'),
  clientKey: rule('a private key, as PEM text or a KeyObject', (value) => {
    return typeof value === 'string' || value instanceof KeyObject
  }),
  clientAssertion: group<ClientAssertionOptions>({
    keyId: text,
    audience: oneOf('issuer', 'token_endpoint'),
    algorithm: oneOf('RS256', 'PS256', 'ES256', 'EdDSA'),
  }),
  profile: oneOf('fapi2'),
  dpop: flag,
  discoveryUrl: url,
  metadata: rule('an object with members of a discovery document', isRecord),
  entraTenants: texts,
  tokenParams: textRecord,
  logoutParams: rule('an object whose values are strings or false', (value) => {
    if (!isRecord(value)) return false
    return Object.values(value).every((one) => one === false || typeof one === 'string')
  }),
  pushedAuthorizationRequests: flag,
  insecureHttpHosts: texts,
  baseUrl: either(
    url,
    rule('an array of URLs that are all set', (value) => {
      return Array.isArray(value) && value.length > 0 && value.every(isFilledUrl)
    }),
  ),
  trustedOrigins: origins,
  scope: rule('a string such as "openid profile email"', (value) => typeof value === 'string'),
  returnTo: group<ReturnToOptions>({ default: text }),
  silentLogin: flag,
  keepForms: either(flag, group<KeepFormsOptions>({ except: texts })),
  authorizationParams: textRecord,
  allowedLoginParams: texts,
  responseMode: oneOf('query', 'form_post'),
  routes: group<RouteOptions>({
    login: either(path, off),
    callback: path,
    logout: either(path, off),
    loggedOut: either(path, off),
    backchannelLogout: either(path, off),
    session: either(path, off),
    keptForm: path,
  }),
  bearer: group<BearerOptions>({
    audience: rule('a string, or an array of strings that are all set', isOneOrMore),
    impliedScopes: rule(
      `an object with a list of scopes for each scope, such as { 'notes:write': ['notes:read'] }`,
      isImpliedScopes,
    ),
    introspection: flag,
    dpop: oneOf('required'),
  }),
  resources: rule(
    `an array such as [{ path: '/mcp', scopes: { 'notes:read': 'Read your notes' } }]`,
    Array.isArray,
  ),
  session: group<AuthSessionOptions>({
    secret: rule('a string, or an array of strings that are all set', isOneOrMore),
    store: rule('a session store, such as createSessionStore() makes, or "cookie"', (value) => {
      return value === 'cookie' || isStore(value)
    }),
    idleSeconds: seconds,
    absoluteSeconds: seconds,
    cookie: group<NonNullable<AuthSessionOptions['cookie']>>({
      name: rule('letters, digits, "-" and "_"', (value) => {
        return typeof value === 'string' && /^[\w-]+$/.test(value)
      }),
      sameSite: oneOf('lax', 'strict', 'none'),
    }),
    keepAnonymousData: texts,
    adopt: {
      ...group<AdoptOptions>({
        cookie: rule('the name of a cookie', (value) => /^[\w.-]+$/.test(String(value))),
        read: callable,
      }),
      mustBe: 'an object with "cookie" and "read"',
      fits: (value) => isRecord(value) && 'cookie' in value && 'read' in value,
    },
  }),
  userinfo: either(oneOf('never', 'login'), everySeconds),
  claims: rule('a schema of a Standard Schema library', (value) => {
    return typeof value === 'object' || typeof value === 'function'
      ? methods('validate')((value as Record<string, unknown> | null)?.['~standard'])
      : false
  }),
  rolesFrom: callable,
  hooks: group<Hooks>({
    beforeLogin: callable,
    afterCallback: callable,
    onSession: callable,
    onNewDevice: callable,
    beforeLogout: callable,
    onError: callable,
    onLogoutToken: callable,
  }),
  allowPrivateIssuers: flag,
  timeoutSeconds: seconds,
  requestSeconds: seconds,
  answerSeconds: seconds,
  texts: pageTexts,
  logger: either(
    rule('a logger with info(), warn() and error()', methods('info', 'warn', 'error')),
    off,
  ),
  telemetry: rule('the module "@opentelemetry/api"', isTelemetryApi),
  fetch: callable,
  now: callable,
}

const ALWAYS = 'Leave it out: the kit does this by itself.'
const NONE = 'Leave it out: there is nothing like it here.'
const RECORDS = 'Leave it out: the kit decides when sessions are written.'
const DISCOVERED = 'Leave it out: the provider is found by "issuer" alone.'

/** The options of other libraries, and what each is here: the name of our option, or a sentence. */
export const FORMER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'express-openid-connect': {
    issuerBaseURL: 'issuer',
    baseURL: 'baseUrl',
    clientID: 'clientId',
    secret: 'session.secret',
    authRequired: 'Put app.use(requireUser()) after the router, or requireUser() before a route.',
    errorOnRequiredAuth: `Use requireUser({ respond: 'json' }).`,
    attemptSilentLogin: 'silentLogin',
    idpLogout:
      'Leave it out: a logout ends at the provider too, unless you call req.auth.logout({ federated: false }).',
    auth0Logout:
      'Leave it out: a logout ends at the provider too, unless you call req.auth.logout({ federated: false }).',
    backchannelLogout: 'It is on; "routes.backchannelLogout: false" turns it off.',
    onLogoutToken: 'hooks.onLogoutToken',
    afterCallback: 'hooks.afterCallback',
    identityClaimFilter: 'Use the hook "hooks.afterCallback" to leave claims out.',
    getLoginState: 'Pass "returnTo" to req.auth.login(), and keep other data in req.session.',
    clientAuthMethod: 'clientAuth',
    clientAssertionSigningKey: 'clientKey',
    clientAssertionSigningAlg: 'clientAssertion.algorithm',
    idTokenSigningAlg: ALWAYS,
    discoveryCacheMaxAge: ALWAYS,
    requestObjectSigningKey: NONE,
    requestObjectSigningAlg: NONE,
    requestObjectSigningKeyId: NONE,
    transactionCookie: ALWAYS,
    legacySameSiteCookie: NONE,
    clockTolerance: NONE,
    enableTelemetry: NONE,
    httpUserAgent: NONE,
    tokenEndpointParams: 'tokenParams',
    useMtls: NONE,
    httpTimeout: 'It is "timeoutSeconds" here, in seconds.',
    customFetch: 'fetch',
    'routes.postLogoutRedirect': 'routes.loggedOut',
    'session.rollingDuration': 'session.idleSeconds',
    'session.absoluteDuration': 'session.absoluteSeconds',
    'session.signSessionStoreCookie': ALWAYS,
    'session.requireSignedSessionStoreCookie': ALWAYS,
  },
  'passport-openidconnect': {
    authorizationURL: DISCOVERED,
    tokenURL: DISCOVERED,
    userInfoURL: DISCOVERED,
    callbackURL: 'It is "baseUrl" and "routes.callback" here.',
    passReqToCallback: NONE,
    skipUserProfile: 'It is "userinfo" here: "never" or "login".',
    sessionKey: NONE,
    acrValues: `Use requireUser({ acr }), or "authorizationParams".`,
    prompt: 'Use req.auth.login({ prompt }).',
    maxAge: 'Use requireUser({ maxAge }), or req.auth.login({ maxAge }).',
    loginHint: 'Add ?login_hint=… to the address of the login.',
    uiLocales: 'Add ?ui_locales=… to the address of the login.',
    display: 'Put it into "authorizationParams".',
    idTokenHint:
      'Put id_token_hint into "authorizationParams", or use the hook "hooks.beforeLogin".',
    nonce: ALWAYS,
    state: ALWAYS,
    customHeaders: 'fetch',
    agent: 'fetch',
    proxy: 'Leave it out: "baseUrl" says whether visitors come over https.',
  },
  'express-session': {
    store: 'session.store',
    cookie: 'session.cookie',
    'session.name': 'session.cookie.name',
    'session.rolling':
      'Sessions roll always; "session.idleSeconds" says how long they may be idle.',
    'session.genid': ALWAYS,
    'session.resave': RECORDS,
    'session.saveUninitialized': RECORDS,
    'session.unset': RECORDS,
    'session.proxy': 'Leave it out: "baseUrl" says whether visitors come over https.',
    'session.cookie.maxAge': 'It is "session.idleSeconds" and "session.absoluteSeconds" here.',
    'session.cookie.secure': ALWAYS,
    'session.cookie.httpOnly': ALWAYS,
    'session.cookie.domain': NONE,
    'session.cookie.path': NONE,
    'session.cookie.transient': NONE,
    sessionSecret: 'session.secret',
  },
  'Auth.js': {
    providers:
      'It is one provider here, as "issuer", "clientId" and "clientSecret"; "issuer" may be a function.',
    trustHost: 'Leave it out: "baseUrl" says which host the application has.',
    basePath: 'It is "routes" here: { login: "/auth/login", callback: "/auth/callback" }.',
    callbacks:
      'They are "hooks" here: "afterCallback" for a login, "onSession" for the data of a session.',
    events: 'Use "hooks", or the events on the diagnostics channels.',
    adapter: 'It is "session.store" here.',
    pages: 'It is "routes" here; the hook "hooks.onError" answers with a page of your own.',
    wellKnown: 'discoveryUrl',
    jwt: 'Leave it out: "session.store" says where sessions are.',
    debug: 'It is "logger" here; a failed login is logged with its reason.',
    cookies: 'It is "session.cookie" here.',
    useSecureCookies: ALWAYS,
    theme: NONE,
    skipCSRFCheck: NONE,
    raw: NONE,
    redirectProxyUrl: NONE,
    experimental: NONE,
    'session.strategy': 'It is "session.store" here.',
    'session.maxAge': 'It is "session.idleSeconds" and "session.absoluteSeconds" here.',
    'session.updateAge': ALWAYS,
    'session.generateSessionToken': ALWAYS,
  },
  Passport: {
    failureRedirect: 'Use the hook "hooks.onError": it sends the visitor on.',
    successRedirect: 'returnTo.default',
  },
  Auth0: {
    domain: 'It is "issuer" here, as an address: https://your-domain.',
    appBaseUrl: 'baseUrl',
  },
  'OAuth 2.0 and OpenID Connect': {
    resource: 'resources',
    audience:
      'It is "bearer.audience" for tokens that requests bring, and in "authorizationParams" for those that a login asks for.',
    redirectUri: 'It is "baseUrl" and "routes.callback" here.',
    client_id: 'clientId',
    client_secret: 'clientSecret',
    redirect_uri: 'It is "baseUrl" and "routes.callback" here.',
    scopes: 'It is "scope" here: one string with spaces.',
  },
}

/** The same of all libraries together, for the report of an unknown option. */
export const EQUIVALENTS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(FORMER_NAMES),
)
