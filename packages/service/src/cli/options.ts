import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { SecretOption } from '@latchkey/management/command-line'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { EARLIEST, instantOfDay, LATEST } from '../domain/writes/days.ts'
import { type Admin, createAdmin } from '../operate/admin.ts'
import { createOfflineContext } from '../operate/offline.ts'
import type { DatabaseOptions } from '../service-options.ts'
import type { Micros } from '../store/records.ts'
import { parseTimestamp } from '../wire/timestamps.ts'

/** The options for the data, in a folder or a PostgreSQL database, and for the master key. */
export interface DataOptions extends DatabaseFlags {
  data?: string
  masterKey?: string
  masterKeyFile?: string
}

/** The options for a PostgreSQL database. */
export interface DatabaseFlags {
  database?: string
  preparedStatements: boolean
}

/** Adds the options for the data and the master key. A command fails without a location. */
export function withDataOptions(command: Command): Command {
  const folder = new Option('--data <dir>', 'folder of the databases')
  return withDatabaseOptions(command.addOption(folder.env('LATCHKEY_DATA').conflicts('database')))
    .addOption(
      new Option(
        '--master-key <base64>',
        '32 bytes under which secrets are encrypted; several, the one that encrypts first ' +
          '(default: the file master.key in the folder)',
      ).env('LATCHKEY_MASTER_KEY'),
    )
    .addOption(
      new Option(
        '--master-key-file <file>',
        'such keys, one a line: the first one encrypts, all of them decrypt',
      ).env('LATCHKEY_MASTER_KEY_FILE'),
    )
    .hook('preAction', (_, called) => {
      const { data, database } = called.opts<DataOptions>()
      if (data !== undefined || database !== undefined) return
      called.error('error: give --data, a folder, or --database, a PostgreSQL')
    })
}

/** Adds the options for a PostgreSQL database. */
export function withDatabaseOptions(command: Command): Command {
  return command
    .addOption(
      new SecretOption(
        '--database <url>',
        'PostgreSQL instead of a folder, such as postgres://user:password@host/latchkey',
      ).env('LATCHKEY_DATABASE'),
    )
    .addOption(
      new Option('--no-prepared-statements', 'for a PgBouncer before 1.21 in transaction mode'),
    )
}

/** The options for PostgreSQL, in the form of the service; `undefined` without `--database`. */
export function databaseOf(
  { database, preparedStatements }: DatabaseFlags,
  more: Partial<DatabaseOptions> = {},
): DatabaseOptions | undefined {
  return database === undefined ? undefined : { url: database, preparedStatements, ...more }
}

/**
 * Runs `work` with an admin of the data. Servers may be serving the same data.
 *
 * @throws if the folder holds no data and `create` is not set.
 */
export async function withAdmin<T>(
  options: DataOptions,
  work: (admin: Admin) => Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  const { data = '', masterKey, masterKeyFile } = options
  const database = databaseOf(options)
  if (!database && !create) refuseEmpty(data)
  const where = database ? { database } : { data }
  const { context, close } = await createOfflineContext(where, { masterKey, masterKeyFile })
  try {
    return await work(createAdmin(context, `admin:${operatorName()}`))
  } finally {
    await close()
  }
}

/**
 * Refuses a folder without data, such as one whose name has a typing error.
 *
 * @throws if the folder holds no data.
 */
export function refuseEmpty(data: string): void {
  if (existsSync(join(data, 'data.db'))) return
  throw new Error(`There is no data in ${data}; begin with "latchkey-service tenant create".`)
}

/** The account that runs the command; behind sudo, the account that called it. */
function operatorName(): string {
  if (process.env.SUDO_USER) return process.env.SUDO_USER
  try {
    return userInfo().username
  } catch {
    // In a container, the user id may have no name.
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Splits a value at commas, and adds the parts to the values of earlier uses of the option. */
export function commaSeparated(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',')]
}

/**
 * Reads a date such as 2027-01-31, or an RFC 3339 timestamp, as microseconds.
 *
 * @throws InvalidArgumentError for any other text, and for an instant that no database stores.
 */
export function instant(text: string): Micros {
  const at = instantOfDay(text) ?? parseTimestamp(text)
  if (at === undefined || at <= EARLIEST || at >= LATEST) {
    throw new InvalidArgumentError('It must be a date such as 2027-01-31, before 2250-01-01.')
  }
  return at
}
