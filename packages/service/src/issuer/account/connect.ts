import { connectAccount, findConnected } from '../../domain/factors/social.ts'
import type { Pages } from '../../pages/index.ts'
import type { Connection } from '../../store/records.ts'
import { tripTexts } from '../interaction/first/social.ts'
import {
  type FlowRequest,
  languageOf,
  mailContextOf,
  scopeOf,
} from '../interaction/flow/flow-request.ts'
import { offered, offeredWith } from '../interaction/flow/offered.ts'
import {
  readProof,
  sendToProvider,
  type TripProblem,
  tripProblemOf,
  useProof,
} from '../interaction/flow/social-trip.ts'
import { sendNews } from '../interaction/mail/messages.ts'
import { findOwnLogin } from '../interaction/second/own-session.ts'
import { type Form, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import type { Visit } from './entry.ts'

/** The accounts at providers, for the page with the user's login methods. */
export async function shownAccounts(
  flow: FlowRequest,
  { factors }: Visit,
): Promise<Pick<Pages['security'], 'accounts' | 'social'>> {
  const format = new Intl.DateTimeFormat(languageOf(flow), { dateStyle: 'medium', timeZone: 'UTC' })
  const { context, tenant } = flow
  const all = await context.domain.store.connections.list(tenant.id)
  const connected = new Set(factors.social.map(({ connectionId }) => connectionId))
  return {
    accounts: factors.social.map(({ id, connectionId, issuer, email, createdAt }) => ({
      id,
      // The connection may be deleted. Its account can still be removed.
      name: all.find((one) => one.id === connectionId)?.name ?? new URL(issuer).host,
      email,
      added: format.format(createdAt / 1000),
    })),
    social: {
      action: accountPaths.connect,
      connections: (await offered(flow))
        .filter(({ id }) => !connected.has(id))
        .map(({ id, name }) => ({ id, name })),
    },
  }
}

/** The reason why no account was connected. */
type Problem = NonNullable<Pages['security']['socialProblem']>

/**
 * Connects an account that a provider has confirmed, for the session that asked for it.
 *
 * @returns The reason why nothing was connected; `undefined` if the request is answered.
 */
export async function finishConnecting(
  flow: FlowRequest,
  visit: Visit,
): Promise<Problem | undefined> {
  const { context, tenant, url, response } = flow
  const { user } = visit
  const trip = tripProblemOf(flow)
  if (trip) {
    const id = url.searchParams.get('connection') ?? undefined
    return problemOf(trip, await offeredWith(flow, id))
  }
  const key = keyOf(visit)
  const proof = await readProof(flow, key)
  const connection = proof && (await offeredWith(flow, proof.account.connectionId))
  if (proof && !proof.isUsed && !connection) return problemOf('off', undefined)
  if (connection && proof && (await useProof(flow, key))) {
    const scope = scopeOf(flow, user.id)
    // The session may have ended while the request was handled.
    const login = await findOwnLogin(flow, user)
    if (!login) return problemOf('off', connection)
    if (await connectAccount(scope, user, proof.account, login)) {
      await sendNews(context, 'connected', mailContextOf(flow), user, {
        values: { name: connection.name },
      })
    } else {
      const owner = await findConnected(context.domain, tenant.id, proof.account)
      const text = owner ? 'socialTaken' : 'socialRefused'
      if (owner?.user.id !== user.id) return { text, values: { name: connection.name } }
    }
  }
  redirect(response, accountPaths.security)
  return undefined
}

/** Redirects the browser to a provider. @returns Like {@link finishConnecting}. */
export async function beginConnecting(
  flow: FlowRequest,
  visit: Visit,
  form: Form,
): Promise<Problem | undefined> {
  const connection = await offeredWith(flow, form.get('connection'))
  if (!connection) return problemOf('off', undefined)
  const place = { key: keyOf(visit), path: accountPaths.connect }
  const problem = await sendToProvider(flow, place, connection, undefined)
  return problem && problemOf(problem, connection)
}

function problemOf(problem: TripProblem, connection: Connection | undefined): Problem {
  return { text: tripTexts[problem], values: { name: connection?.name ?? '' } }
}

function keyOf({ session, user }: Visit): string {
  return `account:${session.uid}:${user.id}`
}
