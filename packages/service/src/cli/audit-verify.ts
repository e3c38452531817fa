import {
  type JsonOptions,
  printLine,
  printResult,
  wholeNumber,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import type { AuditVerification } from '../domain/keys/verify-audit.ts'
import { formatTimestamp } from '../wire/timestamps.ts'
import { type DataOptions, withAdmin, withDataOptions } from './options.ts'

interface VerifyOptions extends DataOptions, JsonOptions {
  tenant?: string
  days: number
}

/** A note about the limits of every verification. */
const NOT_CHECKED =
  'Not checked: requests that were refused, and whether the last entries were removed together with their seals. ' +
  'Keep an export elsewhere to compare with.'

/** Adds `audit verify`. */
export function addAuditVerify(audit: Command): void {
  withDataOptions(withJson(audit.command('verify')))
    .description(
      'Compare the audit log with its daily seals; exits with 1 if it was changed. It says what it could not compare.',
    )
    .option('--tenant <id>', 'of one tenant (default: of all)')
    .option(
      '--days <number>',
      'for how long the service keeps entries, as --audit-days of serve',
      wholeNumber(1, 36_500),
      400,
    )
    .action(({ tenant, days, ...options }: VerifyOptions) =>
      withAdmin(options, async (admin) => {
        const results: AuditVerification[] = []
        const query = { days, ...(tenant !== undefined && { tenantId: tenant }) }
        for await (const result of admin.verifyAudit(query)) {
          results.push(result)
          if (!options.json) await printLine(textOf(result, days))
        }
        printResult(results.map(wireOf), options, NOT_CHECKED)
        const problems = results.reduce((sum, one) => sum + one.problems.length, 0)
        const count = problems === 1 ? '1 problem' : `${problems} problems`
        if (problems > 0) throw new Error(`The audit log is not as it was sealed: ${count}.`)
      }),
    )
}

function textOf(result: AuditVerification, days: number): string {
  const { tenantId, seals, verified, pruned, unsealed, late, problems } = result
  const { firstAt = 0, lastAt = 0 } = verified
  const times = `from ${formatTimestamp(firstAt)} to ${formatTimestamp(lastAt)}`
  const intact =
    seals === 0
      ? 'no seals, so no entry was compared'
      : verified.seals === 0
        ? `0 of ${seals} seals are intact`
        : `${verified.seals} of ${seals} seals are intact: ${verified.entries} entries ${times}`
  const lines = [`${tenantId}: ${intact}`]
  if (verified.byFormerKeys > 0) {
    lines.push(
      `${verified.byFormerKeys} of them by keys that the tenant no longer has; later seals contain them`,
    )
  }
  if (pruned > 0) {
    lines.push(
      `not compared: the entries of ${pruned} seals, some of which are older than ${days} days`,
    )
  }
  if (unsealed.firstAt !== undefined) {
    const since = formatTimestamp(unsealed.firstAt)
    lines.push(`not compared: ${unsealed.entries} entries since ${since}, which have no seal yet`)
  }
  for (const { at, firstAt } of late) {
    const [sealed, first] = [formatTimestamp(at), formatTimestamp(firstAt)]
    lines.push(
      `sealed late: entries since ${first}, at ${sealed}; a change before would not be found`,
    )
  }
  for (const { kind, from, to, message } of problems) {
    lines.push(`PROBLEM ${kind}, entries ${from + 1} to ${to}: ${message}`)
  }
  return lines.join('\n  ')
}

function wireOf({ tenantId, ...result }: AuditVerification): object {
  const { seals, verified, pruned, unsealed, late, problems } = result
  const instant = (at: number | undefined) => (at === undefined ? undefined : formatTimestamp(at))
  return {
    tenant_id: tenantId,
    seals,
    verified: {
      seals: verified.seals,
      by_former_keys: verified.byFormerKeys,
      entries: verified.entries,
      first_at: instant(verified.firstAt),
      last_at: instant(verified.lastAt),
    },
    pruned,
    unsealed: { entries: unsealed.entries, first_at: instant(unsealed.firstAt) },
    late: late.map(({ at, firstAt }) => ({ at: instant(at), first_at: instant(firstAt) })),
    problems,
  }
}
