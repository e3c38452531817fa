import dns, { type LookupAddress, TIMEOUT } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isLoopbackHost } from '../domain/writes/addresses.ts'

/** The timeout of one try of a DNS query. Two tries take less time than a connection may. */
const TIMEOUT_MS = 2_000

/**
 * The IP addresses of a host name, by DNS queries only. `dns.lookup` would occupy one of libuv's
 * four threads for each slow name, and passwords and files would wait.
 *
 * @throws if the name has no address, or no name server answers.
 */
export async function lookUp(hostname: string): Promise<LookupAddress[]> {
  if (isLoopbackHost(hostname)) return [{ address: '127.0.0.1', family: 4 }]
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
  // These are the servers that the application has set. A named import would not follow
  // dns.setServers().
  resolver.setServers(dns.getServers())
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ])
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (found.length > 0) return found
  const failed = [four, six].find(({ status }) => status === 'rejected')
  throw (
    (failed as PromiseRejectedResult | undefined)?.reason ??
    new Error(`${hostname} has no address.`)
  )
}

/**
 * Like {@link lookUp}, but asks the operating system for a name that DNS does not know, such as one
 * in `/etc/hosts`.
 */
export async function lookUpAnywhere(hostname: string): Promise<LookupAddress[]> {
  try {
    return await lookUp(hostname)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === TIMEOUT) throw error
    return await lookup(hostname, { all: true })
  }
}
