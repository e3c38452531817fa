import { hash, randomBytes } from 'node:crypto'
import { type DomainContext, nowMicros } from '../domain/writes/context.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import { SYSTEM_TENANT_ID } from '../store/system-tenant.ts'

/** How long a form is kept while its operator logs in again. */
const KEPT_SECONDS = 600

const KIND = 'ConsoleForm'

/** A form of an operator who had to log in again before it is acted on. */
export interface KeptForm {
  /** The path that the form was sent to. */
  readonly path: string
  readonly fields: URLSearchParams
}

/** The forms that are kept while their operators log in again. Each is sealed, and is one operator's. */
export interface KeptForms {
  /** Keeps a form; answers with the name by which its operator finds it. */
  keep(operatorId: string, form: KeptForm): Promise<string>
  /** The path of a form that is kept still. */
  pathOf(operatorId: string, name: string): Promise<string | undefined>
  /** Takes a form out: of any number of requests exactly one gets it. */
  take(operatorId: string, name: string): Promise<KeptForm | undefined>
}

/** Makes the place for forms, in the store of what expires. */
export function createKeptForms(
  { vault, clock }: DomainContext,
  protocol: ProtocolStore,
): KeptForms {
  // An operator finds no form of another one, even with its name.
  const uidOf = (operatorId: string, name: string) =>
    hash('sha256', `${operatorId} ${name}`, 'base64url')
  const purposeOf = (uid: string) => `console form:${uid}`

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
        ...{ tenantId: SYSTEM_TENANT_ID, kind: KIND, key: uid, uid, accountId: operatorId },
        payload: JSON.stringify(sealed),
        expiresAt: nowMicros(clock) + KEPT_SECONDS * 1e6,
      })
      return name
    },
    async pathOf(operatorId, name) {
      const uid = uidOf(operatorId, name)
      const entry = await protocol.findByUid(SYSTEM_TENANT_ID, KIND, uid)
      return entry && open(uid, entry.payload).path
    },
    async take(operatorId, name) {
      const uid = uidOf(operatorId, name)
      const entry = await protocol.takeByUid(SYSTEM_TENANT_ID, KIND, uid)
      return entry && open(uid, entry.payload)
    },
  }
}
