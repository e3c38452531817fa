import { type JsonOptions, printTable, withJson } from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import type { Restored } from '../../operate/backup.ts'
import type { KeyFiles } from '../../operate/backup-encryption.ts'
import type { Unknown } from '../../store/sqlite/compare-backup.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'

interface BackupFlags extends KeyFiles, JsonOptions {
  data: string
}

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command): void {
  withBackupOptions(
    program
      .command('backup <file>')
      .description('Write the data of a folder into a file; the service may go on serving it.'),
  ).action(async (file: string, options: BackupFlags) => {
    const { backUp } = await import('../../operate/backup.ts')
    const { readBackupKeys } = await import('../../operate/backup-encryption.ts')
    const counts = await backUp(options.data, file, readBackupKeys(options))
    printCounts(counts, options)
    console.error(`${file} is written and checked. The master key is not in it: keep that apart.`)
  })

  withBackupOptions(
    program
      .command('restore <file>')
      .description(
        'Make a data folder of a backup; users log in again, and API keys, operators and endpoints wait for "confirm".',
      ),
  )
    .option('--replaces <dir>', 'the folder that it replaces: count the changes after the backup')
    .option(
      '--keep-access',
      'let API keys and operators of the backup in without "confirm": for a drill, or if none was revoked since',
      false,
    )
    .action(async (file: string, options: RestoreFlags) => {
      const { restore } = await import('../../operate/backup.ts')
      const { readBackupKeys } = await import('../../operate/backup-encryption.ts')
      const { replaces, keepAccess: keepsAccess } = options
      const keys = readBackupKeys(options)
      const restored = await restore(file, options.data, { keys, replaces, keepsAccess })
      const counts = Object.fromEntries(changesOf(restored).map(({ what, count }) => [what, count]))
      printCounts(
        { ...restored.counts, ...counts, unconfirmed: restored.unconfirmed.length },
        options,
      )
      for (const line of reportOf(restored, options)) console.error(line)
    })
}

interface RestoreFlags extends BackupFlags {
  replaces?: string
  keepAccess: boolean
}

/** The lines that tell the operator what the backup does not contain, and what to do next. */
function reportOf(restored: Restored, { data, replaces, keepAccess }: RestoreFlags): string[] {
  const { upTo, unconfirmed, comparison } = restored
  const end = upTo === undefined ? 'has no audit log' : `ends at ${formatTimestamp(upTo)}`
  const changed = changesOf(restored).filter(({ count, ids }) => count > 0 && ids.length > 0)
  return [
    `The backup ${end}. It knows nothing of later revocations, disabled users and deletions.`,
    ...(comparison === undefined
      ? [
          'How much that is cannot be known; --replaces compares it with the folder that it replaces.',
        ]
      : []),
    ...(comparison && 'notCompared' in comparison
      ? [
          `${replaces} could not be compared with the backup (${comparison.notCompared}). ` +
            'Users who were disabled or deleted since are back and enabled, and old passwords work again: ' +
            'look for them in an export of the audit log from another machine.',
        ]
      : []),
    ...changed.map(({ what, count, ids }) => {
      const more = count > ids.length ? `, and ${count - ids.length} more` : ''
      return `${what}: ${ids.join(', ')}${more}`
    }),
    'All users are logged out: sessions, grants and tokens are not in it.',
    ...(unconfirmed.length > 0
      ? [`${unconfirmed.length} wait to be confirmed: latchkey-service confirm --data ${data}`]
      : []),
    ...(keepAccess
      ? ['API keys and operators were not asked to be confirmed (--keep-access).']
      : []),
    `${data} holds the backup. Copy its master.key there, or give --master-key to serve it.`,
  ]
}

/** The changes that were found after the backup. */
function changesOf({ comparison }: Restored): Unknown[] {
  return comparison && 'unknown' in comparison ? comparison.unknown : []
}

function withBackupOptions(command: Command): Command {
  return withJson(command)
    .addOption(
      new Option('--data <dir>', 'folder of the databases')
        .env('LATCHKEY_DATA')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--passphrase-file <file>', 'encrypted under the passphrase in a file')
        .env('LATCHKEY_PASSPHRASE_FILE')
        .conflicts('keyFile'),
    )
    .addOption(
      new Option('--key-file <file>', 'encrypted under the keys of age in a file').env(
        'LATCHKEY_KEY_FILE',
      ),
    )
}

function printCounts(counts: Record<string, number>, options: BackupFlags): void {
  const rows = Object.entries(counts).map(([what, count]) => ({ what, count: String(count) }))
  printTable(rows, options)
}
