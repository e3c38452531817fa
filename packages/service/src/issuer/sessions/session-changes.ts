import type { Change, ProtocolEntry } from '../../store/protocol-store.ts'
import type { StoredForm } from '../engine/session.ts'

/** The form in which an entry is stored. */
export function storedForm({ key, payload }: ProtocolEntry): StoredForm {
  return { key, payload }
}

/**
 * The changes that store an entry in place of the one that was read. None of them is made if the
 * stored entry has changed since, or is gone. An entry that was not read has no condition.
 *
 * A session that ended while a request used it must not come back, and a session with which two
 * requests log in must not lose one of the logins.
 *
 * @param isNew - Whether an entry that was not read has a new key.
 */
export function changesOver(
  entry: ProtocolEntry,
  read: StoredForm | undefined,
  isNew: boolean,
): Change[] {
  if (!read) return [{ kind: 'put', entry, isNew }]
  if (read.key === entry.key) return [{ kind: 'put', entry, read: read.payload }]
  const former = { tenantId: entry.tenantId, kind: entry.kind, key: read.key }
  return [
    { kind: 'delete', name: former, read: read.payload },
    { kind: 'put', entry, isNew: true },
  ]
}
