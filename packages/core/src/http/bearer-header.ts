import type { AuthRequest } from './request.ts'

/** Whether a request carries an access token, or tries to (RFC 6750 §2, RFC 9449 §7.1). */
export function sendsToken(request: Pick<AuthRequest, 'url' | 'headers'>): boolean {
  return sendsBearer(request) || hasTokenInUrl(request)
}

/** Whether the header `Authorization` carries an access token, or tries to. */
export function sendsBearer({ headers }: Pick<AuthRequest, 'headers'>): boolean {
  return /^(bearer|dpop)( |$)/i.test(headers.get('authorization') ?? '')
}

/** Whether the address carries a token, where logs and histories would keep it. */
export function hasTokenInUrl({ url }: Pick<AuthRequest, 'url'>): boolean {
  return /[?&]access_token=/.test(url)
}

/** Whether a request carries an access token that is bound to a key (RFC 9449 §7.1). */
export function sendsProof({ headers }: Pick<AuthRequest, 'headers'>): boolean {
  return /^dpop( |$)/i.test(headers.get('authorization') ?? '')
}
