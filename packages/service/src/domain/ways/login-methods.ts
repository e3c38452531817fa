import { isIP } from 'node:net'
import type { Connection, HardwareCredential, TenantSettings } from '../../store/records.ts'
import { type FactorKind, factorKinds, type Method } from './assurance.ts'

/** A method with which a login can begin. */
export type FirstStep = 'password' | 'totp_email' | 'hardware'

/**
 * The methods with which a login at the tenant can begin. The main method comes first. Passkeys
 * come last, because not every user has one.
 */
export function firstSteps(settings: TenantSettings): FirstStep[] {
  const allowed: Record<FirstStep, boolean> = {
    password: settings.allowPasswords,
    totp_email: allowsMailLogin(settings),
    hardware: allowsKeys(settings),
  }
  return (Object.keys(allowed) as FirstStep[]).filter((step) => allowed[step])
}

/**
 * Whether the tenant has any login method.
 *
 * @param offered - The connections at which its users can log in now.
 */
export function hasWayIn(settings: TenantSettings, offered: readonly Connection[]): boolean {
  return firstSteps(settings).length > 0 || offered.length > 0
}

/** Whether a login begins with a mailed code instead of a password. */
export function allowsMailLogin({ allowPasswords, allowTotpEmail }: TenantSettings): boolean {
  return !allowPasswords && allowTotpEmail
}

/** The method of the first step, before a second factor. */
export function firstMethod({ allowPasswords }: TenantSettings): 'password' | 'totp_email' {
  return allowPasswords ? 'password' : 'totp_email'
}

/** Whether visitors may create accounts. */
export function isSignupOpen({ allowSignups, allowPasswords }: TenantSettings): boolean {
  return allowSignups && allowPasswords
}

/** Whether users of the tenant can have passkeys and security keys. */
export function allowsKeys(settings: TenantSettings): boolean {
  return settings.allowHardware && rpIdOf(settings) !== undefined
}

/** The second factors that the tenant allows. */
export function allowedFactors(settings: TenantSettings): FactorKind[] {
  const { allowPasswords, allowTotpApp, allowTotpEmail } = settings
  const allowed: Record<FactorKind, boolean> = {
    hardware: allowsKeys(settings),
    totp_app: allowTotpApp,
    totp_email: allowPasswords && allowTotpEmail,
  }
  return factorKinds.filter((kind) => allowed[kind])
}

/**
 * The host for which passkeys and security keys are registered; `undefined` for an IP address, for
 * which there can be no keys.
 *
 * @see Web Authentication Level 3 §5.1.3, step 8
 */
export function rpIdOf({ domain }: Pick<TenantSettings, 'domain'>): string | undefined {
  const host = domain.replace(/:\d+$/, '')
  return isIP(host.replace(/^\[|\]$/g, '')) ? undefined : host
}

/** The authentication method of a passkey or security key in a second step. */
export function keyMethod({ isSyncable }: Pick<HardwareCredential, 'isSyncable'>): Method {
  return isSyncable ? 'key' : 'key_bound'
}
