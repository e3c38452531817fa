import { createPrivateKey, type KeyObject } from 'node:crypto'
import { answering, answeringAll } from '../errors/deadline.ts'
import { ConfigError } from '../errors/errors.ts'
import { checkBaseUrls } from '../http/base-urls.ts'
import { isDevelopment } from '../http/development.ts'
import { discoveryUrlOf, isUsableUrl, nearestUrl, WELL_KNOWN } from '../http/issuer-url.ts'
import { safeReturnTo } from '../http/return-to.ts'
import { type ConfigFault, checkOptions } from '../shared/check-options.ts'
import { PROTECTED_PARAMETERS } from '../shared/protected-parameters.ts'
import { deriveKey, macOf } from '../shared/sealing.ts'
import { languagesOf } from '../texts/languages.ts'
import { checkDiscovery, documentOf, replacements } from './discovery.ts'
import { EQUIVALENTS } from './former-names.ts'
import { OPTION_RULES } from './option-rules.ts'
import type {
  AnyAuthOptions,
  ResolvedAuthOptions,
  ResolvedBearer,
  ResolvedRegistration,
  ResolvedRoutes,
  RouteOptions,
} from './options.ts'
import { resolveResources } from './resources.ts'

/** The environment variables, which give values to missing options. */
export type Environment = Readonly<Record<string, string | undefined>>

const REQUIRED = ['BASE_URL', 'ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'SESSION_SECRET'].map(
  (name) => `LATCHKEY_${name}`,
)
/** The form of client ids of our service and of Google. No client secret has this form. */
const CLIENT_ID = /^app_[0-9a-hjkmnp-tv-z]{26}$|^[\w-]+\.apps\.googleusercontent\.com$/
const MIN_SECRET_LENGTH = 32
/**
 * The length up to which client id and secret may be equal, as in tests. Real client secrets are
 * longer.
 */
const LONGEST_WORD = 20
const DEVELOPMENT_KEY = /^[\w-]{16,}$/
const MAKE_SECRET = 'Make one with: openssl rand -base64 32'

/**
 * Checks the options and fills in the defaults, without touching the network.
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function resolveOptions(given: AnyAuthOptions, known?: Environment): ResolvedAuthOptions {
  const environment = known ?? {}
  const checked = checkOptions<AnyAuthOptions>(given, OPTION_RULES, { equivalents: EQUIVALENTS })
  const faults: ConfigFault[] = []
  // Options of a wrong type are left out of `checked.good`, so that they are not reported twice.
  const options = withProfile(checked.good, faults)
  const read = createReader(environment, faults, options.insecureHttpHosts)
  const baseUrls = [options.baseUrl]
    .flat()
    .map((one) => read.url('baseUrl', one, 'LATCHKEY_BASE_URL'))
  const baseUrl = baseUrls[0] as URL
  checkBaseUrls(baseUrls, faults)
  const registration =
    typeof options.issuer === 'function'
      ? options.issuer
      : resolveRegistration(options, read, environment, faults)
  if (typeof options.issuer === 'function') checkDiscovery(options, undefined, faults)
  const clientKey = resolveClientKey(options, faults)
  const secrets = resolveSecrets(options, environment, faults)
  const routes = resolveRoutes(options, baseUrl, faults)
  const resources = resolveResources(options.resources, baseUrl, faults)
  checkChoices(options, baseUrl, faults)
  checkAdoption(options, baseUrl, environment, faults)
  checkProviderChoices(options, clientKey, environment, faults)
  const developmentKey = isDevelopment(known, baseUrls)
    ? resolveDevelopmentKey(environment, secrets, faults)
    : undefined
  const isReported = ({ option }: ConfigFault): boolean =>
    checked.faults.some((fault) => `${option}.`.startsWith(`${fault.option}.`))
  const all = [...checked.faults, ...faults.filter((fault) => !isReported(fault))]
  if (all.length > 0) throw new ConfigError(all, headingOf(all, known))

  const secure = baseUrl.protocol === 'https:'
  const session = options.session ?? {}
  const timeoutSeconds = options.timeoutSeconds ?? 5
  const answerSeconds = options.answerSeconds ?? 10
  return {
    registration:
      typeof registration === 'function'
        ? answering('issuer', registration, answerSeconds)
        : registration,
    clientAuth: options.clientAuth,
    clientKey,
    clientAssertion: assertionOf(options, clientKey),
    profile: options.profile,
    dpop: options.dpop ?? false,
    metadata: replacements(options),
    entraTenants: options.entraTenants,
    tokenParams: options.tokenParams ?? {},
    logoutParams: options.logoutParams ?? {},
    pushedAuthorizationRequests: options.pushedAuthorizationRequests ?? false,
    baseUrl,
    baseUrls,
    trustedOrigins: Array.isArray(options.trustedOrigins) ? options.trustedOrigins : [],
    checksWrites: options.trustedOrigins !== 'any',
    redirectUri: baseUrl.origin + routes.callback,
    defaultReturnTo: options.returnTo?.default ?? baseUrl.pathname,
    silentLogin: options.silentLogin ?? false,
    keepForms: resolveKeepForms(options),
    scope: options.scope ?? 'openid profile email',
    authorizationParams: options.authorizationParams ?? {},
    allowedLoginParams: options.allowedLoginParams ?? ['login_hint', 'ui_locales'],
    responseMode: options.responseMode ?? 'query',
    routes,
    bearer: resolveBearer(options),
    resources,
    secrets,
    secure,
    session: {
      secrets,
      cookieName: `${secure ? '__Host-' : ''}${session.cookie?.name ?? defaultCookieName(baseUrl)}`,
      cookie: { path: '/', secure, sameSite: session.cookie?.sameSite ?? 'lax' },
      idleSeconds: session.idleSeconds ?? 86_400,
      absoluteSeconds: session.absoluteSeconds ?? 604_800,
      keepAnonymousData: session.keepAnonymousData ?? [],
    },
    adopt: session.adopt && answeringAll('session.adopt', session.adopt, answerSeconds),
    userinfo: options.userinfo ?? 'never',
    claims: options.claims && {
      '~standard': answeringAll('claims', options.claims['~standard'], answerSeconds, [
        'version',
        'vendor',
        'validate',
      ]),
    },
    rolesFrom: options.rolesFrom ?? ((user) => (Array.isArray(user.roles) ? user.roles : [])),
    hooks: answeringAll('hooks', options.hooks ?? {}, answerSeconds),
    allowPrivateIssuers: options.allowPrivateIssuers ?? false,
    timeoutSeconds,
    requestSeconds: options.requestSeconds ?? Math.max(10, timeoutSeconds),
    answerSeconds,
    languages: languagesOf(options.texts),
    logger: options.logger ?? console,
    telemetry: options.telemetry,
    developmentKey,
    fetch: options.fetch,
    now: options.now ?? (() => Math.floor(Date.now() / 1000)),
  }
}

/**
 * The heading of a report of faults. If several variables are missing and no variable of the kit is
 * set, the heading also suggests to load a file with variables.
 */
export function headingOf(faults: readonly ConfigFault[], environment?: Environment): string {
  const heading = 'Latchkey cannot start'
  const missing = faults.filter(({ remedy }) => remedy.startsWith('is not set.'))
  const isLoaded = Object.keys(environment ?? {}).some((name) => REQUIRED.includes(name))
  if (!environment || missing.length < 2 || isLoaded) return `${heading}:`
  return `${heading}. If the variables are in a file, load it: node --env-file=.env app.js`
}

/**
 * Adds the options that FAPI 2.0 implies, and reports options that contradict it.
 *
 * @see FAPI 2.0 Security Profile §5.3.3, §5.4.1
 */
function withProfile(options: AnyAuthOptions, faults: ConfigFault[]): AnyAuthOptions {
  const { profile, clientAuth, clientAssertion = {} } = options
  if (profile === undefined) return options
  const refuse = (option: string, remedy: string): void => void faults.push({ option, remedy })
  if (clientAuth !== undefined && clientAuth !== 'private_key_jwt') {
    refuse('clientAuth', `must be "private_key_jwt" with profile: "fapi2". Leave it out.`)
  }
  if (options.dpop === false) {
    refuse('dpop', 'must not be off with profile: "fapi2". Leave it out.')
  }
  if (options.pushedAuthorizationRequests === false) {
    refuse('pushedAuthorizationRequests', 'must not be off with profile: "fapi2". Leave it out.')
  }
  if (clientAssertion.algorithm === 'RS256') {
    refuse(
      'clientAssertion.algorithm',
      'must be "PS256", "ES256" or "EdDSA" with profile: "fapi2".',
    )
  }
  if (clientAssertion.audience === 'token_endpoint') {
    refuse('clientAssertion.audience', 'must be "issuer" with profile: "fapi2". Leave it out.')
  }
  for (const option of ['discoveryUrl', 'metadata', 'insecureHttpHosts'] as const) {
    if (options[option] === undefined) continue
    refuse(
      option,
      'is not allowed with profile: "fapi2": the document of the issuer decides, over https.',
    )
  }
  return {
    ...options,
    clientAuth: 'private_key_jwt',
    pushedAuthorizationRequests: true,
    dpop: true,
    ...(options.bearer && { bearer: { ...options.bearer, dpop: 'required' } }),
  }
}

/**
 * The options of client assertions with defaults. RSA keys sign with PS256 in FAPI 2.0, and with
 * RS256 otherwise.
 */
function assertionOf(
  { profile, clientAssertion = {} }: AnyAuthOptions,
  key: KeyObject | undefined,
): ResolvedAuthOptions['clientAssertion'] {
  if (profile === undefined || key?.asymmetricKeyType !== 'rsa') return clientAssertion
  return { algorithm: 'PS256', ...clientAssertion }
}

interface Reader {
  secret(value: unknown): string
  text(option: string, value: unknown, variable?: string): string
  /** Checks a text that developers copy from their provider, which compares each character. */
  copied(option: string, value: unknown, variable?: string): string
  url(option: string, value: unknown, variable?: string): URL
}

function createReader(
  environment: Environment,
  faults: ConfigFault[],
  insecureHosts: readonly string[] = [],
): Reader {
  const reader: Reader = {
    secret(value) {
      const [option, variable] = ['clientSecret', 'LATCHKEY_CLIENT_SECRET']
      const found = reader.copied(option, value, variable)
      if (!CLIENT_ID.test(found)) return found
      // The client id and secret may be swapped. The secret would then be in the URL of every
      // login.
      const remedy = 'has the form of a client id. Swap it with "clientId".'
      faults.push(faultOf(option, variable, remedy))
      return found
    },
    text(option, value, variable) {
      const found = value ?? (variable && environment[variable])
      if (typeof found === 'string' && found.trim() !== '') return found
      const remedy =
        found === undefined
          ? 'is not set. Pass it, or set the environment variable.'
          : 'is empty. Is the environment variable set?'
      faults.push(faultOf(option, variable, remedy))
      return ''
    },
    copied(option, value, variable) {
      const found = reader.text(option, value, variable)
      if (found !== found.trim()) {
        const remedy = 'begins or ends with a space or a line break. Remove it.'
        faults.push(faultOf(option, variable, remedy))
      }
      return found
    },
    url(option, value, variable) {
      const found = reader.text(option, value instanceof URL ? value.href : value, variable)
      const url = URL.canParse(found) ? new URL(found) : undefined
      if (option === 'baseUrl' && found.includes(',')) {
        const remedy =
          'must be one address. If the application has several, pass them as an array: baseUrl: ["https://a.example", "https://b.example"].'
        faults.push(faultOf(option, variable, remedy))
      } else if (option === 'issuer' && found.includes(WELL_KNOWN)) {
        const [issuer] = found.split(WELL_KNOWN)
        const remedy = `is the address of the discovery document. Set it to the issuer: ${issuer}`
        faults.push(faultOf(option, variable, remedy))
      } else if (found && !isUsableUrl(url && comparable(option, url), insecureHosts)) {
        const isUsable = (one: URL | undefined): boolean =>
          isUsableUrl(one && comparable(option, one), insecureHosts)
        faults.push(faultOf(option, variable, urlRemedy(option, found, isUsable)))
      }
      return url ?? new URL('https://invalid.invalid')
    },
  }
  return reader
}

/**
 * The remedy for a wrong URL, with the value found and the right URL, if they are known and not
 * secret.
 */
function urlRemedy(
  option: string,
  found: string,
  isUsable: (url: URL | undefined) => boolean,
): string {
  const without = option === 'discoveryUrl' ? 'or fragment' : 'query or fragment'
  const rule = `must be an https:// URL without credentials, ${without} (http:// on a loopback host, or in development on the hosts of "insecureHttpHosts").`
  const right = nearestUrl(found)
  if (!right || !isUsable(right)) return rule
  // Credentials, a path or a query may contain a secret, so such a value is not shown.
  const isShown = /^(\w+:\/\/)?[\w.:[\]-]+\/?$/i.test(found)
  const set = `Set it to "${right.href.replace(/\/$/, '')}".`
  return isShown ? `is "${found}", and ${rule} ${set}` : `${rule} ${set}`
}

function faultOf(option: string, variable: string | undefined, remedy: string): ConfigFault {
  return variable === undefined ? { option, remedy } : { option, variable, remedy }
}

/**
 * The part of a URL to check. A query is ignored in the URL of a discovery document, because some
 * providers need one.
 */
function comparable(option: string, url: URL): URL {
  const bare = new URL(url)
  if (option === 'discoveryUrl') bare.search = ''
  return bare
}

function resolveRegistration(
  options: AnyAuthOptions,
  read: Reader,
  environment: Environment,
  faults: ConfigFault[],
): ResolvedRegistration {
  const issuer = read.url('issuer', options.issuer, 'LATCHKEY_ISSUER')
  checkDiscovery(options, issuer, faults)
  const document = documentOf(options, String(options.issuer ?? environment.LATCHKEY_ISSUER))
  const { discoveryUrl } = options
  const needsSecret = !options.clientAuth || options.clientAuth.startsWith('client_secret')
  const clientId = read.copied('clientId', options.clientId, 'LATCHKEY_CLIENT_ID')
  const clientSecret =
    typeof options.clientSecret === 'function'
      ? options.clientSecret
      : needsSecret
        ? read.secret(options.clientSecret)
        : undefined
  if (clientId === clientSecret && clientId.length > LONGEST_WORD) {
    // The client id is in the URL of every login, so it must not be the secret.
    const remedy = 'is the same as "clientSecret". Copy the client id of the provider.'
    faults.push(faultOf('clientId', 'LATCHKEY_CLIENT_ID', remedy))
  }
  return {
    issuer,
    discovery:
      document ??
      (discoveryUrl === undefined
        ? discoveryUrlOf(issuer)
        : read.url('discoveryUrl', discoveryUrl)),
    clientId,
    clientSecret,
  }
}

function resolveClientKey(options: AnyAuthOptions, faults: ConfigFault[]): KeyObject | undefined {
  if (options.clientAuth !== 'private_key_jwt') return undefined
  const remedy = 'must be an RSA, P-256 or Ed25519 private key, as PEM text or a KeyObject.'
  const key = readKey(options.clientKey)
  if (key && canSign(key)) return key
  faults.push({ option: 'clientKey', remedy })
  return undefined
}

function readKey(key: AnyAuthOptions['clientKey']): KeyObject | undefined {
  if (typeof key !== 'string') return key ?? undefined
  try {
    return createPrivateKey(key)
  } catch {
    // The caller reports the fault. The error is dropped, because it may contain the key.
    return undefined
  }
}

function canSign({ type, asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (type !== 'private') return false
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'prime256v1'
  return asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ed25519'
}

function resolveSecrets(
  options: AnyAuthOptions,
  environment: Environment,
  faults: ConfigFault[],
): readonly string[] {
  const given = options.session?.secret ?? environment.LATCHKEY_SESSION_SECRET
  const secrets = typeof given === 'string' ? [given] : (given ?? [])
  const refuse = (remedy: string): void => {
    faults.push({ option: 'session.secret', variable: 'LATCHKEY_SESSION_SECRET', remedy })
  }
  if (secrets.join('') === '') refuse(`is not set. ${MAKE_SECRET}`)
  else if (secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    refuse(`is too short: it needs ${MIN_SECRET_LENGTH} random characters or more. ${MAKE_SECRET}`)
  }
  return secrets
}

/**
 * The development key: from the environment, for scripts, or derived from the session secret, so
 * that restarts do not change it.
 */
function resolveDevelopmentKey(
  { LATCHKEY_DEVELOPMENT_KEY: given }: Environment,
  [secret = '']: readonly string[],
  faults: ConfigFault[],
): string {
  if (!given) return macOf('key', deriveKey(secret, 'development'))
  if (!DEVELOPMENT_KEY.test(given)) {
    const remedy = 'must have 16 characters or more, of letters, digits, "-" and "_".'
    faults.push({ option: 'LATCHKEY_DEVELOPMENT_KEY', remedy })
  }
  return given
}

function resolveRoutes(
  { routes = {}, keepForms }: AnyAuthOptions,
  baseUrl: URL,
  faults: ConfigFault[],
): ResolvedRoutes {
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  const taken = new Map<string, string>()
  const resolve = (name: keyof RouteOptions, fallback: string | false): string | undefined => {
    const route: string | false = routes[name] ?? fallback
    if (route === false) return undefined
    const other = taken.get(route)
    if (other) {
      faults.push({ option: `routes.${name}`, remedy: `is the same path as "routes.${other}".` })
    }
    taken.set(route, name)
    return prefix + route
  }
  return {
    login: resolve('login', '/login'),
    callback: resolve('callback', '/callback') ?? '/callback',
    logout: resolve('logout', '/logout'),
    loggedOut: resolve('loggedOut', false),
    backchannelLogout: resolve('backchannelLogout', '/backchannel-logout'),
    session: resolve('session', '/session'),
    keptForm: keepForms ? resolve('keptForm', '/kept-form') : undefined,
  }
}

function checkChoices(options: AnyAuthOptions, baseUrl: URL, faults: ConfigFault[]): void {
  const { session = {}, returnTo = {} } = options
  if (returnTo.default !== undefined && !isPathOf(baseUrl, returnTo.default)) {
    const remedy =
      'must be a path of this site such as "/home", with the path of "baseUrl" in front.'
    faults.push({ option: 'returnTo.default', remedy })
  }
  if (session.cookie?.sameSite === 'none' && baseUrl.protocol !== 'https:') {
    faults.push({ option: 'session.cookie.sameSite', remedy: '"none" needs an https "baseUrl".' })
  }
  if (session.store === 'cookie' && options.routes?.backchannelLogout) {
    const remedy =
      'needs a session store: sessions in cookies cannot be ended by the provider. Leave it out, or use createSessionStore().'
    faults.push({ option: 'routes.backchannelLogout', remedy })
  }
  if (options.keepForms && session.store === 'cookie') {
    const remedy =
      'needs a session store: a cookie has no room for a form. Leave it out, or use createSessionStore().'
    faults.push({ option: 'keepForms', remedy })
  }
  if (options.responseMode === 'form_post' && baseUrl.protocol !== 'https:') {
    faults.push({
      option: 'responseMode',
      remedy:
        '"form_post" needs an https "baseUrl": the login cookie must be sent across sites, and browsers allow that on https only.',
    })
  }
  if (options.bearer && !options.resources?.length && audiencesOf(options).join('') === '') {
    const remedy = `is not set. Name the "aud" of access tokens for this application, such as "https://api.example.com".`
    faults.push({ option: 'bearer.audience', remedy })
  }
  if (options.scope !== undefined && !options.scope.split(' ').includes('openid')) {
    faults.push({ option: 'scope', remedy: 'must include "openid".' })
  }
  const named = [
    ...Object.keys(options.authorizationParams ?? {}),
    ...(options.allowedLoginParams ?? []),
  ]
  for (const name of named.filter((one) => PROTECTED_PARAMETERS.has(one))) {
    faults.push({
      option:
        name in (options.authorizationParams ?? {}) ? 'authorizationParams' : 'allowedLoginParams',
      remedy: `must not contain "${name}": the kit decides it.`,
    })
  }
}

const FORGETS =
  'needs a store that remembers which old sessions were adopted, so that a logout stays final:'
const USE_STORE = 'Use createSessionStore({ url }) of @latchkey/session-store.'

/**
 * Checks `session.adopt`. An adopted session must not come back after its logout, so a store has to
 * remember it.
 */
function checkAdoption(
  { session = {} }: AnyAuthOptions,
  { protocol }: URL,
  { NODE_ENV }: Environment,
  faults: ConfigFault[],
): void {
  const { adopt, store } = session
  if (!adopt) return
  const refuse = (reason: string): void => {
    faults.push({ option: 'session.adopt', remedy: `${FORGETS} ${reason} ${USE_STORE}` })
  }
  if (store === 'cookie') refuse('sessions in cookies are forgotten with the process.')
  else if (store && !store.once) refuse('this one has no replay cache ("once").')
  else if (!store || store.isInProcess) {
    const isDeployed = protocol === 'https:' || NODE_ENV === 'production'
    if (isDeployed) refuse('sessions in memory are forgotten with the process.')
  }
}

function audiencesOf({ bearer }: AnyAuthOptions): readonly string[] {
  return [bearer?.audience ?? []].flat().filter(Boolean)
}

function resolveBearer(options: AnyAuthOptions): ResolvedBearer | undefined {
  const { bearer, resources = [], profile } = options
  // Bearer tokens are off, because without an audience, tokens for other APIs could not be
  // distinguished.
  if (!bearer && resources.length === 0) return undefined
  return {
    audiences: audiencesOf(options),
    introspection: bearer?.introspection ?? false,
    impliedScopes: bearer?.impliedScopes,
    isProofRequired: bearer?.dpop === 'required' || profile !== undefined,
  }
}

function resolveKeepForms({ keepForms = false }: AnyAuthOptions): ResolvedAuthOptions['keepForms'] {
  if (!keepForms) return undefined
  const { except = [] } = keepForms === true ? {} : keepForms
  return { except: except.map((name) => name.toLowerCase()) }
}

function isPathOf(baseUrl: URL, path: string): boolean {
  return path !== '' && safeReturnTo(path, baseUrl, '') === path
}

/**
 * The default name of the session cookie. Applications under different paths of one origin have
 * different cookies.
 */
function defaultCookieName({ pathname }: URL): string {
  const path = pathname.replace(/^\/|\/$/g, '').replace(/[^\w]+/g, '-')
  return path === '' ? 'latchkey' : `latchkey-${path}`
}

const PROTECTED_TOKEN_PARAMETERS: ReadonlySet<string> = new Set([
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
])

const ALGORITHM_KEYS = { RS256: 'rsa', PS256: 'rsa', ES256: 'ec', EdDSA: 'ed25519' } as const

function checkProviderChoices(
  { tokenParams, clientAssertion, insecureHttpHosts = [] }: AnyAuthOptions,
  clientKey: KeyObject | undefined,
  environment: Environment,
  faults: ConfigFault[],
): void {
  for (const name of Object.keys(tokenParams ?? {})) {
    if (!PROTECTED_TOKEN_PARAMETERS.has(name)) continue
    faults.push({
      option: 'tokenParams',
      remedy: `must not contain "${name}": the kit decides it.`,
    })
  }
  const { algorithm } = clientAssertion ?? {}
  if (algorithm && clientKey && clientKey.asymmetricKeyType !== ALGORITHM_KEYS[algorithm]) {
    const remedy = `is "${algorithm}", but "clientKey" is a key of another kind: ${clientKey.asymmetricKeyType}.`
    faults.push({ option: 'clientAssertion.algorithm', remedy })
  }
  if (insecureHttpHosts.length > 0 && environment.NODE_ENV === 'production') {
    const remedy = 'is for development, but NODE_ENV is "production". Use https there.'
    faults.push({ option: 'insecureHttpHosts', remedy })
  }
}
