import {
  type JsonOptions,
  printResult,
  readInput,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import type { Admin } from '../../operate/admin.ts'
import { type DataOptions, withAdmin, withDataOptions } from '../options.ts'

/** Adds `seed`. */
export function addSeedCommand(program: Command): void {
  withDataOptions(withJson(program.command('seed <file>')))
    .description('Create the tenants, applications and users of a JSON file that are missing.')
    .action((file: string, options: DataOptions & JsonOptions) => {
      const document = readJson(file)
      return withAdmin(options, async (admin) => print(await admin.seed(document), options), {
        create: true,
      })
    })
}

function print(created: Awaited<ReturnType<Admin['seed']>>, options: JsonOptions): void {
  const { tenants, applications, connections, users } = created
  const added = connections > 0 ? `, ${connections} connections` : ''
  const words = `Created ${tenants} tenants, ${applications} applications${added} and ${users} users.`
  printResult(created, options, words)
}

function readJson(file: string): unknown {
  const text = readInput(file).toString()
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${file} cannot be read as JSON: ${reason}`, { cause })
  }
}
