import type { Metadata, Tenant } from '../../store/records.ts'
import { wordsOf } from '../writes/rules.ts'

/** The key of a tenant's metadata that says which clients may describe themselves by a metadata document. */
export const DOCUMENTS_KEY = 'latchkey_client_documents'
/** The key of a tenant's metadata with the hosts of those clients, under `listed`. */
export const DOCUMENT_HOSTS_KEY = 'latchkey_client_document_hosts'
/** The key of a tenant's metadata with the hosts whose clients are refused in any case. */
export const BLOCKED_HOSTS_KEY = 'latchkey_client_documents_blocked'

/** The values of {@link DOCUMENTS_KEY}; the first is the default. */
export const documentTrust = ['off', 'listed', 'any'] as const

/** The tenant's trust in unregistered clients. */
type DocumentTrust = (typeof documentTrust)[number]

/** The most bytes of a `client_id` that is a URL. */
const MAX_CLIENT_ID = 300

function trustOf(metadata: Metadata): DocumentTrust {
  return documentTrust.find((one) => one === metadata[DOCUMENTS_KEY]) ?? 'off'
}

/** Whether clients may log in by a metadata document at all. */
export function acceptsDocuments({ metadata }: Pick<Tenant, 'metadata'>): boolean {
  return trustOf(metadata) !== 'off'
}

/** Whether an id is that of a client with a metadata document; those of applications are no URLs. */
export function isDocumentId(clientId: string): boolean {
  return /^https:/i.test(clientId)
}

/**
 * Why the tenant does not accept a client, as a sentence; `undefined` if it does.
 *
 * An id counts in one writing alone: every other one would be another client with the same document.
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

/** Whether a text is a list of hosts as {@link documentRefusal} compares them, with spaces between them. */
export function isHostList(text: string): boolean {
  return wordsOf(text).every((host) => URL.parse(`https://${host}/`)?.host === host)
}

function hostsOf(metadata: Metadata, key: string): ReadonlySet<string> {
  return new Set(wordsOf(metadata[key] ?? ''))
}
