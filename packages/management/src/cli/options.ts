import { type Command, InvalidArgumentError, Option } from 'commander'
import { createManagementClient, type ManagementClient } from '../client.ts'
import { wholeNumber } from '../command-line/arguments.ts'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { SecretOption } from '../command-line/secrets.ts'
import type { Fetch, ManagementClientOptions } from '../options.ts'
import { createHttpFetch } from './http-fetch.ts'
import { readLogin } from './stored-logins.ts'

/** How the command reaches the service. */
export interface ConnectOptions {
  url: string
  /** Default: the login of `latchkey login`. */
  apiKey?: string
  timeout: number
}

export interface TenantOptions extends ConnectOptions {
  tenant?: string
}

/** Adds the options of {@link withService}, and the API key. */
export function withConnection(command: Command): Command {
  return withService(command).addOption(
    new SecretOption(
      '--api-key <key>',
      'a secret API key; better in the environment than here (default: the login of latchkey login)',
    ).env('LATCHKEY_API_KEY'),
  )
}

/** Adds the options for the service's address and for how long to wait. */
export function withService(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'where the API is, such as https://api.example.com')
        .env('LATCHKEY_URL')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--timeout <seconds>', 'how long an answer may take')
        .env('LATCHKEY_TIMEOUT')
        .default(30)
        .argParser(wholeNumber(1, 3_600)),
    )
}

/** Adds the options of {@link withConnection}, and the tenant. */
export function withTenant(command: Command): Command {
  return withConnection(command).addOption(
    new Option('--tenant <id>', 'the tenant (default: the only one that the key reaches)').env(
      'LATCHKEY_TENANT',
    ),
  )
}

/** A client of the service that the options name. */
export function connect(options: ConnectOptions): ManagementClient {
  return createManagementClient(clientOptions(options, createHttpFetch()))
}

/** The options of a client of the service. */
export function clientOptions(options: ConnectOptions, fetch: Fetch): ManagementClientOptions {
  const { url, apiKey, timeout } = options
  return { baseUrl: url, apiKey: apiKey ?? tokenOf(url), timeoutSeconds: timeout, fetch }
}

/**
 * The access token of the login at a service.
 *
 * @throws Exit if there is no login, or it has expired.
 */
function tokenOf(url: string): string {
  const login = readLogin(url)
  if (!login) {
    throw new Exit(
      exitCodes.usage,
      "error: required option '--api-key <key>' not specified. Set LATCHKEY_API_KEY, or run latchkey login. (LATCHKEY_OPERATOR_LOGIN_MISSING)",
    )
  }
  if (login.expiresAt <= Date.now() / 1_000) {
    throw new Exit(
      exitCodes.failed,
      'The login has expired. Run latchkey login again. (LATCHKEY_OPERATOR_LOGIN_EXPIRED)',
    )
  }
  isByLogin = true
  return login.accessToken
}

let isByLogin = false

/** Whether this run of the command has used the login of `latchkey login`. */
export function usesLogin(): boolean {
  return isByLogin
}

/**
 * The tenant of the options. Without one, the only tenant that the key can reach.
 *
 * @throws if the key reaches no tenant, or several.
 */
export async function tenantOf(client: ManagementClient, options: TenantOptions): Promise<string> {
  if (options.tenant) return options.tenant
  const { data } = await client.tenants.page()
  const [first, ...others] = data
  if (first && others.length === 0) return first.id
  const ids = data.map(({ id, settings }) => `  ${id}  ${settings.domain}`).join('\n')
  throw new Error(
    first
      ? `The key reaches several tenants; choose one with --tenant:\n${ids}`
      : 'The key reaches no tenant.',
  )
}

/**
 * Checks an option that is a URL.
 *
 * @throws Exit for a wrong call. The text is not repeated: it may hold a password.
 */
export function requireUrl(
  option: string,
  text: string,
  protocols: readonly string[] = ['https:', 'http:'],
): void {
  if (protocols.includes(URL.parse(text)?.protocol ?? '')) return
  const example = `${protocols[0]}//host.example`
  throw new Exit(exitCodes.usage, `${option} must be a URL such as ${example}.`)
}

/** Collects `name=value` pairs of a repeatable option. */
export function pair(text: string, before: [string, string][] = []): [string, string][] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be NAME=VALUE.')
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}
