import { errors } from 'oidc-provider'

/** The error for too many attempts, such as wrong user codes or logins that begin. */
export class TooManyAttempts extends errors.TemporarilyUnavailable {
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
