/**
 * Whether a value can be the `sub` of a token: 1 to 255 ASCII characters that can be printed.
 *
 * @see OpenID Connect Core 1.0 §2
 */
export function isSubject(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)
}
