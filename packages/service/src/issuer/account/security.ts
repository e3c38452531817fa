import { addableFactors, renewRecoveryCodes } from '../../domain/factors/factors.ts'
import { renameKey } from '../../domain/factors/keys.ts'
import { isOnlyWay, removeOwnCredential } from '../../domain/ways/account-changes.ts'
import type { Pages } from '../../pages/index.ts'
import { type FlowRequest, mailContextOf, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { offered } from '../interaction/flow/offered.ts'
import { sendNews } from '../interaction/mail/messages.ts'
import { type Place, showEnrolment, submitEnrolment } from '../interaction/second/enrolment.ts'
import { exceptThisSession, loginOf } from '../interaction/second/own-session.ts'
import { type Form, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import { beginConnecting, finishConnecting, shownAccounts } from './connect.ts'
import type { Visit } from './entry.ts'
import { shownKeys } from './keys.ts'

/** The path of the page on which a login method is added. */
export const ADD_PATH = `${accountPaths.security}/add`

/** Shows the user's login methods. */
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

/** Removes a login method, renames a key, or creates new recovery codes. */
export async function change(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const { context, response } = flow
  const { user, factors } = visit
  const scope = scopeOf(flow, user.id)
  if (form.get('step') === 'renew' && factors.usable.length > 0) {
    const codes = await renewRecoveryCodes(scope, user, factors.recoveryRev, loginOf(visit.session))
    if (!codes) return redirect(response, accountPaths.security)
    await sendNews(context, 'factors', mailContextOf(flow), user, { factor: { kind: 'renewed' } })
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
  const tenant = { settings: flow.tenant.settings, offered: await offered(flow) }
  if (isOnlyWay(tenant, factors.credentials, id)) return showOnlyWay(flow, visit)
  let isOnly = false
  const isRemoved = await exceptThisSession(flow, user, async (ending) => {
    const outcome = await removeOwnCredential(scope, tenant, { userId: user.id, id }, ending)
    isOnly = outcome === 'only_way'
    return outcome === 'removed'
  })
  if (isOnly) return showOnlyWay(flow, visit)
  if (!isRemoved) return redirect(response, accountPaths.security)
  const way = factors.credentials.find((one) => one.id === id)?.kind ?? 'social'
  await sendNews(context, 'factors', mailContextOf(flow), user, {
    factor: { kind: 'removed', way },
  })
  redirect(response, accountPaths.security)
}

function showOnlyWay(flow: FlowRequest, visit: Visit): Promise<void> {
  return showSecurity(flow, visit, 422, { text: 'securityOnlyWay' })
}

/** Connects an account that a provider has just confirmed, or shows the problem. */
export async function showConnect(flow: FlowRequest, visit: Visit): Promise<void> {
  const problem = await finishConnecting(flow, visit)
  if (problem) return showSecurity(flow, visit, 422, undefined, problem)
}

/** Redirects to a provider, to connect an account there. */
export async function connect(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const problem = await beginConnecting(flow, visit, form)
  if (problem) return showSecurity(flow, visit, 422, undefined, problem)
}

/** Shows the page on which a login method is added. */
export async function showAdd(flow: FlowRequest, visit: Visit): Promise<void> {
  const place = placeOf(flow, visit)
  if (place.kinds.length === 0) return redirect(flow.response, accountPaths.security)
  await showEnrolment(flow, place)
}

/** Adds a login method. */
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
    wayOut: { kind: 'security' },
    login: undefined,
  }
}
