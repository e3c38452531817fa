import {
  type JsonOptions,
  oneLine,
  printResult,
  printTable,
  readInput,
  secretOf,
  withJson,
} from '@latchkey/management/command-line'
import type { Command } from 'commander'
import { recipeNamed } from '../../domain/connections/connection-recipes.ts'
import type { ConnectionChanges } from '../../domain/connections/connections.ts'
import { isLoopbackHost } from '../../domain/writes/addresses.ts'
import type { Admin } from '../../operate/admin.ts'
import type { TenantSettings } from '../../store/records.ts'
import { commaSeparated, type DataOptions, withAdmin, withDataOptions } from '../options.ts'

interface ChangeOptions extends DataOptions, JsonOptions {
  tenant: string
  name?: string
  clientId?: string
  secretFile?: string
  scopes?: string[]
  trustEmail?: boolean
  allowSignup?: boolean
  enabled?: boolean
  ownCallback?: boolean
  keyId?: string
}

interface AddOptions extends ChangeOptions {
  recipe: string
  clientId: string
  issuer?: string
  directory?: string
  teamId?: string
}

/**
 * The environment variable with the client secret. No option takes the secret itself, because other
 * processes can see arguments.
 */
const SECRET = 'LATCHKEY_CONNECTION_SECRET'

/**
 * Adds `connection list`, `connection redirect-uri`, `connection add`, `connection update` and
 * `connection remove`.
 */
export function addConnectionCommands(program: Command): void {
  const connection = program
    .command('connection')
    .description('Let users log in at other providers, such as Google.')

  withDataOptions(withJson(connection.command('list')))
    .description('List the connections of a tenant.')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(({ tenant, ...options }: ChangeOptions) =>
      withAdmin(options, async (admin) => {
        const { domain } = await settingsOf(admin, tenant)
        const rows = (await admin.listConnections(tenant)).map((one) => ({
          id: one.id,
          name: one.name,
          recipe: one.recipe,
          issuer: one.issuer,
          'client id': one.clientId,
          'trust email': yesOrNo(one.trustEmail),
          'sign-ups': yesOrNo(one.allowSignup),
          enabled: yesOrNo(one.enabled),
          'redirect uri': redirectUriAt(domain, one.callbackPath),
        }))
        printTable(rows, options)
      }),
    )

  withProvider(withDataOptions(withJson(connection.command('redirect-uri'))))
    .description('Print the redirect URI to register at a provider, before you add a connection.')
    .requiredOption('--tenant <id>', 'the tenant')
    .action(({ tenant, recipe, issuer, directory, ...options }: AddOptions) =>
      withAdmin(options, async (admin) => {
        const { domain } = await settingsOf(admin, tenant)
        const path = admin.callbackPathFor({ recipe, issuer, directory })
        const redirectUri = redirectUriAt(domain, path)
        printResult({ redirect_uri: redirectUri }, options, redirectUri)
      }),
    )

  withProvider(
    withChanges(
      connection
        .command('add')
        .description('Add a connection; prints its id, and the redirect URI to register.'),
    ),
  )
    .requiredOption('--client-id <id>', 'client id that the provider gave your application')
    .option('--team-id <id>', 'your team at Apple')
    .option(
      '--key-id <id>',
      'id of the private key at Apple, which you give in place of a client secret',
    )
    .action(({ tenant, secretFile, scopes, ...given }: AddOptions) => {
      // An unknown recipe is refused before the secret is read.
      recipeNamed(given.recipe)
      const secret = readSecret(secretFile)
      if (secret === undefined) {
        throw new Error(
          `Give the client secret in a file, with --secret-file, in ${SECRET}, or in the file that ${SECRET}_FILE names.`,
        )
      }
      return withAdmin(given, async (admin) => {
        const added = await admin.createConnection(tenant, {
          ...given,
          scopes: split(scopes),
          secret,
        })
        const { domain, allowSocial: offered } = await settingsOf(admin, tenant)
        const { id } = added
        const redirectUri = redirectUriAt(domain, added.callbackPath)
        const lines = [id, `Redirect URI to register: ${redirectUri}`]
        if (!offered)
          lines.push('Users see the connection once the tenant has "allow_social": true.')
        printResult({ id, redirect_uri: redirectUri, offered }, given, lines.join('\n'))
      })
    })

  addUpdate(connection)

  withDataOptions(withJson(connection.command('remove <id>')))
    .description('Remove a connection; no user can log in through it afterwards.')
    .requiredOption('--tenant <id>', 'the tenant')
    .requiredOption('--yes', 'confirm: what users have connected cannot be brought back')
    .action((id: string, { tenant, ...options }: ChangeOptions) =>
      withAdmin(options, async (admin) => {
        const { name } = await admin.deleteConnection(tenant, id)
        printResult({ id, name }, options, `Removed the connection "${oneLine(name)}".`)
      }),
    )
}

function addUpdate(connection: Command): void {
  withChanges(
    connection
      .command('update <id>')
      .description('Change a connection; values that you leave out stay.'),
  )
    .option('--client-id <id>', 'client id that the provider gave your application')
    .option('--key-id <id>', 'id of another private key at Apple')
    .option('--own-callback', 'use the redirect URI that "redirect-uri" prints: register it first')
    .option('--no-own-callback', 'use the redirect URI that connections of earlier versions share')
    .action((id: string, { tenant, secretFile, scopes, ...given }: ChangeOptions) =>
      withAdmin(given, async (admin) => {
        const { name, clientId, trustEmail, allowSignup, enabled, keyId, ownCallback } = given
        const changes: ConnectionChanges = {
          ...{ name, clientId, trustEmail, allowSignup, enabled, keyId, ownCallback },
          scopes: split(scopes),
          secret: readSecret(secretFile),
        }
        const changed = await admin.updateConnection(tenant, id, changes)
        const words = `Changed the connection "${oneLine(changed.name)}".`
        printResult({ id, name: changed.name }, given, words)
      }),
    )
}

/** Adds the options that name the provider. */
function withProvider(command: Command): Command {
  return command
    .requiredOption(
      '--recipe <name>',
      'google, microsoft, apple, gitlab, github, or oidc for any other',
    )
    .option('--issuer <url>', 'issuer, for oidc and for a GitLab or GitHub of your own')
    .option('--directory <guid>', 'directory (tenant) of Microsoft Entra whose users log in')
}

/** Adds the options that `add` and `update` share. */
function withChanges(command: Command): Command {
  return withDataOptions(withJson(command))
    .requiredOption('--tenant <id>', 'the tenant')
    .option('--name <name>', 'what users read on the button')
    .option(
      '--secret-file <file>',
      `file of the client secret, or of Apple's private key; "-" reads standard input (default: ${SECRET})`,
    )
    .option('--scopes <names>', 'scopes to ask for, separated by commas', commaSeparated)
    .option('--trust-email', 'addresses that the provider has verified count as proven')
    .option('--no-trust-email', 'users prove their addresses here (the default)')
    .option('--allow-signup', 'users without an account get one (the default)')
    .option('--no-allow-signup', 'only users who have an account log in by it')
    .option('--enabled', 'offer it (the default)')
    .option('--no-enabled', 'keep it, and do not offer it')
}

/** The secret from a file, standard input, or the environment; `undefined` if none is given. */
function readSecret(file: string | undefined): string | undefined {
  if (file === undefined) return secretOf(SECRET)
  return readInput(file, '--secret-file').toString()
}

function split(scopes: string[] | undefined): string[] | undefined {
  return scopes?.map((scope) => scope.trim()).filter((scope) => scope !== '')
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

/** The settings of a tenant. @throws if there is no such tenant. */
async function settingsOf(admin: Admin, id: string): Promise<TenantSettings> {
  const tenant = (await admin.listTenants()).find((one) => one.id === id)
  if (!tenant) throw new Error(`There is no tenant ${id}. "tenant list" has their ids.`)
  return tenant.settings
}

/**
 * The redirect URI of a connection. A service that has a tenant on this machine serves it over HTTP.
 */
function redirectUriAt(domain: string, callbackPath: string): string {
  const url = new URL(`https://${domain}${callbackPath}`)
  if (isLoopbackHost(url.hostname)) url.protocol = 'http:'
  return url.href
}
