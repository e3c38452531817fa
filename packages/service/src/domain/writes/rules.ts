import { INVISIBLE, mailDomain } from '../../store/email-key.ts'
import type { Metadata } from '../../store/records.ts'
import { isLoopbackHost } from './addresses.ts'
import { type ErrorCode, ServiceError } from './errors.ts'

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
      `"metadata" has ${entries.length} keys; at most ${limits.metadataKeys} are kept.`,
    )
  }
  for (const [key, value] of entries) {
    if (codePoints(key) > limits.metadataKeyLength) {
      throw new ServiceError(
        'invalid_metadata',
        `A key of "metadata" has ${codePoints(key)} characters; at most ${limits.metadataKeyLength} are kept.`,
      )
    }
    checkText('invalid_metadata', 'A key of "metadata"', key, limits.metadataKeyLength)
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
  label: string,
  text: string,
  maxLength: number = limits.textLength,
): void {
  if (text.length > maxLength && codePoints(text) > maxLength) {
    throw new ServiceError(
      code,
      `${label} has ${codePoints(text)} characters; at most ${maxLength} are kept.`,
    )
  }
  if (!isWhole(text)) {
    throw new ServiceError(
      code,
      `${label} contains U+0000 or half of a surrogate pair; send well-formed text.`,
    )
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
export function checkEmail(label: string, email: string): void {
  checkText('invalid_email', label, email, limits.emailLength)
  if (!EMAIL.test(email.trim())) {
    throw new ServiceError(
      'invalid_email',
      `${label} is not an email address such as ada@example.com.`,
    )
  }
}

/** Whether a text can be an email address; see {@link checkEmail}. */
export function isEmail(text: string): boolean {
  try {
    checkEmail('The address', text)
    return true
  } catch {
    return false
  }
}

/**
 * Refuses an address that is equal to another one in canonical form, or that cannot receive mail.
 * Only new addresses are checked, because existing users may have such addresses.
 */
export function checkNewEmail(label: string, email: string): void {
  checkEmail(label, email)
  const [localPart = '', domain = ''] = email.trim().split('@')
  // IDNA itself looks at the two joiners, which some scripts need.
  const visible = localPart + domain.replace(/[\u200c\u200d]/g, '')
  if (INVISIBLE.test(visible)) {
    throw new ServiceError('invalid_email', `${label} contains characters that show nothing.`)
  }
  if (mailDomain(domain) === undefined) {
    throw new ServiceError('invalid_email', `${label} has a domain that cannot receive mail.`)
  }
}

/**
 * Refuses a URL that the issuer would refuse at the login: not absolute, neither https nor http on
 * loopback (any host in developer mode), with a fragment or with credentials.
 */
export function checkUrl(label: string, text: string, developerMode: boolean): void {
  checkText('invalid_url', label, text, limits.urlLength)
  const url = URL.parse(text)
  if (!url || /\s/.test(text)) {
    throw new ServiceError(
      'invalid_url',
      `${label} is not an absolute URL such as https://app.example.com/callback.`,
    )
  }
  if (!isSecureEnough(url, developerMode)) {
    throw new ServiceError(
      'invalid_url',
      `${label} must begin with https:// (http:// is for localhost, or for any host in developer mode).`,
    )
  }
  if (text.includes('#'))
    throw new ServiceError('invalid_url', `${label} must not have a fragment.`)
  if (url.username || url.password) {
    throw new ServiceError('invalid_url', `${label} must not hold a user name or password.`)
  }
}

/** Whether a URL is https, or http on loopback (any host in developer mode). */
export function isSecureEnough({ protocol, hostname }: URL, developerMode: boolean): boolean {
  if (protocol === 'https:') return true
  return protocol === 'http:' && (developerMode || isLoopbackHost(hostname))
}

/** Refuses a list of URLs which is too long. */
export function checkUrlCount(label: string, urls: readonly string[]): void {
  if (urls.length <= limits.urls) return
  throw new ServiceError(
    'invalid_url',
    `"${label}" holds ${urls.length} URLs; at most ${limits.urls} are kept.`,
  )
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
