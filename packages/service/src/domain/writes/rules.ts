import { INVISIBLE, mailDomain } from '../../store/email-key.ts'
import type { Metadata } from '../../store/records.ts'
import { isLoopbackHost } from './addresses.ts'
import { type ErrorCode, ServiceError } from './errors.ts'
import { reason, type Value } from './reasons/index.ts'

/**
 * The limits of the specification, and further limits where it has none. Lengths count code points.
 */
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
  /** The maximum of a setting in seconds: 68 years. */
  seconds: 2_147_483_647,
} as const

/**
 * Checks metadata by the limits of the specification ("Limits").
 *
 * @throws ServiceError `invalid_metadata`.
 */
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

/** Splits a metadata value that is a list of words, separated by white space. */
export function wordsOf(value: string): string[] {
  return value.split(/\s+/).filter((word) => word !== '')
}

/**
 * Checks that a text is not too long, and that a database can store it unchanged.
 *
 * @throws ServiceError with `code`.
 */
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

/**
 * Whether a text can be stored and hashed unchanged: it has no U+0000 and no half of a surrogate
 * pair.
 */
export function isWhole(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

// The pattern of an email address: one @ with text on both sides, no spaces or control characters,
// and no empty label in the domain.
const EMAIL =
  /^[^\s@\p{Cc}<>",;:\\()[\]]+@([^\s@\p{Cc}<>",;:\\()[\].]+\.)*[^\s@\p{Cc}<>",;:\\()[\].]+$/u

/**
 * Checks that a text can be an email address, regardless of white space around it.
 *
 * @throws ServiceError `invalid_email`.
 */
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
 * Checks a new email address. Refused are an address with invisible characters, which could look
 * like another one, and a domain that cannot receive mail. Only new addresses are checked, because
 * existing users may have such addresses.
 *
 * @throws ServiceError `invalid_email`.
 */
export function checkNewEmail(field: Value, email: string): void {
  checkEmail(field, email)
  const [localPart = '', domain = ''] = email.trim().split('@')
  // The two joiners in the domain are left to IDNA, because some scripts need them.
  const visible = localPart + domain.replace(/[\u200c\u200d]/g, '')
  if (INVISIBLE.test(visible)) {
    throw new ServiceError('invalid_email', reason('field_invisible', { field }))
  }
  if (mailDomain(domain) === undefined) {
    throw new ServiceError('invalid_email', reason('field_no_mail_domain', { field }))
  }
}

/**
 * Checks a URL by the rules of the issuer at a login. The URL must be absolute, without fragment or
 * credentials, and https or http on loopback. In developer mode, http is allowed for any host.
 *
 * @throws ServiceError `invalid_url`.
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

/** Checks the number of URLs in a list. @throws ServiceError `invalid_url` for too many. */
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
