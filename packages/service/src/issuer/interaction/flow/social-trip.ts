import { randomBytes, randomUUID } from 'node:crypto'
import { callbackPathOf, SHARED_CALLBACK } from '../../../domain/connections/callback-paths.ts'
import { note } from '../../../domain/writes/audit.ts'
import { entry, keyOf } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { Connection } from '../../../store/records.ts'
import { count } from '../../../telemetry/metrics.ts'
import { isSameBrowser, markWithSecrets, secretsOf } from '../../requests/browser-cookie.ts'
import { redirect } from '../../requests/http.ts'
import { TOLERANCE_SECONDS } from '../../social/configurations.ts'
import { type Asserted, UpstreamError, type UpstreamProblem } from '../../social/upstreams.ts'
import { showDeadEnd, showNotFound } from './dead-end.ts'
import { type FlowRequest, languageOf, scopeOf } from './flow-request.ts'
import { offeredWith } from './offered.ts'
import { showTooMany } from './too-many.ts'

/**
 * The login or session that sends the visitor to a provider, and the page to which the visitor
 * returns.
 */
export interface Place {
  /**
   * The id of the login or session. The provider's response is stored under this id, and is not
   * valid for another one.
   */
  key: string
  /** The path of the page that uses the response. */
  path: string
}

/** The stored state of a login at a provider, until the browser returns. */
interface Trip {
  connectionId: string
  browser: string
  /** The key under which the response is stored. */
  answerKey: string
  path: string
  /**
   * The path of the redirect URI, at which the response must arrive. Missing if a process of the
   * previous release began the trip, which knows only {@link SHARED_CALLBACK}.
   */
  callback?: string
  /** The start, in seconds since the epoch. */
  beganAt: number
  /**
   * The maximum age of the provider's own login at the start, in seconds; `undefined` for any age.
   */
  maxAge: number | undefined
}

/** The provider's response about the visitor, for one login or session. */
export interface SocialProof extends Asserted {
  /** The id of this response. Another response in the same login has another id. */
  id: string
  /**
   * The time of the login, in seconds since the epoch. This is before the response was verified, so
   * that a revocation of the user's sessions in the meantime also revokes this login.
   */
  at: number
  /**
   * Whether the provider authenticated the user as recently as requested. If a maximum age was
   * requested and the provider does not state the time, `false`.
   */
  isFresh: boolean
  /**
   * Whether the provider authenticated the user recently enough to add a second step. If the
   * provider does not state the time, `false`.
   */
  isRecent: boolean
}

/** The reason why a visitor returns without a response. `off`: the connection is disabled. */
export type TripProblem = UpstreamProblem | 'off'

/**
 * The maximum time that a visitor may spend at the provider, and then on the page that uses the
 * response, in seconds.
 */
const TRIP_SECONDS = 1_800

/**
 * The maximum number of stored trips of one login or session. Each tab, and each start after the
 * back button, needs a trip of its own. Beyond it, the oldest trip is deleted.
 */
const MAX_TRIPS = 10

const trips = entry<Trip>('SocialState', TRIP_SECONDS)
const proofs = entry<SocialProof>('SocialProof', TRIP_SECONDS)

/**
 * Redirects the browser to the provider.
 *
 * @param maxAge - The maximum age of the provider's own login, in seconds. With 0, the provider
 *   authenticates the user again; `undefined` for any age.
 * @returns The problem, if the browser was not redirected.
 */
export async function sendToProvider(
  flow: FlowRequest,
  place: Place,
  connection: Connection,
  maxAge: number | undefined,
): Promise<UpstreamProblem | undefined> {
  const { context, provider, facts, request, response } = flow
  const state = randomBytes(32).toString('base64url')
  const ctx = provider.createContext(request, response)
  const { browser, secrets } = markWithSecrets(ctx, state)
  const callback = callbackPathOf(connection)
  const redirectUri = facts.issuer + callback
  const codeVerifier = secrets('verifier')
  const binding = { state, nonce: secrets('nonce'), codeVerifier, redirectUri }
  let url: string
  try {
    const uiLocales = flow.uiLocales ?? languageOf(flow)
    url = await context.upstreams.begin(connection, { ...binding, maxAge, uiLocales })
  } catch (error) {
    return problemOf(error)
  }
  const answerKey = keyOf(place.key)
  const beganAt = context.domain.clock.now() / 1000
  const { path } = place
  const connectionId = connection.id
  const trip: Trip = { connectionId, browser, answerKey, path, callback, beganAt, maxAge }
  await trips.put(flow, state, trip, { accountId: answerKey })
  await dropOldTrips(flow, answerKey)
  redirect(response, url)
  return undefined
}

/** Deletes the oldest trips of a login or session that has too many. */
async function dropOldTrips(flow: FlowRequest, answerKey: string): Promise<void> {
  const all = await trips.ofAccount(flow, answerKey)
  if (all.length <= MAX_TRIPS) return
  const old = all.sort((a, b) => b.value.beganAt - a.value.beganAt).slice(MAX_TRIPS)
  await Promise.all(old.map(({ entry: stored }) => trips.drop(flow, stored)))
}

/**
 * Verifies the response of a provider once, in the browser that was redirected to the provider.
 * Stores the response for the login or session that requested it, and redirects to the page of that
 * login or session. If the login at the provider failed, this page gets the problem instead.
 *
 * If too many logins have failed from the network, the provider is not asked. The response can be
 * sent again later.
 */
export async function returnFromProvider(flow: FlowRequest): Promise<void> {
  const { context, facts, request, response, url } = flow
  if (request.method !== 'GET') return showNotFound(flow)
  const state = url.searchParams.get('state') ?? ''
  const found = await trips.read(flow, state)
  if (!found || found.isSpent || !isSameBrowser(request, found.value.browser)) {
    return showDeadEnd(flow)
  }
  const trip = found.value
  const outcome = await context.throttle.tryWithoutPassword(facts, () => finish(flow, state, trip))
  if (outcome.kind === 'throttled') return showTooMany(flow, outcome.retryAfterSeconds)
  if (outcome.kind === 'needs_link' || outcome.end === 'over') return showDeadEnd(flow)
  const { path, connectionId } = trip
  if (outcome.end === 'stored') return redirect(response, path)
  const query = new URLSearchParams({ problem: outcome.end, connection: connectionId })
  redirect(response, `${path}${path.includes('?') ? '&' : '?'}${query}`)
}

/**
 * The end of a trip: the provider's response is stored, the login at the provider failed, or another
 * request has used the trip.
 */
interface TripEnd {
  /** A refused trip counts as a failed login of the network. A provider that is down does not. */
  kind: 'verified' | 'refused'
  end: 'stored' | 'over' | TripProblem
}

async function finish(flow: FlowRequest, state: string, trip: Trip): Promise<TripEnd> {
  const { context, facts, request, url } = flow
  if (!(await trips.spend(flow, state))) return { kind: 'verified', end: 'over' }
  const { connectionId, callback = SHARED_CALLBACK, beganAt, maxAge } = trip
  const connection = await offeredWith(flow, connectionId)
  if (!connection) return { kind: 'verified', end: 'off' }
  const at = context.domain.clock.now() / 1000
  const secrets = secretsOf(request, state)
  const redirectUri = facts.issuer + callback
  const codeVerifier = secrets('verifier')
  const binding = { state, nonce: secrets('nonce'), codeVerifier, redirectUri }
  let asserted: Asserted
  try {
    asserted = await context.upstreams.finish(connection, url, binding)
  } catch (error) {
    const problem = problemOf(error)
    count('logins', { outcome: problem, method: 'social' })
    await note(scopeOf(flow), `login.social_${problem}`, connectionId, 'failure')
    return { kind: problem === 'unreachable' ? 'verified' : 'refused', end: problem }
  }
  const provenAt = Math.min(asserted.provenAt, at)
  const isWithin = (seconds: number) => provenAt >= beganAt - seconds - TOLERANCE_SECONDS
  const isFresh = maxAge === undefined || isWithin(maxAge)
  const isRecent = isWithin(lifetimes.recentLoginSeconds)
  const proof: SocialProof = { ...asserted, provenAt, isFresh, isRecent, id: randomUUID(), at }
  await proofs.put(flow, { key: trip.answerKey }, proof)
  return { kind: 'verified', end: 'stored' }
}

/**
 * The provider's response about the visitor, if there is one.
 *
 * @param key - The id of the login or session, as in {@link Place.key}.
 */
export async function readProof(
  flow: FlowRequest,
  key: string,
): Promise<(SocialProof & { isUsed: boolean }) | undefined> {
  const found = await proofs.read(flow, key)
  return found && { ...found.value, isUsed: found.isSpent }
}

/** Marks the response as used. Resolves to `true` for exactly one of several requests. */
export function useProof(flow: FlowRequest, key: string): Promise<boolean> {
  return proofs.spend(flow, key)
}

/** The problem in the URL to which a visitor returns without a response. */
export function tripProblemOf({ url }: FlowRequest): TripProblem | undefined {
  const problem = url.searchParams.get('problem')
  const all: readonly TripProblem[] = ['unreachable', 'denied', 'failed', 'off']
  return all.find((one) => one === problem)
}

function problemOf(error: unknown): UpstreamProblem {
  if (error instanceof UpstreamError) return error.problem
  throw error
}
