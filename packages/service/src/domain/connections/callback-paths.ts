import { createHash } from 'node:crypto'
import type { Connection } from '../../store/records.ts'

/** The path of the redirect URI that connections of earlier versions share. */
export const SHARED_CALLBACK = '/social/callback'

/**
 * The route of all other redirect URIs. They are not below {@link SHARED_CALLBACK}, because GitHub
 * also accepts a path below the registered one.
 */
export const OWN_CALLBACK = '/social/:provider/callback'

/**
 * The path of a connection's redirect URI. Connections at different providers have different paths,
 * so that a response of one provider cannot be taken for that of another.
 *
 * @see RFC 9700 §4.4.2
 */
export function callbackPathOf({
  issuer,
  ownCallback,
}: Pick<Connection, 'issuer' | 'ownCallback'>): string {
  if (!ownCallback) return SHARED_CALLBACK
  const provider = createHash('sha256').update(issuer).digest('hex').slice(0, 24)
  return OWN_CALLBACK.replace(':provider', provider)
}

/**
 * The connections that share a redirect URI although their providers differ. A malicious provider
 * among them could log in as users of the others. Empty if there are fewer than two.
 */
export function sharingCallback<C extends Pick<Connection, 'issuer' | 'ownCallback'>>(
  connections: readonly C[],
): readonly C[] {
  const sharing = connections.filter(({ ownCallback }) => !ownCallback)
  return new Set(sharing.map(({ issuer }) => issuer)).size > 1 ? sharing : []
}
