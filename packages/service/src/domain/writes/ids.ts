import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { credentialKinds, describedKinds } from '../../resources/credentials.ts'

/** The prefix of an id, which names the kind of the object. */
export type IdPrefix = 'ten' | 'app' | 'usr' | 'key' | 'con' | 'whk' | 'job' | 'reg'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

let lastMillis = 0
let sequence = 0

/**
 * Makes an id: the prefix, an underscore and a UUIDv7 as 26 characters of Crockford base32.
 *
 * The ids of one process sort in the order in which they were made, also within a millisecond and
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

/** The pattern of the ids that {@link newId} makes with this prefix. */
export function idPattern(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}_[${CROCKFORD}]{26}$`)
}

/**
 * The pattern of credential ids. An id is the kind itself, or made by {@link keyCredentialId} or
 * {@link socialCredentialId}.
 */
export const credentialIdPattern: RegExp = new RegExp(
  `^(?:${describedKinds
    .map(([kind, { idPrefix }]) => (idPrefix ? `${idPrefix}_[${CROCKFORD}]{26}` : kind))
    .join('|')})$`,
)

/**
 * The credential id of a passkey or security key. It is derived from the authenticator's own id, so
 * that a user can add the key only once.
 *
 * @param keyId - The authenticator's credential id, in base64url.
 */
export function keyCredentialId(keyId: string): string {
  return `${credentialKinds.hardware.idPrefix}_${base32(hash('sha256', keyId, 'buffer').subarray(0, 16))}`
}

/**
 * The credential id of an account at a provider. It is derived from the connection, issuer and
 * subject, so that only one user of a tenant can have the account. The subject alone is not enough,
 * because two providers may use the same subject for different people.
 */
export function socialCredentialId({
  connectionId,
  issuer,
  subject,
}: Record<'connectionId' | 'issuer' | 'subject', string>): string {
  const names = JSON.stringify([connectionId, issuer, subject])
  return `${credentialKinds.social.idPrefix}_${base32(hash('sha256', names, 'buffer').subarray(0, 16))}`
}

/**
 * The id of an event. It is derived from the audit entry and the event type, so every process
 * derives the same id.
 */
export function eventId(tenantId: string, entryId: number, type: string): string {
  const names = JSON.stringify([tenantId, entryId, type])
  return `evt_${base32(hash('sha256', names, 'buffer').subarray(0, 16))}`
}

/**
 * The id of an object that a form of an operator makes. It is derived from the form, so a form that
 * is sent twice makes one object.
 *
 * @param form - The name of the form, which its page makes at random.
 */
export function formedId(
  prefix: IdPrefix,
  { actor, tenantId }: { actor: { readonly name: string }; tenantId?: string | undefined },
  form: string,
): string {
  const names = JSON.stringify([actor.name, tenantId, form])
  return `${prefix}_${base32(hash('sha256', names, 'buffer').subarray(0, 16))}`
}

/** Encodes 16 bytes as 26 characters of Crockford base32, the most significant first. */
function base32(bytes: Buffer): string {
  let value = (bytes.readBigUInt64BE(0) << 64n) | bytes.readBigUInt64BE(8)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = CROCKFORD[Number(value & 31n)] + text
    value >>= 5n
  }
  return text
}
