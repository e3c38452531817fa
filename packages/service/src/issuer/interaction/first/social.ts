import { readFactors } from '../../../domain/factors/factors.ts'
import {
  findConnected,
  hasOtherAccount,
  noteSocialProof,
  signUpByAccount,
  socialCredential,
} from '../../../domain/factors/social.ts'
import { findUser } from '../../../domain/users/users.ts'
import { claimAccount } from '../../../domain/ways/account-changes.ts'
import { allowsKeys, allowsMailLogin } from '../../../domain/ways/login-methods.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { isFirstFactor } from '../../../domain/ways/ways-in.ts'
import { note } from '../../../domain/writes/audit.ts'
import { unlessRefused } from '../../../domain/writes/commit.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { Pages, TextKey } from '../../../pages/index.ts'
import type { Connection, User } from '../../../store/records.ts'
import { count } from '../../../telemetry/metrics.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { csrfToken, flowPath, loginPath } from '../flow/flow-path.ts'
import { type Interaction, type InteractionRequest, scopeOf, show } from '../flow/flow-request.ts'
import { offeredWith } from '../flow/offered.ts'
import {
  readProof,
  type SocialProof,
  sendToProvider,
  type TripProblem,
  tripProblemOf,
  useProof,
} from '../flow/social-trip.ts'
import { showLinkNeeded, showTooMany } from '../flow/too-many.ts'
import { endMailCode, findMailCode, judgeMailCode, mailCode } from '../mail/mail-code.ts'
import { completeStep, needsRecentLogin } from '../progress/login-progress.ts'
import { writeLink } from '../progress/social-link.ts'
import { showForm as showLoginForm } from './login.ts'

/** The message about a failed login at a provider. */
export const tripTexts = {
  unreachable: 'socialUnreachable',
  denied: 'socialDenied',
  failed: 'socialFailed',
  off: 'socialOff',
} as const satisfies Record<TripProblem, TextKey>

/**
 * Continues the login with the provider's response, or shows why the login at the provider failed.
 */
export async function showSocial(flow: InteractionRequest): Promise<void> {
  const { interaction, response, url } = flow
  const problem = tripProblemOf(flow)
  if (problem) {
    const connection = await offeredWith(flow, url.searchParams.get('connection') ?? undefined)
    const status = problem === 'unreachable' ? 503 : 422
    return showProblem(flow, status, tripTexts[problem], connection)
  }
  const proof = await readProof(flow, interaction.uid)
  if (!proof) return redirect(response, loginPath(interaction))
  // Another request of this browser has used the response, such as a page that was loaded again.
  if (proof.isUsed) return redirect(response, flowPath(interaction, '/factor'))
  const connection = await offeredWith(flow, proof.account.connectionId)
  if (!connection) return showProblem(flow, 422, 'socialOff')
  return advance(flow, proof, connection)
}

/**
 * Redirects the browser to a provider, mails a code to the address from the provider, or verifies
 * that code.
 */
export async function submitSocial(flow: InteractionRequest, form: Form): Promise<void> {
  const { interaction } = flow
  const id = form.get('connection')
  if (id !== undefined) return start(flow, await offeredWith(flow, id))
  const proof = await readProof(flow, interaction.uid)
  const connection = await offeredWith(flow, proof?.account.connectionId)
  if (!proof || proof.isUsed || !connection) return showSocial(flow)
  const wanted = await stepOf(flow, proof, connection)
  if (wanted.kind !== 'prove_address') return showSocial(flow)
  const code = form.get('step') === 'send' ? undefined : form.get('code')
  return code === undefined ? send(flow, proof, connection) : prove(flow, proof, connection, code)
}

async function start(
  flow: InteractionRequest,
  connection: Connection | undefined,
  maxAge: number | undefined = maxAgeOf(flow.interaction),
): Promise<void> {
  const { interaction } = flow
  if (!connection) return showProblem(flow, 422, 'socialOff')
  const place = { key: interaction.uid, path: flowPath(interaction, '/social') }
  const problem = await sendToProvider(flow, place, connection, maxAge)
  if (!problem) return
  count('logins', { outcome: problem, method: 'social' })
  await note(scopeOf(flow), `login.social_${problem}`, connection.id, 'failure')
  return showProblem(flow, 503, tripTexts[problem], connection)
}

/**
 * The maximum age of a login that the application's request allows, in seconds. 0 requires a new
 * login; `undefined` allows any age.
 */
function maxAgeOf({ params }: Interaction): number | undefined {
  const prompts = typeof params.prompt === 'string' ? params.prompt.split(' ') : []
  if (prompts.includes('login')) return 0
  return params.max_age === undefined ? undefined : Number(params.max_age)
}

/** The next step after the provider's response. It depends on the current state of the account. */
type Step =
  | { kind: 'log_in'; user: User; credential: Parameters<typeof noteSocialProof>[1] }
  | { kind: 'connect'; user: User; isTrusted: boolean }
  | { kind: 'prove_address'; user: User | undefined }
  | { kind: 'sign_up' }
  | { kind: 'refuse'; text: TextKey; userId?: string }

async function stepOf(
  flow: InteractionRequest,
  { account, emailVerified }: SocialProof,
  { trustEmail, allowSignup }: Connection,
): Promise<Step> {
  const { context, tenant } = flow
  const connected = await findConnected(context.domain, tenant.id, account)
  if (connected) return { kind: 'log_in', ...connected }
  if (account.email === '') return { kind: 'refuse', text: 'socialNoAddress' }
  const isTrusted = trustEmail && emailVerified
  const user = await findUser(scopeOf(flow), account.email)
  if (user?.disabled) return { kind: 'refuse', text: 'socialRefused', userId: user.id }
  if (!user) {
    const mayCreate = tenant.settings.allowSignups && allowSignup
    if (!mayCreate) return { kind: 'refuse', text: 'socialNoAccount' }
    if (isTrusted || tenant.settings.allowUnverified) return { kind: 'sign_up' }
    return { kind: 'prove_address', user }
  }
  if (await hasOtherAccount(context.domain, user, account)) {
    return { kind: 'refuse', text: 'socialOther', userId: user.id }
  }
  // Anyone can have signed up with the address, so access to its mailbox must be proven.
  if (user.verifiedAt === undefined) return { kind: 'prove_address', user }
  if (isTrusted || (await hasOtherWayIn(flow, user))) return { kind: 'connect', user, isTrusted }
  return { kind: 'prove_address', user }
}

/** Whether the user has another login method than the account to be connected. */
async function hasOtherWayIn(
  { context, tenant }: InteractionRequest,
  user: User,
): Promise<boolean> {
  const { settings } = tenant
  // A mailed link can always set a password.
  if (settings.allowPasswords || allowsMailLogin(settings)) return true
  const { allKeys, social } = await readFactors(context.domain, tenant.id, settings, user.id)
  // A disabled passkey counts, too, because a mailed code does not replace it. If the tenant does
  // not allow keys, no passkey counts.
  const hasPasskey = allowsKeys(settings) && allKeys.some(isFirstFactor)
  return hasPasskey || social.length > 0
}

async function advance(
  flow: InteractionRequest,
  proof: SocialProof,
  connection: Connection,
): Promise<void> {
  const { context, facts, interaction } = flow
  const { account, name, at } = proof
  const step = await stepOf(flow, proof, connection)
  // These steps rely on the provider alone. All other steps are followed by another login or a
  // mailed code.
  const isItsWord =
    step.kind === 'log_in' || step.kind === 'sign_up' || (step.kind === 'connect' && step.isTrusted)
  if (isItsWord && !proof.isFresh) {
    count('logins', { outcome: 'stale', method: 'social' })
    await note(scopeOf(flow), 'login.social_stale', connection.id, 'failure')
    return showProblem(flow, 422, 'socialStale', connection)
  }
  switch (step.kind) {
    case 'refuse':
      count('logins', { outcome: 'refused', method: 'social' })
      await note(scopeOf(flow, step.userId), 'login.social_refused', connection.id, 'failure')
      return showProblem(flow, 422, step.text, connection)
    case 'prove_address':
      return showAddress(flow, 200, proof, connection)
    case 'log_in': {
      const { user, credential } = step
      const scope = scopeOf(flow, user.id)
      const isGood =
        (await useProof(flow, interaction.uid)) &&
        isLoginValid(user, at) &&
        (await noteSocialProof(scope, credential))
      if (isGood) return complete(flow, user, proof, connection)
      count('logins', { outcome: 'credential_disabled', method: 'social' })
      await note(scope, 'login.credential_disabled', user.id, 'failure')
      return showProblem(flow, 422, 'socialRefused', connection)
    }
    case 'connect': {
      const { user, isTrusted } = step
      if (!(await useProof(flow, interaction.uid))) return showSocial(flow)
      await writeLink(flow, user, account, connection.name)
      if (isTrusted && isLoginValid(user, at)) {
        return complete(flow, user, proof, connection)
      }
      return showLoginForm(flow, 200, { email: user.email })
    }
    case 'sign_up': {
      const admission = await context.throttle.admitMailRequest(facts)
      if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)
      if (!(await useProof(flow, interaction.uid))) return showSocial(flow)
      const emailVerified = connection.trustEmail && proof.emailVerified
      const created = signUpByAccount(scopeOf(flow), account, { name, emailVerified })
      const user = await unlessRefused(created, 'already_exists', 'invalid_email')
      // The account is new, so its second step replaces none.
      if (user) return complete(flow, user, { ...proof, isRecent: true }, connection)
      return showProblem(flow, 422, 'socialNoAccount', connection)
    }
  }
}

/**
 * Continues the login after the provider's response. If the user must add a second step, but the
 * provider authenticated the user too long ago, the provider does so again first.
 */
async function complete(
  flow: InteractionRequest,
  user: User,
  { at, provenAt, isRecent }: SocialProof,
  connection: Connection,
): Promise<void> {
  if (!isRecent && (await needsRecentLogin(flow, user, connection.id))) {
    return start(flow, connection, lifetimes.recentLoginSeconds)
  }
  const login = { connectionId: connection.id, isOld: !isRecent, provenAt }
  return completeStep(flow, user, 'social', at, login)
}

/** Mails a code to the address from the provider. */
async function send(
  flow: InteractionRequest,
  proof: SocialProof,
  connection: Connection,
): Promise<void> {
  const { context, facts } = flow
  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)
  const isSent = await mailCode(flow, codeOf(flow, proof), recipientOf(proof), 'first')
  const news = isSent ? {} : ({ problem: { text: 'factorNotSent' } } as const)
  return showAddress(flow, isSent ? 200 : 429, proof, connection, news)
}

/**
 * Verifies the mailed code, and logs in the reader of the mailbox. The account with the address
 * becomes theirs, or is created.
 */
async function prove(
  flow: InteractionRequest,
  proof: SocialProof,
  connection: Connection,
  entered: string,
): Promise<void> {
  const { context, facts, interaction } = flow
  const code = codeOf(flow, proof)
  if ((await context.throttle.admitCode(facts, code)).kind === 'refused') {
    await endMailCode(flow, code)
    const link = { href: loginPath(interaction), text: 'backToLogin' } as const
    return show(flow, 429, 'message', { title: 'tooManyTitle', text: 'factorOver', link })
  }
  const outcome = await context.throttle.tryWithoutPassword(facts, async () => {
    const judged = await judgeMailCode(flow, code, { id: proof.id }, entered)
    return { kind: judged === 'right' ? 'verified' : 'refused' } as const
  })
  if (outcome.kind === 'throttled') return showTooMany(flow, outcome.retryAfterSeconds)
  if (outcome.kind === 'needs_link') return showLinkNeeded(flow, flowPath(interaction, '/reset'))
  if (outcome.kind === 'refused') {
    count('logins', { outcome: 'wrong_code', method: 'social' })
    await note(scopeOf(flow), 'login.wrong_code', connection.id, 'failure')
    const problem = { field: 'code', text: 'factorRefused' } as const
    return showAddress(flow, 422, proof, connection, { problem })
  }
  // The provider's response is used up together with the code.
  if (!(await useProof(flow, interaction.uid))) return showSocial(flow)
  const user = await takeAccount(flow, proof, connection)
  if (!user) return showProblem(flow, 422, 'socialRefused', connection)
  return completeStep(flow, user, 'social', context.domain.clock.now() / 1000, {
    connectionId: connection.id,
  })
}

/**
 * Claims the account with the proven address, and removes everything that others may have set
 * before. Without an account, creates one. `undefined` if neither is possible any more.
 */
async function takeAccount(
  flow: InteractionRequest,
  proof: SocialProof,
  connection: Connection,
): Promise<User | undefined> {
  const { account, name } = proof
  const step = await stepOf(flow, proof, connection)
  if (step.kind !== 'prove_address') return undefined
  const existing = step.user
  if (!existing) {
    const created = signUpByAccount(scopeOf(flow), account, { name, emailVerified: true })
    return unlessRefused(created, 'already_exists', 'invalid_email')
  }
  const scope = scopeOf(flow, existing.id)
  return (await claimAccount(scope, existing, socialCredential(scope, existing, account)))?.user
}

async function showAddress(
  flow: InteractionRequest,
  status: number,
  proof: SocialProof,
  { name }: Connection,
  news: Pick<Pages['socialAddress'], 'problem'> = {},
): Promise<void> {
  const { interaction } = flow
  const sent = await findMailCode(flow, codeOf(flow, proof))
  show(flow, status, 'socialAddress', {
    ...news,
    csrf: csrfToken(interaction.uid),
    name,
    email: proof.account.email,
    isSent: sent?.code !== undefined,
    action: flowPath(interaction, '/social'),
    startPath: `${flowPath(interaction)}&start=login`,
  })
}

function showProblem(
  flow: InteractionRequest,
  status: number,
  text: TextKey,
  connection?: Connection,
): Promise<void> {
  const values = { name: connection?.name ?? '' }
  return showLoginForm(flow, status, { email: '', socialProblem: { text, values } })
}

/** The key of a mailed code, which is valid for one response of a provider in one login. */
function codeOf({ interaction }: InteractionRequest, { id }: SocialProof): string {
  return `social:${interaction.uid}:${id}`
}

/** A recipient without an account. The message must not contain a name that a stranger chose. */
function recipientOf({ id, account: { email } }: SocialProof) {
  return { email, user: { id, email, profile: {}, verifiedAt: undefined } }
}
