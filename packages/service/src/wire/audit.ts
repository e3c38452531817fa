import { z } from 'zod'
import { readField } from '../domain/writes/changed-fields.ts'
import type { StoredAuditEntry } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import { formatTimestamp } from './timestamps.ts'

/** The schema of an entry's position in the audit log, which `after` encodes. */
export const auditPlace: z.ZodType<[at: number, id: number]> = z.tuple([z.int(), z.int()])

/** Makes the response body for an audit entry. */
export function serializeEntry(entry: StoredAuditEntry): object {
  const fields = (entry.fields ?? []).map(readField)
  const flags = fields.flatMap(({ name, flag }) => (flag === undefined ? [] : [[name, flag]]))
  return omitZero({
    type: 'AuditEntry',
    id: String(entry.id),
    at: formatTimestamp(entry.at),
    actor: entry.actor,
    action: entry.action,
    target: entry.target,
    outcome: entry.outcome,
    fields: fields.map(({ name }) => name),
    flags: flags.length > 0 ? Object.fromEntries(flags) : undefined,
    application_id: entry.applicationId,
    request_id: entry.requestId,
    address: entry.address,
    user_agent: entry.userAgent,
  })
}
