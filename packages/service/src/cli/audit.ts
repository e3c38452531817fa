import type { Command } from 'commander'
import { formatTimestamp } from '../http/timestamps.ts'
import { type DataOptions, printTable, wholeNumber, withAdmin, withDataOptions } from './options.ts'

interface AuditOptions extends DataOptions {
  requestId?: string
  tenant?: string
  limit: number
  json?: boolean
}

/** Adds `audit`. */
export function addAuditCommand(program: Command): void {
  withDataOptions(program.command('audit').description('Show who did what, the newest first.'))
    .option(
      '--request-id <uuid>',
      'of one request: the "uuid" of an Error, the "request-id" header',
    )
    .option('--tenant <id>', 'of one tenant')
    .option('--limit <number>', 'entries at most', wholeNumber(1, 10_000), 50)
    .option('--json', 'print JSON')
    .action((options: AuditOptions) =>
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
          tenant: entry.tenantId ?? '-',
          request: entry.requestId ?? '-',
        }))
        printTable(rows, options.json ?? false)
      }),
    )
}
