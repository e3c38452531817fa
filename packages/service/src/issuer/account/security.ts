import { isLoginValid } from '../../domain/accounts.ts'
import { acrOf, isAtLeast, levelOf, levelOfAcr } from '../../domain/assurance.ts'
import { unlessRefused } from '../../domain/commit.ts'
import { nowMicros } from '../../domain/context.ts'
import { deleteCredential } from '../../domain/credentials.ts'
import {
  addableFactors,
  type Factors,
  readFactors,
  renewRecoveryCodes,
} from '../../domain/factors.ts'
import { renameKey } from '../../domain/keys.ts'
import { allowsMailLogin, firstMethod } from '../../domain/login-methods.ts'
import { lookUpUser } from '../../domain/users.ts'
import type { TextKey } from '../../pages/index.ts'
import type { TenantSettings, User } from '../../store/records.ts'
import {
  keepSession,
  type Place,
  showEnrolment,
  submitEnrolment,
} from '../interaction/enrolment.ts'
import { csrfToken, isCsrfToken } from '../interaction/flow-path.ts'
import { type FlowRequest, occasionOf, scopeOf, show } from '../interaction/flow-request.ts'
import { sendNews } from '../interaction/messages.ts'
import { readSession, type Session } from '../oidc-provider-internals.ts'
import { type Form, readForm, redirect } from '../requests/http.ts'
import { SECURITY_PATH } from '../requests/paths.ts'
import { accountLogin, MAX_AGE_SECONDS, RETURN_PATH } from './client.ts'
import { shownKeys } from './keys.ts'

const ADD_PATH = `${SECURITY_PATH}/add`

/** A user whose login is recent, and as strong as the user's own factors allow. */
interface Visit {
  user: User
  session: Session
  factors: Factors
}

/** Answers a request below `/account`; `false` for what is not there. */
export async function handleAccount(flow: FlowRequest): Promise<boolean> {
  const { pathname, searchParams } = flow.url
  if (pathname === RETURN_PATH) {
    // The code is dropped: what the login was for is in the session.
    const ended = searchParams.has('error') ? 'refused' : 'back'
    redirect(flow.response, `${SECURITY_PATH}?login=${ended}`)
    return true
  }
  if (pathname !== SECURITY_PATH && pathname !== ADD_PATH) return false
  const visit = await enter(flow)
  if (!visit) return true
  if (flow.request.method !== 'POST') {
    await (pathname === SECURITY_PATH ? showSecurity(flow, visit) : showAdd(flow, visit))
    return true
  }
  const form = await readForm(flow.request)
  if (!isCsrfToken(visit.session.uid, form.get('csrf'))) {
    show(flow, 403, 'message', { title: 'errorTitle', text: 'errorForm' })
  } else await (pathname === SECURITY_PATH ? change(flow, visit, form) : add(flow, visit, form))
  return true
}

/** Lets a user in; everybody else is sent to log in, and `undefined` is the result. */
async function enter(flow: FlowRequest): Promise<Visit | undefined> {
  const { context, provider, tenant, facts, request, response, url } = flow
  const session = await readSession(provider, request, response)
  const { accountId, loginTs = 0, acr } = session
  const user = accountId && (await lookUpUser(context.domain, tenant.id, accountId))
  let wanted: string | undefined
  if (user && isLoginValid(user, loginTs)) {
    const factors = await readFactors(context.domain, tenant.id, tenant.settings, user.id)
    // A recovery code is to be enough for a user who has lost a key.
    const strongest = levelOf([firstMethod(tenant.settings), ...factors.methods])
    const own = isAtLeast(strongest, 'mfa') ? 'mfa' : strongest
    wanted = own === 'single' ? undefined : acrOf[own]
    const age = context.domain.clock.now() / 1000 - loginTs
    const isStrong = isAtLeast(levelOfAcr(acr ?? '') ?? 'single', own)
    if (age <= MAX_AGE_SECONDS && isStrong) return { user, session, factors }
  }
  // The login did not bring what was asked for: to ask again would go on for ever.
  if (url.searchParams.has('login')) {
    const wayOn = { href: SECURITY_PATH, text: 'tooManyBack' } as const
    show(flow, 403, 'message', { title: 'errorTitle', text: 'securityRefused', wayOn })
  } else redirect(response, accountLogin(facts.issuer, wanted))
  return undefined
}

async function showSecurity(
  flow: FlowRequest,
  { user, session, factors }: Visit,
  status = 200,
  problem?: TextKey,
): Promise<void> {
  const { enrolled, recoveryCodes } = factors
  const { settings } = flow.tenant
  show(flow, status, 'security', {
    csrf: csrfToken(session.uid),
    email: user.email,
    problem,
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
async function change(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const { context, response } = flow
  const { user, session, factors } = visit
  const scope = scopeOf(flow, user.id)
  if (form.get('step') === 'renew' && factors.usable.length > 0) {
    const codes = await renewRecoveryCodes(scope, user)
    await sendNews(context, 'factors', occasionOf(flow), user)
    return showCodes(flow, session, codes)
  }
  const renamed = factors.allKeys.find(({ id }) => id === form.get('rename'))
  if (renamed) {
    await renameKey(scope, user.id, renamed.id, form.get('name') ?? '')
    return redirect(response, SECURITY_PATH)
  }
  const ids = [
    ...factors.enrolled.filter((kind) => kind !== 'hardware'),
    ...factors.allKeys.map(({ id }) => id),
  ]
  const id = ids.find((known) => known === form.get('remove'))
  if (id === undefined) return redirect(response, SECURITY_PATH)
  if (isOnlyWayIn(flow.tenant.settings, factors, id)) {
    return showSecurity(flow, visit, 422, 'securityOnlyWay')
  }
  const at = nowMicros(context.domain.clock)
  await keepSession(flow, user, at)
  await unlessRefused(deleteCredential(scope, user.id, id, at), 'not_found')
  if (ids.length === 1)
    await unlessRefused(deleteCredential(scope, user.id, 'recovery_codes', at), 'not_found')
  await sendNews(context, 'factors', occasionOf(flow), user)
  redirect(response, SECURITY_PATH)
}

/** Without passwords and codes by mail, a user whose last key is gone cannot come back. */
function isOnlyWayIn(settings: TenantSettings, { keys }: Factors, id: string): boolean {
  return (
    !settings.allowPasswords &&
    !allowsMailLogin(settings) &&
    keys.length === 1 &&
    keys[0]?.id === id
  )
}

async function showAdd(flow: FlowRequest, visit: Visit): Promise<void> {
  const place = placeOf(flow, visit)
  if (place.kinds.length === 0) return redirect(flow.response, SECURITY_PATH)
  await showEnrolment(flow, place)
}

async function add(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const place = placeOf(flow, visit)
  if (place.kinds.length === 0) return redirect(flow.response, SECURITY_PATH)
  const enrolled = await submitEnrolment(flow, place, form)
  if (!enrolled) return
  if (enrolled.codes) return showCodes(flow, visit.session, enrolled.codes)
  redirect(flow.response, SECURITY_PATH)
}

function showCodes(flow: FlowRequest, session: Session, codes: string[]): void {
  show(flow, 200, 'recoveryCodes', { csrf: csrfToken(session.uid), codes, action: SECURITY_PATH })
}

function placeOf({ tenant }: FlowRequest, { user, session, factors }: Visit): Place {
  return {
    user,
    key: session.uid,
    csrf: csrfToken(session.uid),
    path: ADD_PATH,
    kinds: addableFactors(tenant.settings, factors),
    canSkip: false,
  }
}
