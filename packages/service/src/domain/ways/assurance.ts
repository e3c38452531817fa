import type { FactorKind, SecondStepKind } from '../../resources/credentials.ts'
import type { LoginWay } from '../../store/records.ts'

export type { FactorKind }

/**
 * The strengths of a login, the weakest first: one factor; two steps with a mailed code as the
 * second; two factors; a passkey or security key, which resists phishing; a key that also cannot
 * leave its device.
 */
const levels = ['single', 'two_step', 'mfa', 'phr', 'phrh'] as const

/** One of the strengths of a login, {@link levels}. */
export type Level = (typeof levels)[number]

/**
 * An authentication method of a login. A `passkey` verifies its user and needs no second step. A
 * `key` is a second step, which need not verify its user. With `_bound`, the key cannot leave its
 * device. Of a login at a provider (`social`), only the success is known.
 */
export type Method =
  | 'password'
  | Exclude<SecondStepKind, 'hardware'>
  | 'social'
  | 'passkey'
  | 'passkey_bound'
  | 'key'
  | 'key_bound'

/** The authentication methods of each kind of second factor. The strongest method comes first. */
export const methodsOf: Readonly<Record<FactorKind, readonly Method[]>> = {
  hardware: ['key_bound', 'key'],
  totp_app: ['totp_app'],
  totp_email: ['totp_email'],
}

/** The kinds of second factors, the strongest first. */
export const factorKinds = Object.keys(methodsOf) as FactorKind[]

/** The login method to record, from the first authentication method; `undefined` without one. */
export function loginWayOf([first]: readonly Method[]): LoginWay | undefined {
  return first && wayOfMethod[first]
}

const wayOfMethod: Readonly<Record<Method, LoginWay>> = {
  password: 'password',
  social: 'social',
  totp_app: 'code',
  totp_email: 'code',
  recovery_codes: 'code',
  passkey: 'passkey',
  passkey_bound: 'passkey',
  key: 'passkey',
  key_bound: 'passkey',
}

/**
 * The strength of a login with these authentication methods. A mailed code is no second factor in
 * either step, because the same mailbox can reset the password. Nor is an account at a provider,
 * whose strength is unknown.
 */
export function levelOf(proofs: readonly Method[]): Level {
  const has = (...methods: Method[]) => methods.some((method) => proofs.includes(method))
  const hasPassword = has('password')
  if (has('passkey', 'passkey_bound') || (hasPassword && has('key', 'key_bound'))) {
    return has('passkey_bound', 'key_bound') ? 'phrh' : 'phr'
  }
  const hasOther = has('totp_app', 'recovery_codes')
  if (hasPassword && hasOther) return 'mfa'
  const isFurther = hasPassword || hasOther || has('key', 'key_bound')
  if (has('totp_email') && isFurther) return 'two_step'
  const isSecond = has('totp_email') || hasOther || has('key', 'key_bound')
  return has('social') && isSecond ? 'two_step' : 'single'
}

/**
 * The claim `amr` of a login with these methods. The values never change, because applications
 * compare them.
 *
 * @see RFC 8176 §2
 */
export function amrOf(proofs: readonly Method[]): string[] {
  const has = (...methods: Method[]) => methods.some((method) => proofs.includes(method))
  const [isBound, isSyncable] = [has('passkey_bound', 'key_bound'), has('passkey', 'key')]
  return [
    ...(has('password') ? ['pwd'] : []),
    // `fed` is our own value, because RFC 8176 has none for a login at a provider.
    ...(has('social') ? ['fed'] : []),
    ...(has('totp_app', 'totp_email', 'recovery_codes') ? ['otp'] : []),
    ...(isBound ? ['hwk'] : []),
    ...(isSyncable ? ['swk'] : []),
    ...(isBound || isSyncable ? ['user'] : []),
    ...(isAtLeast(levelOf(proofs), 'mfa') ? ['mfa'] : []),
  ]
}

/**
 * The authentication methods of a session, derived from its claims. For ambiguous claims, the
 * returned methods are enough to decide the next step.
 */
export function proofsOf(acr: string | undefined, amr: readonly string[] = []): Method[] {
  if (amr.includes('fed')) return amr.length === 1 ? ['social'] : ['social', afterSocial(amr)]
  const isByMail = amr.includes('otp') && !amr.includes('pwd')
  switch (levelOfAcr(acr ?? '')) {
    case undefined:
      return isByMail ? ['totp_email'] : ['password']
    case 'two_step':
      return isByMail ? ['totp_email', secondOf(amr)] : ['password', 'totp_email']
    case 'mfa':
      return ['password', 'totp_app']
    case 'phr':
      return amr.includes('pwd') ? ['password', 'key'] : ['passkey']
    case 'phrh':
      return amr.includes('pwd') ? ['password', 'key_bound'] : ['passkey_bound']
  }
}

/** The method that followed a login at a provider. For a code, the weakest kind is assumed. */
function afterSocial(amr: readonly string[]): Method {
  return amr.includes('otp') ? 'totp_email' : secondOf(amr)
}

/** The method that followed a mailed code. */
function secondOf(amr: readonly string[]): Method {
  if (amr.includes('hwk')) return 'key_bound'
  return amr.includes('swk') ? 'key' : 'totp_app'
}

/**
 * The value of `acr` for each level. The values never change, because applications compare them. A
 * login with one factor has no `acr`.
 *
 * @see REFEDS Multi-Factor Authentication Profile, OpenID Connect Extended Authentication Profile
 *   ACR Values 1.0
 */
export const acrOf: Readonly<Record<Exclude<Level, 'single'>, string>> = {
  two_step: 'urn:latchkey:acr:two-step',
  mfa: 'https://refeds.org/profile/mfa',
  phr: 'phr',
  phrh: 'phrh',
}

/** Whether `level` is as strong as `wanted`, or stronger. */
export function isAtLeast(level: Level, wanted: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(wanted)
}

/** The level of an `acr`; `undefined` for an unknown value. */
export function levelOfAcr(acr: string): Exclude<Level, 'single'> | undefined {
  const entries = Object.entries(acrOf) as [Exclude<Level, 'single'>, string][]
  return entries.find(([, value]) => value === acr)?.[0]
}

/** The levels that a login with this first method can reach with one of these second factors. */
export function reachableLevels(first: Method, kinds: readonly FactorKind[]): Level[] {
  return kinds.flatMap((kind) => methodsOf[kind].map((method) => levelOf([first, method])))
}

/** The levels among the requested values of `acr`. Unknown values are ignored. */
export function requestedLevels(parameter: unknown): Level[] {
  return requestedAcrs(parameter)
    .map(levelOfAcr)
    .filter((level) => level !== undefined)
}

/** The values of `acr` that an application requests, in the order of its preference. */
export function requestedAcrs(parameter: unknown): string[] {
  return typeof parameter === 'string' ? parameter.split(' ').filter((value) => value !== '') : []
}

/**
 * The `acr` of a response: the first requested value that the login meets, because applications
 * compare it with their request. If the login meets none, `own`.
 *
 * @param own - The strongest value that the login meets.
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export function answeredAcr(
  own: string | undefined,
  requested: readonly string[],
): string | undefined {
  return requested.find((value) => meets(own, value)) ?? own
}

/**
 * Whether a login with the strongest `acr` `own` meets a value. No login meets an unknown value.
 */
export function meets(own: string | undefined, value: string): boolean {
  const [level, wanted] = [levelOfAcr(own ?? ''), levelOfAcr(value)]
  return level !== undefined && wanted !== undefined && isAtLeast(level, wanted)
}
