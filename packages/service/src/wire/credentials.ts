import { totpParameters } from '../domain/factors/totp.ts'
import type { PasswordInput } from '../domain/users/credentials.ts'
import { isFirstFactor } from '../domain/ways/ways-in.ts'
import type { Credential, CredentialKind, Micros } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import type { CredentialBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'

/** The kinds of credentials, by their names in answers. */
export type CredentialType =
  | 'PasswordCredential'
  | 'TotpAppCredential'
  | 'TotpEmailCredential'
  | 'RecoveryCredential'
  | 'HardwareCredential'
  | 'SocialCredential'

/** The password credential that a body describes. */
export function passwordInput({ disabled, metadata, password }: CredentialBody): PasswordInput {
  return { disabled, metadata, alg: password.alg, hash: password.hash }
}

const typeOf: Record<CredentialKind, CredentialType> = {
  password: 'PasswordCredential',
  totp_app: 'TotpAppCredential',
  totp_email: 'TotpEmailCredential',
  recovery_codes: 'RecoveryCredential',
  hardware: 'HardwareCredential',
  social: 'SocialCredential',
}

/** A credential as the API answers with it. */
export function serializeCredential(credential: Credential): object {
  return omitZero({
    type: typeOf[credential.kind],
    id: credential.id,
    created_at: formatTimestamp(credential.createdAt),
    updated_at: formatTimestamp(credential.updatedAt),
    metadata: credential.metadata,
    disabled: credential.disabled,
    ...detailsOf(credential),
  })
}

/** The fields of one kind of credential, without its secrets: only a password shows its hash. */
function detailsOf(credential: Credential): Record<string, object> {
  switch (credential.kind) {
    case 'password': {
      const { alg, hash, cost } = credential.password
      return { password: { alg, hash, cost } }
    }
    case 'totp_app': {
      const { digits, period } = totpParameters
      return { totp_app: { digits, period, ...lastUsed(credential.state.usedAt) } }
    }
    case 'totp_email':
      return { totp_email: lastUsed(credential.state.usedAt) }
    case 'recovery_codes':
      return { recovery: omitZero({ remaining: credential.hashes.length }) }
    case 'hardware': {
      const { name, aaguid, transports, state } = credential
      const discoverable = isFirstFactor(credential)
      const facts = { name, aaguid, transports, discoverable, backed_up: state.isBackedUp }
      return { hardware: omitZero({ ...facts, ...lastUsed(state.usedAt) }) }
    }
    case 'social': {
      const { connectionId: connection, issuer, subject, email, state } = credential
      const facts = { connection, issuer, subject, email, ...lastUsed(state.usedAt) }
      return { social: omitZero(facts) }
    }
  }
}

function lastUsed(usedAt: Micros | undefined): { last_used_at?: string } {
  return usedAt === undefined ? {} : { last_used_at: formatTimestamp(usedAt) }
}
