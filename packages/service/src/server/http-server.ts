import { once } from 'node:events'
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { refuseConnection } from '../wire/errors.ts'
import { checkTls, type TlsOptions } from './tls.ts'

/** The address to listen at, and the certificate for HTTPS. */
export interface ListenOptions {
  /** The port. Default 0, which means any free port. */
  port?: number
  /** The address of the network interface. `0.0.0.0` means all of them. Default `127.0.0.1`. */
  host?: string
  /**
   * Serves HTTPS with this certificate. Default: HTTP, for a proxy in front that terminates TLS.
   */
  tls?: TlsOptions | undefined
}

const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  // By default, Node closes overdue connections only every 30 s.
  connectionsCheckingInterval: 1_000,
  // The API does not need a Host header. Node would refuse a request without one, with an empty
  // answer.
  requireHostHeader: false,
} satisfies ServerOptions

/**
 * Creates a server with time limits: 10 s for the headers of a request, 30 s for the whole request.
 *
 * @throws TypeError for a certificate or key that cannot be used.
 */
export function createHttpServer(listener: RequestListener, tls?: TlsOptions): Server {
  const server = tls
    ? createTlsServer({ ...limits, handshakeTimeout: 10_000, ...checkTls(tls) }, listener)
    : createServer(limits, listener)
  return server.on('clientError', refuseConnection).on('checkExpectation', listener)
}

/**
 * Starts to listen.
 *
 * @throws with a sentence if the port is taken or not allowed.
 */
export async function listen(
  server: Server,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: 'is taken; stop what uses it or choose another with --port',
        EACCES: 'is not allowed for this user; choose one above 1023 with --port',
      }
      const reason = reasons[cause.code ?? ''] ?? `cannot be used (${cause.code})`
      reject(new Error(`Port ${port} on ${host} ${reason}.`, { cause }))
    })
    server.listen(port, host, resolve)
  })
  return server.address() as AddressInfo
}

/**
 * Closes each connection after its next response. A proxy then never sends a request over a
 * connection that is closed at that moment. The server continues to answer.
 */
export function drainServer(server: Server): void {
  for (const event of ['request', 'checkExpectation']) {
    server.prependListener(event, (_, res: ServerResponse) => {
      res.shouldKeepAlive = false
    })
  }
}

/** The times for closing a server. */
export interface ClosingTimes {
  /** The time that idle connections stay open, in milliseconds. */
  idleMs: number
  /** The maximum time until all connections are closed, in milliseconds. */
  graceMs: number
}

/**
 * A listener closes when no connection has arrived for the shorter time, and after the longer time
 * at the latest.
 */
const QUIET_MS = 20
const HOLD_MS = 250

/**
 * Accepts no more connections. Resolves when the requests in progress are answered, at most
 * `graceMs` later.
 *
 * Idle connections stay open for `idleMs`. A proxy that finds no listener uses another process. But
 * a proxy that is just sending a request over an idle connection would answer 502 if the connection
 * were closed.
 */
export async function closeServer(
  server: Server,
  { idleMs, graceMs }: ClosingTimes,
): Promise<void> {
  if (!server.listening) return
  drainServer(server)
  const closed = once(server, 'close')
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  if (idleMs > 0) {
    await closeListener(server)
    const idling = new AbortController()
    await Promise.race([closed, sleep(idleMs, undefined, idling)])
    idling.abort()
  }
  server.close()
  // `close` drops only connections that are idle now; busy ones are dropped here once they are
  // idle.
  const sweeping = setInterval(() => server.closeIdleConnections(), 20)
  await closed
  clearInterval(sweeping)
  clearTimeout(timer)
}

/**
 * Closes the listener and leaves all connections open. The kernel resets connections that it has
 * not handed over yet. So requests of new connections wait for a moment in which the process does
 * little else than accept connections.
 */
async function closeListener(server: Server): Promise<void> {
  const held = new Set<Socket>()
  const begunAt = performance.now()
  let arrivedAt = begunAt
  server.on('connection', (socket) => {
    arrivedAt = performance.now()
    // Under TLS, this is the TCP socket. Requests are read from the TLS socket above it.
    if (server instanceof TlsServer) return
    // Node begins to read once all handlers of this event have run.
    setImmediate(() => held.add(socket.pause()))
  })
  do {
    await sleep(5)
    // This waits until the connections that arrived in the meantime are handled, even if the
    // process had to wait for a processor.
    await nextTurn()
  } while (performance.now() < Math.min(arrivedAt + QUIET_MS, begunAt + HOLD_MS))
  // The HTTP server's own `close()` would also close its idle connections.
  TcpServer.prototype.close.call(server)
  setImmediate(() => {
    for (const socket of held) socket.resume()
  })
}
