import { INVISIBLE, mailDomain } from '../../store/email-key.ts'
import type { Metadata } from '../../store/records.ts'
import { isLoopbackHost } from './addresses.ts'
import { type ErrorCode, ServiceError } from './errors.ts'
import { reason, type Value } from './reasons/index.ts'

/** The limits of the specification, and ours where it has none. Lengths count code points. */
export const limits = {
  metadataKeys: 20,
  metadataKeyLength: 100,
  metadataValueLength: 1_000,
  textLength: 1_000,
  profileMembers: 50,
  emailLength: 254,
  legacyHashLength: 2_000,
  urls: 50,
  urlLength: 2_000,
  /** The largest number of seconds a setting takes: 68 years. */
  seconds: 2_147_483_647,
} as const

/** Refuses metadata beyond the limits of the specification ("Limits"). */
export function checkMetadata(metadata: Metadata): void {
  const entries = Object.entries(metadata)
  if (entries.length > limits.metadataKeys) {
    throw new ServiceError(
      'invalid_metadata',
      reason('metadata_too_many', { count: entries.length, most: limits.metadataKeys }),
    )
  }
  for (const [key, value] of entries) {
    checkText('invalid_metadata', reason('field_metadata_key'), key, limits.metadataKeyLength)
    checkText('invalid_metadata', `"metadata.${key}"`, value, limits.metadataValueLength)
  }
}

/** The words of a value of metadata that is a list. */
export function wordsOf(value: string): string[] {
  return value.split(/\s+/).filter((word) => word !== '')
}

/** Refuses text that is too long, or that a database could not give back as it was. */
export function checkText(
  code: ErrorCode,
  field: Value,
  text: string,
  maxLength: number = limits.textLength,
): void {
  if (text.length > maxLength && codePoints(text) > maxLength) {
    throw new ServiceError(
      code,
      reason('field_too_long', { field, count: codePoints(text), most: maxLength }),
    )
  }
  if (!isWhole(text)) {
    throw new ServiceError(code, reason('field_not_whole', { field }))
  }
}

/** Whether a text is stored and hashed as it is: without U+0000 and without half of a surrogate pair. */
export function isWhole(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

// One @, something on both sides, no spaces or control characters, no empty label in the domain.
const EMAIL =
  /^[^\s@\p{Cc}<>",;:\\()[\]]+@([^\s@\p{Cc}<>",;:\\()[\].]+\.)*[^\s@\p{Cc}<>",;:\\()[\].]+$/u

/** Refuses what cannot be an email address. Surrounding white space is not looked at. */
export function checkEmail(field: Value, email: string): void {
  checkText('invalid_email', field, email, limits.emailLength)
  if (!EMAIL.test(email.trim())) {
    throw new ServiceError('invalid_email', reason('field_not_email', { field }))
  }
}

/** Whether a text can be an email address; see {@link checkEmail}. */
export function isEmail(text: string): boolean {
  try {
    checkEmail(reason('field_address'), text)
    return true
  } catch {
    return false
  }
}

/**
 * Refuses an address that is equal to another one in canonical form, or that cannot receive mail.
 * Only new addresses are checked, because existing users may have such addresses.
 */
export function checkNewEmail(field: Value, email: string): void {
  checkEmail(field, email)
  const [localPart = '', domain = ''] = email.trim().split('@')
  // IDNA itself looks at the two joiners, which some scripts need.
  const visible = localPart + domain.replace(/[\u200c\u200d]/g, '')
  if (INVISIBLE.test(visible)) {
    throw new ServiceError('invalid_email', reason('field_invisible', { field }))
  }
  if (mailDomain(domain) === undefined) {
    throw new ServiceError('invalid_email', reason('field_no_mail_domain', { field }))
  }
}

/**
 * Refuses a URL that the issuer would refuse at the login: one that is not absolute, has a fragment
 * or credentials, or is neither https nor http on loopback. In developer mode, http is allowed for
 * any host.
 */
export function checkUrl(field: Value, text: string, developerMode: boolean): void {
  checkText('invalid_url', field, text, limits.urlLength)
  const url = URL.parse(text)
  if (!url || /\s/.test(text)) {
    throw new ServiceError('invalid_url', reason('field_not_url', { field }))
  }
  if (!isSecureEnough(url, developerMode)) {
    throw new ServiceError('invalid_url', reason('field_not_https', { field }))
  }
  if (text.includes('#'))
    throw new ServiceError('invalid_url', reason('field_has_fragment', { field }))
  if (url.username || url.password) {
    throw new ServiceError('invalid_url', reason('field_has_user', { field }))
  }
}

/** Whether a URL is https, or http on loopback (any host in developer mode). */
export function isSecureEnough({ protocol, hostname }: URL, developerMode: boolean): boolean {
  if (protocol === 'https:') return true
  return protocol === 'http:' && (developerMode || isLoopbackHost(hostname))
}

/** Refuses a list of URLs which is too long. */
export function checkUrlCount(name: string, urls: readonly string[]): void {
  if (urls.length <= limits.urls) return
  throw new ServiceError(
    'invalid_url',
    reason('field_too_many_urls', { field: `"${name}"`, count: urls.length, most: limits.urls }),
  )
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
