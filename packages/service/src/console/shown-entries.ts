import { type AuditNames, idIn, namesIn } from '../domain/operators/audit-people.ts'
import { readField } from '../domain/writes/changed-fields.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import type { StoredAuditEntry } from '../store/records.ts'
import { SYSTEM_TENANT_ID } from '../store/system-tenant.ts'
import { asIs, say, type Text } from './texts/index.ts'

/** A person, key or object of an audit entry. */
export interface Named {
  /** The address or name; the text of the entry where there is none. */
  readonly label: string
  /** The text of the entry, to copy, where the label is another. */
  readonly id: string | undefined
  readonly href: string | undefined
}

/** An audit entry with the names of those in it, and its changes in words. */
export interface ShownEntry extends StoredAuditEntry {
  readonly who: Named
  readonly on: Named
  readonly changes: readonly Text[]
}

/** Audit entries as people read them. */
export async function shownEntries(
  context: DomainContext,
  entries: readonly StoredAuditEntry[],
): Promise<ShownEntry[]> {
  const names = await namesIn(context, entries)
  return entries.map((entry) => ({
    ...entry,
    who: named(names, entry.actor),
    on: named(names, entry.target),
    changes: (entry.fields ?? []).map(inWords),
  }))
}

function named({ users, keys }: AuditNames, text: string): Named {
  const id = idIn(text)
  const user = users.get(id)
  const name = user?.email ?? keys.get(id)
  if (name === undefined) return { label: text, id: undefined, href: undefined }
  const part = text.includes('/') ? ` (${text.slice(text.indexOf('/') + 1)})` : ''
  return { label: name + part, id: text, href: pageOf(user) }
}

function pageOf(
  user: AuditNames['users'] extends ReadonlyMap<string, infer U> ? U | undefined : never,
) {
  if (!user) return '/console/keys'
  if (user.tenantId === SYSTEM_TENANT_ID) return '/console/operators'
  return `/console/t/${user.tenantId}/users/${user.id}`
}

function inWords(text: string): Text {
  const { name, flag } = readField(text)
  if (name === 'sessions') return 'sessions ended'
  if (name === 'disabled' && flag !== undefined) return flag ? 'disabled' : 'enabled'
  if (flag === undefined) return asIs(name)
  return say(flag ? '{name} on' : '{name} off', { name })
}
