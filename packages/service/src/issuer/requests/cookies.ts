import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { factsOf } from './request-facts.ts'

/** The name of the cookie of an operator's browser that may log in as a user. */
export const IMPERSONATION_COOKIE = 'latchkey-impersonation'

/**
 * The name of a cookie that no sibling host can set. Over TLS, browsers accept `__Host-` cookies
 * only from the host itself. Plain HTTP, which is for development, has no such cookies.
 */
function hostCookie(request: IncomingMessage, name: string): string {
  return factsOf(request).issuer.startsWith('https:') ? `__Host-${name}` : name
}

/** The value of a host cookie in the request. */
export function readHostCookie(request: IncomingMessage, name: string): string | undefined {
  const prefix = `${hostCookie(request, name)}=`
  const pair = request.headers.cookie?.split('; ').find((part) => part.startsWith(prefix))
  return pair?.slice(prefix.length)
}

/**
 * Sets a host cookie for some seconds. Requests from other sites contain the cookie only if they
 * open a page.
 */
export function setHostCookie(
  { req, cookies }: Pick<KoaContextWithOIDC, 'req' | 'cookies'>,
  name: string,
  value: string,
  seconds: number,
): void {
  cookies.set(hostCookie(req, name), value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: factsOf(req).issuer.startsWith('https:'),
    path: '/',
    maxAge: seconds * 1000,
  })
}
