import { escapeFormula } from '@latchkey/management/import'
import type { Micros, StoredAuditEntry, User } from '../store/records.ts'
import type { Lines } from './json-lines.ts'
import { formatTimestamp } from './timestamps.ts'

/** The cells of a table's row, by the names of their columns. A cell without a value is empty. */
type Cells = Readonly<Record<string, string | number | undefined>>

/** The columns of a table of audit entries. */
export const auditColumns = [
  'id',
  'at',
  'actor',
  'action',
  'target',
  'outcome',
  'fields',
  'tenant_id',
  'application_id',
  'request_id',
  'address',
  'user_agent',
] as const

/** Makes the cells of an audit entry. */
export function auditCells(entry: StoredAuditEntry): Cells {
  return {
    id: entry.id,
    at: formatTimestamp(entry.at),
    actor: entry.actor,
    action: entry.action,
    target: entry.target,
    outcome: entry.outcome,
    fields: entry.fields?.join(' '),
    tenant_id: entry.tenantId,
    application_id: entry.applicationId,
    request_id: entry.requestId,
    address: entry.address,
    user_agent: entry.userAgent,
  }
}

/** The columns of a table of users. An import knows these columns. */
export const userColumns = [
  'id',
  'email',
  'email_verified',
  'verified_at',
  'disabled',
  'created_at',
  'last_login_at',
  'name',
  'given_name',
  'family_name',
  'profile',
  'metadata',
] as const

/** Makes the cells of a user. */
export function userCells(user: User, lastLoginAt: Micros | undefined): Cells {
  const { name, given_name, family_name, ...profile } = user.profile
  const instant = (at: Micros | undefined) => (at === undefined ? undefined : formatTimestamp(at))
  return {
    id: user.id,
    email: user.email,
    email_verified: String(user.verifiedAt !== undefined),
    verified_at: instant(user.verifiedAt),
    disabled: String(user.disabled),
    created_at: instant(user.createdAt),
    last_login_at: instant(lastLoginAt),
    ...{ name, given_name, family_name },
    profile: JSON.stringify(profile),
    metadata: JSON.stringify(user.metadata),
  }
}

/**
 * Makes the CSV format of a list: a header, then a row for each object. An apostrophe is put in
 * front of a cell that a spreadsheet would run as a formula.
 *
 * @param clean - Changes the text of each cell before an apostrophe is added. Default: no change.
 * @see RFC 4180 §2
 */
export function csvLines(
  columns: readonly string[],
  clean: (text: string) => string = (text) => text,
): Lines {
  const rowOf = (item: object) => {
    const texts = columns.map((column) => String((item as Cells)[column] ?? ''))
    return lineOf(texts.map((text) => escapeFormula(clean(text))))
  }
  return {
    mediaType: 'text/csv',
    parameters: ['charset=utf-8', 'header=present'],
    head: lineOf(columns),
    textOf: (items) => items.map(rowOf).join(''),
  }
}

/**
 * Makes the CSV format for spreadsheets. It begins with a byte-order mark, because otherwise Excel
 * does not read the text as UTF-8.
 */
export function sheetLines(columns: readonly string[]): Lines {
  const lines = csvLines(columns)
  return { ...lines, head: `\uFEFF${lines.head}` }
}

// The CSV is written without a library, because a library would double the time of an export.
function lineOf(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
