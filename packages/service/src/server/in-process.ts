import type { Server } from 'node:http'
import { duplexPair } from 'node:stream'

/** A `fetch` that calls a server in this process, for any host of the URL. No socket is opened. */
export interface InProcess {
  readonly fetch: typeof globalThis.fetch
  close(): Promise<void>
}

/**
 * Connects `fetch` to a server by in-memory streams. The server sees a request to an `https:` URL
 * as one over TLS.
 *
 * @param server - A server, which need not listen.
 */
export function connectInProcess(server: Server): InProcess {
  let isClosed = false
  let client: ReturnType<typeof createClient> | undefined

  /** Called at the first request, because loading undici takes a tenth of the time of a start. */
  async function createClient() {
    const { Agent, fetch } = await import('undici')
    const agent = new Agent({
      connect({ protocol }, callback) {
        const [ours, theirs] = duplexPair()
        server.emit('connection', Object.assign(theirs, { encrypted: protocol === 'https:' }))
        queueMicrotask(() => callback(null, ours as never))
      },
    })
    return { agent, fetch }
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const body = request.body === null ? undefined : await request.arrayBuffer()
      if (isClosed) throw new Error('The service is closed.')
      client ??= createClient()
      const { agent, fetch } = await client
      const response = await fetch(request.url, {
        method: request.method,
        headers: [...request.headers],
        redirect: request.redirect,
        signal: request.signal,
        dispatcher: agent,
        ...(body && { body }),
      })
      // Callers check for the `Response` of Node, which differs from that of the package undici.
      const isNull = [101, 204, 205, 304].includes(response.status)
      return new Response(isNull ? null : (response.body as ReadableStream | null), {
        status: response.status,
        statusText: response.statusText,
        headers: [...response.headers],
      })
    },
    async close() {
      isClosed = true
      await (await client)?.agent.close()
    },
  }
}
