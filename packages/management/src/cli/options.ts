import { type Command, InvalidArgumentError, Option } from 'commander'
import { createManagementClient, type ManagementClient } from '../client.ts'
import { wholeNumber } from '../command-line/arguments.ts'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { SecretOption } from '../command-line/secrets.ts'
import type { Fetch, ManagementClientOptions } from '../options.ts'
import { createHttpFetch } from './http-fetch.ts'
import { readLogin } from './stored-logins.ts'

/** The options of the connection to the service. */
export interface ConnectOptions {
  url: string
  /** A secret API key. Default: the access token of `latchkey login`. */
  apiKey?: string
  /** Seconds that one attempt may take. */
  timeout: number
}

export interface TenantOptions extends ConnectOptions {
  tenant?: string
}

/** Adds `--api-key` and the options of {@link withService}. */
export function withConnection(command: Command): Command {
  return withService(command).addOption(
    new SecretOption(
      '--api-key <key>',
      'a secret API key; better in the environment than here (default: the login of latchkey login)',
    ).env('LATCHKEY_API_KEY'),
  )
}

/** Adds `--url`, the URL of the service, and `--timeout`, the seconds that a response may take. */
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

/** Adds `--tenant` and the options of {@link withConnection}. */
export function withTenant(command: Command): Command {
  return withConnection(command).addOption(
    new Option('--tenant <id>', 'the tenant (default: the only one that the key reaches)').env(
      'LATCHKEY_TENANT',
    ),
  )
}

/**
 * Requires `--url` unless `isLocal` is true of the options, which then send no request. For commands
 * that have {@link withService}.
 */
export function requireUrlUnless<Options>(
  command: Command,
  isLocal: (options: Options) => boolean,
): Command {
  const option = command.options.find(({ long }) => long === '--url')
  option?.makeOptionMandatory(false)
  return command.hook('preAction', (_, called) => {
    const { url, ...options } = called.opts()
    if (url !== undefined || isLocal(options as Options)) return
    called.error(`error: required option '${option?.flags}' not specified`)
  })
}

/**
 * Creates a client of the service at `options.url`.
 *
 * @throws Exit if there is neither an API key nor a valid login.
 */
export function connect(options: ConnectOptions): ManagementClient {
  return createManagementClient(clientOptions(options, createHttpFetch()))
}

/**
 * The client options. Without an API key, the access token of the stored login is used.
 *
 * @throws Exit if there is neither an API key nor a valid login.
 */
export function clientOptions(options: ConnectOptions, fetch: Fetch): ManagementClientOptions {
  const { url, apiKey, timeout } = options
  return { baseUrl: url, apiKey: apiKey ?? tokenOf(url), timeoutSeconds: timeout, fetch }
}

/**
 * The access token of the stored login at a service. {@link usesLogin} is `true` afterwards.
 *
 * @throws Exit if there is no login, or the login has expired.
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
 * The id of the tenant in the options. Without that option, the id of the only tenant that the key
 * can access.
 *
 * @throws Error if the key can access no tenant, or several.
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
 * Checks that the value of an option is a URL with one of the protocols.
 *
 * @throws Exit (usage error) otherwise. The message does not contain the value, which may have a
 *   password.
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

/** Parses `NAME=VALUE` of a repeatable option. Returns the earlier pairs and the new one. */
export function pair(text: string, before: [string, string][] = []): [string, string][] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be NAME=VALUE.')
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}
