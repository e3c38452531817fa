import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type DataOptions, withAdmin, withDataOptions } from './options.ts'

/** Adds `seed`. */
export function addSeedCommand(program: Command): void {
  withDataOptions(
    program
      .command('seed <file>')
      .description('Create the tenants, applications and users of a JSON file that are missing.'),
  ).action((file: string, options: DataOptions) =>
    withAdmin(
      options,
      async (admin) => {
        const { tenants, applications, connections, users } = await admin.seed(readJson(file))
        const added = connections > 0 ? `, ${connections} connections` : ''
        console.log(
          `Created ${tenants} tenants, ${applications} applications${added} and ${users} users.`,
        )
      },
      { create: true },
    ),
  )
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${file} cannot be read as JSON: ${reason}`, { cause })
  }
}
