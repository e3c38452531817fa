import type { Application } from '../store/records.ts'
import { ServiceError } from './errors.ts'
import { checkUrl, isSecureEnough } from './rules.ts'

/** The key of an application's metadata that holds its back-channel logout address. */
export const BACKCHANNEL_LOGOUT_KEY = 'backchannel_logout_uri'

type Urls = Pick<Application, 'metadata' | 'logoutUrls' | 'redirectUrls'>

/**
 * Refuses addresses that would not work as they read: a wildcard, which the issuer compares as it
 * stands, and a back-channel logout address that could not be called. Those of `stored` may stay.
 */
export function checkNewUrls(input: Urls, stored: Urls | undefined, developerMode: boolean): void {
  refuseWildcards('logout_urls', input.logoutUrls, stored?.logoutUrls)
  refuseWildcards('redirect_urls', input.redirectUrls, stored?.redirectUrls)
  const address = input.metadata[BACKCHANNEL_LOGOUT_KEY]
  if (address === undefined || address === stored?.metadata[BACKCHANNEL_LOGOUT_KEY]) return
  // @see OpenID Connect Back-Channel Logout 1.0 §2.2
  checkUrl(`"metadata.${BACKCHANNEL_LOGOUT_KEY}"`, address, developerMode)
}

/** Those of `urls` that work: plain http on any host stops to when developer mode is switched off. */
export function workingUrls(urls: readonly string[], developerMode: boolean): string[] {
  return urls.filter((url) => isSecureEnough(new URL(url), developerMode))
}

/** Whether an application has redirect or logout URLs that work in developer mode only. */
export function needsDeveloperMode({ logoutUrls, redirectUrls }: Application): boolean {
  const urls = [...redirectUrls, ...logoutUrls]
  return workingUrls(urls, false).length < urls.length
}

function refuseWildcards(
  label: string,
  urls: readonly string[],
  stored: readonly string[] = [],
): void {
  const index = urls.findIndex((url) => isWildcard(url) && !stored.includes(url))
  if (index < 0) return
  throw new ServiceError(
    'invalid_url',
    `"${label}[${index}]" is a wildcard, which is not supported: give each URL in full.`,
  )
}

/** Whether the host has an asterisk, or a part of the path is nothing else. Elsewhere it is a character. */
function isWildcard(text: string): boolean {
  const { hostname, pathname } = new URL(text)
  return hostname.includes('*') || pathname.split('/').some((part) => /^\*+$/.test(part))
}
