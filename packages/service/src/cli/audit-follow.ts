import { setTimeout as sleep } from 'node:timers/promises'
import { oneLine, printLine, wholeNumber } from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import type { Admin } from '../operate/admin.ts'
import type { StoredAuditEntry } from '../store/records.ts'
import { SYSTEM_TENANT_ID } from '../store/system-tenant.ts'
import { formatTimestamp } from '../wire/timestamps.ts'
import { auditLine } from './audit-line.ts'
import { type DataOptions, withAdmin, withDataOptions } from './options.ts'

interface FollowOptions extends DataOptions {
  format: 'ndjson' | 'text'
  tenant?: string
  after?: number
}

/** The time between two queries for new entries. */
const POLL_MS = 1_000

/** Adds `audit follow`. */
export function addAuditFollow(audit: Command): void {
  withDataOptions(
    audit
      .command('follow')
      .description('Print entries of the audit log as they are written, until you press Ctrl+C.'),
  )
    .option('--tenant <id>', 'of one tenant')
    .addOption(
      new Option('--format <format>', 'how to write').choices(['ndjson', 'text']).default('text'),
    )
    .option(
      '--after <id>',
      'begin behind the entry with this "id" (default: at the end of the log)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .action(({ tenant, after, format, ...options }: FollowOptions) =>
      withAdmin(options, async (admin) => {
        if (tenant !== undefined) await expectTenant(admin, tenant)
        const textOf = format === 'ndjson' ? auditLine : textLine
        let last = after ?? (await admin.audit({ limit: 1 }))[0]?.id ?? 0
        for (let isLost = false; ; await sleep(POLL_MS)) {
          const entries = readOn(admin, last)
          for (;;) {
            const next = await entries.next().catch((error: Error) => error)
            if (next instanceof Error) {
              if (!isLost) console.error(`The log cannot be read (${next.message}). Trying again.`)
              isLost = true
              break
            }
            if (isLost) console.error('The log can be read again; no entry was missed.')
            isLost = false
            if (next.done) break
            last = next.value.id
            if (tenant === undefined || next.value.tenantId === tenant) {
              await printLine(textOf(next.value))
            }
          }
        }
      }),
    )
}

/**
 * Refuses a tenant that does not exist, because the command would wait forever for entries of a
 * mistyped id.
 */
async function expectTenant(admin: Admin, id: string): Promise<void> {
  if (id === SYSTEM_TENANT_ID) return
  const tenants = await admin.listTenants()
  if (tenants.some((tenant) => tenant.id === id)) return
  throw new Error(`There is no tenant ${id}; take its id from the list of tenants.`)
}

function readOn(
  admin: Admin,
  after: number,
): AsyncIterator<StoredAuditEntry> & {
  next(): Promise<IteratorResult<StoredAuditEntry>>
} {
  return admin.exportAudit({ after })[Symbol.asyncIterator]()
}

function textLine(entry: StoredAuditEntry): string {
  const { at, id, actor, action, target, outcome, tenantId = '-', fields = [], address } = entry
  const words = [formatTimestamp(at), String(id), tenantId, actor, action, target, outcome]
  return oneLine([...words, ...fields, ...(address === undefined ? [] : [address])].join('  '))
}
