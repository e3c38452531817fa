import { getPublicSuffix } from 'tldts-icann'
import { isIpHost, isLoopbackHost } from '../writes/addresses.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'

/**
 * The verification of a tenant's domain: a TXT record in the DNS (`dns`), or no verification
 * (`none`).
 */
export type DomainVerification = 'dns' | 'none'

/** The rules for the domains of tenants. */
export interface DomainPolicy {
  /**
   * Whether a tenant can be moved to a loopback domain: `localhost`, its subdomains, `127.0.0.0/8`,
   * `[::1]`. An operator can always create a tenant there.
   */
  readonly allowLoopback: boolean
  /**
   * The hosts of the management API, which no tenant may have; in the form of {@link
   * canonicalDomain}.
   */
  readonly apiHosts: readonly string[]
  /**
   * The host of the management console, which no tenant may have. Without a host, there is no
   * console.
   */
  readonly consoleHost?: string | undefined
  /** The verification that a domain needs before a tenant can move to it. */
  readonly verification: DomainVerification
}

const DAY_MICROS = 24 * 60 * 60 * 1_000_000

/**
 * The period, in microseconds, for which a domain that a tenant gave up is reserved for the tenant.
 */
export const DOMAIN_HOLD_MICROS = 30 * DAY_MICROS

/**
 * The canonical form of a domain, in which it is stored and compared: a host in lower case and
 * ASCII, with its port if it has one.
 *
 * @throws ServiceError `invalid_request` for text that is not a host.
 */
export function canonicalDomain(domain: string): string {
  const url = URL.parse(`https://${domain}`)
  const isBare = url !== null && !/[/?#@\s\\]/.test(domain) && url.hostname !== ''
  if (!isBare || url.host.length > 253) {
    throw refused(reason('domain_not_host'))
  }
  return url.host
}

/**
 * Checks that a tenant may have a domain, which is in canonical form. Refused are domains that
 * could be confused with another one or that can have no owner.
 *
 * A suffix that a company keeps for its customers, such as `github.io`, has an owner and is
 * accepted.
 *
 * @throws ServiceError `invalid_request`.
 */
export function checkDomain(
  domain: string,
  { allowLoopback, apiHosts, consoleHost }: DomainPolicy,
): void {
  const { hostname } = new URL(`https://${domain}`)
  if (apiHosts.some((host) => host === domain || host === hostname)) {
    throw refused(reason('domain_of_api', { domain }))
  }
  if (domain === consoleHost) throw refused(reason('domain_of_console', { domain }))
  if (isLoopbackHost(hostname)) {
    if (allowLoopback) return
    throw refused(reason('domain_loopback', { domain }))
  }
  if (isIpHost(hostname)) throw refused(reason('domain_ip_address', { domain: hostname }))
  if (hostname.includes('*')) throw refused(reason('domain_wildcard', { domain: hostname }))
  if (hostname.includes('_')) throw refused(reason('domain_underscore', { domain: hostname }))
  if (!/^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/.test(hostname)) {
    throw refused(reason('domain_not_host_name', { domain: hostname }))
  }
  if (!hostname.includes('.')) {
    throw refused(reason('domain_one_label', { domain: hostname }))
  }
  if (getPublicSuffix(hostname, { extractHostname: false }) === hostname) {
    throw refused(reason('domain_public_suffix', { domain: hostname }))
  }
}

function refused(because: Reason): ServiceError {
  return new ServiceError('invalid_request', because)
}
