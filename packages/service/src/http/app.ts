import { randomUUID } from 'node:crypto'
import express, { type Express, type IRoute, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import {
  authenticate,
  authenticationFailure,
  type Caller,
  findKeysOnce,
  presentedToken,
  reaches,
} from '../domain/keys/api-keys.ts'
import type { RateLimit } from '../domain/limits/rate-limit.ts'
import {
  COMMAND_CLIENT,
  type CommandLogin,
  type CommandLogins,
} from '../domain/operators/command-logins.ts'
import { roleMay, rolesThatMay } from '../domain/operators/roles.ts'
import type { Support } from '../domain/operators/support.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import { notFound, ServiceError } from '../domain/writes/errors.ts'
import { lifetimes } from '../domain/writes/lifetimes.ts'
import { reason } from '../domain/writes/reasons/index.ts'
import { traceTenant } from '../telemetry/tracing.ts'
import type { Webhooks } from '../webhooks/index.ts'
import type { ClientIp } from '../wire/client.ts'
import { sendError } from '../wire/errors.ts'
import { headerText } from '../wire/header-text.ts'
import { sendLines } from '../wire/json-lines.ts'
import { pathOf } from '../wire/path-of.ts'
import { answerErrors } from './answer-errors.ts'
import { MAX_BODY_BYTES, parseBody, parseItems, parseJson } from './body.ts'
import { listBody, nextLink, parsePage, parseQuery } from './list.ts'
import { actorOf, type Locals } from './locals.ts'
import { methodOf } from './method.ts'
import { openApiDocument } from './openapi.ts'
import { type Needed, neededFor, neededForFiles } from './operator-permissions.ts'
import { applicationRoutes } from './resources/applications.ts'
import { auditRoutes } from './resources/audit.ts'
import { credentialRoutes } from './resources/credentials.ts'
import { grantRoutes } from './resources/grants.ts'
import { supportRoutes } from './resources/support.ts'
import { tenantLogoRoutes } from './resources/tenant-logo.ts'
import { tenantTextRoutes } from './resources/tenant-texts.ts'
import { tenantRoutes } from './resources/tenants.ts'
import { userDataRoute } from './resources/user-data.ts'
import { userRoutes } from './resources/users.ts'
import { importUsersRoute } from './resources/users-import.ts'
import { updateImportRoutes } from './resources/users-import-update.ts'
import { searchUsersRoute } from './resources/users-search.ts'
import { webhookRoutes } from './resources/webhooks.ts'
import type { Call, Format, QueryRoute, Route } from './route.ts'

/**
 * The routes that need an API key or an operator's access token: those of the specification, and
 * our own under `/x/v1`.
 */
export const routes: readonly Route[] = [
  ...tenantRoutes,
  ...applicationRoutes,
  ...userRoutes,
  ...credentialRoutes,
  importUsersRoute,
  ...updateImportRoutes,
  searchUsersRoute,
  userDataRoute,
  ...auditRoutes,
  ...supportRoutes,
  ...grantRoutes,
  ...tenantTextRoutes,
  ...tenantLogoRoutes,
  ...webhookRoutes,
]

/**
 * The OpenAPI document as JSON. It is made at the first request, because making it takes longer
 * than the rest of the start.
 */
let document: string | undefined

export interface ApiOptions {
  readonly context: DomainContext
  readonly support: Support
  readonly commandLogins: CommandLogins
  /** The origin of the console, where operators log in; `undefined` without a console. */
  readonly consoleUrl: string | undefined
  readonly webhooks: Webhooks
  readonly rateLimit: RateLimit
  readonly logger: Logger
  readonly clientIp: ClientIp
  /** Rejects with the reason if the service should get no requests. */
  ready(): Promise<void>
}

/**
 * Creates the REST API of the service: all routes under `/v1` and `/x/v1`, `/x/health` and
 * `/x/ready`. Other requests are answered with `not_found`.
 */
export function createApi(options: ApiOptions): Express {
  const { logger } = options
  const app = express()
  app.disable('x-powered-by').disable('etag')
  app.enable('case sensitive routing').enable('strict routing')
  app.use(beginRequest)

  app.use(['/v1', '/x/v1/tenants'], authenticateRequest(options))
  for (const [path, ofPath] of Map.groupBy(routes, ({ path }) => path)) {
    const route = app.route(path)
    for (const endpoint of ofPath) {
      const reading = [requireReach, requirePermission(options, endpoint)]
      const writing = [...reading, requireWriting]
      if (endpoint.kind === 'write') route.post(writing, ...writeHandlers(options, endpoint))
      else if (endpoint.kind === 'batch') route.post(writing, ...batchHandlers(options, endpoint))
      else if (endpoint.kind === 'delete') route.delete(writing, handle(options, endpoint))
      else if (endpoint.kind === 'query') route.get(reading, queryHandler(options, endpoint))
      else route.get(reading, handle(options, endpoint))
    }
    refuseOtherMethods(route, [...new Set(ofPath.map(({ kind }) => methodOf(kind)))])
  }

  service(app, '/x/v1/openapi.json', async () => {
    document ??= JSON.stringify(openApiDocument(routes))
    return document
  })
  service(app, '/x/v1/login', async () => {
    if (options.consoleUrl === undefined) throw notFound()
    const { origin: issuer } = new URL(options.consoleUrl)
    return JSON.stringify({ type: 'Login', issuer, client_id: COMMAND_CLIENT })
  })
  service(app, '/x/health', async () => '{"status":"ok"}')
  service(app, '/x/ready', async () => {
    await options.ready()
    return '{"status":"ready"}'
  })

  app.use((req, res) => {
    if (/^\/(v\d+|x)(\/|$)/.test(req.path)) throw notFound()
    answerNoTenant(logger, req, res)
  })
  app.use(answerErrors(options))
  return app
}

/**
 * Answers 404 to a request at a host that no tenant has, such as a mistyped host or a proxy's own
 * name.
 */
function answerNoTenant(logger: Logger, req: express.Request, res: express.Response): void {
  const host = req.headers.host ?? ''
  const refusal = new ServiceError('not_found', reason('request_no_tenant', { host }))
  const { requestId } = res.locals as Locals
  logger.info({ requestId, host, path: pathOf(req) }, 'no tenant has this domain')
  if (req.accepts(['json', 'html']) !== 'html') {
    sendError(res, requestId, refusal)
    return
  }
  res.statusCode = 404
  res.setHeader('content-type', 'text/plain; charset=utf-8')
  res.end(`${refusal.message}\n`)
}

/**
 * Adds a route that the specification does not have: a GET without an API key, answered in JSON.
 */
function service(app: Express, path: string, body: () => Promise<string>): void {
  const route = app.route(path).get(async (_, res) => {
    const text = await body()
    res.setHeader('content-type', 'application/json')
    res.setHeader('content-length', Buffer.byteLength(text))
    res.end(text)
  })
  refuseOtherMethods(route, ['GET'])
}

const beginRequest: RequestHandler = (_req, res, next) => {
  const requestId = randomUUID()
  ;(res.locals as Locals).requestId = requestId
  res.setHeader('request-id', requestId)
  res.setHeader('cache-control', 'no-store')
  res.setHeader('x-content-type-options', 'nosniff')
  next()
}

const UNCONFIRMED =
  'An API key was refused: a backup was restored, and the key was not confirmed since. Run latchkey-service confirm.'

const UNSTORED_USE =
  'The last use of an API key could not be stored. Requests that only read are answered all the same.'

function authenticateRequest(options: ApiOptions): RequestHandler {
  const { context, rateLimit, logger, commandLogins } = options
  const find = findKeysOnce(context)
  const report = (err: unknown) => logger.warn({ err }, UNSTORED_USE)
  return async (req, res, next) => {
    const locals = res.locals as Locals
    const { authorization } = req.headers
    const login = await commandLogins.find(presentedToken(authorization))
    if (login) {
      const { id, reach } = login.operator.operator
      Object.assign(locals, { login, caller: { id, reach, readOnly: false } satisfies Caller })
      await rateLimit.spend(id)
      return next()
    }
    const { kind, key } = await authenticate(context, authorization, report, find)
    if (kind === 'refused') {
      if (key?.isUnconfirmed) logger.warn({ key: key.id }, UNCONFIRMED)
      locals.refusedKey = key
      throw authenticationFailure()
    }
    locals.caller = key
    await rateLimit.spend(key.id)
    next()
  }
}

const requireReach: RequestHandler<{ tenant_id?: string }> = (req, res, next) => {
  const { tenant_id } = req.params
  const { caller } = res.locals as Required<Locals>
  if (tenant_id !== undefined && !reaches(caller, tenant_id)) throw notFound()
  if (tenant_id !== undefined) traceTenant(tenant_id)
  next()
}

const requireWriting: RequestHandler = (_, res, next) => {
  const { caller } = res.locals as Required<Locals>
  if (!caller.readOnly) return next()
  throw new ServiceError('not_permitted', reason('key_read_only'))
}

/**
 * Makes the handler that refuses operators without the permission for a route. API keys need no
 * permission.
 */
function requirePermission({ context }: ApiOptions, route: Route): RequestHandler {
  return (req, res, next) => {
    const { login } = res.locals as Locals
    if (!login) return next()
    const asFile = route.kind === 'query' && formatOf(req, route) !== undefined
    checkOperator(context, login, neededFor[route.operationId] ?? { permission: 'never' })
    if (asFile) checkOperator(context, login, neededForFiles)
    next()
  }
}

/**
 * Checks that an operator may use an operation.
 *
 * @throws ServiceError `not_permitted` if the operator lacks the permission, or has not logged in
 *   recently enough for a dangerous operation.
 */
function checkOperator({ clock }: DomainContext, login: CommandLogin, needed: Needed): void {
  if (needed.permission === 'never') {
    throw new ServiceError('not_permitted', reason('operator_needs_key'))
  }
  const { role: own } = login.operator.operator
  if (!roleMay(own, needed.permission)) {
    const roles = rolesThatMay(needed.permission).join(', ')
    throw new ServiceError('not_permitted', reason('operator_role', { own, roles }))
  }
  const seconds = clock.now() / 1_000 - login.loggedInAt
  if (needed.isDangerous && seconds > lifetimes.recentLoginSeconds) {
    throw new ServiceError('not_permitted', reason('operator_login_old'))
  }
}

const readBytes = express.raw({ type: () => true, limit: MAX_BODY_BYTES })

function writeHandlers(
  options: ApiOptions,
  route: Extract<Route, { kind: 'write' }>,
): RequestHandler[] {
  return [
    requireJson,
    readBytes,
    async (req, res) => {
      const call = callOf(options, req, res)
      const json = parseJson(req.body)
      const schema = route.choice ? await route.choice.of(call) : route.body
      const { value, ignored } = parseBody(schema, json)
      const answer = await route.run(call, value)
      nameIgnored(res, [...ignored, ...(route.ignored?.(value) ?? [])])
      sendJson(res, answer)
    },
  ]
}

function batchHandlers(
  options: ApiOptions,
  route: Extract<Route, { kind: 'batch' }>,
): RequestHandler[] {
  return [
    requireJson,
    readBytes,
    async (req, res) => {
      const items = parseItems(route, parseJson(req.body))
      const { body, ignored } = await route.run(callOf(options, req, res), items)
      nameIgnored(res, ignored)
      sendJson(res, body)
    },
  ]
}

function nameIgnored(res: express.Response, ignored: readonly string[]): void {
  if (ignored.length === 0) return
  res.setHeader('latchkey-ignored-fields', headerText(ignored.slice(0, 20).join(', ')))
}

function handle(
  options: ApiOptions,
  route: Extract<Route, { kind: 'get' | 'delete' | 'list' }>,
): RequestHandler {
  return async (req, res) => {
    const call = callOf(options, req, res)
    if (route.kind !== 'list') return sendJson(res, await route.run(call))

    const page = parsePage(req.url, route.resource)
    const listing = await route.run(call, page)
    const last = listing.items.at(-1)
    if (listing.more && last) res.setHeader('link', nextLink(req.path, page, last.id))
    sendJson(
      res,
      listBody(listing, page.limit, (item) => route.serialize(call, item as never)),
    )
  }
}

function queryHandler(
  options: ApiOptions,
  route: Extract<Route, { kind: 'query' }>,
): RequestHandler {
  return async (req, res) => {
    const { page, filter, given } = parseQuery(req.url, route.filters)
    const format = formatOf(req, route)
    const call = { ...callOf(options, req, res), fileType: format?.lines.mediaType }
    const read = async (after: string | undefined, serialize = route.serialize) => {
      const { items, next } = await route.run(call, filter, { ...page, after })
      return { items: items.map((item) => serialize(item as never)), next }
    }
    if (format) {
      return sendLines(res, (after) => read(after, format.serialize), page.after, format.lines)
    }
    const { items, next } = await read(page.after)
    if (next !== undefined) res.setHeader('link', nextLink(req.path, page, next, given))
    sendJson(res, { type: 'List', count: items.length, limit: page.limit, data: items })
  }
}

/** The format that the client prefers to a List; `undefined` if the client prefers a List. */
function formatOf(req: express.Request, { formats = [] }: QueryRoute): Format | undefined {
  if (formats.length === 0) return undefined
  const asked = req.accepts(['json', ...formats.map(({ lines }) => lines.mediaType)])
  return formats.find(({ lines }) => lines.mediaType === asked)
}

function callOf(options: ApiOptions, req: express.Request, res: express.Response): Call {
  const { context, rateLimit, support, webhooks, logger } = options
  const { caller, login, requestId } = res.locals as Locals & Required<Pick<Locals, 'caller'>>
  const ids = req.params as Call['ids']
  return {
    scope: { context, actor: actorOf(options.clientIp, req, res), tenantId: ids.tenant_id },
    caller,
    login,
    support,
    webhooks,
    fileType: undefined,
    ids,
    spendFurther: (requests) => rateLimit.spendFurther(caller.id, requests),
    warn: (sentence) => void res.appendHeader('latchkey-warning', headerText(sentence)),
    logFault: (err, message) => logger.error({ requestId, err }, message),
    isAbandoned: () => res.destroyed,
  }
}

const requireJson: RequestHandler = (req, _, next) => {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((p) => p.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset)
  if (type.trim() !== 'application/json' || !isUtf8) {
    throw new ServiceError('unsupported_media_type', reason('body_media_type'))
  }
  next()
}

/**
 * Answers 405 to the methods that a route does not have. Call this function after adding the
 * methods of the route. Express answers HEAD where there is a GET (RFC 9110 §9.1).
 */
function refuseOtherMethods(route: IRoute, methods: string[]): void {
  const allow = methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one)).join(', ')
  const refuse: RequestHandler = (_, res) => {
    res.setHeader('allow', allow)
    throw new ServiceError('method_not_allowed', reason('request_method', { methods: allow }))
  }
  route.all(refuse)
}

function sendJson(res: express.Response, body: object): void {
  const text = JSON.stringify(body)
  res.setHeader('content-type', 'application/json')
  res.setHeader('content-length', Buffer.byteLength(text))
  res.end(text)
}
