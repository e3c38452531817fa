import type { CredentialKind, Tenant, TenantSettings } from '../../store/records.ts'
import { impersonationMode } from '../tenants/impersonation-mode.ts'
import { SECOND_STEP_KEY, secondStepRule } from '../tenants/second-step-rule.ts'
import { allowedFactors, allowsKeys, allowsMailLogin } from '../ways/login-methods.ts'
import { passwordPolicy } from '../ways/password-policy.ts'
import { nowMicros, type Scope } from '../writes/context.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import { warningsOf } from './tenant-warnings.ts'

/**
 * The effects of a change of settings on the users of the tenant, in sentences.
 *
 * @param after - The tenant after the change, which is not stored yet.
 */
export async function effectsOf(scope: Scope, before: Tenant, after: Tenant): Promise<Reason[]> {
  const [factors, ways, required, warnings] = await Promise.all([
    lostFactors(scope, before.settings, after.settings),
    lostWays(scope, before.settings, after.settings),
    secondStepEffects(scope, before, after),
    warningsOf(scope, after, before),
  ])
  return [
    ...factors,
    ...ways,
    ...passwordEffects(before, after),
    ...impersonationEffects(before, after),
    ...required,
    ...warnings,
  ]
}

/**
 * The effect of requiring a second step: the numbers of users who have one, and of those who must
 * add one. Empty if the rule does not change or is removed.
 */
async function secondStepEffects(scope: Scope, before: Tenant, after: Tenant): Promise<Reason[]> {
  const { context, tenantId } = scope
  const [old, next] = [before, after].map(({ metadata }) =>
    secondStepRule(context, metadata[SECOND_STEP_KEY]),
  )
  if (!next || next.from === old?.from) return []
  const { users, credentials } = context.store
  const kinds = allowedFactors(after.settings)
  const since = nowMicros(context.clock) - ACTIVE_MICROS
  const [listing, have, active] = await Promise.all([
    users.list(tenantId, { after: undefined, limit: 1 }),
    countLosing(scope, kinds, []),
    credentials.countActiveWithout(tenantId, kinds, since),
  ])
  const all = listing?.total ?? 0
  const numbers = { all, have, asked: all - have, active }
  return [
    next.isDue
      ? reason('effect_second_step_now', numbers)
      : reason('effect_second_step_later', { ...numbers, day: next.from }),
  ]
}

/** The period after a login, in microseconds, in which a user counts as active: 30 days. */
const ACTIVE_MICROS = 30 * 86_400 * 1e6

function passwordEffects(before: Tenant, after: Tenant): Reason[] {
  const [old, next] = [passwordPolicy(before), passwordPolicy(after)]
  return [
    ...(next.least === old.least ? [] : [reason('effect_password_length', { least: next.least })]),
    ...(next.asksRanges && !old.asksRanges ? [reason('effect_password_ranges')] : []),
  ]
}

function impersonationEffects(before: Tenant, after: Tenant): Reason[] {
  const [old, next] = [before, after].map(impersonationMode)
  if (next === undefined || next === old) return []
  return [reason(`effect_impersonation_${next}`)]
}

async function lostFactors(
  scope: Scope,
  before: TenantSettings,
  after: TenantSettings,
): Promise<Reason[]> {
  const kept = allowedFactors(after)
  const lost = allowedFactors(before).filter((kind) => !kept.includes(kind))
  const users = await countLosing(scope, lost, kept)
  if (users === 0) return []
  const name = after.allowPasswords ? 'effect_password_alone' : 'effect_first_step_alone'
  return [reason(name, { users: inWords(users) })]
}

async function lostWays(
  scope: Scope,
  before: TenantSettings,
  after: TenantSettings,
): Promise<Reason[]> {
  // Every user has an address, so each one can log in with a mailed code.
  if (allowsMailLogin(after)) return []
  const kept = firstKinds(after)
  const lost = firstKinds(before).filter((kind) => !kept.includes(kind))
  const users = await countLosing(scope, lost, kept)
  if (users === 0) return []
  const name = after.allowPasswords ? 'effect_password_by_link' : 'effect_no_login'
  return [reason(name, { users: inWords(users) })]
}

/**
 * The number of users who can log in only with an account of this connection. It is 0 if the tenant
 * mails login codes, because every user has an address.
 */
export async function countStrandedBy(
  { context, tenantId }: Scope,
  settings: TenantSettings,
  connectionId: string,
): Promise<number> {
  if (allowsMailLogin(settings)) return 0
  const kept = firstKinds(settings).filter((kind) => kind !== 'social')
  return context.store.credentials.countUsersLosing(tenantId, ['social'], kept, connectionId)
}

/** The kinds of credentials with which a login can begin. */
function firstKinds(settings: TenantSettings): CredentialKind[] {
  return [
    ...(settings.allowPasswords ? (['password'] as const) : []),
    ...(allowsKeys(settings) ? (['hardware'] as const) : []),
    ...(settings.allowSocial ? (['social'] as const) : []),
  ]
}

async function countLosing(
  { context, tenantId }: Scope,
  lost: readonly CredentialKind[],
  kept: readonly CredentialKind[],
): Promise<number> {
  return lost.length === 0 ? 0 : context.store.credentials.countUsersLosing(tenantId, lost, kept)
}

function inWords(count: number): Reason {
  return count === 1 ? reason('effect_one_user') : reason('effect_users', { count })
}
