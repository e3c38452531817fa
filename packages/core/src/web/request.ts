import { bodyReadBefore, readStream } from '../http/body.ts'
import { type AuthRequest, publicUrl } from '../http/request.ts'

/**
 * Presents a web `Request` to the core. Its URL is under the one given, whatever the `Host` header or a
 * proxy made of it, and its body is read no further than 64 KiB.
 *
 * @param baseUrl - `auth.baseUrl`.
 * @param exchange - What the hook `onError` receives. Default `{ request }`.
 */
export function toAuthRequest(
  request: Request,
  baseUrl: URL,
  exchange: unknown = { request },
): AuthRequest {
  const { method, headers } = request
  return {
    method,
    headers,
    exchange,
    get url() {
      const { pathname, search } = new URL(request.url)
      return publicUrl(pathname + search, baseUrl)
    },
    async text() {
      if (request.bodyUsed) throw bodyReadBefore()
      return request.body ? readStream(request.body) : ''
    },
  }
}
