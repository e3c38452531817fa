import type { ResolvedAuthOptions } from '../options/options.ts'
import { presentMembers } from '../shared/present-members.ts'
import { validateClaims } from './claims-schema.ts'
import type { AuthSession } from './session.ts'

/** The part of a session that is about its user. */
export type SessionUser = Pick<AuthSession, 'user' | 'providerClaims' | 'userReadAt'>

/** The sources of a user's claims. */
export interface ClaimSources {
  /** The claims of an ID token. */
  readonly idToken?: Readonly<Record<string, unknown>> | undefined
  readonly userinfo?: Readonly<Record<string, unknown>> | undefined
}

const PROTOCOL_CLAIMS: ReadonlySet<string> = new Set(
  'iss aud exp iat nbf jti nonce azp at_hash c_hash s_hash auth_time acr amr sid events'.split(' '),
)

/** The claims that say whether another claim is verified, each with the name of that claim. */
const VERIFICATIONS = { email_verified: 'email', phone_number_verified: 'phone_number' } as const

type Claims = Readonly<Record<string, unknown>>

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
 * token, validated by the option `claims`. For a session that has a user already, claims that the
 * application added stay, and claims that the provider no longer sends are removed.
 *
 * @param previous - The session whose user is renewed. Default: a new session.
 * @throws {@link CallbackError} naming the claims that do not fit the schema.
 */
export async function sessionUser(
  { claims: schema, now }: ResolvedAuthOptions,
  { idToken = {}, userinfo }: ClaimSources,
  previous?: AuthSession,
): Promise<SessionUser> {
  const ofToken = Object.entries(readClaims(idToken)).filter(([name]) => !PROTOCOL_CLAIMS.has(name))
  const claims = joined(Object.fromEntries(ofToken), readClaims(userinfo ?? {}))
  const userReadAt = userinfo ? now() : previous?.userReadAt
  // The ID token of a refresh may have only `sub` and lack the claims of the first ID token.
  const isThin = ofToken.every(([name]) => name === 'sub')
  if (!previous) {
    const user = await validateClaims(schema, claims)
    return { user, providerClaims: Object.keys(user), userReadAt }
  }
  if (isThin && !userinfo) {
    const { user, providerClaims } = previous
    return { user, providerClaims, userReadAt }
  }
  const fresh = await validateClaims(schema, claims)
  const replaced = new Set(isThin ? [] : previous.providerClaims)
  const kept = Object.entries(previous.user).filter(([name]) => !replaced.has(name))
  return {
    user: joined(Object.fromEntries(kept), fresh),
    providerClaims: Object.keys(fresh),
    userReadAt,
  }
}
