import {
  type AuditQuestion,
  findAuditEntry,
  searchAudit,
} from '../../../domain/operators/audit-search.ts'
import { found, notFound } from '../../../domain/writes/errors.ts'
import type { AuditPage, AuditPlace } from '../../../store/audit-search.ts'
import type { Micros, StoredAuditEntry } from '../../../store/records.ts'
import { auditPlace, serializeEntry } from '../../../wire/audit.ts'
import { jsonLines } from '../../../wire/json-lines.ts'
import { decodePlace, encodePlace } from '../../../wire/places.ts'
import { auditCells, auditColumns, sheetLines } from '../../../wire/tables.ts'
import { parseTimestamp } from '../../../wire/timestamps.ts'
import { shownEntries } from '../../audit/shown-entries.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  serviceForm,
  servicePage,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { noted } from '../../calls/exports.ts'
import type { AuditFilter, AuditFilters } from '../../pages/index.ts'

const PATH = '/console/audit'
const PAGE = 100
const EXPORT_PAGE = 1_000
const DAY_MICROS = 86_400 * 1e6

export const auditRoutes: readonly ConsoleRoute[] = [
  servicePage(PATH, show),
  serviceForm(`${PATH}/export`, exportEntries, { needs: 'export', isDangerous: true }),
  { ...servicePage(`${PATH}/:entry`, showEntry), concerns: 'any' },
  tenantPage('/audit', show),
  tenantForm('/audit/export', exportEntries, { needs: 'export', isDangerous: true }),
]

/** The names of the filters, in the form and in the query. */
const fields: readonly AuditFilter[] = [
  'actor',
  'action',
  'target',
  'user',
  'from',
  'to',
  'request',
  'jobs',
]

function givenIn(query: URLSearchParams): AuditFilters {
  const entries = fields.map((name) => [name, (query.get(name) ?? '').trim().slice(0, 200)])
  return Object.fromEntries(entries)
}

async function show(call: Call): Promise<Result> {
  const { query, scope, tenant } = call
  const given = givenIn(query)
  const base = tenant ? `/console/t/${tenant.id}/audit` : PATH
  const place = placeIn(query.get('after'))
  const { items, next, meant } = await read(call, given, {
    ...{ after: place, limit: PAGE },
    withoutJobs: isWithoutJobs(given),
  })
  const sent = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  return {
    kind: 'page',
    name: 'audit',
    title: 'Audit log',
    data: {
      ...{ given, base, isFirst: place === undefined, meant: meant?.email },
      entries: await shownEntries(scope.context, items),
      isFiltered: Object.keys(sent).length > 0,
      exportPath: `${base}/export`,
      exported: sent,
      further:
        next && new URLSearchParams({ ...sent, after: encodePlace([next.at, next.id]) }).toString(),
    },
    commands: tenant
      ? [
          `latchkey audit list --tenant ${tenant.id}`,
          `latchkey-service audit export --tenant ${tenant.id}`,
        ]
      : ['latchkey-service audit', 'latchkey-service audit export'],
  }
}

/**
 * Downloads the entries that match the filters: of the tenant of the path, or of the whole service.
 */
async function exportEntries(call: Call): Promise<Result> {
  const given = givenIn(call.form)
  const isCsv = call.form.get('format') === 'csv'
  const toItem = (entry: StoredAuditEntry): object =>
    isCsv ? auditCells(entry) : { ...serializeEntry(entry), tenant_id: entry.tenantId }
  return noted(
    call,
    'audit',
    { ...given, format: isCsv ? 'csv' : 'ndjson' },
    {
      kind: 'lines',
      fileName: `audit-${call.tenant?.id ?? 'all'}.${isCsv ? 'csv' : 'ndjson'}`,
      lines: isCsv ? sheetLines(auditColumns) : jsonLines,
      async read(after) {
        const { items, next } = await read(call, given, {
          ...{ after: placeIn(after ?? null), limit: EXPORT_PAGE },
        })
        return { items: items.map(toItem), next: next && encodePlace([next.at, next.id]) }
      },
    },
  )
}

/**
 * Whether the list shows a job as a single entry. If the filters are about one object or exclude
 * the entry `job.begin`, it shows the entries about the users of the job instead.
 */
function isWithoutJobs({ jobs, action, target, user, request }: AuditFilters): boolean {
  return jobs === '' && 'job.begin'.startsWith(action) && !target && !user && !request
}

async function read(
  { scope, tenant }: Call,
  given: AuditFilters,
  { after, limit, withoutJobs = false }: AuditPage & { withoutJobs?: boolean },
): ReturnType<typeof searchAudit> {
  const { context } = scope
  const { actor, action, target, user, request } = given
  const filter: AuditQuestion = {
    ...(actor && { actor }),
    ...(action && { action }),
    ...(target && { target }),
    ...(user && { user }),
    ...(request && { request }),
    withoutJobs,
    from: dayOf(given.from),
    to: dayOf(given.to, DAY_MICROS),
  }
  return searchAudit(context, tenant?.id, filter, { after, limit })
}

function placeIn(text: string | null): AuditPlace | undefined {
  const [at, id] = decodePlace(text ?? undefined, auditPlace) ?? []
  return at === undefined || id === undefined ? undefined : { at, id }
}

/**
 * The beginning of a day in UTC, such as `2026-12-31`, plus `later` microseconds. `undefined` for
 * any other text.
 */
function dayOf(text: string, later: Micros = 0): Micros | undefined {
  const at = parseTimestamp(`${text}T00:00:00Z`)
  return at === undefined ? undefined : at + later
}

/**
 * Shows a single entry at its permanent path, to operators who reach its tenant. An entry without a
 * tenant needs the reach of all tenants.
 */
async function showEntry({ scope, operator, ids }: Call): Promise<Result> {
  if (!/^[1-9]\d{0,14}$/.test(ids.entry ?? '')) throw notFound()
  const entry = await findAuditEntry(scope.context, Number(ids.entry))
  const { reach } = operator.operator
  const isReached = entry?.tenantId !== undefined && reach.includes(entry.tenantId)
  if (!entry || (reach !== 'all' && !isReached)) throw notFound()
  return {
    kind: 'page',
    name: 'audit-entry',
    title: 'Entry of the audit log',
    data: { entry: found((await shownEntries(scope.context, [entry]))[0]) },
    commands:
      entry.tenantId === undefined
        ? [`latchkey-service audit${entry.requestId ? ` --request-id ${entry.requestId}` : ''}`]
        : [`latchkey audit get ${entry.id} --tenant ${entry.tenantId}`],
  }
}
