import { findKey, noteKeyProof } from '../../../domain/factors/keys.ts'
import { claimOf, judgeKey, type KeyRefusal } from '../../../domain/factors/webauthn.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import type { Method } from '../../../domain/ways/assurance.ts'
import { allowsKeys, rpIdOf } from '../../../domain/ways/login-methods.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { isFirstFactor } from '../../../domain/ways/ways-in.ts'
import { note } from '../../../domain/writes/audit.ts'
import { idPattern } from '../../../domain/writes/ids.ts'
import type { HardwareCredential, User } from '../../../store/records.ts'
import { countRefused } from '../../../telemetry/logins.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { showNotFound } from '../flow/dead-end.ts'
import { flowPath, loginPath } from '../flow/flow-path.ts'
import { type InteractionRequest, scopeOf } from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { completeStep } from '../progress/login-progress.ts'
import { takeCeremony } from '../second/key-ceremony.ts'
import { showForm } from './login.ts'
import { questionOf } from './passkey-options.ts'

/** The result of a login with a passkey. */
type Outcome =
  | { kind: 'verified'; user: User; method: 'passkey' | 'passkey_bound'; loggedInAt: number }
  | {
      kind: 'refused'
      reason: KeyRefusal | 'unknown_key' | 'second_step' | 'user_disabled' | 'credential_disabled'
      userId: string | undefined
    }

/** Redirects to the login form, which asks for the passkey. */
export async function showPasskey({ interaction, response }: InteractionRequest): Promise<void> {
  redirect(response, loginPath(interaction))
}

/** Logs in the owner of a passkey, or shows the login form with the problem. */
export async function logInWithPasskey(flow: InteractionRequest, form: Form): Promise<void> {
  const { context, facts, tenant } = flow
  if (!allowsKeys(tenant.settings)) return showNotFound(flow)
  const text = form.get('credential') ?? ''
  const outcome = await context.throttle.tryWithoutPassword(facts, () => judge(flow, text))
  countRefused('passkey', outcome)
  switch (outcome.kind) {
    case 'throttled':
      return showTooMany(flow, outcome.retryAfterSeconds)
    case 'needs_link':
      return redirect(flow.response, flowPath(flow.interaction, '/reset'))
    case 'verified':
      return completeStep(flow, outcome.user, outcome.method, outcome.loggedInAt)
    case 'refused':
      break
  }
  const { reason, userId } = outcome
  await note(scopeOf(flow, userId), `login.key_${reason}`, userId ?? 'unknown', 'failure')
  const keyId = claimOf(text)?.keyId
  const isGone = reason === 'unknown_key' && keyId !== undefined
  return showForm(flow, 422, {
    email: '',
    problem: { text: reason === 'no_verification' ? 'keyNeedsPin' : 'keyRefused' },
    // Lets the browser remove a passkey that no longer exists here.
    signal: isGone
      ? JSON.stringify({
          name: 'signalUnknownCredential',
          rpId: rpIdOf(tenant.settings),
          credentialId: keyId,
        })
      : undefined,
  })
}

async function judge(flow: InteractionRequest, text: string): Promise<Outcome> {
  const { context, tenant } = flow
  const loggedInAt = context.domain.clock.now() / 1000
  const ceremony = await takeCeremony(flow, questionOf(flow), true)
  const claim = claimOf(text)
  if (!ceremony) return refused('wrong_challenge')
  if (!claim) return refused('malformed')

  const user = idPattern('usr').test(claim.userId)
    ? await lookUpUser(context.domain, tenant.id, claim.userId)
    : undefined
  const scope = scopeOf(flow, user?.id)
  const key = user && (await findKey(scope, user.id, claim.keyId))
  if (!key) return refused('unknown_key', user?.id)
  if (!isFirstFactor(key)) return refused('second_step', user.id)
  const judged = await judgeKey(ceremony, text, key, true)
  if (judged.kind === 'refused') return refused(judged.reason, user.id)
  if (key.disabled) return refused('credential_disabled', user.id)
  if (!(await noteKeyProof(scope, key, judged.use))) return refused('counter_back', user.id)
  // A revocation of the user's sessions in the meantime also revokes this login.
  const current = await lookUpUser(context.domain, tenant.id, user.id)
  if (!current || !isLoginValid(current, loggedInAt)) return refused('user_disabled', user.id)
  return { kind: 'verified', user: current, method: methodOf(key), loggedInAt }
}

function methodOf({
  isSyncable,
}: HardwareCredential): Extract<Method, 'passkey' | 'passkey_bound'> {
  return isSyncable ? 'passkey' : 'passkey_bound'
}

function refused(
  reason: Extract<Outcome, { kind: 'refused' }>['reason'],
  userId?: string,
): Outcome {
  return { kind: 'refused', reason, userId }
}
