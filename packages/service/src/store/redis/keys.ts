import { hash } from 'node:crypto'
import type { EntryName, ProtocolEntry } from '../protocol-store.ts'

/**
 * The Redis key of an object, by its kind: `e` an entry, `u` the index by `uid`, `g` by grant, `a`
 * by account, `n` a group of counters.
 */
export function keyOf(kind: 'e' | 'u' | 'g' | 'a' | 'n', ...parts: string[]): string {
  return `latchkey:${kind}:${hash('sha256', parts.join('\n'), 'base64url')}`
}

/** The Redis key of an entry. */
export function entryKey({ tenantId, kind, key }: EntryName): string {
  return keyOf('e', tenantId, kind, key)
}

/**
 * Splits the key of a counter after its first slash. `group`: the Redis key of the hash for the
 * part before. `field`: the rest, which is the field in the hash.
 */
export function counterOf(key: string): [group: string, field: string] {
  const end = key.indexOf('/') + 1 || key.length
  return [keyOf('n', key.slice(0, end)), key.slice(end)]
}

/** Makes an object from the list of alternating names and values that Redis returns. */
export function pairs(list: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {}
  for (let i = 0; i < list.length; i += 2) object[list[i] as string] = list[i + 1] as string
  return object
}

/**
 * Makes an entry from the fields of a hash; `undefined` if a part of the key is missing, as in an
 * empty hash.
 */
export function toEntry(fields: Record<string, string>): ProtocolEntry | undefined {
  const { tenantId, kind, key, payload, expiresAt, grantId, uid, accountId, consumedAt } = fields
  if (tenantId === undefined || kind === undefined || key === undefined) return undefined
  return {
    tenantId,
    kind,
    key,
    payload: payload ?? '',
    expiresAt: Number(expiresAt),
    grantId,
    uid,
    accountId,
    consumedAt: consumedAt === undefined ? undefined : Number(consumedAt),
  }
}
