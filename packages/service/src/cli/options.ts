import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Admin, createAdmin } from '../admin.ts'
import { createOfflineContext } from '../offline.ts'
import { oneLine, printableJson } from './terminal.ts'

/** Where the data is. */
export interface DataOptions {
  data: string
  masterKey?: string
  masterKeyFile?: string
}

/** Adds the options that say where the data is. */
export function withDataOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--data <dir>', 'folder of the databases')
        .env('LATCHKEY_DATA')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--master-key <base64>',
        '32 bytes under which secrets are encrypted (default: the file master.key in the folder)',
      ).env('LATCHKEY_MASTER_KEY'),
    )
    .addOption(
      new Option(
        '--master-key-file <file>',
        'such keys, one a line: the first one encrypts, all of them decrypt',
      ).env('LATCHKEY_MASTER_KEY_FILE'),
    )
}

/**
 * Runs `work` with the admin of the data folder, beside a server that may be serving from it.
 *
 * @throws when the folder holds no data.
 */
export async function withAdmin<T>(
  { data, masterKey, masterKeyFile }: DataOptions,
  work: (admin: Admin) => Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  if (!create && !existsSync(join(data, 'data.db'))) {
    throw new Error(`There is no data in ${data}; begin with "latchkey-service tenant create".`)
  }
  const { context, close } = await createOfflineContext(data, { masterKey, masterKeyFile })
  try {
    return await work(createAdmin(context, `admin:${operatorName()}`))
  } finally {
    await close()
  }
}

/** The account of whoever runs the command; behind sudo, the account that it was called from. */
function operatorName(): string {
  if (process.env.SUDO_USER) return process.env.SUDO_USER
  try {
    return userInfo().username
  } catch {
    // In a container, the user id may have no name.
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Reads a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return value
  }
}

/** Reads values separated by commas, after those that earlier uses of the option gave. */
export function commaSeparated(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',')]
}

/** Reads a date such as 2027-01-31 or a timestamp, as microseconds. */
export function instant(text: string): number {
  const millis = Date.parse(text)
  if (Number.isNaN(millis)) {
    throw new InvalidArgumentError('It must be a date such as 2027-01-31.')
  }
  return millis * 1_000
}

/** Prints rows as columns under headings, or as JSON. */
export function printTable(rows: Record<string, string>[], isJson: boolean): void {
  console.log(isJson ? printableJson(JSON.stringify(rows, null, 2)) : columns(rows))
}

function columns(objects: Record<string, string>[]): string {
  const rows = objects.map((object) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, oneLine(value)])),
  )
  const [first] = rows
  if (!first) return '(none)'
  const names = Object.keys(first)
  const widths = names.map((name) =>
    Math.max(...[name, ...rows.map((row) => row[name] ?? '')].map(({ length }) => length)),
  )
  const headings = Object.fromEntries(names.map((name) => [name, name.toUpperCase()]))
  return [headings, ...rows]
    .map((row) => names.map((name, i) => (row[name] ?? '').padEnd(widths[i] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}
