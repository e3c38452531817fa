import { hash } from 'node:crypto'
import type {
  AuthEvent,
  AuthEventName,
  Observation,
  ResolvedAuthOptions,
} from '@latchkey/core/internal'
import { type Redact, redactOf } from './redact.ts'
import {
  answerStep,
  eventFacts,
  observedStep,
  type RequestFacts,
  requestStep,
  type Step,
} from './steps.ts'

/** The maximum numbers of flights, of steps in each flight, and of events. */
const MAX_FLIGHTS = 30
const MAX_STEPS = 40
const MAX_EVENTS = 30

/**
 * The record of a login with all its requests, or of a single logout or refusal. It contains no
 * secret.
 */
export interface Flight {
  readonly number: number
  readonly title: string
  readonly outcome: 'good' | 'bad' | 'open'
  /** The outcome in words. */
  readonly summary: string
  /** The number of times in a row that the same request was refused. */
  readonly times: number
  readonly steps: readonly Step[]
}

/** An event that belongs to no request. */
export interface KeptEvent {
  readonly at: number
  readonly name: AuthEventName
  readonly facts: string
}

/** The flights of one application, in memory. */
export interface Flights {
  /**
   * Records an observation in the flight of its request or login, and starts a flight if there is
   * none. A response alone starts a flight only for a logout.
   *
   * @param request - The same object for all steps of one request.
   */
  observe(request: object, facts: RequestFacts, seen: Observation): void
  event(at: number, name: AuthEventName, event: AuthEvent): void
  /** Returns all flights, the newest first. */
  all(): readonly Flight[]
  events(): readonly KeptEvent[]
}

/** The names of the events that do not belong to a request. */
const EVENTS: ReadonlySet<AuthEventName> = new Set([
  'access.rehearsed',
  'discovery.failed',
  'discovery.refreshed',
  'discovery.stale',
  'logout.backchannel',
  'session.revoked',
  'token.refresh_failed',
  'token.refreshed',
  'user.refresh_failed',
])

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }
/** A flight to which steps can be added. */
interface Draft extends Omit<Writable<Flight>, 'steps'> {
  steps: Step[]
  lastRequest: object | undefined
  lastSeen: Observation['kind'] | undefined
}

/** Creates the store of flights. Secrets are removed from steps before they are stored. */
export function createFlights(options: ResolvedAuthOptions): Flights {
  const flights: Draft[] = []
  const events: KeptEvent[] = []
  const ofRequest = new WeakMap<object, Draft>()
  // The flights of logins, by a hash of the `state`, so that no `state` is stored.
  const ofLogin = new Map<string, Draft>()
  let count = 0

  const begin = (title: string): Draft => {
    const summary = 'under way'
    const made: Draft = {
      ...{ number: ++count, title, outcome: 'open', summary, times: 1 },
      ...{ steps: [], lastRequest: undefined, lastSeen: undefined },
    }
    flights.unshift(made)
    for (const old of flights.splice(MAX_FLIGHTS)) {
      for (const [key, one] of ofLogin) if (one === old) ofLogin.delete(key)
    }
    return made
  }
  const flightOf = (request: object, facts: RequestFacts, seen: Observation): Draft => {
    const login = 'state' in seen ? keyOf(seen.state) : undefined
    const found = ofRequest.get(request) ?? (login ? ofLogin.get(login) : undefined)
    const flight = found ?? begin(titleOf(facts, seen, options))
    ofRequest.set(request, flight)
    if (login) ofLogin.set(login, flight)
    return flight
  }

  return {
    observe(request, facts, seen) {
      const { routes } = options
      const path = new URL(facts.url).pathname
      const isKnown = ofRequest.has(request)
      // A response without an earlier observation is recorded only for a logout. Others are too
      // frequent, because applications request the session all the time.
      if (
        seen.kind === 'answered' &&
        !isKnown &&
        (path === routes.session || !isLogout(path, options))
      )
        return
      const redact = redactFor(facts, seen)
      const flight = flightOf(request, facts, seen)
      const add = (step: Step): void => {
        if (flight.steps.length < MAX_STEPS) flight.steps.push(step)
      }
      if (flight.lastRequest !== request) add(requestStep(facts, seen, options, redact))
      flight.lastRequest = request
      if (seen.kind !== 'answered') add(observedStep(seen, facts.at, options, redact))
      // The step of the redirect to the provider already describes the response.
      else if (flight.lastSeen !== 'redirected') add(answerStep(seen, facts.at, redact))
      flight.lastSeen = seen.kind
      settle(flight, seen)
      joinRepeated(flights)
    },
    event(at, name, event) {
      if (!EVENTS.has(name)) return
      events.unshift({ at, name, facts: eventFacts(event) })
      events.length = Math.min(events.length, MAX_EVENTS)
    },
    all: () => flights,
    events: () => events,
  }
}

function keyOf(state: string): string {
  return hash('sha256', state, 'base64url')
}

function redactFor({ url, cookie }: RequestFacts, seen: Observation): Redact {
  const secrets = new URLSearchParams(new URL(url).searchParams)
  const more = 'parameters' in seen ? [...seen.parameters] : []
  for (const [name, value] of more) secrets.append(name, value)
  if ('state' in seen) secrets.append('state', seen.state)
  if (seen.kind === 'redirected') {
    for (const [name, value] of new URL(seen.location).searchParams) secrets.append(name, value)
  }
  return redactOf(secrets, cookie)
}

function isLogout(path: string, { routes }: ResolvedAuthOptions): boolean {
  return path === routes.logout || path === routes.backchannelLogout
}

function titleOf(
  { method, url }: RequestFacts,
  seen: Observation,
  options: ResolvedAuthOptions,
): string {
  const { pathname } = new URL(url)
  if (seen.kind === 'redirected' || seen.kind === 'returned') return 'Login'
  if (isLogout(pathname, options)) return 'Logout'
  if (pathname === options.routes.login || pathname === options.routes.callback) return 'Login'
  return `${method} ${redactOf(new URLSearchParams(), null)(pathname).slice(0, 80)}`
}

function settle(flight: Draft, seen: Observation): void {
  if (seen.kind === 'stored') {
    flight.outcome = 'good'
    flight.summary = 'logged in'
  } else if (seen.kind === 'failed') {
    flight.outcome = 'bad'
    flight.summary = `${seen.error.status} ${seen.error.code}`
  } else if (seen.kind === 'answered' && flight.title === 'Logout' && flight.outcome === 'open') {
    flight.outcome = 'good'
    flight.summary = seen.location || seen.status !== 200 ? 'logged out' : 'asked first'
  }
}

/**
 * Merges a refusal with an equal refusal directly before it. Otherwise, a page that polls every
 * second would push the logins out of the list.
 */
function joinRepeated(flights: Draft[]): void {
  const [latest, before] = flights
  if (!latest || !before || latest.outcome !== 'bad' || latest.title === 'Login') return
  if (before.title !== latest.title || before.summary !== latest.summary) return
  latest.times += before.times
  flights.splice(1, 1)
}
