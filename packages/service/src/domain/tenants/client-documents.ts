import type { Metadata, Micros, Tenant } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { idPattern } from '../writes/ids.ts'
import { lifetimes } from '../writes/lifetimes.ts'
import { reason } from '../writes/reasons/index.ts'
import { limits, wordsOf } from '../writes/rules.ts'

/** The key of a tenant's metadata that says which clients may describe themselves by a metadata document. */
export const DOCUMENTS_KEY = 'latchkey_client_documents'
/** The key of a tenant's metadata with the hosts of those clients, under `listed`. */
export const DOCUMENT_HOSTS_KEY = 'latchkey_client_document_hosts'
/** The key of a tenant's metadata with the hosts whose clients are refused in any case. */
export const BLOCKED_HOSTS_KEY = 'latchkey_client_documents_blocked'

/** The key of a tenant's metadata that says whether clients may register themselves as well. */
export const REGISTRATION_KEY = 'latchkey_client_registration'

/** The values of {@link DOCUMENTS_KEY}; the first is the default. */
export const documentTrust = ['off', 'listed', 'any'] as const

/** The tenant's trust in unregistered clients. */
type DocumentTrust = (typeof documentTrust)[number]

/** The length of a `client_id` that is a URL, in bytes, at most. */
const MAX_CLIENT_ID = 300

function trustOf(metadata: Metadata): DocumentTrust {
  return documentTrust.find((one) => one === metadata[DOCUMENTS_KEY]) ?? 'off'
}

/** Whether clients may log in by a metadata document at all. */
export function acceptsDocuments({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return trustOf(metadata) !== 'off'
}

/**
 * Whether clients may register themselves, which needs trust in unregistered clients too.
 *
 * @see RFC 7591
 */
export function acceptsRegistration({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return acceptsDocuments({ metadata }) && metadata[REGISTRATION_KEY] === 'true'
}

const REGISTERED_ID = idPattern('reg')

/** Whether an id is that of a client that has registered itself. */
export function isRegisteredId(clientId: string): boolean {
  return REGISTERED_ID.test(clientId)
}

/** Whether an id is that of a client that describes itself: by a metadata document, or by registering itself. */
export function isSelfDescribedId(clientId: string): boolean {
  return isDocumentId(clientId) || isRegisteredId(clientId)
}

/** Whether an id is that of a client with a metadata document; those of applications are no URLs. */
export function isDocumentId(clientId: string): boolean {
  return /^https:/i.test(clientId)
}

/**
 * The reason why the tenant does not accept a client; `undefined` if it does.
 *
 * An id must be in its canonical form. In another form, it would be another client with the same document.
 *
 * @see draft-ietf-oauth-client-id-metadata-document §3, §6
 */
export function documentRefusal(
  { metadata }: Pick<Tenant, 'metadata'>,
  clientId: string,
): string | undefined {
  const trust = trustOf(metadata)
  if (trust === 'off') return 'This tenant accepts registered applications only.'
  if (Buffer.byteLength(clientId) > MAX_CLIENT_ID) {
    return `The client_id has more than ${MAX_CLIENT_ID} bytes.`
  }
  const url = URL.parse(clientId)
  if (url?.protocol !== 'https:' || url.username || url.password || url.hash || url.search) {
    return 'The client_id is not an https URL without a user name, a query and a fragment.'
  }
  if (url.href !== clientId || /%2e/i.test(url.pathname)) {
    return `The client_id is not in the normal form of a URL, which is ${url.href}.`
  }
  if (url.pathname === '/') {
    return 'The client_id has no path; it must be the address of the metadata document.'
  }
  if (hostsOf(metadata, BLOCKED_HOSTS_KEY).has(url.host)) {
    return `The tenant has blocked clients of ${url.host}.`
  }
  if (trust === 'any' || hostsOf(metadata, DOCUMENT_HOSTS_KEY).has(url.host)) return undefined
  return `The tenant does not list ${url.host} in "${DOCUMENT_HOSTS_KEY}".`
}

/**
 * The reason why the tenant does not accept a client that has registered itself; `undefined` if it does. Such a client
 * has no host of its own, so the hosts of all its redirect URIs must be accepted.
 */
export function registrationRefusal(
  tenant: Pick<Tenant, 'metadata'>,
  redirectUris: readonly string[],
): string | undefined {
  const { metadata } = tenant
  if (!acceptsRegistration(tenant))
    return 'This tenant accepts no clients that register themselves.'
  const hosts = redirectUris.map(redirectHost)
  const blocked = hosts.find((host) => hostsOf(metadata, BLOCKED_HOSTS_KEY).has(host))
  if (blocked !== undefined) return `The tenant has blocked clients of ${blocked}.`
  if (trustOf(metadata) === 'any') return undefined
  const unlisted = hosts.find((host) => !hostsOf(metadata, DOCUMENT_HOSTS_KEY).has(host))
  return unlisted === undefined
    ? undefined
    : `The tenant does not list ${unlisted} in "${DOCUMENT_HOSTS_KEY}".`
}

/**
 * The host of a redirect URI, in the form of the lists of hosts: with its port, except on the
 * user's device, where any port can be used. For a scheme that is named after a domain, the scheme.
 */
function redirectHost(uri: string): string {
  const url = URL.parse(uri)
  if (url?.protocol === 'https:') return url.host
  return url?.protocol === 'http:' ? url.hostname : (url?.protocol ?? '').slice(0, -1)
}

/** The hosts by which the tenant judges a client that describes itself. */
export function judgedHosts(clientId: string, redirectUris: readonly string[]): string[] {
  if (isDocumentId(clientId)) return [URL.parse(clientId)?.host ?? '']
  return [...new Set(redirectUris.map(redirectHost))]
}

/** The times at which hosts were last blocked or unblocked. Consents from before have ended. */
export type EndedHosts = Readonly<Record<string, Micros>>

/** {@link EndedHosts} after a change of the metadata. Consents are kept for a year, so older times are left out. */
export function endedHosts(
  ended: EndedHosts | undefined,
  { before, after, now }: { before: Metadata; after: Metadata; now: Micros },
): EndedHosts | undefined {
  const [were, are] = [hostsOf(before, BLOCKED_HOSTS_KEY), hostsOf(after, BLOCKED_HOSTS_KEY)]
  const changed = [...were, ...are].filter((host) => !(were.has(host) && are.has(host)))
  if (changed.length === 0) return ended
  const oldest = now - lifetimes.offlineGrantSeconds * 1e6
  const kept = Object.entries(ended ?? {}).filter(([, at]) => at > oldest)
  return Object.fromEntries([...kept, ...changed.map((host) => [host, now] as const)])
}

/** Whether a text is a list of hosts, separated by spaces, in the form that {@link documentRefusal} compares. */
export function isHostList(text: string): boolean {
  return wordsOf(text).every((host) => URL.parse(`https://${host}/`)?.host === host)
}

/** The hosts whose clients the tenant refuses in any case, in order. */
export function blockedHosts({ metadata }: Pick<Tenant, 'metadata'>): string[] {
  return [...hostsOf(metadata, BLOCKED_HOSTS_KEY)].sort()
}

/** The hosts that the tenant lists, in order. */
export function listedHosts({ metadata }: Pick<Tenant, 'metadata'>): string[] {
  return [...hostsOf(metadata, DOCUMENT_HOSTS_KEY)].sort()
}

/**
 * The metadata after a host was blocked or unblocked; the same object if it is so already.
 *
 * @throws ServiceError `invalid_request` unless the host is in its canonical form; `conflict` if the list is full.
 */
export function withHostBlocked(metadata: Metadata, host: string, isBlocked: boolean): Metadata {
  const normal = URL.parse(`https://${host}/`)?.host
  if (host === '' || normal !== host) {
    throw new ServiceError(
      'invalid_request',
      normal ? reason('host_not_normal', { host, normal }) : reason('host_malformed', { host }),
    )
  }
  const before = blockedHosts({ metadata })
  if (before.includes(host) === isBlocked) return metadata
  const { [BLOCKED_HOSTS_KEY]: _, ...others } = metadata
  const after = isBlocked ? [...before, host] : before.filter((one) => one !== host)
  if (after.length === 0) return others
  const list = after.sort().join(' ')
  const most = limits.metadataValueLength
  if (list.length > most) {
    throw new ServiceError(
      'conflict',
      reason('blocked_hosts_full', { key: BLOCKED_HOSTS_KEY, most }),
    )
  }
  return { ...others, [BLOCKED_HOSTS_KEY]: list }
}

function hostsOf(metadata: Metadata, key: string): ReadonlySet<string> {
  return new Set(wordsOf(metadata[key] ?? ''))
}
