import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { credentialKinds, describedKinds } from '../../resources/credentials.ts'

/** The kind of object that an id names, by its prefix. */
export type IdPrefix = 'ten' | 'app' | 'usr' | 'key' | 'con' | 'whk' | 'job' | 'reg'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

let lastMillis = 0
let sequence = 0

/**
 * A new id: the prefix, an underscore and 26 characters of Crockford base32 holding a UUIDv7.
 *
 * Ids made in one process sort in the order in which they were made, also within a millisecond and
 * when the clock steps back.
 *
 * @see RFC 9562 §5.7 and §6.2 (method 1: a counter in `rand_a`)
 */
export function newId(prefix: IdPrefix, clock: Clock): string {
  const now = Math.floor(clock.now())
  if (now > lastMillis) {
    lastMillis = now
    sequence = 0
  } else if (++sequence > 0xfff) {
    lastMillis++
    sequence = 0
  }

  const uuid = randomBytes(16)
  uuid.writeUIntBE(lastMillis, 0, 6)
  uuid.writeUInt16BE(0x7000 | sequence, 6)
  uuid[8] = 0x80 | ((uuid[8] as number) & 0x3f)
  return `${prefix}_${base32(uuid)}`
}

/** Matches the ids that {@link newId} makes. */
export function idPattern(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}_[${CROCKFORD}]{26}$`)
}

/** Matches the ids of credentials: the kind, or what {@link keyCredentialId} and {@link socialCredentialId} make. */
export const credentialIdPattern: RegExp = new RegExp(
  `^(?:${describedKinds
    .map(([kind, { idPrefix }]) => (idPrefix ? `${idPrefix}_[${CROCKFORD}]{26}` : kind))
    .join('|')})$`,
)

/**
 * The id of a passkey or security key, derived from the authenticator's own id, so that a user can
 * add it only once.
 *
 * @param keyId - In base64url.
 */
export function keyCredentialId(keyId: string): string {
  return `${credentialKinds.hardware.idPrefix}_${base32(hash('sha256', keyId, 'buffer').subarray(0, 16))}`
}

/**
 * The id of an account at a provider, derived from provider and subject, so that only one user of a
 * tenant can have it. The subject is not enough, because two providers may use the same one for
 * different people.
 */
export function socialCredentialId({
  connectionId,
  issuer,
  subject,
}: Record<'connectionId' | 'issuer' | 'subject', string>): string {
  const names = JSON.stringify([connectionId, issuer, subject])
  return `${credentialKinds.social.idPrefix}_${base32(hash('sha256', names, 'buffer').subarray(0, 16))}`
}

/** The id of an event, derived from what it is about, so that it is the same wherever it is made. */
export function eventId(tenantId: string, entryId: number, type: string): string {
  const names = JSON.stringify([tenantId, entryId, type])
  return `evt_${base32(hash('sha256', names, 'buffer').subarray(0, 16))}`
}

/** 16 bytes as 26 characters, the most significant first. */
function base32(bytes: Buffer): string {
  let value = (bytes.readBigUInt64BE(0) << 64n) | bytes.readBigUInt64BE(8)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = CROCKFORD[Number(value & 31n)] + text
    value >>= 5n
  }
  return text
}
