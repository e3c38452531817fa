import type { Connection, Credential, TenantSettings, User } from '../../store/records.ts'
import type { Pause } from '../operators/support.ts'
import { allowsMailLogin } from '../ways/login-methods.ts'
import { isFirstFactor, isOpenWay } from '../ways/ways-in.ts'

/** A reason why a user cannot log in. */
export type LoginTrouble =
  | 'disabled'
  | 'no_way_in'
  | 'way_disabled'
  | 'way_not_allowed'
  | 'connection_off'
  | 'unverified'
  | 'password_paused'
  | 'factor_paused'

/** The facts that decide whether a user can log in. */
export interface LoginFacts {
  readonly settings: TenantSettings
  readonly user: User
  readonly credentials: readonly Credential[]
  /** The connections of the tenant, where {@link dependsOnProviders} says so. */
  readonly connections: readonly Connection[]
  readonly pauses: readonly Pause[]
}

/** The first reason why the user cannot log in; `undefined`: there is none that the service knows. */
export function loginTrouble(facts: LoginFacts): LoginTrouble | undefined {
  const { settings, user, pauses } = facts
  if (user.disabled) return 'disabled'
  const missing = missingWay(facts)
  if (missing) return missing
  if (user.verifiedAt === undefined && !settings.allowUnverified && !allowsMailLogin(settings)) {
    return 'unverified'
  }
  if (pauses.includes('factor')) return 'factor_paused'
  return pauses.includes('password') && onlyPassword(facts) ? 'password_paused' : undefined
}

/** Whether an account at a provider is the only way in that is left to a user. */
export function dependsOnProviders(
  settings: TenantSettings,
  credentials: readonly Credential[],
): boolean {
  if (!settings.allowSocial || allowsMailLogin(settings)) return false
  const ways = credentials.filter((one) => isFirstFactor(one) && !one.disabled)
  const tenant = { settings, offered: [] }
  return ways.some(({ kind }) => kind === 'social') && !ways.some((way) => isOpenWay(tenant, way))
}

function missingWay(facts: LoginFacts): LoginTrouble | undefined {
  const { settings, credentials, connections } = facts
  if (allowsMailLogin(settings)) return undefined
  const ways = credentials.filter(isFirstFactor)
  if (ways.length === 0) return 'no_way_in'
  const enabled = ways.filter(({ disabled }) => !disabled)
  if (enabled.length === 0) return 'way_disabled'
  const offered = settings.allowSocial ? connections.filter((one) => one.enabled) : []
  if (enabled.some((way) => isOpenWay({ settings, offered }, way))) return undefined
  return dependsOnProviders(settings, credentials) ? 'connection_off' : 'way_not_allowed'
}

function onlyPassword({ settings, credentials }: LoginFacts): boolean {
  if (!settings.allowPasswords) return false
  return !credentials.some((one) => isFirstFactor(one) && !one.disabled && one.kind !== 'password')
}
