import type { Application, Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { checkUrl, isSecureEnough } from '../writes/rules.ts'

/** The key of an application's metadata that holds its back-channel logout address. */
export const BACKCHANNEL_LOGOUT_KEY = 'backchannel_logout_uri'

/**
 * Refuses a back-channel logout address that could not be called. One that is stored may stay.
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
 * Refuses a wildcard, which the issuer compares as it stands. One of `stored` may stay.
 *
 * @param url - One that {@link checkUrl} has let through.
 */
export function refuseNewWildcard(
  label: string,
  url: string,
  stored: readonly string[] = [],
): void {
  if (!isWildcard(url) || stored.includes(url)) return
  throw new ServiceError(
    'invalid_url',
    `${label} is a wildcard, which is not supported: give each URL in full.`,
  )
}

/** The valid ones of `urls`: without developer mode, plain http is only valid on loopback hosts. */
export function workingUrls(urls: readonly string[], developerMode: boolean): string[] {
  return urls.filter((url) => isSecureEnough(new URL(url), developerMode))
}

/** Whether an application has redirect or logout URLs that work in developer mode only. */
export function needsDeveloperMode({ logoutUrls, redirectUrls }: Application): boolean {
  const urls = [...redirectUrls, ...logoutUrls]
  return workingUrls(urls, false).length < urls.length
}

/** Whether the host has an asterisk, or a part of the path is nothing else. Elsewhere it is a character. */
function isWildcard(text: string): boolean {
  const { hostname, pathname } = new URL(text)
  return hostname.includes('*') || pathname.split('/').some((part) => /^\*+$/.test(part))
}
