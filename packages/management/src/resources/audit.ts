import type { Send } from '../request.ts'
import type { AuditEntry } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { segment } from './resource.ts'

/** A filter of the audit log. Missing members do not filter. */
export interface AuditQuery {
  /** The actor, such as `user:usr_…` or `key:key_…`. */
  actor?: string | undefined
  /** The prefix of the action, such as `login.`. */
  action?: string | undefined
  /** The id of the object that the action was done to. */
  target?: string | undefined
  /** The id of a user. Finds entries about the user and all objects of the user. */
  user?: string | undefined
  /** The start of the period, inclusive (RFC 3339). */
  from?: string | undefined
  /** The end of the period, exclusive (RFC 3339). */
  to?: string | undefined
}

/** The audit log of a tenant. */
export interface Audit {
  /** Lists the entries, the newest first. */
  list(query?: AuditQuery): AsyncGenerator<AuditEntry, void, undefined>
  get(id: string): Promise<AuditEntry>
}

export function createAudit(send: Send, tenantId: string): Audit {
  const path = `/x/v1/tenants/${segment(tenantId)}/audit`
  const restore = (entry: Record<string, unknown>) =>
    restoreZeros<AuditEntry>(entry, zeros.AuditEntry)
  return {
    list: (query = {}) => readFiltered(send, path, { ...query }, restore),
    async get(id) {
      const input = { method: 'GET', path: `${path}/${segment(id)}`, isRepeatable: true } as const
      return restore((await send(input)).body)
    },
  }
}
