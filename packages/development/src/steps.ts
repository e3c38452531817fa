import type { AuthEvent, Observation, ResolvedAuthOptions } from '@latchkey/core/internal'
import {
  bytes,
  count,
  describeAddress,
  describeCookies,
  describeParameters,
  describeSetCookie,
  impersonal,
  openClaims,
  type Redact,
} from './redact.ts'

/** The facts about one request, for the page that explains it to the developer. */
export interface RequestFacts {
  /** The time in milliseconds since the epoch. */
  readonly at: number
  readonly method: string
  readonly url: string
  readonly cookie: string | null
  readonly host: string | null
}

/** A label with its value. If the value is personal, `reported` replaces it in the report. */
export type Fact = readonly [label: string, value: string, reported?: string]

/** One step of a flight, without secrets. */
export interface Step {
  readonly at: number
  readonly tone: 'good' | 'bad' | 'plain'
  readonly title: string
  readonly facts: readonly Fact[]
  readonly advice: readonly string[]
}

/** The options of the kit that steps refer to. */
type Options = Pick<
  ResolvedAuthOptions,
  'baseUrl' | 'baseUrls' | 'session' | 'hooks' | 'userinfo' | 'claims'
>

/** The size in bytes of the largest cookie that browsers store. */
const LARGEST_COOKIE = 4096

/** Creates the first step of a request. For a callback, the next step has the parameters. */
export function requestStep(
  { at, method, url, cookie, host }: RequestFacts,
  { kind }: Observation,
  { baseUrl, baseUrls }: Options,
  redact: Redact,
): Step {
  const { pathname, searchParams } = new URL(url)
  const facts: [string, string][] = []
  const parameters = kind === 'returned' ? [] : describeParameters(searchParams, redact)
  if (parameters.length > 0) facts.push(['Parameters', parameters.join(' · ')])
  const cookies = describeCookies(cookie)
  facts.push(['Cookies received', cookies.join(' · ') || 'none'])
  return {
    ...{ at, tone: 'plain', title: `${method} ${redact(pathname)}`, facts },
    advice:
      host && baseUrls.every((one) => sharesNoCookies(host, one)) ? [otherHost(host, baseUrl)] : [],
  }
}

/**
 * Whether a browser sends no cookies of `baseUrl` to the host of a request. Ports do not matter.
 */
function sharesNoCookies(host: string, baseUrl: URL): boolean {
  return URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname !== baseUrl.hostname
}

function otherHost(host: string, baseUrl: URL): string {
  return `The browser opened ${JSON.stringify(host.slice(0, 100))}, but "baseUrl" is ${baseUrl.origin}. A cookie of one host is not sent to the other. Open ${baseUrl.origin}.`
}

/** Creates the step for an observation of a login. */
export function observedStep(
  seen: Exclude<Observation, { kind: 'answered' }>,
  at: number,
  options: Options,
  redact: Redact,
): Step {
  const step = (
    tone: Step['tone'],
    title: string,
    facts: Step['facts'] = [],
    advice: readonly string[] = [],
  ): Step => ({ at, tone, title, facts, advice })
  switch (seen.kind) {
    case 'redirected': {
      const sent = new URL(seen.location)
      return step('good', 'Redirected to the provider', [
        ['Endpoint', redact(sent.origin + sent.pathname)],
        ['Parameters', describeParameters(sent.searchParams, redact).join(' · ')],
        ['Returns to', describeAddress(seen.returnTo, redact)],
        ['Cookies set', seen.setCookies.map(describeSetCookie).join(' · ')],
        ...(seen.restarts > 0 ? [['Begun again', count(seen.restarts, 'time')] as const] : []),
      ])
    }
    case 'returned':
      return returnedStep(seen, step, redact)
    case 'matched':
      return step('good', 'Provider, client and redirect URI are those the login began with')
    case 'redeemed':
      return step(
        'good',
        'The code was redeemed; signature, issuer, audience, nonce and times of the ID token are valid',
        [
          claimsFact('ID token', openClaims(seen.claims, redact)),
          ['Scope', redact(seen.scope ?? 'as asked for')],
          ['Refresh token', seen.refreshToken ? 'yes' : 'no'],
        ],
      )
    case 'described':
      return step('good', describedTitle(options), [
        ['Claims of the user', redact(Object.keys(seen.user).join(', '))],
      ])
    case 'admitted':
      return step(
        'good',
        options.hooks.afterCallback || options.hooks.onSession
          ? 'The hooks of the application let the user in'
          : 'No hook of the application objects: it has none',
      )
    case 'stored':
      return step('good', 'The session is stored under a new id')
    case 'failed':
      return failedStep(seen.error, step, redact)
  }
}

/**
 * Creates a fact with claims. In the report, personal claims are replaced with their type and
 * length.
 */
export function claimsFact(label: string, claims: Readonly<Record<string, unknown>>): Fact {
  return [label, JSON.stringify(claims, null, 2), JSON.stringify(impersonal(claims), null, 2)]
}

type MakeStep = (
  tone: Step['tone'],
  title: string,
  facts?: Step['facts'],
  advice?: readonly string[],
) => Step

const RETURNED = {
  begun: ['good', 'The provider sent the visitor back, with the state of a login of this browser'],
  lost: ['bad', 'The provider sent the visitor back, but this browser has no cookie of that login'],
  unknown: ['bad', 'The visitor came with a state that this application did not make'],
} as const

function returnedStep(
  { login, parameters }: Extract<Observation, { kind: 'returned' }>,
  step: MakeStep,
  redact: Redact,
): Step {
  const [tone, title] = RETURNED[login]
  const facts = [['Parameters', describeParameters(parameters, redact).join(' · ')]] as const
  const lost =
    'The login was begun in another browser or at another host, is older than ten minutes, was finished before, or the browser blocks cookies. Compare the cookies received with those set at the beginning.'
  return step(tone, title, facts, login === 'lost' ? [lost] : [])
}

function describedTitle({ userinfo, claims }: Options): string {
  const read = userinfo === 'never' ? 'from the ID token' : 'from the ID token and userinfo'
  return `The user is known ${read}${claims ? '; the claims fit the schema' : ''}`
}

function failedStep(
  error: Extract<Observation, { kind: 'failed' }>['error'],
  step: MakeStep,
  redact: Redact,
): Step {
  const { code, status, message, remedy, cause, correlationId } = error
  const { failed } = error as { failed?: string }
  const reason = cause instanceof Error ? cause.message : undefined
  const facts: [string, string][] = [['Message', redact(message)]]
  if (failed) facts.push(['Failed requirement', redact(failed)])
  if (reason) facts.push(['Cause', redact(reason)])
  facts.push(['Correlation id', correlationId])
  return step('bad', `Refused: ${code}, status ${status}`, facts, [redact(remedy)])
}

/** Creates the step for the response of one of the kit's routes. */
export function answerStep(
  { status, location, setCookies }: Extract<Observation, { kind: 'answered' }>,
  at: number,
  redact: Redact,
): Step {
  const large = setCookies.filter((line) => Buffer.byteLength(line) > LARGEST_COOKIE)
  const cookies = setCookies.map(describeSetCookie)
  return {
    ...{ at, tone: status < 400 ? 'good' : 'bad' },
    title: `Answered ${status}${location ? ` to ${describeAddress(location, redact)}` : ''}`,
    facts: cookies.length > 0 ? [['Cookies set', cookies.join(' · ')]] : [],
    advice: large.map(
      (line) =>
        `A cookie has ${bytes(line)}. Browsers drop cookies of more than ${LARGEST_COOKIE}: keep less in it.`,
    ),
  }
}

/** Formats the facts of an event that belongs to no request. */
export function eventFacts({ issuer, code, failed, count }: AuthEvent): string {
  const facts = { issuer, code, failed, count }
  const said = Object.entries(facts).filter(([, value]) => value !== undefined)
  return said.map(([name, value]) => `${name} ${value}`).join(' · ')
}
