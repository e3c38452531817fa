import type { AuthRequest } from './request.ts'

/** Whether a request has an access token, or a malformed one (RFC 6750 §2, RFC 9449 §7.1). */
export function sendsToken(request: Pick<AuthRequest, 'url' | 'headers'>): boolean {
  return sendsBearer(request) || hasTokenInUrl(request)
}

/** Whether the header `Authorization` has an access token, or a malformed one. */
export function sendsBearer({ headers }: Pick<AuthRequest, 'headers'>): boolean {
  return /^(bearer|dpop)( |$)/i.test(headers.get('authorization') ?? '')
}

/** Whether the URL has an access token, which logs and histories would keep. */
export function hasTokenInUrl({ url }: Pick<AuthRequest, 'url'>): boolean {
  return /[?&]access_token=/.test(url)
}

/**
 * Whether a request uses the scheme `DPoP`, for an access token that is bound to a key (RFC 9449
 * §7.1).
 */
export function sendsProof({ headers }: Pick<AuthRequest, 'headers'>): boolean {
  return /^dpop( |$)/i.test(headers.get('authorization') ?? '')
}
