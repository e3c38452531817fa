import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Fetch, FetchResponse } from '../options.ts'

/**
 * `fetch` over `node:http`, for many small requests to one server: it costs a third of the platform's
 * in CPU, and connections are kept. It follows no redirects.
 */
export function createHttpFetch(): Fetch {
  const options = { keepAlive: true, maxSockets: 256 }
  const http = new HttpAgent(options)
  const https = new HttpsAgent(options)
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
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
