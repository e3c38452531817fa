import { hash } from 'node:crypto'
import type { HardwareCredential, KeyPurpose, User } from '../../store/records.ts'
import { type AssertionText, type AttestationText, readResponse } from './webauthn-response.ts'

/**
 * The COSE algorithms ES256, Ed25519 and RS256, which authenticators use and every supported
 * Node.js verifies. The library would accept more on newer versions of Node.js.
 */
export const keyAlgorithms = [-7, -8, -257]

/** The WebAuthn ceremony to which a response must belong. */
export interface Ceremony {
  /** The challenge in base64url. It has already been marked as used. */
  challenge: string
  /** The only allowed origin of the request, such as `https://acme.example`. */
  origin: string
  rpId: string
  /** Whether the authenticator must have verified its user, by a PIN, a fingerprint or a face. */
  needsVerification: boolean
}

/** The stored data of a key. */
export type KeyFacts = Pick<
  HardwareCredential,
  'rpId' | 'keyId' | 'publicKey' | 'aaguid' | 'transports' | 'purpose' | 'isSyncable'
> &
  KeyUse

/** The data of a key that each use changes. */
export interface KeyUse {
  counter: number
  isBackedUp: boolean
}

/**
 * The reason why a response was refused, for the audit log. Visitors see only `no_verification`.
 */
export type KeyRefusal =
  | 'malformed'
  | 'wrong_type'
  | 'wrong_challenge'
  | 'wrong_origin'
  | 'wrong_rp'
  | 'wrong_key'
  | 'wrong_user'
  | 'no_presence'
  | 'no_verification'
  | 'not_discoverable'
  | 'wrong_algorithm'
  | 'attested'
  | 'wrong_flags'
  | 'counter_back'
  | 'wrong_signature'

export type Judged<T> = ({ kind: 'accepted' } & T) | { kind: 'refused'; reason: KeyRefusal }

/** The user handle under which authenticators store a user: the user's id in base64url. */
export function userHandle({ id }: Pick<User, 'id'>): string {
  return Buffer.from(id).toString('base64url')
}

/**
 * The user id and credential id that a response claims, without verification; `undefined` if it is
 * malformed or has no user handle.
 */
export function claimOf(text: string): { userId: string; keyId: string } | undefined {
  const response = readResponse(text, 'assertion')
  const handle = response?.response.userHandle
  if (!response || !handle) return undefined
  return { userId: Buffer.from(handle, 'base64url').toString('latin1'), keyId: response.id }
}

/**
 * The credential id that a response claims, without verification; `undefined` if it is malformed.
 */
export function keyIdOf(text: string): string | undefined {
  return readResponse(text, 'assertion')?.id
}

/**
 * Verifies the response of a new key.
 *
 * @param purpose - The kind of key that the page requested. A passkey must have verified its user.
 *   A passkey that the browser reports as not discoverable is refused.
 * @see Web Authentication Level 3 §7.1
 */
export async function judgeNewKey(
  asked: Omit<Ceremony, 'needsVerification'>,
  text: string,
  purpose: KeyPurpose,
): Promise<Judged<{ facts: KeyFacts }>> {
  const ceremony = { ...asked, needsVerification: purpose === 'passkey' }
  const response = readResponse(text, 'attestation')
  if (!response) return refused('malformed')
  const { transports, rk } = response
  const reason = refusalOfClient(ceremony, response, 'webauthn.create')
  if (reason) return refused(reason)
  if (purpose === 'passkey' && rk === false) return refused('not_discoverable')

  const library = await loadLibrary()
  const { verifyRegistrationResponse, decodeAttestationObject, parseAuthenticatorData } = library
  const algorithmOf = (key: Uint8Array<ArrayBuffer>) =>
    library.decodeCredentialPublicKey(key).get(library.cose.COSEKEYS.alg)
  try {
    const object = decodeAttestationObject(bytes(response.response.attestationObject))
    const data = readAuthenticator(object.get('authData'))
    const wrong = data ? refusalOfAuthenticator(ceremony, data) : 'malformed'
    if (wrong) return refused(wrong)
    // No attestation was requested. Its certificates could contain URLs that the library would
    // fetch.
    const isPlain = object.get('fmt') === 'none' || object.get('fmt') === 'packed'
    if (!isPlain || object.get('attStmt').get('x5c') !== undefined) return refused('attested')

    const { credentialPublicKey } = parseAuthenticatorData(object.get('authData'))
    const algorithm = credentialPublicKey && algorithmOf(credentialPublicKey)
    if (!keyAlgorithms.some((known) => known === algorithm)) return refused('wrong_algorithm')

    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: libraryResponse(response),
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.origin,
      expectedRPID: ceremony.rpId,
      requireUserVerification: ceremony.needsVerification,
      supportedAlgorithmIDs: keyAlgorithms,
    })
    if (!verified) return refused('wrong_signature')
    const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo
    if (credential.id !== response.id) return refused('wrong_key')
    const facts = {
      rpId: ceremony.rpId,
      keyId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      aaguid,
      transports,
      purpose,
      isSyncable: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
      counter: credential.counter,
    }
    return { kind: 'accepted', facts }
  } catch {
    // The library throws for every response that it refuses.
    return refused('malformed')
  }
}

/**
 * Verifies the response of a user's registered key.
 *
 * @param isNamed - Whether the response must have a user handle, because the user is not known
 *   otherwise.
 * @see Web Authentication Level 3 §7.2
 */
export async function judgeKey(
  ceremony: Ceremony,
  text: string,
  key: HardwareCredential,
  isNamed: boolean,
): Promise<Judged<{ use: KeyUse }>> {
  const response = readResponse(text, 'assertion')
  if (!response) return refused('malformed')
  if (response.id !== key.keyId || ceremony.rpId !== key.rpId) return refused('wrong_key')
  const handle = response.response.userHandle
  if (handle ? handle !== userHandle({ id: key.userId }) : isNamed) return refused('wrong_user')
  const wrongClient = refusalOfClient(ceremony, response, 'webauthn.get')
  if (wrongClient) return refused(wrongClient)
  const data = readAuthenticator(bytes(response.response.authenticatorData))
  const wrong = data ? refusalOfAuthenticator(ceremony, data) : 'malformed'
  if (!data || wrong) return refused(wrong || 'malformed')
  if (data.isSyncable !== key.isSyncable) return refused('wrong_flags')
  if (!hasAdvanced(key.state.counter, data.counter)) return refused('counter_back')

  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: libraryResponse(response),
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.origin,
      expectedRPID: ceremony.rpId,
      requireUserVerification: ceremony.needsVerification,
      credential: {
        id: key.keyId,
        publicKey: bytes(key.publicKey),
        counter: key.state.counter,
      },
    })
    if (!verified) return refused('wrong_signature')
    return { kind: 'accepted', use: { counter: data.counter, isBackedUp: data.isBackedUp } }
  } catch {
    return refused('wrong_signature')
  }
}

/**
 * Whether a signature counter has increased. A counter that stays at 0 is accepted, because many
 * authenticators have no counter.
 */
export function hasAdvanced(last: number, next: number): boolean {
  return next > last || (next === 0 && last === 0)
}

/**
 * The reason to refuse the browser's client data; `undefined` if there is none. The library does
 * not check all of these rules.
 */
function refusalOfClient(
  { challenge, origin }: Ceremony,
  { client }: AssertionText | AttestationText,
  type: string,
): KeyRefusal | undefined {
  if (client.type !== type) return 'wrong_type'
  if (client.challenge !== challenge) return 'wrong_challenge'
  const isFramed = client.crossOrigin === true || client.topOrigin !== undefined
  return client.origin !== origin || isFramed ? 'wrong_origin' : undefined
}

/** The authenticator data of a response, without its extensions. */
interface Authenticator {
  rpIdHash: string
  isPresent: boolean
  isVerified: boolean
  isSyncable: boolean
  isBackedUp: boolean
  counter: number
}

/**
 * Parses authenticator data; `undefined` if it is too short. @see Web Authentication Level 3 §6.1
 */
function readAuthenticator(data: Uint8Array): Authenticator | undefined {
  if (data.length < 37) return undefined
  const view = Buffer.from(data)
  const flags = view.readUInt8(32)
  return {
    rpIdHash: view.toString('hex', 0, 32),
    isPresent: (flags & 0x01) !== 0,
    isVerified: (flags & 0x04) !== 0,
    isSyncable: (flags & 0x08) !== 0,
    isBackedUp: (flags & 0x10) !== 0,
    counter: view.readUInt32BE(33),
  }
}

function refusalOfAuthenticator(
  { rpId, needsVerification }: Ceremony,
  { rpIdHash, isPresent, isVerified, isSyncable, isBackedUp }: Authenticator,
): KeyRefusal | undefined {
  if (rpIdHash !== hash('sha256', rpId)) return 'wrong_rp'
  if (!isPresent) return 'no_presence'
  if (needsVerification && !isVerified) return 'no_verification'
  return isBackedUp && !isSyncable ? 'wrong_flags' : undefined
}

/**
 * Loads the library at the first use of a key, because the library is as large as the rest of the
 * service.
 */
async function loadLibrary() {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...server, ...helpers }
}

function libraryResponse<T extends object>({
  id,
  response,
}: {
  id: string
  response: T
}): {
  id: string
  rawId: string
  type: 'public-key'
  response: T
  clientExtensionResults: object
} {
  return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
}

function refused(reason: KeyRefusal): { kind: 'refused'; reason: KeyRefusal } {
  return { kind: 'refused', reason }
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}
