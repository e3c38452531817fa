import type { AuthSession, ResolvedAuthOptions } from '@latchkey/core/internal'
import type { Flight, KeptEvent } from './flights.ts'
import { bytes, describeCookies, openClaims, redactOf } from './redact.ts'
import { claimsFact, type Fact } from './steps.ts'

/** The content of the recorder's page. */
export interface RecorderView {
  readonly options: ResolvedAuthOptions
  readonly flights: readonly Flight[]
  readonly events: readonly KeptEvent[]
  /** The `Cookie` header of the request for the page. */
  readonly cookie: string | null
  readonly session: AuthSession | undefined
  readonly failure: Error | undefined
  /** Whether the browser asks for the report as text. */
  readonly asText: boolean
}

/**
 * The facts about the cookies that the browser sends now, and about the session that these cookies
 * open.
 */
export function browserFacts({ cookie, session, failure, options }: RecorderView): Fact[] {
  const cookies = describeCookies(cookie).join(' · ') || 'none'
  const facts: Fact[] = [['Cookies', cookie ? `${cookies} · ${bytes(cookie)} in all` : cookies]]
  if (failure) facts.push(['Session', 'The session store did not answer.'])
  else if (!session) facts.push(['Session', 'not logged in'])
  if (!session) return facts
  const { issuer, user, createdAt, expiresAt, acr, amr, tokens } = session
  const redact = redactOf(new URLSearchParams(), cookie)
  facts.push(
    ['Session', `logged in at ${day(createdAt)}, ends ${day(expiresAt)} at the latest`],
    ['Issuer', issuer],
    claimsFact('User', openClaims(user, redact)),
    ['Roles', options.rolesFrom(user).join(', ') || 'none: see "rolesFrom"'],
    ['acr, amr', `${acr ?? 'none'}, ${amr?.join(' ') ?? 'none'}`],
  )
  if (tokens) facts.push(['Access token', accessTokenFact(tokens)])
  return facts
}

function accessTokenFact({
  accessTokenExpiresAt: end,
  refreshToken,
}: NonNullable<AuthSession['tokens']>): string {
  return `${end === undefined ? 'no end is known' : `expires ${day(end)}`}, ${refreshToken ? 'with' : 'without'} a refresh token`
}

/** The data to register at the provider, and the settings of cookies. */
export function applicationFacts(options: ResolvedAuthOptions): Fact[] {
  const { registration, baseUrl, redirectUri, session, routes, scope } = options
  const provider: Fact[] =
    typeof registration === 'function'
      ? [['Issuer', 'a function chooses it by request']]
      : [
          ['Issuer', registration.issuer.href],
          ['Client id', registration.clientId],
        ]
  const { path, sameSite, secure } = session.cookie
  return [
    ...provider,
    ['Base URL', baseUrl.href],
    ['Redirect URI', `${redirectUri} (register it at the provider)`],
    ['Scope', scope],
    [
      'Session cookie',
      `${session.cookieName}, Path=${path}, SameSite=${sameSite}${secure ? ', Secure' : ''}`,
    ],
    ['Routes', Object.values(routes).filter(Boolean).join(' ')],
  ]
}

/** The fact that describes an event. */
export function eventFact({ at, name, facts }: KeptEvent): Fact {
  return [`${time(at)} ${name}`, facts]
}

/** Formats the time of day in UTC, to the millisecond. Empty for `undefined`. */
export function time(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString().slice(11, 23)
}

function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}
