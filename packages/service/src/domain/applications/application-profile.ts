import { createPublicKey } from 'node:crypto'
import type { Metadata } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { exceptionKeys, exceptionsOf } from './application-exceptions.ts'

/** The key of an application's metadata that names the security profile of its logins. */
export const PROFILE_KEY = 'latchkey_profile'

/** The FAPI 2.0 Security Profile, the only value of {@link PROFILE_KEY}. */
export const FAPI_2 = 'fapi2'

/** The key of an application's metadata with its public keys, a JWK set as text. */
export const CLIENT_KEYS_KEY = 'latchkey_jwks'

const MIN_RSA_BITS = 2048

/** The price of the profile for an application, as operators read it. */
export const FAPI_PRICE =
  'The application has no secret: it proves itself with a key of latchkey_jwks. Each login is two requests to the service instead of one, and each token request has a signature. Clients without pushed requests and DPoP cannot log users in.'

/** A JWK set of public keys. */
export interface PublicKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** The keys of an application on the profile; `undefined` if its logins follow no profile. */
export function fapiKeys(metadata: Metadata): PublicKeySet | undefined {
  if (metadata[PROFILE_KEY] !== FAPI_2) return undefined
  return { keys: keysOf(metadata[CLIENT_KEYS_KEY] ?? '') ?? [] }
}

/**
 * Refuses a profile that is not known, one without usable keys, and exceptions that it does not allow. Stored values may
 * stay.
 *
 * @see FAPI 2.0 Security Profile §5.3.2.1, §5.4.1
 */
export function checkNewProfile(metadata: Metadata, stored: Metadata | undefined): void {
  const isChanged = [PROFILE_KEY, CLIENT_KEYS_KEY].some((key) => metadata[key] !== stored?.[key])
  const { [PROFILE_KEY]: profile, [CLIENT_KEYS_KEY]: text } = metadata
  if (isChanged && profile !== undefined && profile !== FAPI_2) {
    refuse(`"metadata.${PROFILE_KEY}" is "${profile}"; the only profile is "${FAPI_2}".`)
  }
  if (profile !== FAPI_2) {
    if (!isChanged || text === undefined) return
    refuse(
      `"metadata.${CLIENT_KEYS_KEY}" is used with "${PROFILE_KEY}": "${FAPI_2}" only. Set it too, or leave the keys out.`,
    )
  }
  const { isPublic, isPkceOptional } = exceptionsOf(metadata)
  if (isPublic || isPkceOptional) {
    const { client, pkce } = exceptionKeys
    const key = isPublic ? client : pkce
    refuse(`"metadata.${PROFILE_KEY}" does not allow "${key}": "${metadata[key]}".`)
  }
  if (isChanged) checkKeys(text)
}

function checkKeys(text: string | undefined): void {
  const example = `{"keys":[{"kty":"EC","crv":"P-256","x":"…","y":"…","kid":"2026"}]}`
  if (text === undefined) {
    refuse(
      `"metadata.${PROFILE_KEY}" needs the public keys of the application in "${CLIENT_KEYS_KEY}", such as ${example}.`,
    )
  }
  const keys = keysOf(text)
  if (!keys || keys.length === 0) {
    refuse(`"metadata.${CLIENT_KEYS_KEY}" is not a JWK set; it must be like ${example}.`)
  }
  for (const [index, key] of keys.entries()) {
    const fault = faultOf(key)
    if (fault) refuse(`Key ${index + 1} of "metadata.${CLIENT_KEYS_KEY}" ${fault}.`)
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

function faultOf(key: Readonly<Record<string, unknown>>): string | undefined {
  if ('d' in key) return 'is a private key: register only the public part, and replace this key'
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({
      format: 'jwk',
      key,
    })
    if (type === 'ed25519') return undefined
    if (type === 'ec' && details?.namedCurve === 'prime256v1') return undefined
    if (type === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) return undefined
  } catch {
    // Not a key at all.
  }
  return 'must be of P-256 (ES256), RSA with 2048 bits or more (PS256), or Ed25519'
}

function refuse(sentence: string): never {
  throw new ServiceError('invalid_metadata', sentence)
}
