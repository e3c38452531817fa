import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { stringify } from 'csv-stringify'
import { printableJson } from '../command-line/terminal.ts'
import { escapeFormula } from '../import/formula.ts'
import { beginPart } from '../import/run/results.ts'
import type { User } from '../types.ts'
import { connect, type TenantOptions, tenantOf, withTenant } from './options.ts'

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
  const isCsv = options.format === 'csv'
  const lines = map<User, string | string[]>(users, isCsv ? toRow : toLine)
  const text = isCsv ? Readable.from(lines).compose(stringify({ header: true, columns })) : lines
  if (options.file) await writeFile(options.file, text)
  else await pipeline(text, process.stdout, { end: false })
}

/**
 * Writes a file under a temporary name, and replaces an existing file when the new one is complete.
 * If it cannot be completed, the temporary file is removed. A FIFO, a device or a link is written to
 * directly.
 */
async function writeFile(path: string, text: AsyncIterable<unknown>): Promise<void> {
  const part = beginPart(path)
  const file = await open(part, part === path ? 'w' : 'wx', 0o600)
  try {
    await pipeline(text, file.createWriteStream())
    if (part !== path) await rename(part, path)
  } catch (error) {
    if (part !== path) await rm(part, { force: true })
    throw error
  }
}

async function* map<T, U>(items: AsyncIterable<T>, change: (item: T) => U): AsyncGenerator<U> {
  for await (const item of items) yield change(item)
}

function toLine(user: User): string {
  return `${printableJson(JSON.stringify(user))}\n`
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
