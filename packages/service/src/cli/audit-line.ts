import { printableJson } from '@latchkey/management/command-line'
import { formatTimestamp } from '../http/timestamps.ts'
import type { StoredAuditEntry } from '../store/records.ts'

/** An entry as one line of NDJSON; members without a value are left out. */
export function auditLine({
  at,
  tenantId,
  requestId,
  userAgent,
  applicationId,
  ...rest
}: StoredAuditEntry): string {
  const { id, actor, action, target, outcome, fields, address } = rest
  const entry = {
    id,
    at: formatTimestamp(at),
    actor,
    action,
    target,
    outcome,
    fields,
    tenant_id: tenantId,
    application_id: applicationId,
    request_id: requestId,
    address,
    user_agent: userAgent,
  }
  return printableJson(JSON.stringify(entry))
}
