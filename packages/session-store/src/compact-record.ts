import type { SessionRecord } from '@latchkey/core'

type Login = NonNullable<SessionRecord['login']>

/** Converts the names of members to letters and back. */
interface ShortNames {
  short(name: string): string
  long(packed: string): string
}

type Members = Readonly<Record<string, unknown>>

/** A record and the id of its session, which are packed together. */
export interface PackedRecord {
  readonly id: string
  readonly record: SessionRecord
}

/**
 * The claim of the ID token that usually has the same value as a member of a login. If the values
 * are the same, the member is left out of the packed record. If the ID token has the claim but the
 * login lacks the member, the member is packed as `null`.
 */
const CLAIM_OF: Readonly<Record<string, string>> = {
  issuer: 'iss',
  clientId: 'aud',
  sub: 'sub',
  sid: 'sid',
  authTime: 'auth_time',
  acr: 'acr',
  amr: 'amr',
}

/** The prefix of a member name that is written in full, because it has no letter. */
const IN_FULL = '+'

/**
 * The letters for the members of a login. Stored records contain these letters, so a letter must
 * never change its meaning.
 */
const LOGIN = shortNames({
  issuer: 'i',
  registeredIssuer: 'r',
  clientId: 'c',
  sub: 's',
  sid: 'd',
  createdAt: 'b',
  expiresAt: 'e',
  userReadAt: 'w',
  authTime: 't',
  acr: 'l',
  amr: 'm',
  device: 'v',
  adopted: 'o',
  user: 'u',
  providerClaims: 'p',
  userinfoClaims: 'q',
  idToken: 'j',
  tokens: 'k',
})

const TOKENS = shortNames({
  accessToken: 'a',
  accessTokenExpiresAt: 'e',
  accessTokenReceivedAt: 'r',
  refreshToken: 'f',
  scope: 's',
  proofKey: 'k',
})

const LENGTH_BYTES = 4

/**
 * Packs a record as the length of a JSON text, the text with short names, and the bytes of the ID
 * token. The text does not repeat values that are in the ID token.
 */
export function packRecord({ id, record: { login, data, expiresAt } }: PackedRecord): Buffer {
  const token = login && partsOf(login.idToken)
  const text = Buffer.from(
    JSON.stringify([
      id,
      expiresAt,
      Object.keys(data).length > 0 ? data : 0,
      login ? packLogin(login, token) : 0,
      ...(token ? [token[0].length, token[1].length] : []),
    ]),
  )
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, ...(token ?? [])])
}

/** Restores a record that {@link packRecord} has packed. */
export function unpackRecord(packed: Buffer): PackedRecord {
  const end = LENGTH_BYTES + packed.readUInt32BE()
  const [id, expiresAt, data, login, header, payload] = JSON.parse(
    packed.toString('utf8', LENGTH_BYTES, end),
  ) as [string, number, Members | 0, Members | 0, number?, number?]
  const token =
    header === undefined || payload === undefined
      ? undefined
      : ([
          packed.subarray(end, end + header),
          packed.subarray(end + header, end + header + payload),
          packed.subarray(end + header + payload),
        ] as const)
  return {
    id,
    record: {
      ...(login && { login: unpackLogin(login, token) }),
      data: data || {},
      expiresAt,
    },
  }
}

/** The decoded header, payload and signature of a JWT. */
type TokenParts = readonly [header: Buffer, payload: Buffer, signature: Buffer]

/**
 * The decoded parts of an ID token. `undefined` if encoding them would not give the same text, or
 * if the payload is not a JSON object.
 */
function partsOf(idToken: string | undefined): TokenParts | undefined {
  const parts = idToken?.split('.').map((part) => Buffer.from(part, 'base64url')) ?? []
  const [header, payload, signature] = parts
  if (!header || !payload || !signature || joined(parts) !== idToken) return undefined
  try {
    return isMembers(JSON.parse(payload.toString())) ? [header, payload, signature] : undefined
  } catch {
    return undefined
  }
}

function joined(parts: readonly Buffer[]): string {
  return parts.map((part) => part.toString('base64url')).join('.')
}

function claimsOf(token: TokenParts | undefined): Members {
  return token ? (JSON.parse(token[1].toString()) as Members) : {}
}

function packLogin(login: Login, token: TokenParts | undefined): Members {
  const claims = claimsOf(token)
  const { user, providerClaims, tokens, idToken, registeredIssuer, ...rest } = login
  const packed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(rest)) {
    if (!isSame(value, ofClaim(claims, name))) packed[LOGIN.short(name)] = value
  }
  for (const name of Object.keys(CLAIM_OF)) {
    if ((rest as Members)[name] === undefined && ofClaim(claims, name) !== undefined) {
      packed[LOGIN.short(name)] = null
    }
  }
  const userClaims = Object.entries(user).filter(([, value]) => value !== undefined)
  const packedUser: PackedUser = userClaims.map(([name, value]) =>
    Object.hasOwn(claims, name) && isSame(claims[name], value) ? name : [name, value],
  )
  return {
    ...packed,
    ...(registeredIssuer !== login.issuer && { r: registeredIssuer }),
    u: packedUser,
    ...(providerClaims && { p: isSame(providerClaims, repeated(packedUser)) ? 1 : providerClaims }),
    ...(!token && idToken !== undefined && { j: idToken }),
    ...(tokens && { k: renamed(tokens, TOKENS.short) }),
  }
}

function unpackLogin({ u, p, k, r, ...packed }: Members, token: TokenParts | undefined): Login {
  const claims = claimsOf(token)
  const login: Record<string, unknown> = renamed(packed, LOGIN.long)
  for (const name of Object.keys(CLAIM_OF)) {
    const claimed = ofClaim(claims, name)
    if (login[name] === null) delete login[name]
    else if (login[name] === undefined && claimed !== undefined) login[name] = claimed
  }
  const packedUser = u as PackedUser
  const user = packedUser.map((one) => (typeof one === 'string' ? [one, claims[one]] : one))
  return {
    ...login,
    registeredIssuer: r ?? login.issuer,
    user: Object.fromEntries(user),
    ...(p !== undefined && { providerClaims: p === 1 ? repeated(packedUser) : p }),
    ...(token && { idToken: joined(token) }),
    ...(k !== undefined && { tokens: renamed(k as Members, TOKENS.long) }),
  } as unknown as Login
}

/**
 * The claims of a user. A claim is only a name if the ID token has the same value for it, otherwise
 * a name with a value.
 */
type PackedUser = readonly (string | readonly [name: string, value: unknown])[]

/** The names of the user's claims that the ID token has with the same value. */
function repeated(user: PackedUser): string[] {
  return user.filter((one) => typeof one === 'string')
}

/** The value of the claim that a member of a login repeats; `undefined` if there is none. */
function ofClaim(claims: Members, name: string): unknown {
  const claim = Object.hasOwn(CLAIM_OF, name) ? CLAIM_OF[name] : undefined
  return claim !== undefined && Object.hasOwn(claims, claim) ? claims[claim] : undefined
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function renamed(members: object, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [rename(name), value]))
}

function shortNames(letterOf: Readonly<Record<string, string>>): ShortNames {
  const letters = new Map(Object.entries(letterOf))
  const full = new Map(Object.entries(letterOf).map(([name, letter]) => [letter, name]))
  return {
    short: (name) => letters.get(name) ?? IN_FULL + name,
    long: (packed) => full.get(packed) ?? packed.slice(IN_FULL.length),
  }
}
