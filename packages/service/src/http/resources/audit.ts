import { z } from 'zod'
import { getAuditEntry, searchTenantAudit } from '../../domain/operators/audit-search.ts'
import { notFound, ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { auditPlace, serializeEntry } from '../../wire/audit.ts'
import { jsonLines } from '../../wire/json-lines.ts'
import { decodePlace, encodePlace } from '../../wire/places.ts'
import { auditCells, auditColumns, csvLines } from '../../wire/tables.ts'
import { parseTimestamp } from '../../wire/timestamps.ts'
import { notedPart } from '../noted-parts.ts'
import { query, type Route } from '../route.ts'

const collection = '/x/v1/tenants/:tenant_id/audit'

const text = z.string().min(1).max(200).optional()
const instant = z.string().optional()

const filters = z.object({
  actor: text.meta({
    description: 'The actor, such as user:usr_… or key:key_…, or the address of a user.',
  }),
  action: text.meta({ description: 'The beginning of the action, such as user. or login.' }),
  target: text.meta({ description: 'The object, such as app_….' }),
  user: text.meta({ description: 'The id of a user: the user, with all objects of the user.' }),
  from: instant.meta({ format: 'date-time', description: 'From this instant on.' }),
  to: instant.meta({ format: 'date-time', description: 'Before this instant.' }),
})

/**
 * The routes of a tenant's audit log. A download by an operator leaves entries in the log, as in
 * the console. Reads with an API key leave none: a program that follows the log would fill it.
 */
export const auditRoutes: Route[] = [
  query({
    path: collection,
    operationId: 'listAudit',
    summary: 'The audit log of a tenant, the newest entries first',
    resource: 'AuditEntry',
    filters,
    formats: [{ lines: jsonLines }, { lines: csvLines(auditColumns), serialize: auditCells }],
    serialize: serializeEntry,
    async run(call, given, { after, limit }) {
      const { from, to, ...rest } = given
      const filter = { ...rest, from: instantOf('from', from), to: instantOf('to', to) }
      const [at, id] = decodePlace(after, auditPlace) ?? []
      const place = at === undefined || id === undefined ? undefined : { at, id }
      async function read() {
        const { items, next } = await searchTenantAudit(call.scope, filter, { after: place, limit })
        return { items, next: next && encodePlace([next.at, next.id]) }
      }
      if (!call.login || call.fileType === undefined) return read()
      const format = call.fileType === jsonLines.mediaType ? 'ndjson' : 'csv'
      return notedPart(call, 'audit', { ...given, format }, read)
    },
  }),
  {
    kind: 'get',
    path: `${collection}/:entry_id`,
    operationId: 'getAuditEntry',
    summary: 'One entry of the audit log',
    resource: 'AuditEntry',
    async run({ scope, ids }) {
      if (!/^[1-9]\d{0,14}$/.test(ids.entry_id)) throw notFound()
      return serializeEntry(await getAuditEntry(scope, Number(ids.entry_id)))
    },
  },
]

function instantOf(name: string, text: string | undefined): number | undefined {
  const at = text === undefined ? undefined : parseTimestamp(text)
  if (text !== undefined && at === undefined) {
    throw new ServiceError('invalid_request', reason('field_not_timestamp', { name }))
  }
  return at
}
