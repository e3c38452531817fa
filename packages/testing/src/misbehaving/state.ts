import type { MisbehavingProvider } from './provider.ts'
import type { SigningKey } from './signing.ts'

/** A granted login, which its code and tokens refer to. */
export interface Grant {
  readonly nonce: string | undefined
  readonly codeChallenge: string | undefined
  readonly claims: Record<string, unknown>
  readonly authTime: number
  readonly sid: string
}

/** The state of a provider between requests. */
export interface ProviderState {
  readonly provider: MisbehavingProvider
  /** The key with which the provider signs. */
  key: SigningKey
  readonly codes: Map<string, Grant>
  readonly refreshTokens: Map<string, Grant>
  readonly accessTokens: Map<string, Grant>
  /** The pushed authorization requests, by their `request_uri` (RFC 9126). */
  readonly pushed: Map<string, URLSearchParams>
  /** The session ids of all logins, in order. */
  readonly sids: string[]
}

/** Makes the state of a provider without logins. */
export function createState(provider: MisbehavingProvider, key: SigningKey): ProviderState {
  return {
    ...{ provider, key, sids: [] },
    codes: new Map(),
    refreshTokens: new Map(),
    accessTokens: new Map(),
    pushed: new Map(),
  }
}

/**
 * The current claims of the user if a grant is of the same user; otherwise the claims of the grant.
 */
export function claimsOf(
  { user }: MisbehavingProvider,
  { claims }: Grant,
): Record<string, unknown> {
  return user.sub === claims.sub ? { ...user } : claims
}
