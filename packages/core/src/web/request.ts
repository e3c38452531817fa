import { bodyReadBefore, formText, readStream } from '../http/body.ts'
import { type AuthRequest, publicUrl, type RequestDetails, targetOf } from '../http/request.ts'
import { opensSocket } from '../http/sending-page.ts'
import type { WebResponse } from './response.ts'

/**
 * Presents a web `Request` to the kit. Its URL is below `baseUrl`, regardless of the `Host` header
 * and proxies. At most 64 KiB of the body are read.
 *
 * @param baseUrl - `auth.baseUrl`.
 * @param details - The body if a body parser has read it, and the third argument of the hook
 *   `onError`. Default `{ request }`.
 * @param response - Reports the end of the response to this request (`onEnd`), whether the response
 *   has been returned to the runtime (`isSent`), and whether it has upgraded the connection
 *   (`isUpgraded`). The runtime may end the request of a WebSocket before there is a response, and
 *   the connection stays open. Only `isSent` tells this from a connection that was closed.
 */
export function toAuthRequest(
  request: Request,
  baseUrl: URL,
  details: RequestDetails = {},
  response?: Pick<WebResponse, 'onEnd' | 'isSent'> & Partial<Pick<WebResponse, 'isUpgraded'>>,
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
      const isHandshake = opensSocket({ method, headers })
      const abort = (): void => {
        // Deno ends the request when it upgrades the connection, even before there is a response.
        if (response?.isUpgraded) return
        if (isHandshake && response && !response.isSent) response.onEnd(close)
        else close()
      }
      request.signal.addEventListener('abort', abort, { once: true })
      // Under Node and Bun, a framework returns an empty response for a handshake that succeeds,
      // and the connection stays open.
      if (!isHandshake) response?.onEnd(close)
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
