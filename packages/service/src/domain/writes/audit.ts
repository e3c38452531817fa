import { type AuditQuery, type DataStore, TRIM_BATCH } from '../../store/ports.ts'
import type { AuditEntry, AuditOutcome, LoginWay, StoredAuditEntry } from '../../store/records.ts'
import type { ReaderLag } from '../../telemetry/gauges.ts'
import { type DomainContext, nowMicros, type ServiceScope } from './context.ts'

/**
 * The number of days for which refused requests stay in the audit log. They serve support, not the
 * history.
 */
const REFUSED_DAYS = 7

/** The maximum number of refused requests of one actor in the audit log. The newest ones stay. */
const REFUSED_PER_KEY = 1_000

const DAY_MICROS = 86_400 * 1e6

/** The maximum number of entries that an export reads at a time. */
const BATCH = 1_000

/**
 * Makes an audit entry for an event that happens now, with the actor and the tenant of the scope.
 */
export function entryOf(
  { context, actor, tenantId }: ServiceScope,
  action: string,
  target: string,
  outcome: AuditOutcome = 'success',
): AuditEntry {
  const { name, requestId, address, userAgent, applicationId } = actor
  return {
    at: nowMicros(context.clock),
    tenantId,
    actor: name,
    requestId,
    action,
    target,
    outcome,
    address,
    userAgent,
    applicationId,
  }
}

/** Adds an entry to the audit log for an event that is not a write, such as a login. */
export function note(
  scope: ServiceScope,
  action: string,
  target: string,
  outcome: AuditOutcome = 'success',
): Promise<void> {
  return scope.context.store.audit.append(entryOf(scope, action, target, outcome))
}

/** Adds an entry for a successful login, with the login method. */
export async function noteLogin(
  scope: ServiceScope,
  userId: string,
  way: LoginWay | undefined,
): Promise<void> {
  const entry = entryOf(scope, 'login.succeeded', userId)
  await scope.context.store.audit.append({ ...entry, loginWay: way })
}

/**
 * The actions of a download of users or of audit entries: its start, and its end with the number of
 * rows.
 */
export type ExportAction = 'user.export' | 'user.exported' | 'audit.export' | 'audit.exported'

/**
 * Adds an entry for a download of many objects. Email addresses in the facts are cut to their
 * domains.
 *
 * @param facts - The filters and the format, or the number of rows. Empty ones are left out.
 */
export async function noteExport(
  scope: ServiceScope,
  action: ExportAction,
  facts: Readonly<Record<string, string | number>>,
): Promise<void> {
  const changes = Object.entries(facts)
    .map(([name, value]) => ({ name, after: String(value).replace(/[^\s@]*@/g, '…@') }))
    .filter(({ after }) => after !== '')
  const fields = changes.map(({ name }) => name)
  const entry = entryOf(scope, action, scope.tenantId ?? 'service')
  await scope.context.store.audit.append({ ...entry, fields, changes })
}

/** The actors whose requests this process has refused since the last trimming, by store. */
const refusedActors = new WeakMap<DataStore, Set<string>>()

/** Adds a refused request to the audit log; see {@link trimRefusals}. */
export async function noteRefusal(
  scope: ServiceScope,
  code: string,
  target: string,
): Promise<void> {
  const { store } = scope.context
  await store.audit.append(entryOf(scope, code, target, 'refused'))
  const actors = refusedActors.get(store) ?? new Set()
  refusedActors.set(store, actors.add(scope.actor.name))
}

/**
 * Deletes all but the newest 1,000 refused requests of each actor whose requests this process has
 * refused since the last call. Call it outside of requests, so that no request waits for the
 * deletion.
 */
export async function trimRefusals({ store }: DomainContext): Promise<void> {
  const actors = refusedActors.get(store) ?? new Set()
  for (const actor of actors) {
    while ((await store.audit.trimRefused(actor, REFUSED_PER_KEY)) === TRIM_BATCH);
    actors.delete(actor)
  }
}

/** Reads entries of the audit log, the newest first. */
export function listAudit(
  { store }: DomainContext,
  query: AuditQuery,
): Promise<StoredAuditEntry[]> {
  return store.audit.list(query)
}

/** Reads at most `limit` entries after the entry with this id, the oldest first. */
export function auditAfter(
  { store }: DomainContext,
  id: number,
  limit: number,
): Promise<StoredAuditEntry[]> {
  return store.audit.after(id, limit)
}

/** The lag of each reader of the audit log. */
export function readerLags({ store }: DomainContext): Promise<ReaderLag[]> {
  return store.cursors.lag()
}

/**
 * All entries after the entry with the id `after`, the oldest first. With `tenantId`, only those of
 * the tenant.
 */
export async function* exportAudit(
  context: DomainContext,
  { after = 0, tenantId }: { after?: number; tenantId?: string } = {},
): AsyncGenerator<StoredAuditEntry> {
  let reading = auditAfter(context, after, BATCH)
  try {
    for (;;) {
      const entries = await reading
      const last = entries.at(-1)
      if (!last) return
      // The next batch is read while the caller writes this one.
      reading = auditAfter(context, last.id, BATCH)
      reading.catch(() => {})
      for (const entry of entries) {
        if (tenantId === undefined || entry.tenantId === tenantId) yield entry
      }
    }
  } finally {
    await reading.catch(() => {})
  }
}

/**
 * Deletes entries that are older than `days`, and refused requests that are older than 7 days.
 *
 * @param isClosed - Whether to stop. Default: never.
 */
export async function pruneAudit(
  { clock, store }: DomainContext,
  days: number,
  isClosed?: () => boolean,
): Promise<void> {
  const now = nowMicros(clock)
  await store.audit.prune(now - days * DAY_MICROS, now - REFUSED_DAYS * DAY_MICROS, isClosed)
}
