import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from 'oidc-provider'
import type { Background } from '../../background/index.ts'
import { dropImpersonations } from '../../domain/operators/impersonations.ts'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { lookUpUser } from '../../domain/users/users.ts'
import { isAboutToBeKept, isLoginValid } from '../../domain/ways/valid-logins.ts'
import { exclusively } from '../../domain/writes/context.ts'
import { entry, type Holder } from '../../domain/writes/entries.ts'
import { type FollowedLog, followLog } from '../../domain/writes/follow-log.ts'
import { isStoreDown } from '../../domain/writes/vault.ts'
import { VOID_SESSIONS } from '../../store/cursors.ts'
import type { EntryPlace } from '../../store/protocol-store.ts'
import type { AuditEntry, StoredAuditEntry, Tenant } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { IssuerContext } from '../context.ts'
import { dropEmailTokens } from '../interaction/mail/email-tokens.ts'
import { dropUndoTokens } from '../interaction/mail/undo-token.ts'
import { dropRegistered } from '../provider/clients/registrations.ts'
import { dropConsents } from '../provider/consents.ts'
import { endSession, removeSession, type StoredSession } from './end-session.ts'

/** Returns the provider of a tenant. */
type ProviderOf = (tenant: Tenant) => Promise<Provider>

/** Matches the actions that may have revoked sessions of a user. */
const CONCERNS_SESSIONS = /^(user\.(update|verify|delete)|credential\.(?!use|reseal))/

/**
 * Matches the members of a user that do not affect sessions. An update of only such members revokes
 * no session.
 */
const OF_NO_SESSION = /^(metadata\.|profile\.(?!email))/

/**
 * The number of shards of the audit log that a process reads at a time. Other processes read the
 * other shards.
 */
const SHARDS_AT_ONCE = 4

function concernsSessions({ action, fields }: AuditEntry): boolean {
  if (!CONCERNS_SESSIONS.test(action)) return false
  const isHarmless = action === 'user.update' && fields?.length
  return !(isHarmless && fields.every((field) => OF_NO_SESSION.test(field)))
}

/**
 * The number of users that are handled concurrently. Each user needs a few round trips to the
 * stores, one after another.
 */
const AT_ONCE = 8

/** A user of a tenant. */
interface UserName {
  readonly tenantId: string
  readonly userId: string
}

/**
 * Users whose sessions could not be ended, for example because the provider of their tenant cannot be made: of all
 * tenants, for longer than any session.
 */
const late = entry<UserName>('LateSessions', 90 * 86_400)
const ALL = { accountId: 'all' }

/** The interval, in milliseconds, at which to try again to end these sessions, and how many users are read at a time. */
const RETRY_MS = 60_000
const RETRIED_AT_ONCE = 100

/**
 * Ends the sessions of users who were disabled or deleted, or whose sessions were revoked, and
 * sends logout tokens to the applications. The remaining data of deleted users is deleted, too.
 *
 * Every request checks the user, so such a session is invalid at once. This function notifies the
 * applications. It reads the audit log, so that no application remains without a notice if the
 * process ends right after the change. If the provider of a tenant cannot be made, the failure is
 * reported, and the users of that tenant are stored and tried again later.
 */
export function endVoidSessions(
  context: IssuerContext,
  background: Background,
  providerOf: ProviderOf,
): FollowedLog {
  const holder: Holder = { context, tenant: { id: SYSTEM_TENANT_ID } }

  async function act(entries: readonly StoredAuditEntry[]): Promise<void> {
    const users = new Map<string, UserName>()
    for (const entry of entries) {
      const { tenantId, target } = entry
      if (tenantId === undefined || !concernsSessions(entry)) continue
      const userId = target.split('/')[0] as string
      users.set(`${tenantId}/${userId}`, { tenantId, userId })
    }
    if (users.size === 0) return
    // The providers are read before the lock is taken: the first provider of a tenant creates its
    // key, which takes another lock.
    const found = await providersOf(users.values())
    await besideEarlierRelease(context, async () => {
      for (const user of await endAll([...users.values()], found)) {
        await late.put(holder, nameOf(user), user, ALL)
      }
    })
  }

  /** Ends the sessions of users. Returns the users for whom this has failed. */
  async function endAll(
    waiting: UserName[],
    { providers, failed }: Awaited<ReturnType<typeof providersOf>>,
  ): Promise<UserName[]> {
    const left: UserName[] = []
    async function work(): Promise<void> {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { tenantId, userId } = next
        const provider = providers.get(tenantId)
        const isDone = provider
          ? await trying(context, tenantId, () => endSessions(context, provider, tenantId, userId))
          : !failed.has(tenantId)
        if (!isDone) left.push(next)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return left
  }

  /**
   * The providers of the tenants of `users`, without deleted tenants, and the ids of the tenants whose
   * provider cannot be made.
   */
  async function providersOf(users: Iterable<UserName>) {
    const providers = new Map<string, Provider>()
    const failed = new Set<string>()
    for (const id of new Set([...users].map(({ tenantId }) => tenantId))) {
      const isMade = await trying(context, id, async () => {
        const tenant = await lookUpTenant(context.domain, id)
        if (tenant) providers.set(id, await providerOf(tenant))
      })
      if (!isMade) failed.add(id)
    }
    return { providers, failed }
  }

  const retrying = background.every(RETRY_MS, 'ending late sessions', async (isClosed) => {
    for (let after: EntryPlace | undefined; !isClosed(); ) {
      const page = { after, limit: RETRIED_AT_ONCE }
      const { found, next } = await late.partOfAccount(holder, ALL.accountId, page)
      if (found.length === 0) return
      const users = found.map(({ value }) => value)
      const providers = await providersOf(users)
      const isOurs = await exclusively(context.domain, 'late-sessions', async () => {
        const left = new Set((await endAll([...users], providers)).map(nameOf))
        for (const user of users) {
          if (!left.has(nameOf(user))) await late.drop(holder, nameOf(user))
        }
      })
      if (!isOurs || !next) return
      after = next
    }
  })

  const following = followLog(context.domain, background, {
    name: VOID_SESSIONS,
    shardsAtOnce: SHARDS_AT_ONCE,
    act,
    isUrgent: concernsSessions,
  })

  return {
    async idle() {
      await following.idle()
      await retrying.wake()
    },
  }
}

const LATE = 'The sessions of a tenant cannot be ended; it will be tried again.'

/**
 * Runs work for a tenant. Returns whether it succeeded, and logs a failure that other tenants need
 * not wait for.
 */
async function trying(
  { logger }: IssuerContext,
  tenantId: string,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (err) {
    if (isStoreDown(err)) throw err
    logger.error({ tenantId, err }, LATE)
    return false
  }
}

/** The id of a user in {@link late}. */
function nameOf({ tenantId, userId }: UserName): string {
  return `${tenantId}/${userId}`
}

/**
 * The time to wait for a process of the earlier release, and the interval between two checks
 * whether it has finished, in milliseconds.
 */
const WAIT_MS = 25_000
const LOOK_MS = 50

/**
 * Runs a task while no process of release 0.2 ends sessions. Such a process reads the whole log,
 * under a lock of the same name. If two processes ended the same session, each of them would send
 * its logout notices.
 */
async function besideEarlierRelease(
  { domain: { store } }: IssuerContext,
  work: () => Promise<void>,
): Promise<void> {
  for (const end = performance.now() + WAIT_MS; store.together; await sleep(LOOK_MS)) {
    if (await store.together(VOID_SESSIONS, work)) return
    // A stopped process may hold the lock. A duplicate notice is better than none.
    if (performance.now() > end) break
  }
  await work()
}

async function endSessions(
  context: IssuerContext,
  provider: Provider,
  tenantId: string,
  userId: string,
): Promise<void> {
  const user = await lookUpUser(context.domain, tenantId, userId)
  const isVoid = (loggedInAt: number | undefined, keptAt: number | undefined) =>
    !user || !isLoginValid(user, loggedInAt, keptAt)
  // The session survives a revocation that is about to be recorded. The audit entry of that
  // revocation is read next.
  const isOver = ({ loginTs, keptAt }: StoredSession) =>
    isVoid(loginTs, keptAt) && !(user && isAboutToBeKept(user, keptAt))
  const told = new Set<string>()

  for (const entry of await context.protocol.listByAccount(tenantId, 'Session', userId)) {
    const session = JSON.parse(entry.payload) as StoredSession
    const sids = Object.values(session.authorizations ?? {}).map(({ sid }) => sid)
    // Each session's applications are notified at most once, and not at all if the session is kept.
    for (const sid of sids) if (sid) told.add(sid)
    if (!isOver(session)) continue
    const { authorizations } = session
    const read = { uid: entry.uid ?? '', stored: entry, authorizations }
    const destroy = () => removeSession(context, provider, tenantId, read, isOver)
    await endSession(context, provider, { accountId: userId, authorizations, destroy })
  }

  // Offline access lives longer than sessions, so its applications are notified, too.
  for (const entry of await context.protocol.listByAccount(tenantId, 'RefreshToken', userId)) {
    const token = JSON.parse(entry.payload) as StoredToken
    if (!isVoid(token.authTime, token.keptAt)) continue
    if (token.sid === undefined || !told.has(token.sid)) {
      const { clientId, sid } = token
      await context.logoutNotices.tell(provider, { clientId, sub: userId, sid })
      if (sid !== undefined) told.add(sid)
    }
    await context.protocol.delete(entry)
  }

  if (!user) await forget({ context, tenant: { id: tenantId } }, userId)
}

/**
 * Deletes the remaining data of a deleted user: mailed links contain the address, and consents show
 * which programs the user had.
 */
async function forget(holder: Holder, userId: string): Promise<void> {
  await dropEmailTokens(holder, userId)
  await dropUndoTokens(holder, userId)
  await dropConsents(holder, userId)
  await dropImpersonations(holder, userId)
  await dropRegistered(holder, userId)
}

interface StoredToken {
  clientId: string
  sid?: string
  /** Seconds since the epoch. */
  authTime?: number
  keptAt?: number
}
