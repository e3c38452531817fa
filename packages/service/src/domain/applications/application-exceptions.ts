import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'

/** The metadata keys of an application that except its logins from a rule. */
export const exceptionKeys = {
  pkce: 'latchkey_pkce',
  nonce: 'latchkey_nonce',
  client: 'latchkey_client',
  refreshRepeat: 'latchkey_refresh_repeat',
  programs: 'latchkey_client_credentials',
  devices: 'latchkey_device_login',
} as const

const { pkce, nonce, client, refreshRepeat, programs, devices } = exceptionKeys

/** The values of each key; the first is the default. */
const VALUES: Readonly<Record<string, readonly [usual: string, ...exceptions: string[]]>> = {
  [pkce]: ['required', 'optional'],
  [nonce]: ['required', 'optional'],
  [client]: ['confidential', 'public', 'native'],
  [refreshRepeat]: ['answered', 'refused'],
  [programs]: ['refused', 'allowed'],
  [devices]: ['refused', 'allowed'],
}

/** The exceptions of an application. */
export interface Exceptions {
  /**
   * Whether a login may omit PKCE. A login without PKCE needs a nonce, unless `isNonceOptional`.
   */
  readonly isPkceOptional: boolean
  /** Whether a login without PKCE may also omit the nonce. */
  readonly isNonceOptional: boolean
  /**
   * Whether the application has no secret, because its code runs in browsers or on the users'
   * devices.
   */
  readonly isPublic: boolean
  /**
   * Whether the application is a public client that runs on the users' devices. Its redirect URLs
   * are opened by a system browser.
   *
   * @see RFC 8252
   */
  readonly isNative: boolean
  /**
   * Whether a refresh that is repeated within 30 seconds ends the login, instead of getting the
   * same response. Always `true` for a client without a secret, because a thief of its token could
   * also repeat the refresh.
   */
  readonly isRefreshRepeatRefused: boolean
  /**
   * Whether the application can get access tokens for itself, without a user (client credentials).
   * Never for a client without a secret.
   */
  readonly hasOwnTokens: boolean
  /**
   * Whether users can log in on devices without a browser, and confirm the login on another device.
   * While they can't, codes and tokens of devices are refused. They are not revoked: those that have
   * not expired are valid again once the application is allowed such logins again.
   *
   * @see RFC 8628
   */
  readonly hasDeviceLogins: boolean
}

/**
 * The exceptions of an application. A public client always needs PKCE, because nothing else
 * protects its authorization codes.
 */
export function exceptionsOf(metadata: Metadata): Exceptions {
  const isNative = metadata[client] === 'native'
  const isPublic = isNative || metadata[client] === 'public'
  const isPkceOptional = !isPublic && metadata[pkce] === 'optional'
  return {
    isPublic,
    isNative,
    isPkceOptional,
    isNonceOptional: isPkceOptional && metadata[nonce] === 'optional',
    isRefreshRepeatRefused: isPublic || metadata[refreshRepeat] === 'refused',
    hasOwnTokens: !isPublic && metadata[programs] === 'allowed',
    hasDeviceLogins: metadata[devices] === 'allowed',
  }
}

/**
 * Checks the exceptions of an application. Refused are unknown values that are not stored already,
 * and exceptions that exclude each other, if any value changes.
 *
 * @throws ServiceError `invalid_metadata`.
 */
export function checkNewExceptions(metadata: Metadata, stored: Metadata | undefined): void {
  const changed = Object.keys(VALUES).filter((key) => metadata[key] !== stored?.[key])
  for (const key of changed) {
    const [usual, ...exceptions] = VALUES[key] ?? []
    const value = metadata[key]
    if (value === undefined || value === usual || exceptions.includes(value)) continue
    const [exception = '', other] = exceptions
    const given = { key, value, usual: usual ?? '', exception }
    refuse(
      other === undefined
        ? reason('exception_value_of_two', given)
        : reason('exception_value_of_three', { ...given, other }),
    )
  }
  if (changed.length === 0) return
  const { [client]: value = '' } = metadata
  if (/^(public|native)$/.test(value)) {
    if (metadata[pkce] === 'optional') {
      refuse(reason('exception_pkce_without_secret', { key: pkce, client, value }))
    }
    if (metadata[programs] === 'allowed') {
      refuse(reason('exception_own_tokens_without_secret', { key: programs, client, value }))
    }
  }
  if (metadata[nonce] === 'optional' && metadata[pkce] !== 'optional') {
    refuse(reason('exception_nonce_with_pkce', { key: nonce, pkce }))
  }
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_metadata', because)
}

/** An exception of an application. `price` is its risk, in a sentence for operators. */
export interface NamedException {
  readonly key: string
  readonly value: string
  readonly price: Reason
}

/** The exceptions of an application that have a risk, each with its sentence. */
export function namedExceptions(metadata: Metadata): NamedException[] {
  const { isPublic, isNative, isPkceOptional, isNonceOptional, hasOwnTokens, hasDeviceLogins } =
    exceptionsOf(metadata)
  const named: NamedException[] = []
  if (isPkceOptional) {
    named.push({
      key: pkce,
      value: 'optional',
      price: reason('price_no_pkce'),
    })
  }
  if (isNonceOptional) {
    named.push({
      key: nonce,
      value: 'optional',
      price: reason('price_no_nonce'),
    })
  }
  if (hasOwnTokens) {
    named.push({
      key: programs,
      value: 'allowed',
      price: reason('price_own_tokens'),
    })
  }
  if (hasDeviceLogins) {
    named.push({
      key: devices,
      value: 'allowed',
      price: reason('price_device_logins'),
    })
  }
  if (isNative) {
    named.push({
      key: client,
      value: 'native',
      price: reason('price_native'),
    })
  } else if (isPublic) {
    named.push({
      key: client,
      value: 'public',
      price: reason('price_public'),
    })
  }
  return named
}
