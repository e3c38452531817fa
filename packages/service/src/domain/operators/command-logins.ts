import type { OperatorUser } from '../../store/ports.ts'
import { acrOf } from '../ways/assurance.ts'
import { isLoopbackHost } from '../writes/addresses.ts'

/** The id of the `latchkey` command as a client of the system tenant. */
export const COMMAND_CLIENT = 'latchkey-command'

/** The seconds for which an operator stays logged in on a command line at most. */
export const COMMAND_LOGIN_SECONDS = 8 * 3_600

/** An operator who is logged in on a command line. */
export interface CommandLogin {
  /** The operator as stored now. */
  readonly operator: OperatorUser
  /** When the operator logged in, in seconds since the epoch. */
  readonly loggedInAt: number
}

/** The logins of operators on command lines. */
export interface CommandLogins {
  /**
   * Finds the login of an access token.
   *
   * @returns `undefined` for any other text, and for a login that is no longer valid.
   */
  find(token: string): Promise<CommandLogin | undefined>
}

/**
 * The strength that a login of an operator must have: a second factor, or a passkey. On a developer's own machine, which no
 * other machine reaches, the password is enough.
 */
export function strengthAt(consoleUrl: string): { acr?: readonly string[] } {
  if (isLoopbackHost(new URL(consoleUrl).hostname)) return {}
  return { acr: [acrOf.mfa, acrOf.phr, acrOf.phrh] }
}
