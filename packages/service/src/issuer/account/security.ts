import { unlessRefused } from '../../domain/commit.ts'
import { nowMicros } from '../../domain/context.ts'
import { deleteCredential } from '../../domain/credentials.ts'
import { addableFactors, type Factors, renewRecoveryCodes } from '../../domain/factors.ts'
import { renameKey } from '../../domain/keys.ts'
import { allowsMailLogin } from '../../domain/login-methods.ts'
import type { Pages } from '../../pages/index.ts'
import {
  keepSession,
  type Place,
  showEnrolment,
  submitEnrolment,
} from '../interaction/enrolment.ts'
import { type FlowRequest, occasionOf, scopeOf, show } from '../interaction/flow-request.ts'
import { sendNews } from '../interaction/messages.ts'
import { offered } from '../interaction/offered.ts'
import { type Form, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import { beginConnecting, finishConnecting, shownAccounts } from './connect.ts'
import type { Visit } from './entry.ts'
import { shownKeys } from './keys.ts'

/** Where a way to log in is added. */
export const ADD_PATH = `${accountPaths.security}/add`

/** Shows the user's ways to log in. */
export async function showSecurity(
  flow: FlowRequest,
  visit: Visit,
  status = 200,
  problem?: Pages['security']['problem'],
  socialProblem?: Pages['security']['socialProblem'],
): Promise<void> {
  const { user, csrf, factors } = visit
  const { enrolled, recoveryCodes } = factors
  const { settings } = flow.tenant
  show(flow, status, 'security', {
    csrf,
    email: user.email,
    problem,
    socialProblem,
    ...(await shownAccounts(flow, visit)),
    ...shownKeys(flow, user, factors),
    enrolled: enrolled.filter((kind) => kind !== 'hardware'),
    addable: addableFactors(settings, factors).map((kind) => ({
      kind,
      href: `${ADD_PATH}?kind=${kind}`,
    })),
    recoveryCodes: String(recoveryCodes),
    hasRecovery: factors.usable.length > 0,
    isScarce: recoveryCodes <= 3,
  })
}

/** Removes a factor, gives a key another name, or makes new recovery codes. */
export async function change(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const { context, response } = flow
  const { user, factors } = visit
  const scope = scopeOf(flow, user.id)
  if (form.get('step') === 'renew' && factors.usable.length > 0) {
    const codes = await renewRecoveryCodes(scope, user)
    await sendNews(context, 'factors', occasionOf(flow), user)
    return showCodes(flow, visit, codes)
  }
  const renamed = factors.allKeys.find(({ id }) => id === form.get('rename'))
  if (renamed) {
    await renameKey(scope, user.id, renamed.id, form.get('name') ?? '')
    return redirect(response, accountPaths.security)
  }
  const ids = [
    ...factors.enrolled.filter((kind) => kind !== 'hardware'),
    ...factors.allKeys.map(({ id }) => id),
  ]
  const accounts = factors.social.map(({ id }) => id)
  const id = [...ids, ...accounts].find((known) => known === form.get('remove'))
  if (id === undefined) return redirect(response, accountPaths.security)
  if (await isOnlyWayIn(flow, factors, id)) {
    return showSecurity(flow, visit, 422, { text: 'securityOnlyWay' })
  }
  const at = nowMicros(context.domain.clock)
  if (!(await keepSession(flow, user, at))) return redirect(response, accountPaths.security)
  await unlessRefused(deleteCredential(scope, user.id, id, at), 'not_found')
  if (ids.length === 1 && ids[0] === id)
    await unlessRefused(deleteCredential(scope, user.id, 'recovery_codes', at), 'not_found')
  await sendNews(context, 'factors', occasionOf(flow), user)
  redirect(response, accountPaths.security)
}

/** Whether the user cannot come back once this way to log in is gone. */
async function isOnlyWayIn(flow: FlowRequest, factors: Factors, id: string): Promise<boolean> {
  const { settings } = flow.tenant
  const connections = new Set((await offered(flow)).map((connection) => connection.id))
  const social = factors.social.filter((one) => !one.disabled && connections.has(one.connectionId))
  const ways = [
    ...(settings.allowPasswords && factors.hasPassword ? ['password'] : []),
    ...(allowsMailLogin(settings) ? ['mail'] : []),
    ...factors.keys.filter(({ discoverable }) => discoverable).map((key) => key.id),
    ...social.map((account) => account.id),
  ]
  return ways.length === 1 && ways[0] === id
}

/** Connects an account at a provider, which has just named it. */
export async function showConnect(flow: FlowRequest, visit: Visit): Promise<void> {
  const problem = await finishConnecting(flow, visit)
  if (problem) return showSecurity(flow, visit, 422, undefined, problem)
}

/** Leads to a provider, whose account of the user is to be connected. */
export async function connect(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const problem = await beginConnecting(flow, visit, form)
  if (problem) return showSecurity(flow, visit, 422, undefined, problem)
}

/** Shows how a way to log in is added. */
export async function showAdd(flow: FlowRequest, visit: Visit): Promise<void> {
  const place = placeOf(flow, visit)
  if (place.kinds.length === 0) return redirect(flow.response, accountPaths.security)
  await showEnrolment(flow, place)
}

/** Adds a way to log in. */
export async function add(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const place = placeOf(flow, visit)
  if (place.kinds.length === 0) return redirect(flow.response, accountPaths.security)
  const enrolled = await submitEnrolment(flow, place, form)
  if (!enrolled) return
  if (enrolled.codes) return showCodes(flow, visit, enrolled.codes)
  redirect(flow.response, accountPaths.security)
}

function showCodes(flow: FlowRequest, { csrf }: Visit, codes: string[]): void {
  show(flow, 200, 'recoveryCodes', { csrf, codes, action: accountPaths.security })
}

function placeOf({ tenant }: FlowRequest, { user, session, factors, csrf }: Visit): Place {
  return {
    user,
    key: session.uid,
    csrf,
    path: ADD_PATH,
    kinds: addableFactors(tenant.settings, factors),
    canSkip: false,
    isLoggedIn: true,
  }
}
