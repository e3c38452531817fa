import { hash } from 'node:crypto'
import type { EntryName, ProtocolEntry } from '../protocol-store.ts'

/** The key of an entry, of an index or of a group of counters. */
export function keyOf(kind: 'e' | 'u' | 'g' | 'a' | 'n', ...parts: string[]): string {
  return `latchkey:${kind}:${hash('sha256', parts.join('\n'), 'base64url')}`
}

/** The key of an entry. */
export function entryKey({ tenantId, kind, key }: EntryName): string {
  return keyOf('e', tenantId, kind, key)
}

/**
 * Splits the key of a counter after its first slash: into the group, which is a key of Redis, and
 * the field in it.
 */
export function counterOf(key: string): [group: string, field: string] {
  const end = key.indexOf('/') + 1 || key.length
  return [keyOf('n', key.slice(0, end)), key.slice(end)]
}

/** An object from the list of alternating names and values that Redis returns. */
export function pairs(list: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {}
  for (let i = 0; i < list.length; i += 2) object[list[i] as string] = list[i + 1] as string
  return object
}

/** The entry in the fields of a hash; `undefined` if it is empty. */
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
