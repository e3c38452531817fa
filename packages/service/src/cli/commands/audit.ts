import {
  type JsonOptions,
  oneLine,
  printTable,
  printText,
  wholeNumber,
  withJson,
} from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import type { StoredAuditEntry } from '../../store/records.ts'
import { auditCells, auditColumns, csvLines } from '../../wire/tables.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { addAuditFollow } from '../audit-follow.ts'
import { auditLine } from '../audit-line.ts'
import { addAuditVerify } from '../audit-verify.ts'
import { type DataOptions, withAdmin, withDataOptions } from '../options.ts'

interface ListOptions extends DataOptions, JsonOptions {
  requestId?: string
  tenant?: string
  limit: number
}

interface ExportOptions extends DataOptions {
  format: 'csv' | 'ndjson'
  tenant?: string
  after: number
}

/** The number of entries to print at a time. */
const LOT = 1_000

/**
 * Adds `audit list` (the default of `audit`), `audit export`, `audit follow` and `audit verify`.
 */
export function addAuditCommand(program: Command): void {
  const audit = program
    .command('audit')
    .description('Show who did what, follow it, export all of it, or verify it.')

  withDataOptions(withJson(audit.command('list', { isDefault: true })))
    .description('Show who did what, the newest first.')
    .option(
      '--request-id <uuid>',
      'of one request: the "uuid" of an Error, the "request-id" header',
    )
    .option('--tenant <id>', 'of one tenant')
    .option('--limit <number>', 'entries at most', wholeNumber(1, 10_000), 50)
    .action((options: ListOptions) =>
      withAdmin(options, async (admin) => {
        const entries = await admin.audit({
          ...(options.requestId !== undefined && { requestId: options.requestId }),
          ...(options.tenant !== undefined && { tenantId: options.tenant }),
          limit: options.limit,
        })
        const rows = entries.map((entry) => ({
          at: formatTimestamp(entry.at),
          actor: entry.actor,
          action: entry.action,
          target: entry.target,
          outcome: entry.outcome,
          tenant: entry.tenantId ?? '-',
          application: entry.applicationId ?? '-',
          address: entry.address ?? '-',
          request: entry.requestId ?? '-',
        }))
        printTable(rows, options)
      }),
    )

  withDataOptions(
    audit
      .command('export')
      .description('Print the audit log, the oldest first, with every member.'),
  )
    .option('--tenant <id>', 'of one tenant')
    .addOption(
      new Option('--format <format>', 'how to write').choices(['csv', 'ndjson']).default('ndjson'),
    )
    .option(
      '--after <id>',
      'what follows the entry with this "id", to go on from an earlier export',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
      0,
    )
    .action(({ tenant, after, format, ...options }: ExportOptions) =>
      withAdmin(options, async (admin) => {
        const query = { after, ...(tenant !== undefined && { tenantId: tenant }) }
        await admin.noteAuditExport(query)
        const csv = csvLines(auditColumns, oneLine)
        const [head, textOf] =
          format === 'csv'
            ? [csv.head, (lot: StoredAuditEntry[]) => csv.textOf(lot.map(auditCells))]
            : ['', (lot: StoredAuditEntry[]) => lot.map((one) => `${auditLine(one)}\n`).join('')]
        await printText(head)
        let lot: StoredAuditEntry[] = []
        let rows = 0
        for await (const entry of admin.exportAudit(query)) {
          rows++
          lot.push(entry)
          if (lot.length < LOT) continue
          await printText(textOf(lot))
          lot = []
        }
        await printText(textOf(lot))
        await admin.noteAuditExport({ ...query, rows })
      }),
    )

  addAuditFollow(audit)
  addAuditVerify(audit)
}
