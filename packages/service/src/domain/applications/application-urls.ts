import type { Application, Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { checkText, checkUrl, isSecureEnough, limits } from '../writes/rules.ts'
import { exceptionsOf } from './application-exceptions.ts'

/** The metadata key of an application with its back-channel logout URL. */
export const BACKCHANNEL_LOGOUT_KEY = 'backchannel_logout_uri'

/**
 * Checks the back-channel logout URL. A value that is already stored may stay.
 *
 * @throws ServiceError `invalid_url`.
 * @see OpenID Connect Back-Channel Logout 1.0 §2.2
 */
export function checkNewLogoutAddress(
  metadata: Metadata,
  stored: Metadata | undefined,
  developerMode: boolean,
): void {
  const address = metadata[BACKCHANNEL_LOGOUT_KEY]
  if (address === undefined || address === stored?.[BACKCHANNEL_LOGOUT_KEY]) return
  checkUrl(`"metadata.${BACKCHANNEL_LOGOUT_KEY}"`, address, developerMode)
}

/**
 * Refuses a URL with a wildcard, because the issuer would compare the wildcard literally. A URL in
 * `stored` may stay.
 *
 * @param url - A URL that {@link checkUrl} has accepted.
 * @throws ServiceError `invalid_url`.
 */
export function refuseNewWildcard(
  label: string,
  url: string,
  stored: readonly string[] = [],
): void {
  if (!isWildcard(url) || stored.includes(url)) return
  throw new ServiceError('invalid_url', reason('url_wildcard', { field: label }))
}

/**
 * Checks a redirect or logout URL. A native application has rules of its own.
 *
 * @throws ServiceError `invalid_url`.
 */
export function checkReturnUrl(
  label: string,
  text: string,
  { metadata }: Pick<Application, 'metadata'>,
  developerMode: boolean,
): void {
  if (!exceptionsOf(metadata).isNative) {
    checkUrl(label, text, developerMode)
    return
  }
  checkText('invalid_url', label, text, limits.urlLength)
  const url = URL.parse(text)
  if (!url || /\s/.test(text) || !isNativeUrl(url)) {
    throw new ServiceError('invalid_url', reason('url_not_native', { label }))
  }
  if (/^https?:$/.test(url.protocol)) {
    checkUrl(label, text, false)
  } else if (text.includes('#') || url.username || url.password) {
    throw new ServiceError('invalid_url', reason('url_has_fragment_or_user', { label }))
  }
}

/** The loopback hosts, on which a native application may use any port. */
const LOOPBACKS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a system browser can return a response to a native application at this URL. The URL must
 * be https, plain http on loopback, or have a scheme that is named after a domain. No other
 * application uses such a scheme by accident.
 *
 * @see RFC 8252 §7
 */
function isNativeUrl({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return !LOOPBACKS.has(hostname)
  if (protocol === 'http:') return LOOPBACKS.has(hostname)
  return OF_DOMAIN.test(protocol) && !BROWSER_SCHEMES.has(protocol.split('.')[0] as string)
}

/**
 * The pattern of a scheme that is a domain in reverse order: labels with dots between them, the
 * top-level domain first.
 */
const OF_DOMAIN = /^[a-z][a-z0-9-]*[a-z0-9](\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+:$/

/**
 * The schemes that browsers handle themselves. None of them is a top-level domain, so a scheme such
 * as `data.example` is not named after a domain. A program that compares only the beginning would
 * take it for the well-known scheme.
 */
const BROWSER_SCHEMES: ReadonlySet<string> = new Set([
  ...[
    'about',
    'blob',
    'chrome',
    'chrome-extension',
    'content',
    'data',
    'file',
    'filesystem',
    'ftp',
  ],
  ...['http', 'https', 'intent', 'jar', 'javascript', 'mailto', 'moz-extension', 'resource', 'tel'],
  ...['vbscript', 'view-source', 'ws', 'wss'],
])

/**
 * The valid ones among the redirect or logout URLs of an application. Without developer mode, plain
 * http is valid only on loopback hosts. A native application has rules of its own, in both modes.
 */
export function workingUrls(
  urls: readonly string[],
  { metadata }: Pick<Application, 'metadata'>,
  developerMode: boolean,
): string[] {
  const { isNative } = exceptionsOf(metadata)
  return urls
    .map((text) => ({ text, url: new URL(text) }))
    .filter(({ url }) => (isNative ? isNativeUrl(url) : isSecureEnough(url, developerMode)))
    .map(({ text }) => text)
}

/** Whether an application has redirect or logout URLs that work in developer mode only. */
export function needsDeveloperMode(application: Application): boolean {
  const urls = [...application.redirectUrls, ...application.logoutUrls]
  return workingUrls(urls, application, false).length < urls.length
}

/**
 * Whether a URL has a wildcard: an asterisk in the host, or a path segment of asterisks only. Other
 * asterisks are ordinary characters.
 */
function isWildcard(text: string): boolean {
  const { hostname, pathname } = new URL(text)
  return hostname.includes('*') || pathname.split('/').some((part) => /^\*+$/.test(part))
}
