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

/** The stores and services with which the console answers requests. */
export interface Parts {
  readonly context: DomainContext
  readonly protocol: ProtocolStore
  readonly support: Support
  readonly webhooks: Webhooks
  readonly system: System
  readonly origin: string
  /**
   * The `acr` values of which a login of an operator must have one. Without them, a password is
   * enough.
   */
  readonly strength: { acr?: readonly string[] }
  readonly csrf: ReturnType<typeof createCsrf>
  /** Forms that wait for a re-authentication. */
  readonly keptForms: KeptForms
  /** New secrets that the next page shows once. */
  readonly keptSecrets: KeptForms
}

/**
 * Answers the request with a page. After the check `operator`, the page has the navigation for the
 * operator.
 */
export type Show = (content: Content, frame?: Partial<Frame>) => undefined

/**
 * A request to the console before the first check. Each of the types below adds the results of one
 * check.
 */
export interface Arrived {
  readonly parts: Parts
  readonly visit: Visit<User, void>
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** The fields of the submitted form; empty if there is no form. */
  readonly given: URLSearchParams
  /** The file that was submitted with the form. */
  readonly upload: Upload | undefined
  /** Whether the method is `GET` or `HEAD`. */
  readonly isRead: boolean
  /** Whether the method is `POST`. */
  readonly isWrite: boolean
  readonly actor: Actor
  readonly show: Show
}

/** A request after the check `visited`. */
export interface Visited extends Arrived {
  readonly session: ConsoleSession | undefined
}

/** A request after the check `operator`. */
export interface Known extends Visited {
  readonly session: ConsoleSession
  readonly operator: OperatorUser
}

/** A request after the check `resumed`. */
export interface Resumed extends Known {
  /**
   * The path to act on: for a kept form, the path that the form was sent to; otherwise the path of
   * the request.
   */
  readonly path: string
  /**
   * The fields of the form to act on. Until the check `formToken`, the form may come from another
   * site.
   */
  readonly sent: URLSearchParams
}

/** A request after the check `route`. */
export interface Routed extends Resumed {
  readonly route: ConsoleRoute
  /** The values of the path parameters, by name. */
  readonly ids: Readonly<Record<string, string>>
}

/** A request after the check `reach`. */
export interface Reached extends Routed {
  readonly scope: ServiceScope
}

/** A request after the check `permission`. */
export interface Permitted extends Reached {
  readonly run: ConsoleRoute['run']
}

/** A request after the check `tenant`. */
export interface Placed extends Permitted {
  /** The tenant of the path; `undefined` if the path names none. */
  readonly tenant: Tenant | undefined
}

/** A request after all checks, which its route may answer. */
export interface Admitted extends Placed {
  /** The fields of the form to act on, which was sent from a page of this session. */
  readonly form: URLSearchParams
}
