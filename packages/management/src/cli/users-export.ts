import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { stringify } from 'csv-stringify'
import { escapeFormula } from '../import/formula.ts'
import type { User } from '../types.ts'
import { connect, type TenantOptions, tenantOf, withTenant } from './options.ts'
import { printableJson } from './terminal.ts'

interface ExportOptions extends TenantOptions {
  format: 'csv' | 'ndjson'
  file?: string
}

const columns = [
  'id',
  'email',
  'email_verified',
  'verified_at',
  'disabled',
  'created_at',
  'profile',
  'metadata',
]

/** Adds `users export`. */
export function addExportCommand(users: Command): void {
  withTenant(users.command('export'))
    .description('Write all users, without passwords, in the order of creation, to be imported.')
    .addOption(
      new Option('--format <format>', 'how to write').choices(['csv', 'ndjson']).default('ndjson'),
    )
    .option('--file <file>', 'where to (default: standard output)')
    .addHelpText('after', '\nExample:\n  latchkey users export --format csv --file users.csv')
    .action(exportUsers)
}

async function exportUsers(options: ExportOptions): Promise<void> {
  const client = connect(options)
  const users = client.users(await tenantOf(client, options)).list()
  const out = options.file ? createWriteStream(options.file, { mode: 0o600 }) : process.stdout
  const csv = options.format === 'csv' ? stringify({ header: true, columns }) : undefined
  csv?.pipe(out, { end: false })
  const into: NodeJS.WritableStream = csv ?? out
  for await (const user of users) {
    const isFull = !into.write(
      (csv ? toRow(user) : `${printableJson(JSON.stringify(user))}\n`) as never,
    )
    if (isFull) await new Promise((resolve) => into.once('drain', resolve))
  }
  if (csv) {
    csv.end()
    await finished(csv)
  }
  if (out !== process.stdout) {
    out.end()
    await finished(out)
  }
}

function toRow({ id, profile, verified_at, disabled, created_at, metadata }: User): string[] {
  const { email, email_verified, ...rest } = profile
  return [
    id,
    escapeFormula(email),
    String(email_verified),
    verified_at ?? '',
    String(disabled),
    created_at,
    printableJson(JSON.stringify(rest)),
    printableJson(JSON.stringify(metadata)),
  ]
}
