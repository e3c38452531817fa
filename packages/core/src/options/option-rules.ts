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

/**
 * Whether a value implements https://standardschema.dev; a schema may be an object or a function.
 */
function isStandardSchema(value: unknown): boolean {
  return methods('validate')(Object(value)['~standard'])
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
  // A pattern would be compared literally, and match no origin.
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
  claims: rule('a schema of a Standard Schema library', isStandardSchema),
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
