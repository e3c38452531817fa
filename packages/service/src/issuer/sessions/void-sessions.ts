import type { Provider } from 'oidc-provider'
import { isLoginValid } from '../../domain/accounts.ts'
import type { AuditEntry, Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import type { Session } from '../oidc-provider-internals.ts'
import { endSession } from './end-session.ts'

/** Ends sessions in the background. */
export interface VoidSessions {
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** The provider of a tenant. */
type ProviderOf = (tenant: Tenant) => Promise<Provider>

interface StoredSession {
  loginTs?: number
  authorizations?: Session['authorizations']
}

/** What may have voided sessions of the user it names. */
const CONCERNS_SESSIONS = /^(user\.(update|delete)|credential\.)/

/**
 * Ends the sessions of users who were disabled or deleted, or whose sessions were voided, and tells
 * the applications.
 *
 * Such a session is worth nothing from the moment the user was changed, because every request checks
 * that; this is about letting the applications know.
 */
export function endVoidSessions(context: IssuerContext, providerOf: ProviderOf): VoidSessions {
  const underWay = new Set<Promise<void>>()
  const { events } = context.domain

  function onChange(entry: AuditEntry): void {
    if (entry.tenantId === undefined || !CONCERNS_SESSIONS.test(entry.action)) return
    const userId = entry.target.split('/')[0] as string
    const ending = endSessions(context, providerOf, entry.tenantId, userId)
      .catch((err: unknown) => {
        context.logger.error({ err, userId }, 'The sessions of a user could not be ended.')
      })
      .finally(() => underWay.delete(ending))
    underWay.add(ending)
  }
  events.on('change', onChange)

  async function idle(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay)
  }

  return {
    idle,
    async close() {
      events.off('change', onChange)
      await idle()
    },
  }
}

async function endSessions(
  context: IssuerContext,
  providerOf: ProviderOf,
  tenantId: string,
  userId: string,
): Promise<void> {
  const { store } = context.domain
  const [tenant, user] = await Promise.all([
    store.tenants.get(tenantId),
    store.users.get(tenantId, userId),
  ])
  if (!tenant) return
  const isVoid = (loggedInAt: number | undefined) => !user || !isLoginValid(user, loggedInAt)
  const told = new Set<string>()
  const provider = await providerOf(tenant)

  for (const entry of await context.protocol.listByAccount(tenantId, 'Session', userId)) {
    const session = JSON.parse(entry.payload) as StoredSession
    if (!isVoid(session.loginTs)) continue
    await endSession(context, provider, {
      accountId: userId,
      authorizations: session.authorizations,
      destroy: () => context.protocol.delete(entry),
    })
    for (const { sid } of Object.values(session.authorizations ?? {})) if (sid) told.add(sid)
  }

  // Offline access outlives sessions; its applications are told as well.
  for (const entry of await context.protocol.listByAccount(tenantId, 'RefreshToken', userId)) {
    const token = JSON.parse(entry.payload) as StoredToken
    if (!isVoid(token.authTime)) continue
    if (token.sid === undefined || !told.has(token.sid)) {
      const { clientId, sid } = token
      await context.notifier.tell(provider, { clientId, sub: userId, sid })
      if (sid !== undefined) told.add(sid)
    }
    await context.protocol.delete(entry)
  }
}

interface StoredToken {
  clientId: string
  sid?: string
  /** Seconds since the epoch. */
  authTime?: number
}
