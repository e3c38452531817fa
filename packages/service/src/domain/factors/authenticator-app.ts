import { deleteCredential } from '../users/credentials.ts'
import { getUser } from '../users/users.ts'
import { addCredential } from '../ways/account-changes.ts'
import { unlessRefused } from '../writes/commit.ts'
import { nowMicros, type Scope } from '../writes/context.ts'
import { totpCredential } from './factors.ts'
import { codeAt, newSeed } from './totp.ts'

/** The authenticator app of a user, as a test or a demonstration uses it. */
export interface AuthenticatorApp {
  /** The shared secret, in base32 (RFC 6238). */
  readonly seed: string
  /**
   * Returns the code that the app shows. Each code is single use.
   *
   * @param ahead - The number of 30-second steps from now. The service also accepts the code of the
   *   next step.
   */
  code(ahead?: number): string
}

/**
 * Adds an authenticator app to a user. Replacing an existing app ends the user's sessions. For
 * tests and demonstrations; users add their apps themselves.
 *
 * @throws ServiceError `not_found` for an unknown user.
 */
export async function giveAuthenticatorApp(
  scope: Scope,
  userId: string,
): Promise<AuthenticatorApp> {
  const { clock } = scope.context
  const user = await getUser(scope, userId)
  const now = nowMicros(clock)
  await unlessRefused(deleteCredential(scope, userId, 'totp_app', now), 'not_found')
  const seed = newSeed()
  await addCredential(scope, totpCredential(scope, user, { seed, step: 0 }))
  return { seed, code: (ahead) => codeAt(seed, clock, ahead) }
}
