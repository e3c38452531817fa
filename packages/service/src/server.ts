import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuseConnection } from './http/errors.ts'

/** Where a service listens. */
export interface ListenOptions {
  /** Default 0, which takes a free one. */
  port?: number
  /** Default `127.0.0.1`; `0.0.0.0` for every network of the machine. */
  host?: string
}

/** A server that does not wait for ever: for headers 10 s, for a whole request 30 s. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
    listener,
  )
  return server.on('clientError', refuseConnection)
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
  const timer = setTimeout(() => server.closeAllConnections(), graceMs)
  await new Promise((resolve) => server.close(resolve))
  clearTimeout(timer)
}
