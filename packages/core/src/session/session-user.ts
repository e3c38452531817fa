import type { ResolvedAuthOptions } from '../options/options.ts'
import { presentMembers } from '../shared/present-members.ts'
import { validateClaims } from './claims-schema.ts'
import type { AuthSession } from './session.ts'

/** The part of a session that is about its user. */
export type SessionUser = Pick<
  AuthSession,
  'user' | 'providerClaims' | 'userinfoClaims' | 'userReadAt'
>

/** The answers of the provider from which a user is made. */
export interface ClaimSources {
  /** The claims of a new ID token. */
  readonly idToken?: Readonly<Record<string, unknown>> | undefined
  /** The claims of the ID token in the session, which count if there is no new one. */
  readonly lastIdToken?: Readonly<Record<string, unknown>> | undefined
  readonly userinfo?: Readonly<Record<string, unknown>> | undefined
}

const PROTOCOL_CLAIMS: ReadonlySet<string> = new Set(
  'iss aud exp iat nbf jti nonce azp at_hash c_hash s_hash auth_time acr amr sid events'.split(' '),
)

/** The claims that say whether another claim is verified, each with the name of that claim. */
const VERIFICATIONS = { email_verified: 'email', phone_number_verified: 'phone_number' } as const

type Claims = Readonly<Record<string, unknown>>

/** Claims without those that have one of the names. */
function without(claims: Claims, names: ReadonlySet<string>): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !names.has(name)))
}

/**
 * The names of the claims that userinfo has had in a session. A session that does not know them was
 * stored by an earlier release or adopted: each of its claims may be one of userinfo.
 */
function namesOfUserinfo(session: AuthSession, isThin: boolean): readonly string[] {
  const { userinfoClaims, userReadAt, adopted, providerClaims = [] } = session
  if (userinfoClaims) return userinfoClaims
  return userReadAt !== undefined || (adopted && isThin) ? providerClaims : []
}

/**
 * The claims of an ID token or of userinfo, without `null` and empty values. Apple sends
 * `email_verified` as a text, and in an `if` the text "false" would be true. So the texts "true"
 * and "false" become booleans, and any other value is left out.
 */
function readClaims(given: Claims): Claims {
  const claims: Record<string, unknown> = { ...presentMembers(given) }
  for (const name of Object.keys(VERIFICATIONS)) {
    const value = claims[name]
    if (value === 'true' || value === 'false') claims[name] = value === 'true'
    else if (typeof value !== 'boolean') delete claims[name]
  }
  return claims
}

/**
 * Joins claims of two sources; newer claims replace older ones. An older `email_verified` or
 * `phone_number_verified` is dropped if the address or number has changed.
 */
function joined(older: Claims, newer: Claims): Claims {
  const claims: Record<string, unknown> = { ...older, ...newer }
  for (const [name, about] of Object.entries(VERIFICATIONS)) {
    const isOfAnother = about in older && about in newer && older[about] !== newer[about]
    if (isOfAnother && !(name in newer)) delete claims[name]
  }
  return claims
}

/**
 * Makes the user of a session: the claims of the ID token and userinfo, without those about the
 * token, validated by the option `claims`.
 *
 * For a session that has a user already, each claim follows the newest answer of the sources that
 * have had it:
 *
 * - A new ID token, together with userinfo if that was read too, replaces all claims of the provider.
 * - A new ID token that has `sub` alone says nothing about the others.
 * - Userinfo that was read without a new ID token, or with such a one, replaces the claims that
 *   userinfo has had before, even if the older ID token has them. A claim that only an ID token has
 *   had stays.
 * - Claims that the application added stay.
 *
 * @param previous - The session whose user is renewed. Default: a new session.
 * @throws {@link CallbackError} naming the claims that do not fit the schema.
 */
export async function sessionUser(
  { claims: schema, now }: ResolvedAuthOptions,
  { idToken, lastIdToken = {}, userinfo }: ClaimSources,
  previous?: AuthSession,
): Promise<SessionUser> {
  const token = readClaims(idToken ?? lastIdToken)
  const ofToken = without(token, PROTOCOL_CLAIMS)
  const isThin = Object.keys(ofToken).every((name) => name === 'sub')
  const isNew = idToken !== undefined && !isThin
  if (previous && !isNew && !userinfo) {
    const { user, providerClaims, userinfoClaims, userReadAt } = previous
    return { user, providerClaims, userinfoClaims, userReadAt }
  }
  const ofUserinfo = userinfo && readClaims(userinfo)
  const had = previous ? namesOfUserinfo(previous, isThin) : []
  const claims = joined(isNew ? ofToken : without(ofToken, new Set(had)), ofUserinfo ?? {})
  const fresh = await validateClaims(schema, claims)
  const names = Object.keys(fresh)
  const read = ofUserinfo && {
    userinfoClaims: joinedNames(
      isNew ? [] : had,
      Object.keys(ofUserinfo),
      // A claim that the schema has made may come from userinfo.
      names.filter((name) => !Object.hasOwn(ofToken, name)),
    ),
    userReadAt: now(),
  }
  if (!previous) return { user: fresh, providerClaims: names, ...read }
  const { user, providerClaims = [], userinfoClaims, userReadAt } = previous
  const replaced = new Set(isThin ? had : providerClaims)
  return {
    user: joined(without(user, replaced), fresh),
    providerClaims: joinedNames(
      providerClaims.filter((name) => !replaced.has(name)),
      names,
    ),
    ...(read ?? { userinfoClaims, userReadAt }),
  }
}

function joinedNames(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())]
}
