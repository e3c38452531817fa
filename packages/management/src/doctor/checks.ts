import type { Fetch, FetchInit, FetchResponse } from '../options.ts'
import type { Application } from '../types.ts'
import { testClientSecret } from './client-secret.ts'
import { WriteRefused, writeToRedis } from './redis.ts'
import { urlBelow } from './url-below.ts'

/** The result of a check. A fault has a remedy. */
export interface Finding {
  check: string
  state: 'ok' | 'fault' | 'skipped'
  found: string
  remedy?: string
}

/** The installation to check. */
export interface Installation {
  issuer: string
  baseUrl: string
  callback: string
  redisUrl?: string | undefined
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** The id of the tenant, if it was given. */
  tenant?: string | undefined
  readApplication?: (() => Promise<Application>) | undefined
  /** A `fetch` that follows no redirects. */
  fetch: Fetch
}

/** A check that passed. */
export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
/** A check that could not be made, or a fact that needs no remedy. */
export const skipped = (check: string, found: string): Finding => ({
  check,
  state: 'skipped',
  found,
})
/** A check that failed. */
export const fault = (check: string, found: string, remedy: string): Finding => ({
  check,
  state: 'fault',
  found,
  remedy,
})

const MAX_SKEW_SECONDS = 30

interface Discovered {
  document: Record<string, unknown>
  date: string | null
}

/** Runs all checks. A failed check does not stop the others. */
export async function runChecks(installation: Installation): Promise<Finding[]> {
  const discovered = await discover(installation)
  const provider = 'check' in discovered ? undefined : discovered
  return [
    ...('check' in discovered ? [discovered] : [checkIssuer(installation, discovered)]),
    checkClock(provider),
    checkLogout(provider),
    await checkRedirect(installation),
    await checkSecret(installation, provider),
    ...checkTransport(installation),
    await checkCookie(installation),
    await checkRedis(installation),
  ]
}

async function discover({ issuer, fetch }: Installation) {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  try {
    const response = await fetch(url, get())
    if (!response.ok) {
      const found = `${url} answers with ${answerOf(response)}`
      return fault(
        'issuer',
        found,
        'Check the address, and that the proxy passes the Host header on.',
      )
    }
    const document: Record<string, unknown> = JSON.parse(await response.text())
    return { document, date: response.headers.get('date') } satisfies Discovered
  } catch (error) {
    const remedy = 'Check the address, DNS, the certificate and that the service runs.'
    return fault('issuer', `${url} cannot be read: ${reasonOf(error)}`, remedy)
  }
}

function checkIssuer({ issuer }: Installation, { document }: Discovered): Finding {
  if (document.issuer === issuer) return ok('issuer', `${issuer} is reachable and names itself so`)
  const found = `configured is ${issuer}, the provider names itself ${document.issuer}`
  return fault(
    'issuer',
    found,
    'Configure exactly what the provider says, slash at the end included.',
  )
}

function checkClock(provider: Discovered | undefined): Finding {
  const date = Date.parse(provider?.date ?? '')
  if (Number.isNaN(date)) return skipped('clock', 'the provider did not say what time it is')
  const seconds = Math.round((Date.now() - date) / 1_000)
  if (Math.abs(seconds) <= MAX_SKEW_SECONDS) return ok('clock', `differs by ${Math.abs(seconds)} s`)
  const found = `this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}`
  return fault('clock', found, 'Synchronize both clocks (NTP); tokens would be refused.')
}

function checkLogout(provider: Discovered | undefined): Finding {
  if (!provider) return skipped('logout', 'the provider could not be asked')
  const endpoint = provider.document.end_session_endpoint
  if (typeof endpoint === 'string') return ok('logout', `the provider ends sessions at ${endpoint}`)
  const remedy =
    'Users stay logged in at the provider; tell them, or ask the provider for RP logout.'
  return fault('logout', 'the provider has no end_session_endpoint', remedy)
}

async function checkRedirect(installation: Installation): Promise<Finding> {
  const { baseUrl, callback, clientId, tenant, readApplication } = installation
  const check = 'redirect URI'
  const url = urlBelow(baseUrl, callback)
  if (!readApplication) {
    return skipped(check, 'needs --client-id, --url and --api-key to look the application up')
  }
  try {
    const { redirect_urls } = await readApplication()
    if (redirect_urls.includes(url)) return ok(check, `${url} is registered`)
    const found = `${url} is not among ${redirect_urls.join(' ') || 'none'}`
    const flags = [
      `--application ${clientId} --base-url ${baseUrl}`,
      ...(tenant ? [`--tenant ${tenant}`] : []),
      ...(callback === '/callback' ? [] : [`--callback ${callback}`]),
    ]
    return fault(check, found, `Run: latchkey routes sync ${flags.join(' ')}`)
  } catch (error) {
    const remedy = 'Check --client-id, --tenant and the API key.'
    return fault(check, `the application cannot be read: ${reasonOf(error)}`, remedy)
  }
}

/**
 * Checks the client secret at the token endpoint. The secret is sent only if the discovery document
 * names the configured issuer, and only over https or to this machine.
 */
async function checkSecret(
  { issuer, clientId, clientSecret, baseUrl, callback, fetch }: Installation,
  provider: Discovered | undefined,
): Promise<Finding> {
  const check = 'client secret'
  if (!clientId || !clientSecret) return skipped(check, 'needs --client-id and a client secret')
  const { token_endpoint: endpoint, token_endpoint_auth_methods_supported: methods } =
    provider?.document ?? {}
  if (typeof endpoint !== 'string') return skipped(check, 'the provider could not be asked')
  if (provider?.document.issuer !== issuer) {
    return skipped(check, 'not sent: the provider names itself otherwise, see above')
  }
  const { protocol, hostname } = URL.parse(endpoint) ?? {}
  if (protocol !== 'https:' && !isLoopback(hostname ?? '')) {
    return skipped(check, `not sent: ${endpoint} is not https`)
  }
  const redirectUri = urlBelow(baseUrl, callback)
  try {
    const client = { endpoint, methods, clientId, clientSecret, redirectUri }
    const answer = await testClientSecret(fetch, client)
    if (answer === 'accepted') return ok(check, `the provider accepts it for ${clientId}`)
    if (answer !== 'refused') return skipped(check, `the provider answered ${answer.unclear}`)
    const remedy = `Check LATCHKEY_CLIENT_ID and LATCHKEY_CLIENT_SECRET; "latchkey applications get ${clientId}" shows the secret of an application of ours.`
    return fault(check, `the provider refuses it for ${clientId}`, remedy)
  } catch (error) {
    return skipped(check, `${endpoint} cannot be asked: ${reasonOf(error)}`)
  }
}

function checkTransport({ issuer, baseUrl }: Installation): Finding[] {
  return [
    ['issuer', issuer],
    ['application', baseUrl],
  ].map(([name, text]) => {
    const { protocol, hostname } = new URL(text ?? '')
    const check = `https of the ${name}`
    if (protocol === 'https:') return ok(check, `${text}`)
    if (isLoopback(hostname)) return ok(check, `${text} is this machine`)
    const remedy = 'Serve it over https; behind a proxy that ends TLS, configure the https address.'
    return fault(check, `${text} is not https`, remedy)
  })
}

/**
 * Starts a login as a visitor would, and checks the redirect URI and the cookie of the response.
 */
async function checkCookie(installation: Installation): Promise<Finding> {
  const { baseUrl, callback, fetch } = installation
  const check = 'cookie and proxy'
  const url = urlBelow(baseUrl, '/login')
  try {
    const response = await fetch(url, get())
    const target = URL.parse(response.headers.get('location') ?? '', url)
    const cookies = response.headers.get('set-cookie') ?? ''
    const redirectUri = target?.searchParams.get('redirect_uri')
    const expected = urlBelow(baseUrl, callback)
    if (!redirectUri) {
      const remedy = 'Mount the router at the base address, and start the application.'
      return fault(check, `${url} answers with ${answerOf(response)}, no login`, remedy)
    }
    if (redirectUri !== expected) {
      const root = urlBelow(baseUrl, '/x').slice(0, -2)
      const remedy = redirectUri.startsWith(`${root}/`)
        ? `Give the application the callback ${callback}, or doctor --callback ${redirectUri.slice(root.length)}.`
        : `Set the base address of the application to ${root}.`
      return fault(check, `the application sends ${redirectUri}, not ${expected}`, remedy)
    }
    const isSecure = /;\s*secure/i.test(cookies)
    if (cookies === '' || (baseUrl.startsWith('https:') && !isSecure)) {
      const remedy = 'Set the https base address, and let the proxy pass Set-Cookie on.'
      return fault(check, 'a login sets no cookie, or one that is not Secure', remedy)
    }
    return ok(check, `a login starts with a cookie and leads to ${target?.origin}`)
  } catch (error) {
    const remedy = 'Check that the application runs and can be reached from here.'
    return fault(check, `${url} cannot be reached: ${reasonOf(error)}`, remedy)
  }
}

async function checkRedis({ redisUrl }: Installation): Promise<Finding> {
  if (!redisUrl) return skipped('Redis', 'no --redis-url')
  const { host } = new URL(redisUrl)
  try {
    const isWritten = await writeToRedis(redisUrl)
    const found = isWritten ? 'takes writes' : 'answers as a node of a Cluster; no write was tried'
    return ok('Redis', `${host} ${found}`)
  } catch (error) {
    if (error instanceof WriteRefused) {
      const remedy =
        'Free memory or raise maxmemory, name the master instead of a replica, or let the user write keys that begin with "latchkey:".'
      return fault('Redis', `${host} answers, but refuses writes: ${error.message}`, remedy)
    }
    const remedy = 'Check the address, the password and that Redis accepts connections from here.'
    return fault('Redis', `${host}: ${reasonOf(error)}`, remedy)
  }
}

/** Whether a hostname, in the form of `URL.hostname`, is one of this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function get(): FetchInit {
  return { method: 'GET', headers: {}, body: null, signal: AbortSignal.timeout(10_000) }
}

function answerOf({ status, headers }: FetchResponse): string {
  const location = headers.get('location')
  return location ? `${status} to ${location}` : String(status)
}

function reasonOf(error: unknown): string {
  const inner = error instanceof Error ? (error.cause ?? error) : error
  if (!(inner instanceof Error)) return 'unknown'
  return (inner as NodeJS.ErrnoException).code ?? inner.message
}
