import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User, Visit } from '@latchkey/core'
import type { Support } from '../domain/operators/support.ts'
import type { Actor, DomainContext } from '../domain/writes/context.ts'
import type { OperatorUser } from '../store/ports.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import type { Tenant } from '../store/records.ts'
import type { Webhooks } from '../webhooks/index.ts'
import type { ConsoleRoute, System } from './call.ts'
import type { KeptForms } from './kept-forms.ts'
import type { ConsoleSession, createCsrf } from './login.ts'
import type { Upload } from './uploads.ts'

/** The parts that a request of the console is answered with. */
export interface Parts {
  readonly context: DomainContext
  readonly protocol: ProtocolStore
  readonly support: Support
  readonly webhooks: Webhooks
  readonly system: System
  readonly origin: string
  /** The strength that a login of an operator must have. */
  readonly strength: { acr?: readonly string[] }
  readonly csrf: ReturnType<typeof createCsrf>
  readonly keptForms: KeptForms
  readonly keptSecrets: KeptForms
}

/** A request of the console. Each check that lets it pass fills in the members below its name. */
export interface Asked {
  readonly parts: Parts
  readonly visit: Visit<User, void>
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** The form as it was sent; empty without one. */
  readonly given: URLSearchParams
  /** The file that the form sends. */
  readonly upload: Upload | undefined
  readonly isRead: boolean
  readonly isWrite: boolean
  /** The visitor; behind `operator`, the operator. */
  actor: Actor

  // operator
  session: ConsoleSession
  operator: OperatorUser

  // resumed
  /** The path to act on, which is another one than that of the request for a form that was kept. */
  path: string
  form: URLSearchParams

  // route
  route: ConsoleRoute
  ids: Readonly<Record<string, string>>

  // tenant
  tenant: Tenant | undefined
}
