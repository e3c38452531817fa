import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/**
 * The form in which email addresses are compared: trimmed, NFC and in lower case, the local part
 * without invisible characters, the domain by IDNA. Accepts any text without throwing, because
 * visitors may type anything.
 */
export function emailKey(email: string): string {
  const text = email.trim().normalize('NFC').toLowerCase().normalize('NFC')
  const at = text.lastIndexOf('@')
  const localPart = text.slice(0, at + 1).replace(EVERY_INVISIBLE, '')
  const domain = text.slice(at + 1)
  return localPart + (mailDomain(domain) ?? domain)
}

/** Matches an invisible character. */
export const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u

const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Matches most of the domains that IDNA leaves unchanged. This check costs a fraction of IDNA. */
const PLAIN_DOMAIN = /^(?:(?!xn--)[a-z0-9-]+\.)+[a-z]+$/

/**
 * Converts the domain of an email address to its DNS form; `undefined` for text that cannot be a
 * domain.
 *
 * @see RFC 5890, Unicode Technical Standard 46
 */
export function mailDomain(domain: string): string | undefined {
  if (PLAIN_DOMAIN.test(domain)) return domain
  // `domainToASCII` parses its text as a URL's host, which would decode a percent sign.
  if (domain.includes('%')) return undefined
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  // `domainToASCII` turns numbers, such as 2130706433, into IPv4 addresses.
  return labels.includes('') || isIP(ascii) !== 0 ? undefined : ascii
}
