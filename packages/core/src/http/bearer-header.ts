import type { AuthRequest } from './request.ts'

/** Whether a request carries a bearer token, or tries to (RFC 6750 §2). */
export function sendsToken(request: Pick<AuthRequest, 'url' | 'headers'>): boolean {
  const authorization = request.headers.get('authorization')
  return (authorization !== null && /^bearer( |$)/i.test(authorization)) || hasTokenInUrl(request)
}

/** Whether the address carries a token, where logs and histories would keep it. */
export function hasTokenInUrl({ url }: Pick<AuthRequest, 'url'>): boolean {
  return /[?&]access_token=/.test(url)
}
