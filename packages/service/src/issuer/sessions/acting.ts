import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Background } from '../../background/index.ts'
import {
  begunImpersonations,
  clearBegun,
  type EndedBy,
  judgeImpersonation,
  liveImpersonation,
  markEnded,
  operatorActor,
  readImpersonation,
} from '../../domain/operators/impersonations.ts'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { lookUpUser } from '../../domain/users/users.ts'
import type { Actor } from '../../domain/writes/context.ts'
import { isStoreDown } from '../../domain/writes/vault.ts'
import type { AuditEntry, Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { type Acting, readSession, type Session } from '../engine/session.ts'
import type { ShownActing } from '../requests/request-facts.ts'
import { endSession, removeSession, revokeGrant } from './end-session.ts'

/** The interval between two checks of operators' logins as users, in milliseconds. */
const LOOK_MS = 15_000

/** Matches the changes after which operators' logins as users are checked at once. */
const CONCERNS = /^(operator|tenant|user|service)\./

/** Whether an operator's login is still valid. Each use of the login checks this. */
export async function isActing(
  context: IssuerContext,
  tenant: Tenant,
  id: string,
): Promise<boolean> {
  return (await liveImpersonation({ context, tenant }, id)) !== undefined
}

/**
 * The operator's login in a session, for the banner of pages; `undefined` if no operator acts in
 * the session, or the operator's login is no longer valid.
 */
export async function shownActing(
  context: IssuerContext,
  tenant: Tenant,
  session: Session | undefined,
): Promise<ShownActing | undefined> {
  const { acting, accountId, uid } = session ?? {}
  if (!acting || accountId === undefined || uid === undefined) return undefined
  if (!(await isActing(context, tenant, acting.id))) return undefined
  const user = await lookUpUser(context.domain, tenant.id, accountId)
  return user && { ...acting, uid, email: user.email }
}

/**
 * Like {@link shownActing}, for a request of a browser. Without a session cookie, no session is
 * read.
 */
export async function actingIn(
  context: IssuerContext,
  provider: Provider,
  tenant: Tenant,
  [request, response]: readonly [IncomingMessage, ServerResponse],
): Promise<ShownActing | undefined> {
  if (!request.headers.cookie?.includes('latchkey-session=')) return undefined
  return shownActing(context, tenant, await readSession(provider, request, response))
}

/** Like {@link shownActing}, for a page of oidc-provider. */
export function actingOf(
  context: IssuerContext,
  tenant: Tenant,
  { oidc }: KoaContextWithOIDC,
): Promise<ShownActing | undefined> {
  return shownActing(context, tenant, oidc?.session as Session | undefined)
}

/** The tenant of an operator's login, with its provider. */
export interface ActingAt {
  readonly context: IssuerContext
  readonly tenant: Tenant
  readonly provider: Provider
}

/**
 * Ends an operator's login as a user, so that each further use is refused. Then notifies the
 * applications of the login, and revokes its tokens. If the process dies in between,
 * {@link watchActing} does the rest.
 *
 * @returns Whether this call ended the login.
 */
export async function endActing(
  at: ActingAt,
  actor: Actor,
  id: string,
  by: EndedBy,
): Promise<boolean> {
  const ended = await markEnded(at, actor, id, by)
  await clear(at, id)
  return ended !== undefined
}

/** Destroys the sessions of an operator's login that has ended, and revokes their grants. */
async function clear(at: ActingAt, id: string): Promise<void> {
  const { context, tenant, provider } = at
  const { protocol } = context
  const userId = (await readImpersonation(at, id))?.value.userId
  const entries = userId ? await protocol.listByAccount(tenant.id, 'Session', userId) : []
  for (const entry of entries) {
    const { acting, authorizations = {} } = JSON.parse(entry.payload) as StoredSession
    if (acting?.id !== id) continue
    const read = { uid: entry.uid ?? '', stored: entry, authorizations }
    const destroy = () => removeSession(context, provider, tenant.id, read)
    const session = { accountId: userId, authorizations, destroy }
    await endSession(context, provider, session)
    const grants = Object.values(authorizations).flatMap(({ grantId }) => grantId ?? [])
    await Promise.all(grants.map((grantId) => revokeGrant(provider, grantId)))
  }
  await clearBegun(at, id)
}

interface StoredSession {
  acting?: Acting
  authorizations?: NonNullable<Session['authorizations']>
}

/**
 * Ends the operator's login of a session that a logout has destroyed. Does nothing for other
 * sessions.
 */
export async function noteActingLogout(
  at: ActingAt,
  { acting }: Session,
  actor: Actor,
): Promise<void> {
  if (acting) await endActing(at, { ...actor, name: acting.by }, acting.id, 'operator')
}

/**
 * Ends operators' logins as users that have expired, or that the tenant's setting, the operator's
 * role or the state of either account no longer allows. Each use of such a login is already
 * refused; this function notifies the applications and writes the log. A tenant that fails is
 * reported, and tried again with the next check. `idle` runs the check at once.
 */
export function watchActing(
  context: IssuerContext,
  background: Background,
  providerOf: (tenant: Tenant) => Promise<Provider>,
): { idle(): Promise<void> } {
  const watching = background.every(LOOK_MS, 'ending logins of operators', async (isClosed) => {
    const failed = new Set<string>()
    for (const { tenantId, id } of await begunImpersonations({ context })) {
      if (isClosed()) return
      if (failed.has(tenantId)) continue
      try {
        await endIfInvalid(tenantId, id)
      } catch (err) {
        if (isStoreDown(err)) throw err
        failed.add(tenantId)
        context.logger.error({ tenantId, err }, LATE)
      }
    }
  })

  /** Ends an operator's login that is no longer valid. */
  async function endIfInvalid(tenantId: string, id: string): Promise<void> {
    const tenant = await lookUpTenant(context.domain, tenantId)
    const found = tenant && (await readImpersonation({ context, tenant }, id))
    if (!tenant || !found) return clearBegun({ context }, id)
    const { begunAt, askedAt } = found.value
    // The login has not begun yet, or never will.
    if (begunAt === undefined) {
      if (context.domain.clock.now() * 1e3 > askedAt + FORGOTTEN_MICROS)
        await clearBegun({ context }, id)
      return
    }
    const state = await judgeImpersonation({ context, tenant }, found.value)
    if (state === 'live') return
    const provider = await providerOf(tenant)
    await endActing({ context, tenant, provider }, { name: 'service' }, id, state)
  }
  context.domain.events.on('change', ({ action }: AuditEntry) => {
    if (CONCERNS.test(action)) void watching.wake()
  })
  return { idle: watching.wake }
}

const LATE = 'The logins of operators at a tenant cannot be ended; it will be tried again.'

/** The time after which a requested login can no longer begin, in microseconds. */
const FORGOTTEN_MICROS = 2 * 86_400 * 1e6

/** The facts about an operator's login that its session stores. */
export function actingFor(one: { id: string; operatorId: string; until: number }): Acting {
  return { id: one.id, by: operatorActor(one.operatorId).name, until: one.until / 1e6 }
}
