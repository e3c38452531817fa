import type { CredentialKind } from '../store/records.ts'
import type { Sentence } from './texts/index.ts'

/** The ways to log in, in words. */
export const credentialKinds: Readonly<Record<CredentialKind, Sentence>> = {
  password: 'Password',
  totp_app: 'Authenticator app',
  totp_email: 'Codes by mail',
  recovery_codes: 'Recovery codes',
  hardware: 'Passkey or security key',
  social: 'Account at a provider',
}
