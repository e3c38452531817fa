import type { AuthContext } from '../context.ts'
import { userHash } from '../log/events.ts'
import type { AuthSession } from '../session/session.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { explain, failedOf } from './failed-requirement.ts'
import type { Requirement } from './requirement.ts'

/**
 * Reports that a guard with `enforce: false` would have refused the user, and lets the user pass. A
 * check that throws is reported, too.
 *
 * @param lacking - The part of the requirement that the login or token itself does not meet, if
 *   any.
 */
export function rehearse(
  { options, log, publish }: Pick<AuthContext, 'options' | 'log' | 'publish'>,
  { issuer, sub, user }: AuthSession,
  requirement: Requirement<never, never>,
  subject: unknown,
  lacking: 'acr' | 'maxAge' | 'scopes' | 'actor' | undefined,
): MaybePromise<undefined> {
  const report = (failed: string, message: string): undefined => {
    const isTooWeak = failed === 'acr' || failed === 'maxAge'
    const code = isTooWeak ? 'LATCHKEY_STEP_UP_REQUIRED' : 'LATCHKEY_FORBIDDEN'
    publish('access.rehearsed', { issuer, user: userHash(issuer, sub), code, failed })
    log.warned('LATCHKEY_GUARD_REHEARSED', `${message} The guard has enforce: false.`)
  }
  const decided = (failed: string | undefined): undefined =>
    failed === undefined ? undefined : report(failed, explain(failed, options, user, requirement))
  const broken = (error: unknown): undefined =>
    report('check', `A check failed with an error: ${nameOf(error)}.`)
  try {
    const failed = lacking ?? failedOf(options, user, requirement, subject)
    return failed instanceof Promise ? failed.then(decided, broken) : decided(failed)
  } catch (error) {
    return broken(error)
  }
}

/**
 * The class name of an error. The message is left out, because the application's errors may contain
 * a secret.
 */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'not an Error'
}
