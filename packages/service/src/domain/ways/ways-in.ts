import { credentialKinds, type FirstKind } from '../../resources/credentials.ts'
import type { Connection, Credential, TenantSettings } from '../../store/records.ts'
import type { Method } from './assurance.ts'
import { allowsKeys, allowsMailLogin, rpIdOf } from './login-methods.ts'

/** A credential of a kind that a login can begin with. */
type FirstCredential = Extract<Credential, { kind: FirstKind }>

/**
 * Whether a login may begin with the credential. This depends on the recorded purpose of the
 * credential, never on a browser's statement: a key that was added as a second step stays one.
 */
export function isFirstFactor(credential: Credential): credential is FirstCredential {
  if (credential.kind === 'hardware') return credential.purpose === 'passkey'
  return credentialKinds[credential.kind].role === 'first'
}

/** The facts about a tenant that decide which ways to log in are open. */
export interface TenantWays {
  readonly settings: TenantSettings
  /** The connections at which users can log in now. */
  readonly offered: readonly Pick<Connection, 'id'>[]
}

/** Whether a login can begin with the credential now. */
export function isOpenWay({ settings, offered }: TenantWays, credential: Credential): boolean {
  if (credential.disabled || !isFirstFactor(credential)) return false
  switch (credential.kind) {
    case 'password':
      return settings.allowPasswords
    case 'hardware':
      return allowsKeys(settings) && credential.rpId === rpIdOf(settings)
    case 'social':
      return offered.some(({ id }) => id === credential.connectionId)
  }
}

/** Whether the user can log in with these credentials, or by a mailed code. */
export function hasOpenWay(tenant: TenantWays, credentials: readonly Credential[]): boolean {
  return (
    allowsMailLogin(tenant.settings) ||
    credentials.some((credential) => isOpenWay(tenant, credential))
  )
}

/** The way in which a login began. */
export interface Beginning {
  readonly method: Method | undefined
  /** The connection of a login at a provider. */
  readonly connectionId?: string | undefined
}

/**
 * Whether a login that has begun in this way may continue: the tenant still offers the way, and the
 * user has an enabled credential for it. An account at a provider may be connected only at the end
 * of this login.
 */
export function canBeginBy(
  { method, connectionId }: Beginning,
  tenant: TenantWays,
  credentials: readonly Credential[],
): boolean {
  const { settings, offered } = tenant
  const open = credentials.filter((one) => isOpenWay(tenant, one))
  switch (method) {
    case 'password':
      return open.some(({ kind }) => kind === 'password')
    case 'passkey':
    case 'passkey_bound': {
      const isSyncable = method === 'passkey'
      return open.some((one) => one.kind === 'hardware' && one.isSyncable === isSyncable)
    }
    case 'totp_email':
      // If passwords are enabled meanwhile, a login with a mailed code in progress may continue.
      return settings.allowTotpEmail
    case 'social':
      return connectionId === undefined
        ? settings.allowSocial
        : offered.some(({ id }) => id === connectionId)
    default:
      return false
  }
}
