import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User, Visit } from '@latchkey/core'
import type { Support } from '../../domain/operators/support.ts'
import type { Actor, DomainContext, ServiceScope } from '../../domain/writes/context.ts'
import type { OperatorUser } from '../../store/ports.ts'
import type { ProtocolStore } from '../../store/protocol-store.ts'
import type { Tenant } from '../../store/records.ts'
import type { Webhooks } from '../../webhooks/index.ts'
import type { ConsoleRoute, System } from '../calls/call.ts'
import type { Upload } from '../forms/uploads.ts'
import type { Content, Frame } from '../pages/index.ts'
import type { KeptForms } from './kept-forms.ts'
import type { ConsoleSession, createCsrf } from './login.ts'

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

/** Answers a request with a page: in the frame of its operator, behind the check that finds one. */
export type Show = (content: Content, frame?: Partial<Frame>) => undefined

/** A request of the console, in front of the checks. */
export interface Arrived {
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
  readonly actor: Actor
  readonly show: Show
}

export interface Visited extends Arrived {
  readonly session: ConsoleSession | undefined
}

export interface Known extends Visited {
  readonly session: ConsoleSession
  readonly operator: OperatorUser
}

export interface Resumed extends Known {
  /** The path to act on, which is another one than that of the request for a form that was kept. */
  readonly path: string
  /** The form to act on, of which `formToken` has to say that it is this session's. */
  readonly sent: URLSearchParams
}

export interface Routed extends Resumed {
  readonly route: ConsoleRoute
  readonly ids: Readonly<Record<string, string>>
}

export interface Reached extends Routed {
  readonly scope: ServiceScope
}

export interface Permitted extends Reached {
  readonly run: ConsoleRoute['run']
}

export interface Placed extends Permitted {
  /** The tenant of the path, where it names one. */
  readonly tenant: Tenant | undefined
}

/** A request that its route may answer. */
export interface Admitted extends Placed {
  readonly form: URLSearchParams
}
