import type { Application, Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { checkText, checkUrl, isSecureEnough, limits } from '../writes/rules.ts'
import { exceptionsOf } from './application-exceptions.ts'

/** The key of an application's metadata that holds its back-channel logout address. */
export const BACKCHANNEL_LOGOUT_KEY = 'backchannel_logout_uri'

/**
 * Refuses a back-channel logout address that could not be called. A stored one may stay.
 *
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
 * Refuses a URL with a wildcard, which the issuer would compare literally. One that is in `stored`
 * may stay.
 *
 * @param url - A URL that {@link checkUrl} has accepted.
 */
export function refuseNewWildcard(
  label: string,
  url: string,
  stored: readonly string[] = [],
): void {
  if (!isWildcard(url) || stored.includes(url)) return
  throw new ServiceError('invalid_url', reason('url_wildcard', { field: label }))
}

/** Refuses a redirect or logout URL that an application of this kind cannot have. */
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

/** The hosts on which a native application may have any port. */
const LOOPBACKS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a system browser can bring a response to a native application at this address: https,
 * plain http to the device itself, or a scheme that is named after a domain, so that no other
 * application uses it by accident.
 *
 * @see RFC 8252 §7
 */
function isNativeUrl({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return !LOOPBACKS.has(hostname)
  if (protocol === 'http:') return LOOPBACKS.has(hostname)
  return OF_DOMAIN.test(protocol) && !BROWSER_SCHEMES.has(protocol.split('.')[0] as string)
}

/** A scheme that is a domain in reverse order: labels with dots between them, the first of which is a top-level domain. */
const OF_DOMAIN = /^[a-z][a-z0-9-]*[a-z0-9](\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+:$/

/**
 * Schemes that browsers read themselves. None is a top-level domain, so a scheme that begins with
 * such a name and a dot is not named after a domain. A reader that compares only the beginning
 * would take it for the well-known scheme.
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
 * The redirect or logout URLs of an application that are valid: without developer mode, plain http is only valid on
 * loopback hosts.
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

/** Whether the host has an asterisk, or a part of the path is nothing else. Elsewhere it is a character. */
function isWildcard(text: string): boolean {
  const { hostname, pathname } = new URL(text)
  return hostname.includes('*') || pathname.split('/').some((part) => /^\*+$/.test(part))
}
