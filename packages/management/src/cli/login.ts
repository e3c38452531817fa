import type { Command } from 'commander'
import { Exit, exitCodes } from '../command-line/exit-codes.ts'
import { type JsonOptions, printResult, withJson } from '../command-line/output.ts'
import { oneLine } from '../command-line/terminal.ts'
import { isLoopback } from '../doctor/checks.ts'
import { requireUrl, withService } from './options.ts'
import { forgetLogin, keepLogin, loginsFile, readLogin } from './stored-logins.ts'

interface Options extends JsonOptions {
  url: string
  timeout: number
}

/** Adds `login` and `logout`. */
export function addLoginCommands(program: Command): void {
  withJson(withService(program.command('login')))
    .description('Log in as an operator, in a browser, in place of an API key.')
    .addHelpText('after', help)
    .action(logIn)
  withJson(withService(program.command('logout')))
    .description('Withdraw the login of this machine.')
    .action(logOut)
}

const help = `
The login is good for 8 hours, with the role that you have in the console. It ends with the session of the browser, too.
Deleting and changing things needs a login of the last five minutes. For programs, and for long imports, use an API key.`

/** The response of the service with the issuer at which operators log in. */
interface Place {
  issuer: string
  client_id: string
}

async function logIn(options: Options): Promise<void> {
  const { url, timeout } = options
  const { issuer, client_id: clientId } = await placeOf(url, timeout)
  const oidc = await import('openid-client')
  const config = await discover(issuer, clientId, timeout)
  try {
    const begun = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' })
    const minutes = Math.round(begun.expires_in / 60)
    console.error(
      `Open ${oneLine(begun.verification_uri)} and enter this code, within ${minutes} minutes:\n\n  ${oneLine(begun.user_code)}\n\nAgree only to a code that you have just asked for here.`,
    )
    const tokens = await oidc.pollDeviceAuthorizationGrant(config, begun)
    const seconds = tokens.expiresIn() ?? 0
    const expiresAt = Math.floor(Date.now() / 1_000) + seconds
    keepLogin(url, { issuer, clientId, accessToken: tokens.access_token, expiresAt })
    const until = new Date(expiresAt * 1_000).toISOString()
    const words = `Logged in until ${until}. The login is in ${loginsFile()}.`
    printResult({ url, expires_at: until, file: loginsFile() }, options, words)
  } catch (error) {
    throw failureOf(error)
  }
}

async function logOut(options: Options): Promise<void> {
  const { url, timeout } = options
  const login = readLogin(url)
  if (!login) {
    throw new Exit(
      exitCodes.failed,
      `You are not logged in to ${url}. (LATCHKEY_OPERATOR_LOGIN_MISSING)`,
    )
  }
  const oidc = await import('openid-client')
  try {
    const config = await discover(login.issuer, login.clientId, timeout)
    await oidc.tokenRevocation(config, login.accessToken)
  } catch (error) {
    const until = new Date(login.expiresAt * 1_000).toISOString()
    throw new Exit(
      exitCodes.failed,
      `The login could not be withdrawn, and is good until ${until}: ${messageOf(error)} (LATCHKEY_OPERATOR_LOGOUT_FAILED)`,
    )
  }
  forgetLogin(url)
  printResult({ url }, options, 'Logged out.')
}

async function placeOf(url: string, timeout: number): Promise<Place> {
  requireUrl('--url', url)
  if (!isSecure(url)) {
    throw new Exit(exitCodes.usage, 'A login needs an --url with https, except on this machine.')
  }
  const address = `${url.replace(/\/+$/, '')}/x/v1/login`
  let place: Partial<Place> | undefined
  try {
    const signal = AbortSignal.timeout(timeout * 1_000)
    const answer = await fetch(address, { signal, redirect: 'error' })
    if (answer.ok) place = (await answer.json()) as Partial<Place>
  } catch (error) {
    throw new Exit(exitCodes.failed, `${url} cannot be reached: ${messageOf(error)}`)
  }
  const { issuer, client_id } = place ?? {}
  if (typeof issuer !== 'string' || typeof client_id !== 'string') {
    throw new Exit(
      exitCodes.failed,
      `${url} has no login for operators: it has no console, or is older. Use an API key. (LATCHKEY_OPERATOR_LOGIN_UNAVAILABLE)`,
    )
  }
  checkIssuer(issuer)
  return { issuer, client_id }
}

/**
 * Refuses an issuer without https, because the access token must not be sent unencrypted.
 *
 * @throws Exit for an http issuer on another machine.
 */
function checkIssuer(issuer: string): void {
  if (isSecure(issuer)) return
  throw new Exit(
    exitCodes.failed,
    'The service names an address without https for logins. (LATCHKEY_OPERATOR_LOGIN_UNAVAILABLE)',
  )
}

function isSecure(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? {}
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname ?? ''))
}

async function discover(issuer: string, clientId: string, timeout: number) {
  const oidc = await import('openid-client')
  const insecure = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []
  try {
    return await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      execute: insecure,
      timeout,
    })
  } catch (error) {
    throw new Exit(exitCodes.failed, `${issuer} cannot be reached: ${messageOf(error)}`)
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof Exit) return error
  const { error: code } = error as { error?: string }
  if (code === 'access_denied') {
    return new Exit(
      exitCodes.failed,
      'The login was denied in the browser. (LATCHKEY_OPERATOR_LOGIN_DENIED)',
    )
  }
  if (code === 'expired_token') {
    return new Exit(
      exitCodes.failed,
      'The code was not confirmed in time. Run latchkey login again. (LATCHKEY_OPERATOR_LOGIN_TIMEOUT)',
    )
  }
  return error
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
