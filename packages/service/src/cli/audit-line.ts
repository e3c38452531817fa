import { printableJson } from '@latchkey/management/command-line'
import type { StoredAuditEntry } from '../store/records.ts'
import { formatTimestamp } from '../wire/timestamps.ts'

/** An entry as one line of NDJSON, without empty members. */
export function auditLine(entry: StoredAuditEntry): string {
  return printableJson(
    JSON.stringify({
      id: entry.id,
      at: formatTimestamp(entry.at),
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      outcome: entry.outcome,
      fields: entry.fields,
      tenant_id: entry.tenantId,
      application_id: entry.applicationId,
      request_id: entry.requestId,
      address: entry.address,
      user_agent: entry.userAgent,
    }),
  )
}
