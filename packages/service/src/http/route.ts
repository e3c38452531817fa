import type { z } from 'zod'
import type { Caller } from '../domain/keys/api-keys.ts'
import type { CommandLogin } from '../domain/operators/command-logins.ts'
import type { Support } from '../domain/operators/support.ts'
import type { Scope } from '../domain/writes/context.ts'
import type { CredentialType } from '../resources/credentials.ts'
import type { Listing, Page } from '../store/ports.ts'
import type { Webhooks } from '../webhooks/index.ts'
import type { Lines, Part } from '../wire/json-lines.ts'

/** The names of objects in answers, in the specification and in the OpenAPI document. */
export type ResourceName =
  | 'Tenant'
  | 'Application'
  | 'User'
  | 'UserData'
  | 'Credential'
  | 'AuditEntry'
  | 'Session'
  | 'EndedSessions'
  | 'LoginTrouble'
  | 'TenantTexts'
  | 'TenantLogo'
  | 'Mail'
  | 'Grant'
  | 'Program'
  | 'Webhook'
  | 'WebhookTest'
  | 'WebhookReplay'
  | 'Delivery'
  | 'Event'
  | CredentialType

/** The ids that the paths of routes can have, by their names in the paths. */
export type PathParameters = {
  tenant_id: string
  application_id: string
  user_id: string
  credential_id: string
  entry_id: string
  session_id: string
  mail_id: string
  webhook_id: string
  delivery_id: string
  grant_id: string
  host: string
}

/** One request, after its sender, the sender's access and the rate limit were checked. */
export interface Call {
  /** The scope of the request: the tenant of the path, if it names one. */
  readonly scope: Scope
  readonly caller: Caller
  /** The login of the operator who sends the request; `undefined` for an API key. */
  readonly login: CommandLogin | undefined
  readonly support: Support
  readonly webhooks: Webhooks
  /**
   * The media type of the file in which the client gets a whole list at once; `undefined` for an
   * answer in JSON.
   */
  readonly fileType: string | undefined
  /** The ids in the path. Only those that the path of the route names are present. */
  readonly ids: PathParameters
  /**
   * Counts further requests of the sender for the rate limit. With this request, they count at most
   * as the whole limit.
   *
   * @throws ServiceError `rate_limited`.
   */
  spendFurther(requests: number): Promise<void>
  /**
   * Adds a `latchkey-warning` header, for information that has no place in the documented response.
   */
  warn(sentence: string): void
  /** Logs a fault of the service that the response does not report as an error. */
  logFault(err: unknown, message: string): void
  /** Whether the client has closed the connection before the response was complete. */
  isAbandoned(): boolean
}

interface RouteBase {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly resource: ResourceName
}

/** An operation that answers with one object. */
export interface ObjectRoute extends RouteBase {
  readonly kind: 'get' | 'delete'
  run(call: Call): Promise<object>
}

/** An operation that answers with the object that it has written. */
export interface WriteRoute<S extends z.ZodObject = z.ZodObject> extends RouteBase {
  readonly kind: 'write'
  readonly body: S
  /** All schemas of a body that depends on the stored object, and the function that selects one. */
  readonly choice?: {
    readonly bodies: readonly z.ZodObject[]
    of(call: Call): Promise<z.ZodObject>
  }
  /** The names of known members that have no effect in this body. */
  ignored?(body: z.output<S>): string[]
  run(call: Call, body: z.output<S>): Promise<object>
}

/** An operation that answers with a List. */
export interface ListRoute extends RouteBase {
  readonly kind: 'list'
  run(call: Call, page: Page): Promise<Listing<{ id: string }>>
  serialize(call: Call, item: never): object
}

/**
 * An operation that answers with a List without `total`, because a filtered list is not counted. A
 * page with fewer than `limit` items may still have a `Link` to the next page.
 */
export interface QueryRoute<S extends z.ZodObject = z.ZodObject> extends RouteBase {
  readonly kind: 'query'
  /** The filters, by the names of their query parameters. */
  readonly filters: S
  /** The formats, other than a List, in which a client can get the whole list at once. */
  readonly formats?: readonly Format[]
  run(call: Call, filter: z.output<S>, page: Page): Promise<Part>
  serialize(item: never): object
}

/** A file format for all items of a query. */
export interface Format<T = never> {
  readonly lines: Lines
  /** Makes the object to write from an item. Default: the `serialize` of the route. */
  serialize?(item: T): object
}

/** An operation on many objects at once, with a result for each of them. */
export interface BatchRoute extends RouteBase {
  readonly kind: 'batch'
  /** The member of the body with the objects. */
  readonly member: string
  readonly maxItems: number
  /**
   * The schema of an element. `run` checks each element, because an invalid one must not refuse the
   * others.
   */
  readonly item: z.ZodObject
  /** The JSON Schema of the response. */
  readonly answer: object
  run(call: Call, items: readonly unknown[]): Promise<{ body: object; ignored: string[] }>
}

/** A route of the API: one of the specification, or one of our own. */
export type Route = ObjectRoute | WriteRoute | ListRoute | QueryRoute | BatchRoute

/** Makes a {@link WriteRoute}. The compiler infers the type of the body from its schema. */
export function write<S extends z.ZodObject>(route: Omit<WriteRoute<S>, 'kind'>): Route {
  return { ...route, kind: 'write' } as unknown as WriteRoute
}

/** Makes a {@link QueryRoute}. The compiler infers the types of the filters and the items. */
export function query<S extends z.ZodObject, T extends object>(
  route: Omit<QueryRoute<S>, 'kind' | 'run' | 'serialize' | 'formats'> & {
    readonly formats?: readonly Format<T>[]
    run(call: Call, filter: z.output<S>, page: Page): Promise<Part<T>>
    serialize(item: T): object
  },
): Route {
  return { ...route, kind: 'query' } as unknown as QueryRoute
}

/** Makes a {@link ListRoute}. The compiler infers the type of the items. */
export function list<T extends { id: string }>(
  route: RouteBase & {
    run(call: Call, page: Page): Promise<Listing<T>>
    serialize(call: Call, item: T): object
  },
): Route {
  return { ...route, kind: 'list' } as unknown as ListRoute
}
