import { setTimeout as wait } from 'node:timers/promises'
import type { Provider } from 'oidc-provider'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { lookUpUser } from '../../domain/users/users.ts'
import { isLoginValid } from '../../domain/ways/valid-logins.ts'
import { auditAfter, listAudit } from '../../domain/writes/audit.ts'
import { exclusively, isShared } from '../../domain/writes/context.ts'
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
  keptAt?: number
  authorizations?: Session['authorizations']
}

/** The actions that may have revoked sessions of the user they name. */
const CONCERNS_SESSIONS = /^(user\.(update|verify|delete)|credential\.(?!use|reseal))/

/** How many entries of the audit log are read at a time. */
const BATCH = 500

/** How often the audit log is looked at for what another process has written: a command, or a server. */
const POLL_MS = 5_000
const SHARED_POLL_MS = 1_000

/** When to look again while another process follows the log. */
const BUSY_MS = 200

/** How far the audit log was read. It never expires. */
const CURSOR = { tenantId: '', kind: 'Cursor', key: 'void-sessions' }

/**
 * Ends the sessions of users who were disabled or deleted, or whose sessions were voided, and tells
 * the applications.
 *
 * Such a session is worth nothing from the moment the user was changed, because every request checks
 * that; this is about letting the applications know. It follows the audit log, so that a change is not
 * forgotten when the process ends right after it.
 */
export function endVoidSessions(context: IssuerContext, providerOf: ProviderOf): VoidSessions {
  const { protocol } = context
  const { events } = context.domain
  let running: Promise<void> | undefined
  let isWanted = false
  let isClosed = false

  async function follow(): Promise<void> {
    let cursor = await readCursor()
    while (!isClosed) {
      isWanted = false
      const entries = await auditAfter(context.domain, cursor, BATCH)
      const users = new Map<string, { tenantId: string; userId: string }>()
      for (const { tenantId, action, target } of entries) {
        if (tenantId === undefined || !CONCERNS_SESSIONS.test(action)) continue
        users.set(`${tenantId}/${target}`, { tenantId, userId: target.split('/')[0] as string })
      }
      for (const { tenantId, userId } of users.values()) {
        await endSessions(context, providerOf, tenantId, userId)
      }
      const last = entries.at(-1)
      if (last) {
        cursor = last.id
        await writeCursor(cursor)
      } else if (!isWanted) return
    }
  }

  /** Each change is told once, and those of this process no later for another's being at it. */
  async function followAlone(): Promise<void> {
    while (!(await exclusively(context.domain, CURSOR.key, follow)) && !isClosed)
      await wait(BUSY_MS)
  }

  /** A service that has just begun to follow the log starts at its end. */
  async function readCursor(): Promise<number> {
    const stored = await protocol.find(CURSOR)
    if (stored) return Number(stored.payload)
    const [latest] = await listAudit(context.domain, { limit: 1 })
    const cursor = latest?.id ?? 0
    await writeCursor(cursor)
    return cursor
  }

  async function writeCursor(id: number): Promise<void> {
    await protocol.put({ ...CURSOR, payload: String(id), expiresAt: Number.MAX_SAFE_INTEGER })
  }

  function wake(): Promise<void> {
    isWanted = true
    running ??= followAlone()
      .catch((err: unknown) => {
        context.logger.error({ err }, 'Sessions could not be ended; it will be tried again.')
      })
      .finally(() => {
        running = undefined
      })
    return running
  }

  function onChange({ action }: AuditEntry): void {
    if (CONCERNS_SESSIONS.test(action)) void wake()
  }
  events.on('change', onChange)
  const polling = setInterval(
    () => void wake(),
    isShared(context.domain) ? SHARED_POLL_MS : POLL_MS,
  )
  polling.unref()
  void wake()

  return {
    async idle() {
      await running
      await wake()
    },
    async close() {
      isClosed = true
      clearInterval(polling)
      events.off('change', onChange)
      await running
    },
  }
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
