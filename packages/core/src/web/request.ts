import { bodyReadBefore, formText, readStream } from '../http/body.ts'
import { type AuthRequest, publicUrl, type RequestDetails, targetOf } from '../http/request.ts'
import { opensSocket } from '../http/sending-page.ts'

/**
 * Presents a web `Request` to the kit. Its URL is below `baseUrl`, regardless of the `Host` header
 * and proxies. At most 64 KiB of the body are read.
 *
 * @param baseUrl - `auth.baseUrl`.
 * @param details - The body if a body parser has read it, and the third argument of the hook
 *   `onError`. Default `{ request }`.
 * @param response - Reports the end of the response to this request.
 */
export function toAuthRequest(
  request: Request,
  baseUrl: URL,
  details: RequestDetails = {},
  response?: { onEnd(ended: () => void): void },
): AuthRequest {
  const { method, headers } = request
  let url: string | undefined
  return {
    method,
    headers,
    exchange: details.exchange ?? { request },
    get host() {
      return headers.get('host') ?? new URL(request.url).host
    },
    get url() {
      // The URL of a `Request` is already serialized (Fetch §5.4), so its parts need no parser.
      url ??= publicUrl(targetOf(request.url), baseUrl)
      return url
    },
    onClose(close) {
      request.signal.addEventListener('abort', close, { once: true })
      // Under Node and Bun, a framework returns an empty response for a handshake that succeeds,
      // and the connection stays open.
      if (!opensSocket({ method, headers })) response?.onEnd(close)
      else if (details.connection?.destroyed) close()
      else details.connection?.once('close', close)
    },
    async text() {
      const body = await details.body
      if (body !== undefined) return formText(body)
      if (request.bodyUsed) throw bodyReadBefore()
      return request.body ? readStream(request.body) : ''
    },
  }
}
