import {
  ConfigError,
  LatchkeyError,
  type Refusal,
  type Requirement,
  type Visit,
} from '@latchkey/core'
import type { NodeRequest } from '@latchkey/core/node'
import type { ExecutionContext, WebSocketAdapter } from '@nestjs/common'
import { type ApplicationConfig, MetadataScanner, type ModulesContainer } from '@nestjs/core'
import { ANY_USER, accessAt, firstRefusal, type HandlerAccess, isPublic } from './access.ts'
import { type Client, type Connections, forgedRefusal } from './connections.ts'
import { checkRecovered } from './recovery.ts'
import { notMounted, orRefusal, refusalFrom, told } from './refusals.ts'
import { visits } from './visits.ts'

type AnyVisit = Visit<never, unknown>
type Decide = (request: NodeRequest) => Promise<Refusal | undefined>

/** The port, path and namespace of a WebSocket server, as passed to `@WebSocketGateway()`. */
interface Place {
  readonly port: number
  readonly path?: unknown
  readonly namespace?: unknown
}

/** A server of Socket.IO, or a namespace of such a server. */
interface IoServer {
  use(middleware: (socket: IoClient, next: (error?: Error) => void) => void): unknown
  on(event: 'connection', listener: (client: IoClient) => void): unknown
}

interface IoClient extends Client {
  readonly request: NodeRequest
}

/** A server of `ws`. */
interface WsServer {
  readonly options: { verifyClient?: VerifyClient | undefined }
  handleUpgrade: unknown
  on(event: 'connection', listener: (client: Client, request: NodeRequest) => void): unknown
}

type Verified = (result: boolean, code?: number, message?: string, headers?: object) => void
interface Info {
  readonly req: NodeRequest
}
type VerifyClient = ((info: Info) => boolean) | ((info: Info, done: Verified) => void)

const secured = new WeakSet<object>()
/** The handshake request of each client. */
const requests = new WeakMap<object, NodeRequest>()
/** The visit of each client's latest message, by client and handler. */
const messages = new WeakMap<object, Map<unknown, AnyVisit>>()

/**
 * Checks the handshakes of an application's gateways. Nest calls no guard when a client connects,
 * so a check is added to each server that the WebSocket adapter creates.
 */
export function secureGateways(
  config: ApplicationConfig,
  modules: ModulesContainer,
  connections: Connections,
): void {
  const secure = (adapter: WebSocketAdapter): void => {
    if (secured.has(adapter)) return
    secured.add(adapter)
    const { create } = adapter
    adapter.create = (port: number, options: object = {}) => {
      const server = create.call(adapter, port, options)
      secureServer(server, adapter, connections, (visit, request) =>
        refusalAt({ ...options, port }, modules, visit, request),
      )
      return server
    }
  }
  const { setIoAdapter } = config
  // Nest sets its own adapter at the first gateway, unless the application has set another adapter
  // before.
  config.setIoAdapter = (adapter) => {
    secure(adapter)
    setIoAdapter.call(config, adapter)
  }
}

/**
 * Adds the check of handshakes to a server. A refused client is not connected.
 *
 * @throws {@link ConfigError} if the server is neither of Socket.IO nor of `ws`.
 */
function secureServer(
  server: object,
  adapter: object,
  connections: Connections,
  refusalOf: (visit: AnyVisit, request: NodeRequest) => Promise<Refusal | undefined>,
): void {
  if (secured.has(server)) return
  secured.add(server)
  const handshakes = new WeakMap<NodeRequest, AnyVisit>()
  const decide: Decide = (request) =>
    orRefusal(
      connections.open(request).then((visit) => {
        handshakes.set(request, visit)
        return refusalOf(visit, request)
      }),
    )
  const connected = (client: Client, request: NodeRequest): void => {
    const visit = handshakes.get(request)
    if (!visit) return
    requests.set(client, request)
    visits.set(client, visit)
    connections.watch(client, request, visit)
  }
  if ('use' in server && 'on' in server) secureIo(server as IoServer, decide, connected)
  else if ('handleUpgrade' in server && 'options' in server) {
    secureWs(server as unknown as WsServer, decide, connected)
  } else throw new ConfigError([{ option: adapter.constructor.name, remedy: OTHER_ADAPTER }])
}

const OTHER_ADAPTER =
  'makes servers that are neither of Socket.IO nor of ws, so no handshake could be checked. Use IoAdapter of @nestjs/platform-socket.io or WsAdapter of @nestjs/platform-ws.'

type Connected = (client: Client, request: NodeRequest) => void

function secureIo(server: IoServer, decide: Decide, connected: Connected): void {
  server.use((socket, next) => {
    decide(socket.request).then(
      (refusal) => next(refusal && connectError(refusal)),
      () => next(new Error('The handshake failed.')),
    )
  })
  server.on('connection', (client) => connected(client, client.request))
  checkRecovered(server)
}

/** The error that a client of Socket.IO receives as `connect_error`. */
function connectError(refusal: Refusal): Error {
  const data = messageOf(refusal)
  return Object.assign(new Error(refusal.error.code), { data })
}

function secureWs(server: WsServer, decide: Decide, connected: Connected): void {
  const { verifyClient } = server.options
  server.options.verifyClient = (info: Info, done: Verified) => {
    const goOn = (): void => {
      if (!verifyClient) done(true)
      else if (verifyClient.length < 2) done((verifyClient as (info: Info) => boolean)(info), 401)
      else verifyClient(info, done)
    }
    decide(info.req).then(
      (refusal) => (refusal ? refuse(done, refusal) : goOn()),
      () => done(false, 500),
    )
  }
  server.on('connection', connected)
}

function refuse(done: Verified, refusal: Refusal): void {
  const body = JSON.stringify(messageOf(refusal))
  done(false, refusal.error.status, body, { 'Content-Type': 'application/json' })
}

/**
 * The refusal of a handshake; `undefined` if it is allowed. If one of the server's gateways is open
 * to visitors, only pages of other sites are refused. Otherwise, the user must meet the requirement
 * of at least one gateway.
 */
async function refusalAt(
  place: Place,
  modules: ModulesContainer,
  visit: AnyVisit,
  request: NodeRequest,
): Promise<Refusal | undefined> {
  const gateways = gatewaysAt(place, modules)
  if (gateways.some(welcomesVisitors)) return forgedRefusal(visit, request)
  let refusal = await visit.refusal(requirementOf(gateways[0]), request)
  for (const other of gateways.slice(1)) {
    if (refusal) refusal = await visit.refusal(requirementOf(other), request)
  }
  return refusal
}

type Gateway = (new () => unknown) & { readonly prototype: object }

function requirementOf(gateway: Gateway | undefined): Requirement<never, never> {
  const access = gateway && accessAt(gateway)
  return typeof access === 'object' ? access : ANY_USER
}

/** The gateways that share a server. */
function gatewaysAt(place: Place, modules: ModulesContainer): Gateway[] {
  return [...modules.values()]
    .flatMap(({ providers }) => [...providers.values()])
    .map(({ metatype }) => metatype as Gateway)
    .filter((type) => {
      if (typeof type !== 'function' || !Reflect.hasMetadata(GATEWAY, type)) return false
      const { path, namespace } = Reflect.getMetadata('websockets:gateway_options', type) ?? {}
      const port = Reflect.getMetadata('port', type) ?? 0
      const isThere = port === place.port && path === place.path
      return isThere && named(namespace) === named(place.namespace)
    })
}

const GATEWAY = 'websockets:is_gateway'

/**
 * A namespace in the form of Nest, with a slash at the beginning. `undefined` for the server's
 * default namespace.
 */
function named(namespace: unknown): unknown {
  if (typeof namespace !== 'string') return namespace
  return `/${namespace.replace(/^\//, '')}`.replace(/^\/$/, '') || undefined
}

const scanner = new MetadataScanner()

function welcomesVisitors(gateway: Gateway): boolean {
  const { prototype } = gateway
  if (accessAt(gateway) === 'public') return true
  return scanner.getAllMethodNames(prototype).some((name) => {
    const handler = (prototype as Readonly<Record<string, object>>)[name]
    const isHandler = handler && Reflect.hasMetadata('websockets:message_mapping', handler)
    return isHandler && isPublic(handler, gateway)
  })
}

/**
 * The exception class of `@nestjs/websockets`. Only applications with gateways have this package.
 */
type Exception = new (error: object) => Error
let WsException: Exception | undefined

/**
 * Checks by the current session whether a user may send a message to a gateway.
 *
 * @throws a `WsException` if the user may not send the message.
 */
export async function admitMessage(
  context: ExecutionContext,
  access: HandlerAccess,
  connections: Connections,
): Promise<true> {
  WsException ??= (await import('@nestjs/websockets')).WsException
  const ws = context.switchToWs()
  const client = ws.getClient<object>()
  const refusal = await orRefusal(decideMessage(context, client, access, connections))
  if (refusal) throw wsException(refusal, ws.getPattern())
  return true
}

async function decideMessage(
  context: ExecutionContext,
  client: object,
  access: HandlerAccess,
  connections: Connections,
): Promise<Refusal | undefined> {
  const request = requests.get(client)
  if (!request) return access === 'public' ? undefined : notMounted(noHandshake(context))
  const ended = connections.endedRefusal(client)
  if (ended) return ended
  const visit = await connections.open(request)
  const refusal =
    access === 'public'
      ? await forgedRefusal(visit, request)
      : await firstRefusal(access, (requirement) => visit.refusal(requirement, request))
  if (refusal) return refusal
  const visitsOfClient = messages.get(client) ?? new Map()
  messages.set(client, visitsOfClient.set(context.getHandler(), visit))
  return undefined
}

/**
 * Reads from the visit of the message that a handler receives.
 *
 * @throws a `WsException` in place of an error of the kit.
 */
export function readMessage(
  context: ExecutionContext,
  read: (visit: AnyVisit) => unknown,
): unknown {
  const ws = context.switchToWs()
  const visit = messages.get(ws.getClient<object>())?.get(context.getHandler())
  if (!visit) throw wsException(notMounted(noHandshake(context)), ws.getPattern())
  try {
    return read(visit)
  } catch (error) {
    if (error instanceof LatchkeyError) throw wsException(refusalFrom(error), ws.getPattern())
    throw error
  }
}

/** Converts a refusal into a `WsException`. */
export function wsException(refusal: Refusal, pattern: string): Error {
  // `admitMessage` has already loaded the class.
  const Thrown = WsException as Exception
  return new Thrown({ ...messageOf(refusal), pattern })
}

function messageOf(refusal: Refusal): object {
  return {
    status: 'error',
    code: refusal.error.code,
    message: refusal.title,
    ...told(refusal),
  }
}

function noHandshake(context: ExecutionContext): string {
  const handler = `${context.getClass().name}.${context.getHandler().name}()`
  return `${handler} received a message of a client whose handshake did not pass the login. Set the adapter of WebSockets with app.useWebSocketAdapter() before app.init() or app.listen().`
}
