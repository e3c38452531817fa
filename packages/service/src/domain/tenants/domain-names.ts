import { getPublicSuffix } from 'tldts-icann'
import { isAddressHost, isLoopbackHost } from '../writes/addresses.ts'
import { ServiceError } from '../writes/errors.ts'

/** How the owner of a domain shows that a tenant may have it: by a TXT record, or not at all. */
export type DomainVerification = 'dns' | 'none'

/** Which domains tenants may have. */
export interface DomainPolicy {
  /**
   * Whether an API key may move its tenant to this very machine: `localhost`, names below it,
   * `127.0.0.0/8`, `[::1]`. The operator may create one there in any case.
   */
  readonly allowLoopback: boolean
  /** Hosts of the management API, which no tenant may have; in the form of {@link canonicalDomain}. */
  readonly apiHosts: readonly string[]
  /** Host of the management console, which no tenant may have. Without one, there is no console. */
  readonly consoleHost?: string | undefined
  /** Whether the DNS must name the tenant before it can move to a domain. */
  readonly verification: DomainVerification
}

const DAY_MICROS = 24 * 60 * 60 * 1_000_000

/** How long a domain that a tenant gave up is held for it. */
export const DOMAIN_HOLD_MICROS = 30 * DAY_MICROS

/**
 * The domain in the form in which it is stored and compared: a host in lower case and ASCII, with a
 * port where there is one.
 *
 * @throws ServiceError `invalid_request` for text that is no host.
 */
export function canonicalDomain(domain: string): string {
  const url = URL.parse(`https://${domain}`)
  const isBare = url !== null && !/[/?#@\s\\]/.test(domain) && url.hostname !== ''
  if (!isBare || url.host.length > 253) {
    throw refused('must be the host at which the tenant issues, such as login.example.com.')
  }
  return url.host
}

/**
 * Refuses a domain in its canonical form at which a tenant must not issue: its name
 * would be taken for another's, or it can have no owner.
 *
 * A suffix that a company keeps for its customers, such as `github.io`, has an owner and is accepted.
 */
export function checkDomain(
  domain: string,
  { allowLoopback, apiHosts, consoleHost }: DomainPolicy,
): void {
  const { hostname } = new URL(`https://${domain}`)
  if (apiHosts.some((host) => host === domain || host === hostname)) {
    throw refused(`is ${domain}, where the management API is.`)
  }
  if (domain === consoleHost) throw refused(`is ${domain}, where the management console is.`)
  if (isLoopbackHost(hostname)) {
    if (allowLoopback) return
    throw refused(`is ${domain}, which is this machine; that is for development only.`)
  }
  if (isAddressHost(hostname)) throw refused(`is the IP address ${hostname}; a name is needed.`)
  if (hostname.includes('*')) throw refused(`is ${hostname}; wildcards are not supported.`)
  if (hostname.includes('_')) throw refused(`is ${hostname}; host names have no underscores.`)
  if (!/^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/.test(hostname)) {
    throw refused(`is ${hostname}, which is not a host name such as login.example.com.`)
  }
  if (!hostname.includes('.')) {
    throw refused(`is ${hostname}; it needs at least two labels, such as login.example.com.`)
  }
  if (getPublicSuffix(hostname, { extractHostname: false }) === hostname) {
    throw refused(`is ${hostname}, a public suffix below which others have their domains.`)
  }
}

function refused(reason: string): ServiceError {
  return new ServiceError('invalid_request', `"settings.domain" ${reason}`)
}
