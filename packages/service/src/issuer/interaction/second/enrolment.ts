import { renderSVG } from 'uqr'
import {
  mailCredential,
  newRecoveryCodes,
  readFactors,
  totpCredential,
} from '../../../domain/factors/factors.ts'
import { keyCredential } from '../../../domain/factors/keys.ts'
import { newSeed, stepOf, totpUri } from '../../../domain/factors/totp.ts'
import { type Added, addCredential } from '../../../domain/ways/account-changes.ts'
import type { FactorKind, Method } from '../../../domain/ways/assurance.ts'
import { keyMethod } from '../../../domain/ways/login-methods.ts'
import type { EndingLogin, Login } from '../../../domain/ways/valid-logins.ts'
import { entry } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { Pages, Problem } from '../../../pages/index.ts'
import type { Credential, User } from '../../../store/records.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { type FlowRequest, mailContextOf, scopeOf, show } from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { hasMailCode, mailCode } from '../mail/mail-code.ts'
import { sendNews } from '../mail/messages.ts'
import { judgeForm, showNewKey } from './new-key.ts'
import { tryOwnCode } from './own-code.ts'
import { exceptThisSession, findOwnLogin } from './own-session.ts'

/** The place where a user enrols a second factor: during a login, or on the account page. */
export interface Place {
  user: User
  /**
   * The id of the login or session. An enrolment that begins there cannot be finished elsewhere.
   */
  key: string
  csrf: string
  /** The path of the page. A parameter `kind` can be added to its query. */
  path: string
  /** The factors that can be added here, the best first. */
  kinds: readonly FactorKind[]
  /** Whether the user can continue without a factor, and for how long. */
  wayOut: Pages['enrolApp']['wayOut']
  /** The login in progress; `undefined` on the account page. */
  login: Login | undefined
}

/** A factor that was enrolled. */
export interface Enrolled {
  method: Method
  /** New recovery codes, shown once. They come with the first factor. */
  codes?: string[]
  /** The time at which all other sessions were revoked; see {@link Login.keptAt}. */
  keptAt?: number | undefined
}

/** A secret for an authenticator app, for which no code was entered yet. */
interface Begun {
  userId: string
  /** `undefined` if its master key no longer exists. */
  seed: string | undefined
}

const enrolments = entry<Begun>('Enrolment', lifetimes.interactionSeconds, {
  member: 'seed',
  as: 'sealedSeed',
  purpose: (tenantId, _, { userId }) => `enrolment:${tenantId}:${userId}`,
})

/** Shows the page that adds a factor. */
export async function showEnrolment(
  flow: FlowRequest,
  place: Place,
  status = 200,
  problem?: Problem<'code'>,
  keyName = '',
): Promise<void> {
  const { user, csrf, path, kinds, wayOut } = place
  const kind = chosen(flow, place)
  if (!kind) return redirect(flow.response, path)
  const others = kinds
    .filter((other) => other !== kind)
    .map((other) => ({ href: withKind(path, other), kind: other }))
  const form = { csrf, action: withKind(path, kind), others, wayOut, problem }
  if (kind === 'totp_email') {
    const isSent = await hasMailCode(flow, mailKey(place), user)
    return show(flow, status, 'enrolMail', { ...form, email: user.email, isSent })
  }
  if (kind === 'hardware') return showNewKey(flow, place, status, { ...form, name: keyName })
  const { companyName, domain } = flow.tenant.settings
  const seed = (await readSeed(flow, place)) ?? (await beginSeed(flow, place))
  const qr = renderSVG(totpUri(seed, companyName || domain, user.email), { border: 2 })
  const groups = seed.replace(/(.{4})(?=.)/g, '$1 ')
  return show(flow, status, 'enrolApp', { ...form, qr, seed: groups })
}

/**
 * Adds the chosen factor if the code or the key's response is right. Mails a code if the form asks
 * for one.
 *
 * @returns `undefined` if no factor was added. In this case, the request is answered.
 */
export async function submitEnrolment(
  flow: FlowRequest,
  place: Place,
  form: Form,
): Promise<Enrolled | undefined> {
  const kind = chosen(flow, place)
  const code = form.get('code') ?? ''
  if (kind === 'totp_email') return submitMail(flow, place, form.get('step') === 'send', code)
  if (kind === 'hardware') return submitKey(flow, place, form)
  const seed = kind && (await readSeed(flow, place))
  const step = seed && stepOf(seed, code, flow.context.domain.clock)
  if (!seed || !step) {
    await showEnrolment(flow, place, 422, { field: 'code', text: 'factorWrong' })
    return undefined
  }
  await enrolments.drop(flow, place.key)
  const scope = scopeOf(flow, place.user.id)
  return add(flow, place, kind, totpCredential(scope, place.user, { seed, step }))
}

async function submitKey(
  flow: FlowRequest,
  place: Place,
  form: Form,
): Promise<Enrolled | undefined> {
  const name = form.get('name') ?? ''
  const judged = await judgeForm(flow, place, form)
  if (judged.kind === 'refused') {
    const text = judged.reason === 'no_verification' ? 'keyNeedsPin' : 'keyRefused'
    await showEnrolment(flow, place, 422, { text }, name)
    return undefined
  }
  const { user } = place
  const { facts } = judged
  const credential = keyCredential(scopeOf(flow, user.id), user, facts, name)
  return add(flow, place, keyMethod(facts), credential)
}

async function submitMail(
  flow: FlowRequest,
  place: Place,
  isAsked: boolean,
  code: string,
): Promise<Enrolled | undefined> {
  const { context, facts } = flow
  const { user } = place
  if (isAsked) {
    const admission = await context.throttle.admitMailRequest(facts)
    if (admission.kind === 'refused') {
      showTooMany(flow, admission.retryAfterSeconds)
      return undefined
    }
    const isSent = await mailCode(flow, mailKey(place), { email: user.email, user })
    if (isSent) await showEnrolment(flow, place)
    else await showEnrolment(flow, place, 429, { text: 'factorNotSent' })
    return undefined
  }
  const outcome = await tryOwnCode(flow, mailKey(place), user, code)
  if (outcome === 'over') await showEnrolment(flow, place, 429, { text: 'codeOver' })
  if (outcome === 'refused') {
    await showEnrolment(flow, place, 422, { field: 'code', text: 'factorRefused' })
  }
  if (outcome !== 'right') return undefined
  return add(flow, place, 'totp_email', mailCredential(scopeOf(flow, user.id), user))
}

/**
 * Adds a factor. The user's first factor revokes all other sessions, and comes with recovery codes.
 */
async function add(
  flow: FlowRequest,
  { user, path, login }: Place,
  method: Method,
  credential: Credential,
): Promise<Enrolled | undefined> {
  const { context, tenant } = flow
  const scope = scopeOf(flow, user.id)
  const recovery = newRecoveryCodes(scope, user)
  const { enrolled } = await readFactors(context.domain, tenant.id, tenant.settings, user.id)
  const outcome: { added: Added; keptAt?: number } = { added: 'refused' }
  async function end(ending: EndingLogin): Promise<boolean> {
    const first = { ending, recovery: recovery.credential }
    outcome.added = await addCredential(scope, credential, { first })
    outcome.keptAt = ending.at / 1e6
    return outcome.added === 'added_first'
  }
  if (enrolled.length > 0) {
    const acting = login ?? (await findOwnLogin(flow, user))
    if (acting) outcome.added = await addCredential(scope, credential, { login: acting })
  } else await exceptThisSession(flow, user, end, login)
  const { added, keptAt } = outcome
  if (added === 'refused') {
    redirect(flow.response, path)
    return undefined
  }
  // Wrong codes of a removed factor must not count against the new factor.
  await context.throttle.resetFactor(flow.facts, user.id)
  await sendNews(context, 'factors', mailContextOf(flow), user, {
    factor: { kind: 'added', way: credential.kind },
  })
  return added === 'added_first' ? { method, codes: recovery.codes, keptAt } : { method }
}

function chosen({ url }: FlowRequest, { kinds }: Place): FactorKind | undefined {
  const wanted = url.searchParams.get('kind')
  return kinds.find((kind) => kind === wanted) ?? kinds[0]
}

function withKind(path: string, kind: FactorKind): string {
  return `${path}${path.includes('?') ? '&' : '?'}kind=${kind}`
}

async function readSeed(flow: FlowRequest, place: Place): Promise<string | undefined> {
  const begun = (await enrolments.read(flow, place.key))?.value
  return begun?.userId === place.user.id ? begun.seed : undefined
}

async function beginSeed(flow: FlowRequest, place: Place): Promise<string> {
  const seed = newSeed()
  await enrolments.put(flow, place.key, { userId: place.user.id, seed })
  return seed
}

/** The key of a code for an enrolment, which is not valid for a login. */
function mailKey({ key }: Place): string {
  return `enrol:${key}`
}
