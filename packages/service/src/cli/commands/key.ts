import {
  type JsonOptions,
  oneLine,
  printResult,
  printTable,
  withJson,
} from '@latchkey/management/command-line'
import { type Command, Option } from 'commander'
import type { ApiKey } from '../../store/records.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { type DataOptions, instant, withAdmin, withDataOptions } from '../options.ts'

interface CreateOptions extends DataOptions, JsonOptions {
  name: string
  tenant?: string[]
  allTenants?: boolean
  readOnly?: boolean
  expires: number
}

const NEVER = Number.POSITIVE_INFINITY

/** The default lifetime of an API key. */
const YEAR_MICROS = 365 * 86_400 * 1e6

/** Adds `key list`, `key create` and `key revoke`. */
export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('Make, list and revoke API keys.')

  withDataOptions(withJson(key.command('list')))
    .description('List the keys; their secrets are not stored.')
    .action((options: DataOptions & JsonOptions) =>
      withAdmin(options, async (admin) => {
        printTable((await admin.listApiKeys()).map(row), options)
      }),
    )

  withDataOptions(withJson(key.command('create')))
    .description('Make a key; prints it, once.')
    .requiredOption('--name <name>', 'for people to tell keys apart')
    .option('--tenant <id...>', 'tenants that it reaches')
    .addOption(
      new Option('--all-tenants', 'it reaches all tenants, later ones too').conflicts('tenant'),
    )
    .option('--read-only', 'it opens reading only')
    .addOption(
      new Option('--expires <date>', 'when it stops, such as 2027-01-31, or "never"')
        .argParser((text) => (text === 'never' ? NEVER : instant(text)))
        .default(Date.now() * 1_000 + YEAR_MICROS, 'in a year'),
    )
    .action((options: CreateOptions) =>
      withAdmin(options, async (admin) => {
        const { key: made, secret } = await admin.createApiKey({
          name: options.name,
          reach: options.allTenants ? 'all' : (options.tenant ?? []),
          readOnly: options.readOnly,
          expiresAt: options.expires === NEVER ? undefined : options.expires,
        })
        printResult({ id: made.id, secret }, options, secret)
      }),
    )

  withDataOptions(withJson(key.command('revoke <id>')))
    .description('Revoke a key at once.')
    .action((id: string, options: DataOptions & JsonOptions) =>
      withAdmin(options, async (admin) => {
        const { name, last4 } = await admin.revokeApiKey(id)
        const words = `Revoked the key "${oneLine(name)}" that ends in ${last4}.`
        printResult({ id, name, last4 }, options, words)
      }),
    )
}

function row(key: ApiKey): Record<string, string> {
  const instantOf = (at: number | undefined) => (at === undefined ? '-' : formatTimestamp(at))
  return {
    id: key.id,
    name: key.name,
    secret: `…${key.last4}`,
    tenants: key.reach === 'all' ? 'all' : key.reach.join(' '),
    access: key.readOnly ? 'read' : 'write',
    created: instantOf(key.createdAt),
    expires: instantOf(key.expiresAt),
    revoked: instantOf(key.revokedAt),
    'last use': instantOf(key.lastUsedAt),
  }
}
