import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'

/**
 * `fetch` that finds `http://*.localhost` on this machine, as browsers do and Node does not; every
 * other URL goes to the global `fetch`. For development: on https nothing changes.
 *
 * @see RFC 6761 §6.3
 */
export const loopbackFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  const url = new URL(request.url)
  const isLocal = url.protocol === 'http:' && url.hostname.endsWith('.localhost')
  if (!isLocal) return fetch(request)

  const body = Buffer.from(await request.arrayBuffer())
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      url,
      {
        hostname: '127.0.0.1',
        method: request.method,
        headers: { ...Object.fromEntries(request.headers), host: url.host },
        signal: request.signal,
      },
      (incoming) => {
        const status = incoming.statusCode ?? 500
        const isNull = [204, 205, 304].includes(status)
        const headers = new Headers()
        for (const [name, values] of Object.entries(incoming.headersDistinct)) {
          for (const value of values ?? []) headers.append(name, value)
        }
        const stream = isNull ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
        if (isNull) incoming.resume()
        resolve(new Response(stream, { status, headers }))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
