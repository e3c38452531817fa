import dns from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isLoopbackHost } from '../writes/addresses.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import type { DomainPolicy } from './domain-names.ts'

/** The label of the DNS name at which the owner of a domain names the domain's tenant. */
const LABEL = '_latchkey'

/** The error codes of DNS queries for a record that does not exist. */
const NOT_THERE = new Set(['ENODATA', 'ENOTFOUND'])

/**
 * Checks the DNS record with which the owner of a domain assigns the domain to a tenant, if the
 * policy requires it. The record is a TXT record at `_latchkey.<domain>` with the value
 * `latchkey-tenant=<id of the tenant>`.
 *
 * @param domain - The domain in its canonical form. A port is ignored.
 * @throws ServiceError `invalid_request`, which names the record to publish, when there is no such
 *   record; `unavailable` when the DNS does not answer.
 */
export async function verifyDomain(
  tenantId: string,
  domain: string,
  { allowLoopback, verification }: DomainPolicy,
): Promise<void> {
  const { hostname } = new URL(`https://${domain}`)
  if (verification === 'none' || (allowLoopback && isLoopbackHost(hostname))) return
  const name = `${LABEL}.${hostname}`
  const value = `latchkey-tenant=${tenantId}`
  const records = await textRecords(name)
  // The DNS splits a long text into pieces of 255 bytes.
  if (records.some((pieces) => pieces.join('').trim() === value)) return
  throw new ServiceError(
    'invalid_request',
    reason('domain_needs_txt', { name, value, count: records.length }),
  )
}

async function textRecords(name: string): Promise<string[][]> {
  try {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    // Uses the servers that the application has set. A named import would not follow
    // `dns.setServers()`.
    resolver.setServers(dns.getServers())
    return await resolver.resolveTxt(name)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (NOT_THERE.has(code ?? '')) return []
    throw new ServiceError(
      'unavailable',
      reason('domain_dns_failed', { name, code: String(code) }),
      {
        cause,
        retryAfterSeconds: 30,
      },
    )
  }
}
