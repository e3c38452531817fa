import { createHash } from 'node:crypto'

/** The parts of an issuer's redirect URI, for an application with several issuers. */
export interface RedirectUriSource {
  readonly baseUrl: string | URL
  readonly issuer: string | URL
  /** The option `routes.callback`. Default `/callback`. */
  readonly callback?: string | undefined
}

/**
 * The redirect URI to register at one issuer, for applications whose `issuer` is a function. It is
 * the callback followed by an id of the issuer, such as `https://app.example.com/callback/3f0a…`.
 * Each issuer has its own redirect URI.
 *
 * @see RFC 9700 §4.4.2.2
 */
export function redirectUriFor({
  baseUrl,
  issuer,
  callback = '/callback',
}: RedirectUriSource): string {
  const { origin, pathname } = new URL(baseUrl)
  return issuerRedirectUri(`${origin}${pathname.replace(/\/$/, '')}${callback}`, issuer)
}

/** The redirect URI of one issuer: the URL of the callback, a slash and an id of the issuer. */
export function issuerRedirectUri(redirectUri: string, issuer: string | URL): string {
  return `${redirectUri}/${issuerId(issuer)}`
}

/** Whether a path is the callback followed by the id of an issuer. */
export function isIssuerCallback(path: string, callback: string): boolean {
  return path.startsWith(`${callback}/`) && /^[\da-f]{24}$/.test(path.slice(callback.length + 1))
}

/**
 * The id of an issuer: 96 bits of a hash, so that no other issuer with the same id can be found.
 */
function issuerId(issuer: string | URL): string {
  return createHash('sha256').update(new URL(issuer).href).digest('hex').slice(0, 24)
}
