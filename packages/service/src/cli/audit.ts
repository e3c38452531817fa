import {
  type JsonOptions,
  printableJson,
  printLine,
  printTable,
  wholeNumber,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import { formatTimestamp } from '../http/timestamps.ts'
import type { StoredAuditEntry } from '../store/records.ts'
import { type DataOptions, withAdmin, withDataOptions } from './options.ts'

interface ListOptions extends DataOptions, JsonOptions {
  requestId?: string
  tenant?: string
  limit: number
}

interface ExportOptions extends DataOptions {
  tenant?: string
  after: number
}

/** Adds `audit`, which lists, and `audit export`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('Show who did what, or export all of it.')

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
      .description('Print the audit log as JSON lines, the oldest first, with every member.'),
  )
    .option('--tenant <id>', 'of one tenant')
    .option(
      '--after <id>',
      'what follows the entry with this "id", to go on from an earlier export',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
      0,
    )
    .action(({ tenant, after, ...options }: ExportOptions) =>
      withAdmin(options, async (admin) => {
        const query = { after, ...(tenant !== undefined && { tenantId: tenant }) }
        for await (const entry of admin.exportAudit(query)) await printLine(line(entry))
      }),
    )
}

/** An entry as one line; members without a value are left out. */
function line({
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
