import { isRecord, parseRecord } from '../shared/records.ts'

/** The types of objects in the API, by the first word of the event type. */
interface Objects {
  tenant: 'Tenant'
  application: 'Application'
  user: 'User'
  /** The kind of credential is part of the type, such as `PasswordCredential`. */
  credential: `${string}Credential`
  connection: 'Connection'
  signing_key: 'SigningKey'
  webhook: 'Webhook'
}

/** The event types that this version knows. */
export type WebhookEventType =
  | 'tenant.updated'
  | 'tenant.deleted'
  | 'application.created'
  | 'application.updated'
  | 'application.secret_rotated'
  | 'application.deleted'
  | 'user.created'
  | 'user.updated'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.verified'
  | 'user.deleted'
  | 'credential.created'
  | 'credential.updated'
  | 'credential.upgraded'
  | 'credential.reset'
  | 'credential.deleted'
  | 'connection.created'
  | 'connection.updated'
  | 'connection.deleted'
  | 'signing_key.created'
  | 'signing_key.deleted'
  | 'session.ended'
  | 'consent.granted'
  | 'consent.withdrawn'
  | 'impersonation.begun'
  | 'impersonation.ended'
  | 'login.succeeded'
  | 'login.failed'
  | 'webhook.disabled'
  | 'webhook.test'

const KNOWN: Readonly<Record<WebhookEventType, true>> = {
  'tenant.updated': true,
  'tenant.deleted': true,
  'application.created': true,
  'application.updated': true,
  'application.secret_rotated': true,
  'application.deleted': true,
  'user.created': true,
  'user.updated': true,
  'user.disabled': true,
  'user.enabled': true,
  'user.verified': true,
  'user.deleted': true,
  'credential.created': true,
  'credential.updated': true,
  'credential.upgraded': true,
  'credential.reset': true,
  'credential.deleted': true,
  'connection.created': true,
  'connection.updated': true,
  'connection.deleted': true,
  'signing_key.created': true,
  'signing_key.deleted': true,
  'session.ended': true,
  'consent.granted': true,
  'consent.withdrawn': true,
  'impersonation.begun': true,
  'impersonation.ended': true,
  'login.succeeded': true,
  'login.failed': true,
  'webhook.disabled': true,
  'webhook.test': true,
}

/**
 * The facts of an event. They name the changed members, not the new values: read the object from
 * the API.
 */
export interface WebhookData {
  /** The type of the object in the API, such as `User`. */
  readonly type: string
  /** The id of the object. */
  readonly id: string
  readonly tenant_id: string
  /** The id of the user that the credential or login belongs to. */
  readonly user_id?: string
  /** The members of the object that have changed, such as `profile.email`. */
  readonly changed?: readonly string[]
  /** The API key, user or operator that made the change, such as `key:key_…`. */
  readonly actor: string
  readonly application_id?: string
  readonly request_id?: string
  /**
   * A number that grows from event to event within a tenant. Events can arrive in another order.
   */
  readonly sequence: number
}

/**
 * An event of a type that this version does not know, such as one of a newer version of the
 * service.
 */
export interface UnknownWebhookEvent {
  /** The id of the event. It stays the same when the service sends the event again. */
  readonly id: string
  readonly type: string
  /** The time of the event in UTC (RFC 3339). */
  readonly timestamp: string
  readonly data: WebhookData
}

type ObjectOf<Type extends WebhookEventType> = Type extends `${infer Name}.${string}`
  ? Name extends keyof Objects
    ? Objects[Name]
    : string
  : never

/** The event of one type. */
export interface WebhookEventOf<Type extends WebhookEventType> extends UnknownWebhookEvent {
  readonly type: Type
  readonly data: WebhookData & { readonly type: ObjectOf<Type> }
}

/** An event of the service. Switch on `type`. */
export type WebhookEvent = { [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType]

/** Whether this version knows the type of an event. */
export function isKnownEvent(event: UnknownWebhookEvent | WebhookEvent): event is WebhookEvent {
  return Object.hasOwn(KNOWN, event.type)
}

/** The event in a verified body; `undefined` if the body is no event. */
export function parseEvent(body: string): UnknownWebhookEvent | undefined {
  const event = parseRecord(body)
  const data = event?.data
  if (!event || !isRecord(data)) return undefined
  const texts = [event.id, event.type, event.timestamp, data.type, data.id, data.tenant_id]
  const isEvent = texts.every((one) => typeof one === 'string') && typeof data.sequence === 'number'
  return isEvent ? (event as unknown as UnknownWebhookEvent) : undefined
}
