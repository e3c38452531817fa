import { createHash, randomBytes } from 'node:crypto'
import { LoadError } from './load-report.ts'

/** The application that users log in to. */
export interface LoadApplication {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/** A user with a password. */
export interface LoadUser {
  readonly id: string
  readonly email: string
  readonly password: string
}

/** The maximum number of pages and redirects between the authorization request and the code. */
const STEPS = 15

/**
 * Logs a user in with a password, by an authorization code with PKCE. Acts as a new browser and as
 * the application.
 *
 * @param headers - Additional headers for every request of the browser.
 * @returns The refresh token.
 * @throws {@link LoadError} if the login fails.
 */
export async function logIn(
  application: LoadApplication,
  user: LoadUser,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const code = await codeOf(application, user, verifier, headers, signal)
  return redeem(application, signal, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    code_verifier: verifier,
  })
}

/** Redeems a refresh token. Resolves to the next refresh token. */
export function refresh(
  application: LoadApplication,
  token: string,
  signal: AbortSignal,
): Promise<string> {
  return redeem(application, signal, { grant_type: 'refresh_token', refresh_token: token })
}

async function codeOf(
  { issuer, clientId, redirectUri }: LoadApplication,
  { email, password }: LoadUser,
  verifier: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const state = randomBytes(16).toString('base64url')
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email offline_access',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const cookies = new Map<string, string>()
  let url = new URL(`/oidc/auth?${query}`, issuer)
  let body: URLSearchParams | undefined
  let hasAnswered = false
  for (let step = 0; step < STEPS; step++) {
    // Cookies, the password and headers of a proxy must go only to the installation.
    if (url.origin !== new URL(issuer).origin) throw new LoadError('another host')
    const response = await fetch(url, {
      ...(body ? { method: 'POST', body } : {}),
      redirect: 'manual',
      signal,
      headers: {
        ...headers,
        accept: 'text/html',
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        ...(body ? { origin: url.origin } : {}),
      },
    })
    keepCookies(cookies, response)
    const page = await response.text()
    const location = response.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      body = undefined
      if (!url.href.startsWith(redirectUri)) continue
      const { code, error, state: returned } = Object.fromEntries(url.searchParams)
      if (code === undefined || returned !== state) throw new LoadError(error ?? 'no code')
      return code
    }
    if (response.status !== 200) throw new LoadError(String(response.status))
    // The installation shows the page again if it refuses the password.
    if (hasAnswered) throw new LoadError('login refused')
    hasAnswered = true
    const form = passwordForm(page)
    url = new URL(form.action || url, url)
    body = new URLSearchParams([...form.hidden, ['email', email], ['password', password]])
  }
  throw new LoadError('redirect loop')
}

/**
 * The form of a page that asks for the password.
 *
 * @throws {@link LoadError} if the page has no such form.
 */
function passwordForm(page: string): { action: string; hidden: [string, string][] } {
  const forms = page.match(/<form\b[\s\S]*?<\/form>/g) ?? []
  const form = forms.find((text) => /<input\b[^>]*\bname="password"/.test(text))
  if (form === undefined) throw new LoadError('no password page')
  const attribute = (tag: string, name: string): string =>
    decoded(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
  const hidden = (form.match(/<input\b[^>]*\btype="hidden"[^>]*>/g) ?? []).map(
    (tag): [string, string] => [attribute(tag, 'name'), attribute(tag, 'value')],
  )
  return { action: attribute(form.slice(0, form.indexOf('>')), 'action'), hidden }
}

function decoded(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}

/**
 * Stores the cookies of a response, and deletes expired cookies. Paths and future expiries are
 * ignored, because a visit is short and uses one host.
 */
function keepCookies(cookies: Map<string, string>, { headers }: Response): void {
  for (const line of headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const expires = attributes.find((text) => /^expires=/i.test(text))?.slice('expires='.length)
    if (expires !== undefined && Date.parse(expires) < Date.now()) cookies.delete(pair.slice(0, at))
    else cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

async function redeem(
  { issuer, clientId, clientSecret }: LoadApplication,
  signal: AbortSignal,
  parameters: Record<string, string>,
): Promise<string> {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':')
  const response = await fetch(new URL('/oidc/token', issuer), {
    method: 'POST',
    body: new URLSearchParams(parameters),
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    signal,
  })
  const answer = (await response.json().catch(() => ({}))) as {
    error?: string
    refresh_token?: string
  }
  if (response.ok && answer.refresh_token) return answer.refresh_token
  throw new LoadError(response.ok ? 'no refresh token' : (answer.error ?? String(response.status)))
}
