import { inTime } from '../errors/deadline.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { isThenable, type MaybePromise } from '../shared/maybe-promise.ts'
import type { Requirement } from './requirement.ts'

type Claims = Readonly<Record<string, unknown>>

/** A requirement inside the kit, where its functions take any user and any request. */
type AnyRequirement = Pick<Requirement<unknown, Claims>, 'roles' | 'claims' | 'check'>

/**
 * The part of a requirement that the user does not meet: `roles`, `claims.department` or `check`;
 * `undefined` when the user meets all of it. Returns a promise only if `check` does.
 */
export function failedOf(
  { rolesFrom, answerSeconds }: Pick<ResolvedAuthOptions, 'rolesFrom' | 'answerSeconds'>,
  user: Claims,
  requirement: Pick<Requirement<never, never>, 'roles' | 'claims' | 'check'>,
  subject: unknown,
): MaybePromise<string | undefined> {
  const { roles, claims, check } = requirement as unknown as AnyRequirement
  if (roles && !hasRoles(rolesFrom(user), roles)) return 'roles'
  if (claims) {
    for (const [name, rule] of Object.entries(claims)) {
      const value = Object.hasOwn(user, name) ? user[name] : undefined
      const isMet = typeof rule === 'function' ? rule(value, subject) === true : value === rule
      if (!isMet) return `claims.${name}`
    }
  }
  const answer: unknown = check ? check(user, subject) : true
  if (answer === true) return undefined
  // Any thenable is awaited, because the queries of some databases are no promises.
  if (!isThenable(answer)) return 'check'
  return Promise.resolve(inTime('check', answer as Promise<unknown>, answerSeconds)).then(
    failedCheck,
  )
}

/**
 * The message about a requirement that the user does not meet. For roles, it lists the user's
 * roles. The user's claims are left out, because they are personal.
 */
export function explain(
  failed: string,
  { rolesFrom }: Pick<ResolvedAuthOptions, 'rolesFrom'>,
  user: Claims,
  { roles, claims }: Pick<Requirement<never, never>, 'roles' | 'claims'>,
): string {
  const message = `The user does not meet the requirement "${failed}"`
  if (failed === 'roles' && roles) {
    const asked = 'all' in roles ? `all of ${listed(roles.all)}` : `one of ${listed(roles)}`
    return `${message}: it asks for ${asked}, and the user has ${listed(rolesFrom(user))}.`
  }
  const rule = claims?.[failed.slice('claims.'.length)]
  const isValue = failed.startsWith('claims.') && typeof rule !== 'function'
  return isValue ? `${message}: it asks for ${JSON.stringify(rule)}.` : `${message}.`
}

const LISTED = 10

function listed(roles: readonly string[]): string {
  if (!Array.isArray(roles)) return 'no list of roles'
  const names = roles.slice(0, LISTED).map((role) => JSON.stringify(role))
  if (roles.length > LISTED) names.push(`${roles.length - LISTED} more`)
  return names.join(', ') || 'none'
}

function failedCheck(answer: unknown): 'check' | undefined {
  return answer === true ? undefined : 'check'
}

function hasRoles(held: readonly string[], asked: NonNullable<AnyRequirement['roles']>): boolean {
  if (!Array.isArray(held)) return false
  return 'all' in asked
    ? asked.all.every((role) => held.includes(role))
    : asked.some((role) => held.includes(role))
}
