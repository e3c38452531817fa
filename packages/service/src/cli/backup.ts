import { type JsonOptions, printTable, withJson } from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import type { KeyFiles } from '../backup-encryption.ts'

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
    const { backUp } = await import('../backup.ts')
    const { readBackupKeys } = await import('../backup-encryption.ts')
    const counts = await backUp(options.data, file, readBackupKeys(options))
    printCounts(counts, options)
    console.error(`${file} is written and checked. The master key is not in it: keep that apart.`)
  })

  withBackupOptions(
    program.command('restore <file>').description('Make a data folder of a backup.'),
  ).action(async (file: string, options: BackupFlags) => {
    const { restore } = await import('../backup.ts')
    const { readBackupKeys } = await import('../backup-encryption.ts')
    printCounts(await restore(file, options.data, readBackupKeys(options)), options)
    console.error(
      `${options.data} holds the backup. Copy its master.key there, or give --master-key to serve it.`,
    )
  })
}

function withBackupOptions(command: Command): Command {
  return withJson(command)
    .addOption(
      new Option('--data <dir>', 'folder of the databases')
        .env('LATCHKEY_DATA')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--passphrase-file <file>', 'encrypted under the passphrase in a file').conflicts(
        'keyFile',
      ),
    )
    .option('--key-file <file>', 'encrypted under the keys of age in a file')
}

function printCounts(counts: Record<string, number>, options: BackupFlags): void {
  const rows = Object.entries(counts).map(([what, count]) => ({ what, count: String(count) }))
  printTable(rows, options)
}
