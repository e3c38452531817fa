/**
 * How strongly a login proves who the user is, the weakest first: one factor, two steps of which the
 * second is a mailed code, two factors, a passkey or security key that phishing does not get past, and
 * such a key that cannot leave its device.
 */
const levels = ['single', 'two_step', 'mfa', 'phr', 'phrh'] as const

/** A strength of a login, as {@link levels} orders them. */
export type Level = (typeof levels)[number]

/** A way in which a user has proven who they are during a login. */
export type Method = 'password'

/** How strong a login is after these proofs. */
export function levelOf(_proofs: readonly Method[]): Level {
  return 'single'
}

/**
 * The claim `amr`, frozen: applications compare its values.
 *
 * @see RFC 8176 §2
 */
export function amrOf(_proofs: readonly Method[]): string[] {
  return ['pwd']
}

/**
 * The values of `acr`, frozen: applications compare them. A login by one factor has none.
 *
 * @see REFEDS Multi-Factor Authentication Profile, OpenID Connect Extended Authentication Profile ACR Values 1.0
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

/** The level that an `acr` stands for; `undefined` for a value that is not known. */
export function levelOfAcr(acr: string): Exclude<Level, 'single'> | undefined {
  const entries = Object.entries(acrOf) as [Exclude<Level, 'single'>, string][]
  return entries.find(([, value]) => value === acr)?.[0]
}

/** The values of `acr` that an application asks for, in the order of its preference. */
export function requestedAcrs(parameter: unknown): string[] {
  return typeof parameter === 'string' ? parameter.split(' ').filter((value) => value !== '') : []
}

/**
 * The `acr` to answer a request with: the first requested value that the login meets, because
 * applications compare it with what they asked for; else the login's own.
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

/** Whether a login whose strongest `acr` is `own` meets the value; it never meets an unknown one. */
export function meets(own: string | undefined, value: string): boolean {
  const [level, wanted] = [levelOfAcr(own ?? ''), levelOfAcr(value)]
  return level !== undefined && wanted !== undefined && isAtLeast(level, wanted)
}
