import type { Metadata, Micros, Tenant } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { idPattern } from '../writes/ids.ts'
import { lifetimes } from '../writes/lifetimes.ts'
import { reason } from '../writes/reasons/index.ts'
import { limits, wordsOf } from '../writes/rules.ts'

/** The metadata key of a tenant that says which clients may use a client ID metadata document. */
export const DOCUMENTS_KEY = 'latchkey_client_documents'
/**
 * The metadata key of a tenant with the hosts whose clients may use a metadata document, under the
 * trust `listed`.
 */
export const DOCUMENT_HOSTS_KEY = 'latchkey_client_document_hosts'
/** The metadata key of a tenant with the hosts whose clients are always refused. */
export const BLOCKED_HOSTS_KEY = 'latchkey_client_documents_blocked'

/**
 * The metadata key of a tenant that says whether clients may also use dynamic client registration.
 */
export const REGISTRATION_KEY = 'latchkey_client_registration'

/** The values of {@link DOCUMENTS_KEY}; the first is the default. */
export const documentTrust = ['off', 'listed', 'any'] as const

/** The tenant's trust in unregistered clients. */
type DocumentTrust = (typeof documentTrust)[number]

/** The maximum length of a `client_id` that is a URL, in bytes. */
const MAX_CLIENT_ID = 300

function trustOf(metadata: Metadata): DocumentTrust {
  return documentTrust.find((one) => one === metadata[DOCUMENTS_KEY]) ?? 'off'
}

/** Whether the tenant accepts any clients with a metadata document. */
export function acceptsDocuments({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return trustOf(metadata) !== 'off'
}

/**
 * Whether the tenant accepts dynamic client registration. This also requires that it trusts
 * unregistered clients.
 *
 * @see RFC 7591
 */
export function acceptsRegistration({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return acceptsDocuments({ metadata }) && metadata[REGISTRATION_KEY] === 'true'
}

const REGISTERED_ID = idPattern('reg')

/** Whether a client id was issued by dynamic client registration. */
export function isRegisteredId(clientId: string): boolean {
  return REGISTERED_ID.test(clientId)
}

/**
 * Whether a client id belongs to a client with a metadata document or from dynamic client
 * registration.
 */
export function isSelfDescribedId(clientId: string): boolean {
  return isDocumentId(clientId) || isRegisteredId(clientId)
}

/** Whether a client id is the URL of a metadata document. Ids of applications are not URLs. */
export function isDocumentId(clientId: string): boolean {
  return /^https:/i.test(clientId)
}

/**
 * The reason why the tenant refuses a client with a metadata document; `undefined` if it accepts
 * the client.
 *
 * An id must be in its canonical form. Another form would be a second client with the same
 * document.
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
 * The reason why the tenant refuses a client from dynamic client registration; `undefined` if it
 * accepts the client. The id of this client has no host, so the hosts of all redirect URIs must be
 * accepted.
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
 * The host of a redirect URI, as the lists of hosts have it. An https host includes its port. An
 * http host has no port, because programs on the user's device use any port. For other schemes, it
 * is the scheme.
 */
function redirectHost(uri: string): string {
  const url = URL.parse(uri)
  if (url?.protocol === 'https:') return url.host
  return url?.protocol === 'http:' ? url.hostname : (url?.protocol ?? '').slice(0, -1)
}

/**
 * The hosts by which the tenant accepts or blocks a client: the host of its metadata document, or
 * the hosts of its redirect URIs.
 */
export function judgedHosts(clientId: string, redirectUris: readonly string[]): string[] {
  if (isDocumentId(clientId)) return [URL.parse(clientId)?.host ?? '']
  return [...new Set(redirectUris.map(redirectHost))]
}

/**
 * The times at which hosts were last blocked or unblocked, by host. Earlier consents are no longer
 * valid.
 */
export type EndedHosts = Readonly<Record<string, Micros>>

/**
 * The {@link EndedHosts} after a change of the metadata. Consents last at most a year, so older
 * times are left out.
 */
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

/** Whether a text is a list of canonical hosts, separated by white space. */
export function isHostList(text: string): boolean {
  return wordsOf(text).every((host) => URL.parse(`https://${host}/`)?.host === host)
}

/** The hosts whose clients the tenant always refuses, in alphabetical order. */
export function blockedHosts({ metadata }: Pick<Tenant, 'metadata'>): string[] {
  return [...hostsOf(metadata, BLOCKED_HOSTS_KEY)].sort()
}

/** The hosts that the tenant lists under {@link DOCUMENT_HOSTS_KEY}, in alphabetical order. */
export function listedHosts({ metadata }: Pick<Tenant, 'metadata'>): string[] {
  return [...hostsOf(metadata, DOCUMENT_HOSTS_KEY)].sort()
}

/**
 * The metadata after a host was blocked or unblocked. It is the same object if nothing changes.
 *
 * @throws ServiceError `invalid_request` unless the host is in its canonical form; `conflict` if
 *   the list is full.
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
