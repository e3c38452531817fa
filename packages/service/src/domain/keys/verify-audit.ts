import type { Micros } from '../../store/records.ts'
import { nowMicros, type Scope, type ServiceScope } from '../writes/context.ts'
import { notFound } from '../writes/errors.ts'
import { digestOf, type Seal, type SealStatement, sealsOf } from './audit-seals.ts'
import { tenantIds } from './follow-seals.ts'

/** The result of comparing the audit log of a tenant with its seals. */
export interface AuditVerification {
  tenantId: string
  /** The number of seals in the log. */
  seals: number
  /** The seals whose entries are unchanged, and the number and the times of these entries. */
  verified: {
    seals: number
    /**
     * The number of these seals whose signing key the tenant no longer has. A later seal confirms
     * each of these seals.
     */
    byFormerKeys: number
    entries: number
    firstAt: Micros | undefined
    lastAt: Micros | undefined
  }
  /**
   * The number of seals that could not be compared, because some of their entries seem to have been
   * pruned.
   */
  pruned: number
  /** The entries after the last seal, which were not compared. Seals do not count. */
  unsealed: { entries: number; firstAt: Micros | undefined }
  /**
   * The seals that were made more than two days after their first entry. Changes from before the
   * seal cannot be found.
   */
  late: { at: Micros; firstAt: Micros }[]
  problems: AuditProblem[]
}

/** A difference between the audit log and its seals. */
export interface AuditProblem {
  kind: 'changed' | 'seal_missing' | 'seal_invalid' | 'seal_forged' | 'not_sealed'
  /** The affected entries: after the id `from`, up to and including the id `to`. */
  from: number
  to: number
  message: string
}

interface Compared {
  seal: Seal
  statement: SealStatement
  /**
   * The time of the last sealed entry; `undefined` if the entries differ from the sealed entries.
   */
  intactTo: Micros | undefined
}

/**
 * The period, in microseconds, after which an unsealed entry is reported. Entries are normally
 * sealed on the next day.
 */
const LATE_MICROS = 2 * 86_400 * 1e6

/**
 * Compares the entries of a tenant with their seals.
 *
 * @param days - The number of days for which the service keeps entries. Older entries of a seal may
 *   have been deleted.
 */
export async function verifyAudit(scope: Scope, days: number): Promise<AuditVerification> {
  const { context, tenantId } = scope
  const now = nowMicros(context.clock)
  const horizon = now - days * 86_400 * 1e6
  const seals = await sealsOf(scope)
  const found: AuditVerification = {
    ...{ tenantId, seals: seals.length, pruned: 0, late: [], problems: [] },
    verified: { seals: 0, byFormerKeys: 0, entries: 0, firstAt: undefined, lastAt: undefined },
    unsealed: { entries: 0, firstAt: undefined },
  }
  const compared: Compared[] = []
  let covered: number | undefined
  for (const seal of seals) {
    const { statement } = seal
    if (!statement) {
      const message = 'The entry of a seal of this tenant cannot be read as a seal.'
      found.problems.push({ kind: 'seal_invalid', from: seal.id - 1, to: seal.id, message })
      continue
    }
    const gap = gapBefore(statement, covered, horizon)
    if (gap) found.problems.push(gap)
    compared.push({
      seal,
      statement,
      intactTo: await compareWithSeal(scope, seal, statement, horizon, found),
    })
    covered = Math.max(covered ?? 0, statement.to)
  }
  addVerified(compared, found)
  await addUnsealed(scope, covered ?? 0, now, found)
  return found
}

/**
 * Verifies the entries of one tenant, or of all tenants one after the other.
 *
 * @throws ServiceError `not_found` for an unknown tenant.
 */
export async function* verifyAuditOf(
  scope: ServiceScope,
  { tenantId, days }: { tenantId?: string; days: number },
): AsyncGenerator<AuditVerification> {
  const { context } = scope
  if (tenantId !== undefined && !(await context.store.tenants.get(tenantId))) throw notFound()
  const ids = tenantId === undefined ? tenantIds(context) : [tenantId]
  for await (const id of ids) yield await verifyAudit({ ...scope, tenantId: id }, days)
}

/**
 * The problem that the seal before this one is missing; `undefined` if that seal is there, or was
 * made before the horizon and may have been pruned.
 */
function gapBefore(
  { from, previousAt }: SealStatement,
  covered: number | undefined,
  horizon: Micros,
): AuditProblem | undefined {
  const isPruned = covered === undefined && (previousAt === null || previousAt < horizon)
  if (from <= (covered ?? 0) || isPruned) return undefined
  const message = 'The seal of these entries is missing.'
  return { kind: 'seal_missing', from: covered ?? 0, to: from, message }
}

/**
 * Compares the entries of a seal with the seal's hash. Adds to `found` that entries were changed or
 * pruned, and that a seal was made too late.
 *
 * @returns The time of the last sealed entry; `undefined` if the entries differ from the sealed
 *   entries.
 */
async function compareWithSeal(
  scope: Scope,
  { at }: Seal,
  statement: SealStatement,
  horizon: Micros,
  found: AuditVerification,
): Promise<Micros | undefined> {
  const { from, to, entries, firstAt, sha256 } = statement
  let lastAt = firstAt
  const digest = await digestOf(scope, from, (entry) => {
    if (entry.id <= to) lastAt = entry.at
    return entry.id > to
  })
  const { firstOtherAt = at } = digest
  if (at - firstOtherAt > LATE_MICROS) found.late.push({ at, firstAt: firstOtherAt })
  if (digest.sha256 === sha256) return lastAt
  if (firstAt < horizon && digest.entries < entries) {
    found.pruned++
    return undefined
  }
  const count = `${digest.entries} entries, ${entries} were sealed`
  const what = digest.entries === entries ? `${count}; one or more of them were changed` : count
  found.problems.push({ kind: 'changed', from, to, message: `There are ${what}.` })
  return undefined
}

/**
 * Adds the seals that are valid and intact to `found`, and a problem for each seal that is not
 * valid. A seal is valid if a key of the tenant has signed it. That key may have been withdrawn
 * since, so a seal is also valid if a later valid and intact seal contains its entry.
 */
function addVerified(
  compared: readonly Compared[],
  { verified, problems }: AuditVerification,
): void {
  const holding: SealStatement[] = []
  for (const { seal, statement, intactTo } of compared.toReversed()) {
    const { from, to, entries, firstAt } = statement
    const isContained = holding.some((later) => later.from < seal.id && seal.id <= later.to)
    if (!seal.isSigned && !isContained) {
      const message =
        'The seal is signed by a key that the tenant does not have, and no later seal contains it. If the key was ' +
        'withdrawn today, verify again tomorrow.'
      problems.push({ kind: 'seal_forged', from, to, message })
    } else if (intactTo !== undefined) {
      holding.push(statement)
      verified.seals++
      verified.entries += entries
      verified.firstAt = Math.min(verified.firstAt ?? firstAt, firstAt)
      verified.lastAt = Math.max(verified.lastAt ?? intactTo, intactTo)
      if (!seal.isSigned) verified.byFormerKeys++
    }
  }
}

/**
 * Adds the entries after the last seal to `found`, and a problem if one of them has waited for a
 * seal for more than two days.
 */
async function addUnsealed(
  scope: Scope,
  covered: number,
  now: Micros,
  found: AuditVerification,
): Promise<void> {
  const { others, firstOtherAt, to } = await digestOf(scope, covered, () => false)
  found.unsealed = { entries: others, firstAt: firstOtherAt }
  if (firstOtherAt === undefined || now - firstOtherAt <= LATE_MICROS) return
  const message =
    'These entries are older than two days and have no seal. A running service seals each day; a seal may have been ' +
    'removed.'
  found.problems.push({ kind: 'not_sealed', from: covered, to, message })
}
