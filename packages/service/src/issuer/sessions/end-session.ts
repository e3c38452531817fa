import type { Provider } from 'oidc-provider'
import type { ProtocolEntry } from '../../store/protocol-store.ts'
import type { IssuerContext } from '../context.ts'
import { destroyGrant } from '../engine/grant.ts'
import type { Session } from '../engine/session.ts'
import { makeChanges } from '../provider/request-changes.ts'

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
 */
export async function removeSession(
  context: IssuerContext,
  provider: Provider,
  tenantId: string,
  session: Pick<Session, 'uid' | 'stored' | 'authorizations'>,
): Promise<void> {
  const { protocol } = context
  const { uid, stored } = session
  await makeChanges(protocol)
  let authorizations = session.authorizations
  let read: Pick<ProtocolEntry, 'key' | 'payload'> | undefined = stored
  for (;;) {
    const name = read && { tenantId, kind: 'Session', key: read.key }
    if (name && (await protocol.write([{ kind: 'delete', name, read: read?.payload }]))) return
    const entry = await protocol.findByUid(tenantId, 'Session', uid)
    if (!entry) return
    const { accountId, ...found } = JSON.parse(entry.payload) as StoredSession
    const added = addedTo(authorizations, found.authorizations)
    await endAuthorizations(context, provider, { accountId, authorizations: added })
    authorizations = found.authorizations
    read = entry
  }
}

type StoredSession = Pick<Session, 'accountId' | 'authorizations'>

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
