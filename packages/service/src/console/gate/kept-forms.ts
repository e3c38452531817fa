import { hash, randomBytes } from 'node:crypto'
import { type DomainContext, nowMicros } from '../../domain/writes/context.ts'
import type { ProtocolStore } from '../../store/protocol-store.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'

/** How long a form is kept while its operator logs in again, and a new secret until its page shows it. */
const KEPT_SECONDS = 600

/** A form, or secrets that the next page shows. */
type KeptKind = 'ConsoleForm' | 'ConsoleSecret'

/** A form of an operator who had to log in again before it is acted on, or the secrets that a page shows once. */
export interface KeptForm {
  /** The path that the form was sent to, or that of the page. */
  readonly path: string
  readonly fields: URLSearchParams
}

/** Forms or secrets that are kept for the next page. Each is sealed, is one operator's, and is used once. */
export interface KeptForms {
  /** Keeps a form; answers with the name by which its operator finds it. */
  keep(operatorId: string, form: KeptForm): Promise<string>
  /** The path of a form that is kept still. */
  pathOf(operatorId: string, name: string): Promise<string | undefined>
  /** Takes a form out: of any number of requests exactly one gets it. */
  take(operatorId: string, name: string): Promise<KeptForm | undefined>
}

/** Makes a place for forms or for secrets, in the store of what expires. */
export function createKeptForms(
  { vault, clock }: DomainContext,
  protocol: ProtocolStore,
  kind: KeptKind,
): KeptForms {
  // An operator finds no form of another one, even with its name.
  const uidOf = (operatorId: string, name: string) =>
    hash('sha256', `${operatorId} ${name}`, 'base64url')
  const purposeOf = (uid: string) =>
    `${kind === 'ConsoleForm' ? 'console form' : 'console secret'}:${uid}`

  function open(uid: string, payload: string): KeptForm {
    const [path, fields] = JSON.parse(vault.open(purposeOf(uid), JSON.parse(payload)))
    return { path, fields: new URLSearchParams(fields) }
  }

  return {
    async keep(operatorId, { path, fields }) {
      const name = randomBytes(16).toString('base64url')
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
