import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { factsOf } from './request-facts.ts'

/** The cookie of an operator's browser that may log in as a user. */
export const IMPERSONATION_COOKIE = 'latchkey-impersonation'

/**
 * The name of a cookie that no sibling host can set: over TLS, browsers take `__Host-` cookies from
 * the host itself only. Plain http is for development, and has no such cookies.
 */
function hostCookie(request: IncomingMessage, name: string): string {
  return factsOf(request).issuer.startsWith('https:') ? `__Host-${name}` : name
}

/** The value of a host cookie that came with the request. */
export function readHostCookie(request: IncomingMessage, name: string): string | undefined {
  const prefix = `${hostCookie(request, name)}=`
  const pair = request.headers.cookie?.split('; ').find((part) => part.startsWith(prefix))
  return pair?.slice(prefix.length)
}

/** Sets a host cookie for some seconds. Other sites can send visitors with it, and nothing else. */
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
