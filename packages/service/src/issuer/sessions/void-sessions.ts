import type { Provider } from 'oidc-provider'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { lookUpUser } from '../../domain/users/users.ts'
import { isAboutToBeKept, isLoginValid } from '../../domain/ways/valid-logins.ts'
import { type FollowedLog, followLog } from '../../domain/writes/follow-log.ts'
import { VOID_SESSIONS } from '../../store/cursors.ts'
import type { StoredAuditEntry, Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import type { Session } from '../oidc-provider-internals.ts'
import { endSession } from './end-session.ts'

/** The provider of a tenant. */
type ProviderOf = (tenant: Tenant) => Promise<Provider>

interface StoredSession {
  loginTs?: number
  keptAt?: number
  authorizations?: Session['authorizations']
}

/** The actions that may have revoked sessions of the user they name. */
const CONCERNS_SESSIONS = /^(user\.(update|verify|delete)|credential\.(?!use|reseal))/

/** Users at a time: each takes a few answers of the stores, one after another. */
const AT_ONCE = 8

/**
 * Ends the sessions of users who were disabled or deleted, or whose sessions were voided, and sends
 * logout tokens to the applications.
 *
 * Every request checks the user, so such a session is invalid at once; this only notifies the
 * applications. It follows the audit log, so that a change is not forgotten when the process ends
 * right after it.
 */
export function endVoidSessions(context: IssuerContext, providerOf: ProviderOf): FollowedLog {
  async function act(entries: readonly StoredAuditEntry[]): Promise<void> {
    const users = new Map<string, { tenantId: string; userId: string }>()
    for (const { tenantId, action, target } of entries) {
      if (tenantId === undefined || !CONCERNS_SESSIONS.test(action)) continue
      const userId = target.split('/')[0] as string
      users.set(`${tenantId}/${userId}`, { tenantId, userId })
    }
    const waiting = [...users.values()]
    async function work(): Promise<void> {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await endSessions(context, providerOf, next.tenantId, next.userId)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }

  return followLog(context.domain, {
    name: VOID_SESSIONS,
    act,
    isUrgent: ({ action }) => CONCERNS_SESSIONS.test(action),
    report: (err) =>
      context.logger.error({ err }, 'Sessions could not be ended; it will be tried again.'),
  })
}

async function endSessions(
  context: IssuerContext,
  providerOf: ProviderOf,
  tenantId: string,
  userId: string,
): Promise<void> {
  const { domain } = context
  const [tenant, user] = await Promise.all([
    lookUpTenant(domain, tenantId),
    lookUpUser(domain, tenantId, userId),
  ])
  if (!tenant) return
  const isVoid = (loggedInAt: number | undefined, keptAt: number | undefined) =>
    !user || !isLoginValid(user, loggedInAt, keptAt)
  const told = new Set<string>()
  const provider = await providerOf(tenant)

  for (const entry of await context.protocol.listByAccount(tenantId, 'Session', userId)) {
    const session = JSON.parse(entry.payload) as StoredSession
    const sids = Object.values(session.authorizations ?? {}).map(({ sid }) => sid)
    // Of a session that was kept, the applications are told nothing about their older tokens.
    for (const sid of sids) if (sid) told.add(sid)
    if (!isVoid(session.loginTs, session.keptAt)) continue
    // The entry of the end that it waits for is read next.
    if (user && isAboutToBeKept(user, session.keptAt)) continue
    await endSession(context, provider, {
      accountId: userId,
      authorizations: session.authorizations,
      destroy: () => context.protocol.delete(entry),
    })
  }

  // Offline access outlives sessions; its applications are told as well.
  for (const entry of await context.protocol.listByAccount(tenantId, 'RefreshToken', userId)) {
    const token = JSON.parse(entry.payload) as StoredToken
    if (!isVoid(token.authTime, token.keptAt)) continue
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
  keptAt?: number
}
