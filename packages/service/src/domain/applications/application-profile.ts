import { createPublicKey } from 'node:crypto'
import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { type Reason, reason, sentenceIn } from '../writes/reasons/index.ts'
import { checkUrl } from '../writes/rules.ts'
import { exceptionKeys, exceptionsOf } from './application-exceptions.ts'

/** The metadata key of an application that names the security profile of its logins. */
export const PROFILE_KEY = 'latchkey_profile'

/** The FAPI 2.0 Security Profile, the only value of {@link PROFILE_KEY}. */
export const FAPI_2 = 'fapi2'

/** The metadata key of an application with its public keys, a JWK set as text. */
export const CLIENT_KEYS_KEY = 'latchkey_jwks'

/** The metadata key of an application with the URL at which it publishes its JWK set. */
export const CLIENT_KEYS_URI_KEY = 'latchkey_jwks_uri'

const MIN_RSA_BITS = 2048

/** The maximum number of keys in a published set. Rotations need two. */
const MAX_PUBLISHED = 20

/** The sentence for operators about the requirements of the profile for an application. */
export const FAPI_PRICE: Reason = reason('price_fapi')

/** A JWK set of public keys. */
export interface PublicKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** Whether the logins of an application follow the FAPI 2.0 Security Profile. */
export function isOnFapi(metadata: Metadata): boolean {
  return metadata[PROFILE_KEY] === FAPI_2
}

/** The keys in the metadata of an application, and the URL at which it publishes keys. */
export function clientKeysOf(metadata: Metadata): { listed: PublicKeySet; url?: string } {
  const { [CLIENT_KEYS_KEY]: text = '', [CLIENT_KEYS_URI_KEY]: url } = metadata
  return { listed: { keys: keysOf(text) ?? [] }, ...(url !== undefined && { url }) }
}

/**
 * The signing keys of a published JWK set that the profile allows. Other keys are left out.
 *
 * @throws Error with the reason why the set is refused or has no usable key. A set with a private
 *   key is refused as a whole, because others may have read that key.
 */
export function publishedKeys(text: string): PublicKeySet {
  const all = keysOf(text)
  if (!all || all.length === 0) throw new Error('The response is not a JWK set with keys.')
  if (all.length > MAX_PUBLISHED) throw new Error(`There are more than ${MAX_PUBLISHED} keys.`)
  const faults = all.map((key) => faultOf(key))
  const at = faults.indexOf('profile_private_key')
  const used = all.filter((key, index) => !faults[index] && (key.use ?? 'sig') === 'sig')
  if (at === -1 && used.length > 0) return { keys: used }
  const index = Math.max(0, at)
  const fault = sentenceIn('en', reason(faults[index] ?? 'profile_key_use'))
  throw new Error(`Key ${index + 1} ${fault}.`)
}

/**
 * Checks the profile of an application. Refused are an unknown profile, a profile without usable
 * keys, and keys without the profile. These checks are skipped if none of the values changes.
 * Exceptions that the profile does not allow are always refused.
 *
 * @throws ServiceError `invalid_metadata`, or `invalid_url` for the URL of keys.
 * @see FAPI 2.0 Security Profile §5.3.2.1, §5.4.1
 */
export function checkNewProfile(metadata: Metadata, stored: Metadata | undefined): void {
  const keys = [PROFILE_KEY, CLIENT_KEYS_KEY, CLIENT_KEYS_URI_KEY]
  const isChanged = keys.some((key) => metadata[key] !== stored?.[key])
  const { [PROFILE_KEY]: profile, [CLIENT_KEYS_KEY]: text, [CLIENT_KEYS_URI_KEY]: url } = metadata
  if (isChanged && profile !== undefined && profile !== FAPI_2) {
    refuse(reason('profile_unknown', { key: PROFILE_KEY, value: profile, profile: FAPI_2 }))
  }
  if (profile !== FAPI_2) {
    if (!isChanged || (text ?? url) === undefined) return
    const key = text === undefined ? CLIENT_KEYS_URI_KEY : CLIENT_KEYS_KEY
    refuse(reason('profile_keys_without_profile', { key, profile: PROFILE_KEY, value: FAPI_2 }))
  }
  const { isPublic, isPkceOptional, hasDeviceLogins } = exceptionsOf(metadata)
  if (isPublic || isPkceOptional || hasDeviceLogins) {
    const { client, pkce, devices } = exceptionKeys
    const key = isPublic ? client : isPkceOptional ? pkce : devices
    const value = metadata[key] ?? ''
    refuse(reason('profile_not_allowed', { key: PROFILE_KEY, other: key, value }))
  }
  if (!isChanged) return
  if (url === undefined) {
    checkKeys(text)
    return
  }
  if (text !== undefined) {
    refuse(reason('profile_keys_twice', { keys: CLIENT_KEYS_KEY, address: CLIENT_KEYS_URI_KEY }))
  }
  checkUrl(`"metadata.${CLIENT_KEYS_URI_KEY}"`, url, false)
}

function checkKeys(text: string | undefined): void {
  const example = `{"keys":[{"kty":"EC","crv":"P-256","x":"…","y":"…","kid":"2026"}]}`
  if (text === undefined) {
    refuse(
      reason('profile_needs_keys', {
        key: PROFILE_KEY,
        keys: CLIENT_KEYS_KEY,
        example,
        address: CLIENT_KEYS_URI_KEY,
      }),
    )
  }
  const keys = keysOf(text)
  if (!keys || keys.length === 0) {
    refuse(reason('profile_not_jwks', { key: CLIENT_KEYS_KEY, example }))
  }
  for (const [index, key] of keys.entries()) {
    const fault = faultOf(key)
    if (fault)
      refuse(
        reason('profile_key_of', { number: index + 1, key: CLIENT_KEYS_KEY, fault: reason(fault) }),
      )
  }
}

function keysOf(text: string): Record<string, unknown>[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown }
    const isList = Array.isArray(keys) && keys.every((key) => key && typeof key === 'object')
    return isList ? keys : undefined
  } catch {
    return undefined
  }
}

function faultOf(
  key: Readonly<Record<string, unknown>>,
): 'profile_private_key' | 'profile_key_kind' | undefined {
  if ('d' in key) return 'profile_private_key'
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({
      format: 'jwk',
      key,
    })
    if (type === 'ed25519') return undefined
    if (type === 'ec' && details?.namedCurve === 'prime256v1') return undefined
    if (type === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) return undefined
  } catch {
    // `createPublicKey` throws for a value that is not a key.
  }
  return 'profile_key_kind'
}

function refuse(because: Reason): never {
  throw new ServiceError('invalid_metadata', because)
}
