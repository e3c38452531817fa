import { hash } from 'node:crypto'
import { type DomainContext, nowMicros } from '../../domain/writes/context.ts'
import type { ProtocolStore } from '../../store/protocol-store.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { newKeptName } from '../forms/kept-name.ts'

/** The seconds for which a form is kept for a re-authentication, and new secrets for their page. */
const KEPT_SECONDS = 600

/** The kind of an entry: a form, or secrets that the next page shows. */
type KeptKind = 'ConsoleForm' | 'ConsoleSecret'

/**
 * A form that waits until its operator has logged in again, or the secrets that a page shows once.
 */
export interface KeptForm {
  /** The path that the form was sent to, or the path of the page that shows the secrets. */
  readonly path: string
  /** The fields of the form, or the secrets by their names. */
  readonly fields: URLSearchParams
}

/**
 * A store for forms, or for secrets, until the next page. Each entry is encrypted, belongs to one
 * operator, and can be taken out once.
 */
export interface KeptForms {
  /**
   * Stores a form. Resolves to the name by which its operator finds it.
   *
   * @param name - A name of {@link newKeptName}. Default: a new one.
   */
  keep(operatorId: string, form: KeptForm, name?: string): Promise<string>
  /**
   * The path of a stored form; `undefined` if it has expired, was taken out, or belongs to another
   * operator.
   */
  pathOf(operatorId: string, name: string): Promise<string | undefined>
  /**
   * Deletes a stored form and resolves to it. Of several requests at the same time, one gets the
   * form, and the others get `undefined`.
   */
  take(operatorId: string, name: string): Promise<KeptForm | undefined>
}

/** Makes a store for forms or for secrets within the store of the protocol. */
export function createKeptForms(
  { vault, clock }: DomainContext,
  protocol: ProtocolStore,
  kind: KeptKind,
): KeptForms {
  // The operator is a part of the key, so that the name is of no use to another operator.
  const uidOf = (operatorId: string, name: string) =>
    hash('sha256', `${operatorId} ${name}`, 'base64url')
  const purposeOf = (uid: string) =>
    `${kind === 'ConsoleForm' ? 'console form' : 'console secret'}:${uid}`

  function open(uid: string, payload: string): KeptForm {
    const [path, fields] = JSON.parse(vault.open(purposeOf(uid), JSON.parse(payload)))
    return { path, fields: new URLSearchParams(fields) }
  }

  return {
    async keep(operatorId, { path, fields }, name = newKeptName()) {
      const uid = uidOf(operatorId, name)
      const sealed = vault.seal(purposeOf(uid), JSON.stringify([path, fields.toString()]))
      await protocol.put({
        ...{ tenantId: SYSTEM_TENANT_ID, kind, key: uid, uid, accountId: operatorId },
        payload: JSON.stringify(sealed),
        expiresAt: nowMicros(clock) + KEPT_SECONDS * 1e6,
      })
      return name
    },
    async pathOf(operatorId, name) {
      const uid = uidOf(operatorId, name)
      const entry = await protocol.findByUid(SYSTEM_TENANT_ID, kind, uid)
      return entry && open(uid, entry.payload).path
    },
    async take(operatorId, name) {
      const uid = uidOf(operatorId, name)
      const entry = await protocol.takeByUid(SYSTEM_TENANT_ID, kind, uid)
      return entry && open(uid, entry.payload)
    },
  }
}
