import { credentialKinds, type FirstKind } from '../../resources/credentials.ts'
import type { Connection, Credential, TenantSettings } from '../../store/records.ts'
import type { Method } from './assurance.ts'
import { allowsKeys, allowsMailLogin, rpIdOf } from './login-methods.ts'

/** A credential of a kind with which a login can begin. */
type FirstCredential = Extract<Credential, { kind: FirstKind }>

/**
 * Whether a login may begin with the credential. For a key, its recorded purpose decides, not a
 * statement of the browser. A key that was added as a second step stays a second step.
 */
export function isFirstFactor(credential: Credential): credential is FirstCredential {
  if (credential.kind === 'hardware') return credential.purpose === 'passkey'
  return credentialKinds[credential.kind].role === 'first'
}

/** The facts about a tenant that decide which login methods are available. */
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

/** The first step of a login. */
export interface Beginning {
  readonly method: Method | undefined
  /** The id of the connection of a login at a provider. */
  readonly connectionId?: string | undefined
}

/**
 * Whether a login with this first step may continue. The tenant must still offer the method, and
 * the user must have an enabled credential for it. A login at a provider needs no credential,
 * because the account may be connected only at the end of the login.
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
      // A mailed code needs no credential. If passwords are enabled meanwhile, a login in progress
      // may continue.
      return settings.allowTotpEmail
    case 'social':
      return connectionId === undefined
        ? settings.allowSocial
        : offered.some(({ id }) => id === connectionId)
    default:
      return false
  }
}
