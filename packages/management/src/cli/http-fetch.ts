import { lookup } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Fetch, FetchResponse } from '../options.ts'

/**
 * Creates a `fetch` over `node:http`, for many small requests to one server. It keeps connections
 * alive, and takes a third of the CPU time of the global `fetch`. It follows no redirects. If
 * `NODE_USE_ENV_PROXY` is `1`, it uses the proxy of the environment, as the global `fetch` does.
 */
export function createHttpFetch(): Fetch {
  const isProxied = process.env.NODE_USE_ENV_PROXY === '1'
  const proxy = isProxied ? { proxyEnv: process.env } : {}
  const options = { keepAlive: true, maxSockets: 256, lookup: lookUp, ...proxy }
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const isHttps = url.startsWith('https:')
      const send = isHttps ? httpsRequest : httpRequest
      const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
      const request = send(
        url,
        { method, headers: { ...headers, ...length }, agent: isHttps ? https : http },
        (response) => {
          read(response).then(resolve, reject)
        },
      )
      const onAbort = (): void => void request.destroy(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      request.once('close', () => signal.removeEventListener('abort', onAbort))
      request.once('error', reject)
      request.end(body ?? undefined)
    })
}

/**
 * Resolves `*.localhost` to this machine, as browsers do (RFC 6761 §6.3). Node would query the DNS
 * resolver.
 */
const lookUp: LookupFunction = (hostname, options, callback) => {
  lookup(/(^|\.)localhost$/i.test(hostname) ? 'localhost' : hostname, options, callback)
}

async function read(response: IncomingMessage): Promise<FetchResponse> {
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  const status = response.statusCode ?? 0
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get(name) {
        const value = response.headers[name.toLowerCase()]
        return Array.isArray(value) ? value.join(', ') : (value ?? null)
      },
    },
    text: async () => Buffer.concat(chunks).toString('utf8'),
  }
}
