import type {
  AuthContext,
  Development,
  DevelopmentPackage,
  PersonaLogins,
  Platform,
  RequestContext,
} from './context.ts'
import { ProviderError, RequestError } from './errors/errors.ts'
import { handleKeptForm } from './guard/kept-form-route.ts'
import { handleMetadataPreflight, handleResourceMetadata } from './guard/resource-metadata.ts'
import { handleSession } from './guard/session-route.ts'
import type { AppUser } from './guard/user.ts'
import { createAnswerError } from './http/answer-error.ts'
import { optionsAt, placeOf } from './http/base-urls.ts'
import { developmentMissing } from './http/development.ts'
import { isIssuerCallback } from './http/redirect-uri.ts'
import { type AuthRequest, type AuthResponse, pathOf, type RequestDetails } from './http/request.ts'
import type { Publish } from './log/events.ts'
import { createLog, type Log } from './log/log.ts'
import { logEvents } from './log/log-events.ts'
import { warnAbout, warnAboutTelemetry } from './log/warn-about.ts'
import { createAdoption } from './login/adoption.ts'
import { handleCallback } from './login/callback.ts'
import { createKeptForms } from './login/kept-forms.ts'
import { handleLogin } from './login/login.ts'
import { createSameSiteReturn } from './login/same-site-return.ts'
import { createTransactions } from './login/transaction.ts'
import { handleBackchannelLogout } from './logout/backchannel-logout.ts'
import { handleLoggedOut, handleLogout, returnFromLogout } from './logout/logout.ts'
import { createLogoutState } from './logout/logout-state.ts'
import { lacksProvider, resolveOrInstall } from './options/lacks-provider.ts'
import type {
  AnyAuthOptions,
  AuthOptions,
  ResolvedAuthOptions,
  ResolvedRoutes,
} from './options/options.ts'
import { resolveOptions } from './options/resolve-options.ts'
import type { ProviderHealth } from './provider/metadata-cache.ts'
import { createProviders } from './provider/providers.ts'
import { tracedTransport, transportOver } from './provider/transport.ts'
import { askAtStart } from './session/ask-at-start.ts'
import { createSessions } from './session/create-sessions.ts'
import { replaysOf } from './session/replay-cache.ts'
import { createSessionDirectory, type SessionDirectory } from './session/session-directory.ts'
import { createSessionWatch } from './session/session-watch.ts'
import { StoredSession } from './session/stored-session.ts'
import type { StoredSessions } from './session/stored-sessions.ts'
import type { StoreHealth } from './session/stores/session-store.ts'
import { storeAnswer } from './session/stores/store-answer.ts'
import type { MaybePromise } from './shared/maybe-promise.ts'
import { createSealer, type Sealer } from './shared/sealing.ts'
import { createTelemetry } from './shared/telemetry.ts'
import { createRefresher } from './tokens/refresh.ts'
import { createUserRefresher } from './tokens/refresh-user.ts'
import {
  type Answer,
  openPublicVisit,
  openVisit,
  type ResponsePort,
  type Visit,
} from './visit/visit.ts'
import { serveFetch } from './web/fetch.ts'
import { toAuthRequest } from './web/request.ts'
import { WebResponse } from './web/response.ts'

/** Whether the provider and the session store can be reached. */
export interface AuthHealth extends ProviderHealth {
  /** The session store. `unknown` before its first command, and for a store without `health()`. */
  readonly sessions: StoreHealth['status']
}

/** The members of a login that need no request. Each adapter has them too. */
export interface AuthHandle {
  /** Lists and revokes the sessions of a user on every device. */
  readonly sessions: SessionDirectory
  /**
   * Resolves when the session store answers and the provider's metadata are known, which are
   * fetched unless they are cached. Use it for a readiness probe. If `issuer` is a function, only
   * the store is asked.
   *
   * @throws {@link ProviderError} or {@link SessionStoreError} when one of them cannot be reached;
   *   an `AggregateError` of both when neither can.
   */
  ready(): Promise<void>
  /** The last known state of the provider and the session store, without a network call. */
  health(): AuthHealth
}

/** The login of one application. An adapter connects it to a framework. */
export interface Auth<U = AppUser> extends AuthHandle {
  /**
   * The URL at which visitors reach the application; the first one if the option `baseUrl` is a
   * list.
   */
  readonly baseUrl: URL
  /** The paths of the kit's own routes, the path of `baseUrl` included. */
  readonly routes: ResolvedRoutes
  /** The paths of the metadata documents of the option `resources` (RFC 9728 §3). */
  readonly metadataPaths: readonly string[]
  /**
   * Looks up the session and the user of one request, and answers the request if it is for a route
   * of the kit. Returns a promise only when it has to wait.
   *
   * @param response - Receives the headers that the kit sets.
   */
  visit<Sent = Answer>(
    request: AuthRequest,
    response: ResponsePort<Sent>,
  ): MaybePromise<Visit<U, Sent>>
  /**
   * Serves a web `Request`: answers the kit's own routes, and passes every other request to `next`.
   * If `next` throws an error of the kit, the response is its error page or problem details.
   *
   * @param details - The body if a body parser has read it, and the third argument of the hook
   *   `onError`. Default `{ request }`.
   */
  fetch(
    request: Request,
    next: (visit: Visit<U, Response>) => MaybePromise<Response>,
    details?: RequestDetails,
  ): Promise<Response>
  /**
   * Seals the URL of a request, for parts of a framework that get the URL from a header, which a
   * client could forge.
   */
  readonly addressSealer: Sealer
}

const sessionsOf = new WeakMap<object, StoredSessions>()

/**
 * The sessions of a login, for the bridge to express-session.
 *
 * @throws `TypeError` for an object that {@link createAuth} has not made.
 */
export function storedSessionsOf<U>(auth: Auth<U>): StoredSessions {
  const sessions = sessionsOf.get(auth)
  if (!sessions) throw new TypeError('createAuth() has not made this login.')
  return sessions
}

type Route = (asked: RequestContext) => Promise<AuthResponse>

/** The handlers of one route, by HTTP method. */
type Methods = Readonly<Record<string, Route>>

/**
 * Makes the login of one application. Instances share no state. The function returns at once. In
 * the background, the provider and the session store are contacted once, and an error of either is
 * logged.
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function createAuth<U = AppUser, Exchange = unknown>(
  options: AuthOptions<U, Exchange>,
  platform: Platform = {},
): Auth<U> {
  // `U` is the application's claim about its users, by its schema or a type argument. The kit
  // treats users as plain records.
  const { resolved, personas } = resolveHere(options as unknown as AnyAuthOptions, platform)
  const { fetch } = resolved
  const telemetry = createTelemetry(resolved.telemetry, (cause) => warnAboutTelemetry(cause, log))
  const transport = tracedTransport(
    fetch ? transportOver(fetch) : (platform.transport ?? transportOver(globalFetch)),
    telemetry,
  )
  const guarded = tracedTransport(platform.guardedTransport ?? refuseToFetch, telemetry)
  const { now } = resolved
  const log = createLog(resolved.logger, now, telemetry.idsOf)
  const development = developmentOf(resolved, platform, log, personas)
  const recorder = development?.recorder
  const publish = logEvents(bothOf(platform.publish, recorder?.publish), log, resolved)
  const given = options.session?.store
  const storedSessions = createSessions(given, resolved, log, telemetry, platform.memory)
  const { store } = storedSessions
  const replays = replaysOf(store, now)
  const refresher = createRefresher({ options: resolved, publish, telemetry })
  const sessionWatch = createSessionWatch(storedSessions)
  const userRefresher = createUserRefresher(resolved, refresher, publish)
  const contextAt = (at: ResolvedAuthOptions): AuthContext => ({
    options: at,
    providers: createProviders(at, publish, transport, guarded),
    transactions: createTransactions(at, replays.consume),
    logoutState: createLogoutState(at),
    sameSiteReturn: createSameSiteReturn(at),
    storedSessions,
    sessionWatch,
    replays,
    refresher,
    userRefresher,
    adoption: createAdoption({ options: at, replays, publish, log }),
    keptForms: createKeptForms({ options: at, store, replays, log }),
    publish,
    log,
    telemetry,
    observe: recorder?.observe,
    answerError: createAnswerError(at, log, recorder?.observe),
  })
  const context = contextAt(resolved)
  const [, ...others] = resolved.baseUrls
  const place = placeOf([context, ...others.map((one) => contextAt(optionsAt(resolved, one)))])
  let addressSealer: Sealer | undefined
  warnAbout(given, resolved, platform, log)
  askAtStart(context, personas !== undefined)
  const route = createRouter(context, development)
  const visit = <Sent>(
    request: AuthRequest,
    response: ResponsePort<Sent>,
  ): MaybePromise<Visit<U, Sent>> => {
    const placed = place(request)
    const isElsewhere = placed instanceof RequestError
    const at = isElsewhere ? { context, request } : placed
    const published = isElsewhere ? undefined : publishedAt(at)
    if (published) {
      const session = new StoredSession(storedSessions)
      return openPublicVisit<U, Sent>({ ...at, session, response }, published)
    }
    const open = (session: StoredSession): MaybePromise<Visit<U, Sent>> => {
      if (session.failure) log.failed(session.failure)
      else if (session.id) log.recovered('LATCHKEY_SESSION_UNAVAILABLE', STORE_IS_BACK)
      return openVisit<U, Sent>({ ...at, session, response }, route)
    }
    return isElsewhere
      ? open(new StoredSession(storedSessions, { failure: placed }))
      : storedSessions.open(request.headers.get('cookie'), response, open)
  }

  const auth: Auth<U> = {
    baseUrl: resolved.baseUrl,
    routes: resolved.routes,
    metadataPaths: resolved.resources.flatMap(({ metadataPaths }) => metadataPaths),
    visit,
    fetch(request, next, details) {
      const response = new WebResponse(details?.headers)
      const asked = toAuthRequest(request, resolved.baseUrl, details, response)
      return serveFetch(visit, asked, response, next)
    },
    sessions: createSessionDirectory(storedSessions, () => issuerName(context), publish),
    get addressSealer() {
      addressSealer ??= createSealer(resolved.secrets, 'address')
      return addressSealer
    },
    ...probesOf(context),
  }
  sessionsOf.set(auth, storedSessions)
  return auth
}

/**
 * The probes: `ready` checks the provider and the session store now, `health` reports what the
 * latest requests found.
 */
function probesOf(context: AuthContext): Pick<AuthHandle, 'ready' | 'health'> {
  const { fixed } = context.providers
  const { store } = context.storedSessions
  return {
    async ready() {
      const parts = [fixed?.metadata(), storeAnswer(() => store.get('ready'))]
      const missing = (await Promise.allSettled(parts)).flatMap((part) =>
        part.status === 'rejected' ? [part.reason] : [],
      )
      if (missing.length > 1) throw new AggregateError(missing, NOTHING_ANSWERS)
      if (missing.length > 0) throw missing[0]
    },
    health: () => ({
      ...(fixed?.health() ?? { provider: 'unknown', discoveredAt: undefined }),
      sessions: store.health?.().status ?? 'unknown',
    }),
  }
}

const DEVELOPMENT = '@latchkey/development'

/**
 * Resolves the options. If no provider is configured on a developer's machine, test users replace
 * it, provided that their package is installed.
 */
function resolveHere(
  options: AnyAuthOptions,
  { environment, find }: Platform,
): { readonly resolved: ResolvedAuthOptions; readonly personas?: PersonaLogins } {
  if (!find || !lacksProvider(options, environment)) {
    return { resolved: resolveOptions(options, environment) }
  }
  const load = find(DEVELOPMENT) as (() => DevelopmentPackage) | undefined
  const provided = load?.().providePersonas({
    ...{ options, environment, find, errors: { ProviderError, RequestError } },
    resolve: (given) => resolveOptions(given, environment),
  })
  return provided ?? { resolved: resolveOrInstall(options, environment) }
}

/** The recorder and pages for development; `undefined` in production. */
function developmentOf(
  options: ResolvedAuthOptions,
  { find }: Platform,
  log: Log,
  personas: PersonaLogins | undefined,
): Development | undefined {
  const { developmentKey: key } = options
  if (!find || key === undefined) return undefined
  const load = find(DEVELOPMENT) as (() => DevelopmentPackage) | undefined
  if (!load) return developmentMissing(options, log)
  return load().createDevelopment(key, options, log, personas)
}

/**
 * Joins two functions into one that publishes each event with both; returns `one` without `other`.
 */
function bothOf(one: Publish = () => {}, other: Publish | undefined): Publish {
  if (!other) return one
  return (name, event) => {
    one(name, event)
    other(name, event)
  }
}

/**
 * Makes the router of the kit's own routes and of the pages of development. It returns `undefined`
 * for every other request.
 */
function createRouter(context: AuthContext, development: Development | undefined) {
  const { options, providers, storedSessions } = context
  const routes = createRoutes(options, storedSessions.store.index !== undefined)
  const { callback } = options.routes
  const recorder = development?.recorder
  // With an issuer function, each issuer has a separate callback.
  const issuerCallback = (path: string): Methods | undefined =>
    providers.fixed || !isIssuerCallback(path, callback) ? undefined : routes.get(callback)
  return (asked: RequestContext): Promise<AuthResponse> | undefined => {
    const path = pathOf(asked.request.url)
    const methods = routes.get(path) ?? issuerCallback(path)
    if (methods) {
      return recorder ? recorder.follow(asked, answer(methods, asked)) : answer(methods, asked)
    }
    const other = development?.answer(path, asked) ?? returnFromLogout(asked)
    return other && Promise.resolve(other)
  }
}

function createRoutes({ routes }: ResolvedAuthOptions, hasIndex: boolean): Map<string, Methods> {
  const table = new Map<string, Methods>()
  const add = (path: string | undefined, methods: Methods): void => {
    if (path) table.set(path, methods)
  }
  const read = (route: Route): Methods => ({ GET: route, HEAD: route })
  add(routes.login, { ...read(handleLogin), POST: handleLogin })
  // No HEAD, because a program that checks whether a link works must not use up the login.
  add(routes.callback, { GET: handleCallback, POST: handleCallback })
  add(routes.logout, { ...read(handleLogout), POST: handleLogout })
  add(routes.loggedOut, read(handleLoggedOut))
  add(routes.session, read(handleSession))
  add(routes.keptForm, { ...read(handleKeptForm), POST: handleKeptForm })
  if (hasIndex) add(routes.backchannelLogout, { POST: handleBackchannelLogout })
  return table
}

/**
 * The handler of the metadata of a resource, for which no session is opened; `undefined` for every
 * other request.
 */
function publishedAt({ context, request }: Pick<RequestContext, 'context' | 'request'>) {
  const { resources } = context.options
  if (resources.length === 0) return undefined
  const path = pathOf(request.url)
  const resource = resources.find(({ metadataPaths }) => metadataPaths.includes(path))
  if (!resource) return undefined
  const read: Route = (asked) => handleResourceMetadata(asked, resource)
  const methods: Methods = { GET: read, HEAD: read, OPTIONS: handleMetadataPreflight }
  return (asked: RequestContext) => answer(methods, asked)
}

async function answer(methods: Methods, asked: RequestContext): Promise<AuthResponse> {
  const { context, request, session } = asked
  if (session.failure instanceof RequestError) throw session.failure
  const route = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
  if (route) return route(asked)
  const allow = Object.keys(methods).join(', ')
  const error = new RequestError(
    'LATCHKEY_METHOD_NOT_ALLOWED',
    `The route ${pathOf(request.url)} answers ${allow}, not ${request.method}.`,
  )
  return context.answerError(error, request, {
    loginUrl: context.options.routes.login,
    headers: { allow },
  })
}

async function issuerName({ providers }: AuthContext): Promise<string> {
  if (providers.fixed) return (await providers.fixed.metadata()).issuer
  throw new TypeError('name the issuer as well: { issuer, sub }')
}

const NOTHING_ANSWERS = 'Neither the provider nor the session store can be reached.'
const STORE_IS_BACK = 'The session store answers again.'

/** The global `fetch`. It is looked up at each call, so that a later replacement takes effect. */
const globalFetch: typeof fetch = (input, init) => fetch(input, init)

function refuseToFetch(): never {
  throw new TypeError('an issuer resolver needs a "guardedTransport" of the platform')
}
