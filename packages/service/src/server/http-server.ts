import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { refuseConnection } from '../wire/errors.ts'
import { checkTls, type TlsOptions } from './tls.ts'

/** The address that a service listens at. */
export interface ListenOptions {
  /** Default 0, which takes a free one. */
  port?: number
  /** Default `127.0.0.1`; `0.0.0.0` for every network of the machine. */
  host?: string
  /** Serves https with this certificate. Default: http, for a proxy in front that ends TLS. */
  tls?: TlsOptions | undefined
}

const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  // Node looks for connections that are overdue every 30 s, unless it is told otherwise.
  connectionsCheckingInterval: 1_000,
  // The API does without a Host; Node would refuse with an empty answer.
  requireHostHeader: false,
} satisfies ServerOptions

/**
 * A server that does not wait for ever: for headers 10 s, for a whole request 30 s.
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
 * @throws with a sentence when the port is taken or not allowed.
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

/** Takes no more requests and resolves when those under way are answered, at most `graceMs` later. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return
  // A client whose connection is kept alive learns from the next answer that it was the last one.
  server.prependListener('request', (_, res) => {
    res.shouldKeepAlive = false
  })
  const closed = new Promise((resolve) => server.close(resolve))
  // Node closes the idle connections once, at the beginning; those that were busy get idle later.
  const sweeping = setInterval(() => server.closeIdleConnections(), 20)
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweeping)
  clearTimeout(timer)
}
