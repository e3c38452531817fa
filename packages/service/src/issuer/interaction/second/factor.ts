import { noteMailProof, proveRecoveryCode, proveTotp } from '../../../domain/factors/factors.ts'
import { noteKeyProof } from '../../../domain/factors/keys.ts'
import { judgeKey, keyIdOf } from '../../../domain/factors/webauthn.ts'
import { isAtLeast, levelOf, type Method } from '../../../domain/ways/assurance.ts'
import { keyMethod } from '../../../domain/ways/login-methods.ts'
import { note } from '../../../domain/writes/audit.ts'
import { keyScript, type Pages, type Problem } from '../../../pages/index.ts'
import type { SecondStepKind } from '../../../resources/credentials.ts'
import { count } from '../../../telemetry/metrics.ts'
import { durationIn } from '../../requests/branding.ts'
import type { Form } from '../../requests/http.ts'
import { accountPaths } from '../../requests/paths.ts'
import { csrfToken, flowPath, otherPath } from '../flow/flow-path.ts'
import {
  type InteractionRequest,
  languageOf,
  mailContextOf,
  scopeOf,
  show,
} from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { hasMailCode, judgeMailCode, mailCode } from '../mail/mail-code.ts'
import { sendNews } from '../mail/messages.ts'
import {
  completeFurtherStep,
  endProgress,
  readStep,
  type Step,
  usefulFactors,
} from '../progress/login-progress.ts'
import { type KeyQuestion, requestOptions, takeCeremony } from './key-ceremony.ts'

/** The message about a wrong code, by the kind of factor. */
const problems = {
  hardware: { text: 'keyRefused' },
  totp_app: { field: 'code', text: 'factorWrong' },
  totp_email: { field: 'code', text: 'factorRefused' },
  recovery_codes: { field: 'code', text: 'factorRefused' },
} as const satisfies Record<SecondStepKind, Problem<'code'>>

/**
 * The number of wrong codes in a row after which the user is notified that another person may know
 * the password.
 */
const SUSPICIOUS = 3

/** Asks for the second factor in the query; by default, for the best factor. */
export async function showFactor(flow: InteractionRequest): Promise<void> {
  const step = await readStep(flow)
  if (!step) return
  const kinds = await kindsOf(flow, step)
  const wanted = flow.url.searchParams.get('kind')
  const kind = kinds.find((known) => known === wanted) ?? kinds[0]
  // The factor may have been removed in the meantime.
  if (!kind) return completeFurtherStep(flow, step, {})
  await showForm(flow, 200, step, kind, kinds)
}

/** Verifies the entered code or the key's response, or mails a code. */
export async function submitFactor(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts, interaction } = flow
  const step = await readStep(flow)
  if (!step) return
  const kinds = await kindsOf(flow, step)
  const kind = kinds.find((known) => known === form.get('kind'))
  if (!kind) return showFactor(flow)
  if (form.get('step') === 'send') return send(flow, step, kind, kinds)

  const code = form.get(kind === 'hardware' ? 'credential' : 'code') ?? ''
  const problem = problems[kind]
  const trust = flow.tenant.settings.rememberDevice && form.get('trust') === 'yes'
  if (code.trim() === '') return showForm(flow, 422, step, kind, kinds, { problem, trust })
  const { progress, user } = step
  const admission = await context.throttle.admitFactor(facts, user.id, progress.id)
  if (admission.kind !== 'admitted') {
    count('secondSteps', { outcome: admission.kind, method: kind })
  }
  switch (admission.kind) {
    case 'login_over':
      await endProgress(flow)
      return showMessage(flow, 'factorOver')
    case 'paused':
      return showMessage(flow, 'factorPaused')
    case 'refused':
      return showTooMany(flow, admission.retryAfterSeconds)
    case 'admitted':
  }

  const outcome = await judge(flow, step, kind, code)
  if (outcome !== 'wrong' && outcome !== 'expired') {
    count('secondSteps', { outcome: 'succeeded', method: kind })
    await context.throttle.resetFactor(facts, user.id)
    if (kind === 'recovery_codes') {
      await sendNews(context, 'factors', mailContextOf(flow), user, { factor: { kind: 'used' } })
    }
    return completeFurtherStep(flow, step, { method: outcome, trust })
  }
  count('secondSteps', { outcome, method: kind })
  await note(scopeOf(flow), 'login.wrong_code', user.id, 'failure')
  if ((await context.throttle.failedFactors(facts, user.id)) === SUSPICIOUS) {
    await sendNews(context, 'guessed', mailContextOf(flow), user)
  }
  if (outcome === 'expired') {
    await mailCode(flow, interaction.uid, { email: user.email, user })
    const expired = { field: 'code', text: 'factorExpired' } as const
    return showForm(flow, 422, step, kind, kinds, { problem: expired, trust })
  }
  return showForm(flow, 422, step, kind, kinds, { problem, trust })
}

/**
 * The method that the entered code proves; `wrong` if it proves none; `expired` if it was mailed
 * and is no longer valid.
 */
async function judge(
  flow: InteractionRequest,
  step: Step,
  kind: SecondStepKind,
  code: string,
): Promise<Method | 'wrong' | 'expired'> {
  const { user } = step
  const scope = scopeOf(flow, user.id)
  switch (kind) {
    case 'hardware':
      return (await proveKey(flow, step, code)) ?? 'wrong'
    case 'totp_app':
      return (await proveTotp(scope, user.id, code)) ? kind : 'wrong'
    case 'recovery_codes':
      return (await proveRecoveryCode(scope, user.id, code)) ? kind : 'wrong'
    case 'totp_email': {
      const outcome = await judgeMailCode(flow, flow.interaction.uid, user, code)
      if (outcome !== 'right') return outcome
      return (await noteMailProof(scope, user.id)) ? kind : 'wrong'
    }
  }
}

/**
 * The method that a key's response proves in a second step; `undefined` if the response is refused.
 */
async function proveKey(
  flow: InteractionRequest,
  step: Step,
  text: string,
): Promise<Method | undefined> {
  const ceremony = await takeCeremony(flow, questionOf(flow, step), false)
  const { keys } = await usefulFactors(flow, step)
  const keyId = keyIdOf(text)
  const key = keys.find((known) => known.keyId === keyId)
  const judged = ceremony && key && (await judgeKey(ceremony, text, key, false))
  if (!key || judged?.kind !== 'accepted') return undefined
  const isNoted = await noteKeyProof(scopeOf(flow, step.user.id), key, judged.use)
  return isNoted ? keyMethod(key) : undefined
}

function questionOf({ interaction }: InteractionRequest, { user }: Step): KeyQuestion {
  return { purpose: 'factor', place: interaction.uid, user }
}

/** Mails a code, and shows the form in which to enter it. */
async function send(
  flow: InteractionRequest,
  step: Step,
  kind: SecondStepKind,
  kinds: readonly SecondStepKind[],
): Promise<void> {
  const { context, facts, interaction } = flow
  if (kind !== 'totp_email') return showFactor(flow)
  const admission = await context.throttle.admitMailRequest(facts)
  if (admission.kind === 'refused') return showTooMany(flow, admission.retryAfterSeconds)
  const { user } = step
  const isSent = await mailCode(flow, interaction.uid, { email: user.email, user })
  const news = isSent
    ? ({ notice: 'factorSent' } as const)
    : ({ problem: { text: 'factorNotSent' } } as const)
  return showForm(flow, isSent ? 200 : 429, step, kind, kinds, news)
}

async function kindsOf(flow: InteractionRequest, step: Step): Promise<SecondStepKind[]> {
  const { kinds, recoveryCodes } = await usefulFactors(flow, step)
  return recoveryCodes > 0 ? [...kinds, 'recovery_codes'] : kinds
}

async function showForm(
  flow: InteractionRequest,
  status: number,
  step: Step,
  kind: SecondStepKind,
  kinds: readonly SecondStepKind[],
  news: Pick<Pages['factor'], 'problem' | 'notice' | 'trust'> = {},
): Promise<void> {
  const { interaction, tenant } = flow
  const { rememberDevice, rememberDeviceSeconds } = tenant.settings
  const path = flowPath(interaction, '/factor')
  const { user } = step
  const isKey = kind === 'hardware'
  const keys = isKey ? (await usefulFactors(flow, step)).keys : []
  show(flow, status, 'factor', {
    ...news,
    // If two factors are proven, only the application still asks for a key, and the user may remove
    // a lost key.
    lostKeyPath:
      isKey && isAtLeast(levelOf(step.progress.proofs), 'mfa') ? accountPaths.security : undefined,
    keyOptions: isKey ? await requestOptions(flow, questionOf(flow, step), keys) : undefined,
    script: isKey ? keyScript.path : undefined,
    csrf: csrfToken(interaction.uid),
    kind,
    email: user.email,
    isSent: kind !== 'totp_email' || (await hasMailCode(flow, interaction.uid, user)),
    isNumeric: kind !== 'recovery_codes',
    action: path,
    others: kinds
      .filter((other) => other !== kind)
      .map((other) => ({ href: `${path}&kind=${other}`, kind: other })),
    trustFor:
      rememberDevice && rememberDeviceSeconds > 0
        ? durationIn(languageOf(flow), rememberDeviceSeconds)
        : undefined,
    otherPath: otherPath(interaction),
  })
}

function showMessage(flow: InteractionRequest, text: 'factorOver' | 'factorPaused'): void {
  const href = `${flowPath(flow.interaction)}&start=login`
  const link = { href, text: 'backToLogin' } as const
  show(flow, 429, 'message', { title: 'tooManyTitle', text, link })
}
