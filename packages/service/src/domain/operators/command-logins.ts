import type { OperatorUser } from '../../store/ports.ts'
import { acrOf } from '../ways/assurance.ts'
import { isLoopbackHost } from '../writes/addresses.ts'

/** The id of the `latchkey` command as a client of the system tenant. */
export const COMMAND_CLIENT = 'latchkey-command'

/** The maximum duration of an operator's login on a command line, in seconds. */
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
   * @returns `undefined` if the text is not such a token, or the login is no longer valid.
   */
  find(token: string): Promise<CommandLogin | undefined>
}

/**
 * The `acr` values of which an operator's login must have one: a second factor or a passkey. If the
 * console's host is a loopback host, as in development, a password alone is enough.
 */
export function strengthAt(consoleUrl: string): { acr?: readonly string[] } {
  if (isLoopbackHost(new URL(consoleUrl).hostname)) return {}
  return { acr: [acrOf.mfa, acrOf.phr, acrOf.phrh] }
}
