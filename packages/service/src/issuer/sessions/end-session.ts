import type { Provider } from 'oidc-provider'
import type { Change } from '../../store/protocol-store.ts'
import type { IssuerContext } from '../context.ts'
import { destroyGrant } from '../engine/grant.ts'
import type { Session, StoredForm } from '../engine/session.ts'
import { makeChanges, makeChangesWith } from '../provider/request-changes.ts'

type Authorizations = NonNullable<Session['authorizations']>

/**
 * Ends a session: notifies its applications, revokes its grants with their tokens, and deletes the
 * session. Offline access outlives the session, so its grants are kept.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2, OpenID Connect Back-Channel Logout 1.0 §2.7
 */
export async function endSession(
  context: IssuerContext,
  provider: Provider,
  session: Pick<Session, 'accountId' | 'authorizations' | 'destroy'>,
): Promise<void> {
  await endAuthorizations(context, provider, session)
  await session.destroy()
}

async function endAuthorizations(
  context: IssuerContext,
  provider: Provider,
  { accountId, authorizations = {} }: Pick<Session, 'accountId' | 'authorizations'>,
): Promise<void> {
  for (const [clientId, granted] of Object.entries(authorizations)) {
    if (accountId) {
      await context.logoutNotices.tell(provider, { clientId, sub: accountId, sid: granted.sid })
    }
    if (granted.grantId && !granted.persistsLogout) await revokeGrant(provider, granted.grantId)
  }
}

/**
 * Deletes a session whose applications have been notified. If another request has changed the
 * session meanwhile, the applications that it has added are notified, too. A login may have moved
 * the session to another entry, so the session is looked up by its `uid`.
 *
 * @param isOver - Whether the session, as another request has changed it, still has to end.
 *   Default: it has to.
 */
export async function removeSession(
  context: IssuerContext,
  provider: Provider,
  tenantId: string,
  session: Pick<Session, 'uid' | 'stored' | 'authorizations'>,
  isOver: (changed: StoredSession) => boolean = () => true,
): Promise<void> {
  const { protocol } = context
  const deletionOf = ({ key, payload }: StoredForm): Change => {
    return { kind: 'delete', name: { tenantId, kind: 'Session', key }, read: payload }
  }
  const { uid, stored } = session
  if (stored && (await makeChangesWith(protocol, deletionOf(stored)))) return
  await makeChanges(protocol)
  let known = session.authorizations
  for (;;) {
    const entry = await protocol.findByUid(tenantId, 'Session', uid)
    if (!entry) return
    const changed = JSON.parse(entry.payload) as StoredSession
    if (!isOver(changed)) return
    const { accountId, authorizations } = changed
    const added = addedTo(known, authorizations)
    await endAuthorizations(context, provider, { accountId, authorizations: added })
    known = authorizations
    if (await protocol.write([deletionOf(entry)])) return
  }
}

/** A session as it is stored. */
export interface StoredSession {
  accountId?: string
  loginTs?: number
  keptAt?: number
  authorizations?: Session['authorizations']
}

/** The authorizations that are new. */
function addedTo(before: Authorizations = {}, now: Authorizations = {}): Authorizations {
  const added = Object.entries(now).filter(([clientId, { sid }]) => before[clientId]?.sid !== sid)
  return Object.fromEntries(added)
}

/** Revokes a grant. From then on, every code and token of the grant is refused. */
export async function revokeGrant(provider: Provider, grantId: string): Promise<void> {
  await Promise.all([
    provider.RefreshToken.revokeByGrantId(grantId),
    destroyGrant(provider, grantId),
  ])
}
