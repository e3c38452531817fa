import { renderSVG } from 'uqr'
import { isLoginValid } from '../../domain/accounts.ts'
import type { FactorKind, Method } from '../../domain/assurance.ts'
import { unlessRefused } from '../../domain/commit.ts'
import { nowMicros } from '../../domain/context.ts'
import { deleteCredential } from '../../domain/credentials.ts'
import { enrolMail, enrolTotp, readFactors, renewRecoveryCodes } from '../../domain/factors.ts'
import { keyCredentialId } from '../../domain/ids.ts'
import { enrolKey } from '../../domain/keys.ts'
import { lifetimes } from '../../domain/lifetimes.ts'
import { keyMethod } from '../../domain/login-methods.ts'
import { newSeed, stepOf, totpUri } from '../../domain/totp.ts'
import { lookUpUser } from '../../domain/users.ts'
import { openIfKnown } from '../../domain/vault.ts'
import type { Problem } from '../../pages/index.ts'
import { entryName } from '../../store/protocol-store.ts'
import type { Micros, User } from '../../store/records.ts'
import { readSession } from '../oidc-provider-internals.ts'
import { type Form, redirect } from '../requests/http.ts'
import { type FlowRequest, occasionOf, scopeOf, show } from './flow-request.ts'
import { hasMailCode, judgeMailCode, mailCode } from './mail-code.ts'
import { sendNews } from './messages.ts'
import { judgeForm, showNewKey } from './new-key.ts'
import { showTooMany } from './too-many.ts'

/** Where a user enrols a second factor: during a login, or on the account page. */
export interface Place {
  user: User
  /** Names the login or the session: what is begun there cannot be finished elsewhere. */
  key: string
  csrf: string
  /** The address of the page, to which `kind` can be added. */
  path: string
  /** The factors that can be enrolled here, the best first. */
  kinds: readonly FactorKind[]
  /** Where to go instead, if anywhere; `step`: the form may be left without doing it. */
  canSkip: boolean
  /** Whether the user is logged in here, and must still be when the factor is added. */
  isLoggedIn: boolean
}

/** A factor that was enrolled. */
export interface Enrolled {
  /** The id of the credential. */
  id: string
  method: Method
  /** New recovery codes, to be shown once. */
  codes: string[] | undefined
  /** Sessions from before have ended; `undefined` when they go on. */
  endedBefore: Micros | undefined
}

const KIND = 'Enrolment'

/** A seed that no code was entered for yet. */
interface Begun {
  userId: string
  sealedSeed: string
}

/** Shows how a factor is added. */
export async function showEnrolment(
  flow: FlowRequest,
  place: Place,
  status = 200,
  problem?: Problem<'code'>,
  keyName = '',
): Promise<void> {
  const { user, csrf, path, kinds, canSkip } = place
  const kind = chosen(flow, place)
  if (!kind) return redirect(flow.response, path)
  const others = kinds
    .filter((other) => other !== kind)
    .map((other) => ({ href: withKind(path, other), kind: other }))
  const form = { csrf, action: withKind(path, kind), others, canSkip, problem }
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
 * Adds the factor when the right code was entered.
 *
 * @returns `undefined` when the request is answered.
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
  await flow.context.protocol.delete(nameOf(flow, place))
  return add(flow, place, { method: kind, id: kind }, (at) => {
    return enrolTotp(scopeOf(flow, place.user.id), place.user, { seed, step }, at)
  })
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
  const added = { method: keyMethod(facts), id: keyCredentialId(facts.keyId) }
  return add(flow, place, added, (at) => enrolKey(scopeOf(flow, user.id), user, facts, name, at))
}

async function submitMail(
  flow: FlowRequest,
  place: Place,
  isAsked: boolean,
  code: string,
): Promise<Enrolled | undefined> {
  const { context, facts } = flow
  const { user, key } = place
  const admission = isAsked
    ? await context.throttle.admitMailRequest(facts)
    : await context.throttle.admitFactor(facts, user.id, key)
  if (admission.kind !== 'admitted') {
    showTooMany(flow, 'retryAfterSeconds' in admission ? admission.retryAfterSeconds : 3_600)
    return undefined
  }
  if (isAsked) {
    const isSent = await mailCode(flow, mailKey(place), { email: user.email, user })
    if (isSent) await showEnrolment(flow, place)
    else await showEnrolment(flow, place, 429, { text: 'factorNotSent' })
    return undefined
  }
  const outcome = await judgeMailCode(flow, mailKey(place), user.id, code)
  if (outcome !== 'right') {
    await showEnrolment(flow, place, 422, { field: 'code', text: 'factorRefused' })
    return undefined
  }
  const added = { method: 'totp_email', id: 'totp_email' } as const
  return add(flow, place, added, (at) => enrolMail(scopeOf(flow, user.id), user, at))
}

/** The first factor ends all other sessions, and comes with recovery codes. */
async function add(
  flow: FlowRequest,
  { user, path, isLoggedIn }: Place,
  { method, id }: { method: Method; id: string },
  enrol: (at: Micros | undefined) => Promise<boolean>,
): Promise<Enrolled | undefined> {
  const { context, tenant } = flow
  const { enrolled } = await readFactors(context.domain, tenant.id, tenant.settings, user.id)
  const isFirst = enrolled.length === 0
  const endedBefore = isFirst ? nowMicros(context.domain.clock) : undefined
  const isKept = await keepSession(flow, user, endedBefore)
  if (isLoggedIn && !isKept) {
    redirect(flow.response, path)
    return undefined
  }
  // Before the factor: a failure in between leaves codes that no one has seen.
  const codes = isFirst ? await renewRecoveryCodes(scopeOf(flow, user.id), user) : undefined
  if (!(await enrol(endedBefore))) {
    redirect(flow.response, path)
    return undefined
  }
  if (isLoggedIn && !(await keepOnlyIfLoggedIn(flow, user, id))) {
    redirect(flow.response, path)
    return undefined
  }
  // Wrong codes of a factor that is gone do not count against the new one.
  await context.throttle.forgiveFactor(flow.facts, user.id)
  await sendNews(context, 'factors', occasionOf(flow), user)
  return { id, method, codes, endedBefore }
}

/**
 * Lets the session of this browser go on when those from before `at` end; `undefined`: none of them do.
 *
 * @returns Whether it goes on: not when it is another user's, or has ended meanwhile.
 */
export async function keepSession(
  flow: FlowRequest,
  user: User,
  at: Micros | undefined,
): Promise<boolean> {
  const { context, tenant, provider, request, response } = flow
  const session = await readSession(provider, request, response)
  const current = await lookUpUser(context.domain, tenant.id, user.id)
  if (
    session.accountId !== user.id ||
    !current ||
    !isLoginValid(current, session.loginTs, session.keptAt)
  ) {
    return false
  }
  if (at !== undefined) {
    session.keptAt = at / 1e6
    await session.persist()
  }
  return true
}

/**
 * Removes a way to log in that was just added, if the session that has added it ended meanwhile: its owner may
 * have taken the account back.
 *
 * @returns Whether it stays.
 */
export async function keepOnlyIfLoggedIn(
  flow: FlowRequest,
  user: User,
  id: string,
): Promise<boolean> {
  if (await keepSession(flow, user, undefined)) return true
  await unlessRefused(deleteCredential(scopeOf(flow, user.id), user.id, id), 'not_found')
  return false
}

function chosen({ url }: FlowRequest, { kinds }: Place): FactorKind | undefined {
  const wanted = url.searchParams.get('kind')
  return kinds.find((kind) => kind === wanted) ?? kinds[0]
}

function withKind(path: string, kind: FactorKind): string {
  return `${path}${path.includes('?') ? '&' : '?'}kind=${kind}`
}

async function readSeed(flow: FlowRequest, place: Place): Promise<string | undefined> {
  const { protocol, domain } = flow.context
  const entry = await protocol.find(nameOf(flow, place))
  const begun = entry && (JSON.parse(entry.payload) as Begun)
  if (begun?.userId !== place.user.id) return undefined
  return openIfKnown(domain.vault, purposeOf(place), begun.sealedSeed)
}

async function beginSeed(flow: FlowRequest, place: Place): Promise<string> {
  const { protocol, domain } = flow.context
  const seed = newSeed()
  const begun = { userId: place.user.id, sealedSeed: domain.vault.seal(purposeOf(place), seed) }
  await protocol.put({
    ...nameOf(flow, place),
    payload: JSON.stringify(begun satisfies Begun),
    expiresAt: nowMicros(domain.clock) + lifetimes.interactionSeconds * 1e6,
  })
  return seed
}

function purposeOf({ user }: Place): string {
  return `enrolment:${user.tenantId}:${user.id}`
}

function nameOf({ tenant }: FlowRequest, { key }: Place) {
  return entryName(tenant.id, KIND, key)
}

/** A code that proves the mailbox for an enrolment is none for a login. */
function mailKey({ key }: Place): string {
  return `enrol:${key}`
}
