import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type JsonOptions,
  printTable,
  SecretOption,
  withJson,
} from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import { type DatabaseFlags, databaseOf, withDatabaseOptions } from '../options.ts'
import { nextSignal } from '../signals.ts'

interface MoveFlags extends DatabaseFlags, JsonOptions {
  data: string
  redis: string
}

/** Adds `move`. */
export function addMoveCommand(program: Command): void {
  withDatabaseOptions(withJson(program.command('move')))
    .description('Copy a data folder to PostgreSQL and Redis; stop its service first.')
    .addOption(
      new Option('--data <dir>', 'folder of the databases')
        .env('LATCHKEY_DATA')
        .makeOptionMandatory(),
    )
    .addOption(
      new SecretOption('--redis <url>', 'Redis or Valkey, for what expires')
        .env('LATCHKEY_REDIS')
        .makeOptionMandatory(),
    )
    .action(async (options: MoveFlags) => {
      const { data, redis } = options
      const database = databaseOf(options)
      if (!database) throw new Error('Give --database, or set LATCHKEY_DATABASE.')
      const { moveFolder } = await import('../../operate/move.ts')
      const stop = new AbortController()
      void nextSignal().then((name) => {
        stop.abort(new Error(`Stopped by ${name}. Nothing was moved.`))
      })
      const { rows, entries } = await moveFolder({ data, database, redis, signal: stop.signal })
      const counts = { ...rows, 'sessions, tokens and codes': entries }
      printTable(
        Object.entries(counts).map(([what, count]) => ({ what, count: String(count) })),
        options,
      )
      const file = join(data, 'master.key')
      const key = existsSync(file) ? `--master-key-file ${file}` : '--master-key …'
      console.error(`
Everything was copied. Serve it with the same master key:
  latchkey-service serve --database … --redis … ${key}`)
    })
}
