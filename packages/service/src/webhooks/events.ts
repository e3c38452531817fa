import { readField } from '../domain/writes/changed-fields.ts'
import { eventId } from '../domain/writes/ids.ts'
import { typeOfId } from '../resources/credentials.ts'
import type { StoredAuditEntry } from '../store/records.ts'

/** Every type of event, with its meaning. This is public API: a type keeps its meaning. */
export const eventTypes = {
  'tenant.updated': 'Settings, the name or metadata of the tenant were changed.',
  'tenant.deleted': 'The tenant was deleted, with all that it held.',
  'application.created': 'An application was made.',
  'application.updated': 'An application was changed.',
  'application.secret_rotated': 'An application has a new client secret.',
  'application.deleted': 'An application was deleted.',
  'user.created': 'A user was made, by a sign-up, by the API or by an import.',
  'user.updated': 'A user was changed; "changed" names the members.',
  'user.disabled': 'A user was disabled, and can no longer log in.',
  'user.enabled': 'A disabled user was enabled again.',
  'user.verified': 'The address of a user was proven.',
  'user.deleted': 'A user was deleted, with all credentials.',
  'credential.created': 'A user has a new way to log in.',
  'credential.updated': 'A credential was changed, disabled or enabled.',
  'credential.upgraded': 'The hash of a password was replaced by a better one at a login.',
  'credential.reset': 'A user has set a new password.',
  'credential.deleted': 'A way to log in was removed.',
  'connection.created': 'A connection to another provider was made.',
  'connection.updated': 'A connection was changed.',
  'connection.deleted': 'A connection was removed.',
  'signing_key.created': 'The tenant signs with a new key.',
  'signing_key.deleted': 'A signing key was withdrawn.',
  'session.ended': 'A user has logged out, or a session was ended.',
  'consent.granted': 'A user has allowed an unregistered client to act on their behalf.',
  'consent.withdrawn': 'The access of such a client to a user was withdrawn.',
  'impersonation.begun': 'An operator has logged in as a user; "actor" names the operator.',
  'impersonation.ended': 'A login of an operator as a user has ended.',
  'login.succeeded': 'A user has logged in. Sent to endpoints that name it.',
  'login.failed': 'A login was refused. Sent to endpoints that name it.',
  'webhook.disabled':
    'An endpoint was switched off, as it answered 410 or accepted nothing for days.',
  'webhook.test': 'A test, sent on request.',
} as const

/** The name of a type of events. */
export type EventType = keyof typeof eventTypes

/**
 * The types that an endpoint gets only if it names them, because there are so many of these events.
 */
export const namedTypes: ReadonlySet<EventType> = new Set(['login.succeeded', 'login.failed'])

/**
 * An event, as endpoints and readers get it. An event names the changed members, but never contains
 * their values.
 */
export interface ServiceEvent {
  /** The id, which is the same in every delivery and for every reader. */
  id: string
  type: EventType
  timestamp: string
  data: {
    /** The type of the object in the API, such as `User`. */
    type: string
    /** The id of the object. */
    id: string
    tenant_id: string
    /** The id of the user who owns the credential, login or session. */
    user_id?: string
    /** The names of the members that were changed. */
    changed?: string[]
    /** The actor, such as `key:key_…`, `user:usr_…` or `service`. */
    actor: string
    application_id?: string
    request_id?: string
    /** The position in the log. Later events of a tenant have higher numbers. */
    sequence: number
  }
}

/** The type of event for each action of the audit log. Other actions cause no event. */
const typesOfAction: Readonly<Record<string, EventType>> = {
  'tenant.update': 'tenant.updated',
  'tenant.delete': 'tenant.deleted',
  'application.create': 'application.created',
  'application.update': 'application.updated',
  'application.rotate_secret': 'application.secret_rotated',
  'application.delete': 'application.deleted',
  'user.create': 'user.created',
  'user.update': 'user.updated',
  'user.verify': 'user.verified',
  'user.delete': 'user.deleted',
  'credential.create': 'credential.created',
  'credential.update': 'credential.updated',
  'credential.upgrade': 'credential.upgraded',
  'credential.reset': 'credential.reset',
  'credential.delete': 'credential.deleted',
  'connection.create': 'connection.created',
  'connection.update': 'connection.updated',
  'connection.delete': 'connection.deleted',
  'signing_key.create': 'signing_key.created',
  'signing_key.delete': 'signing_key.deleted',
  'logout.succeeded': 'session.ended',
  'consent.granted': 'consent.granted',
  'consent.withdrawn': 'consent.withdrawn',
  'impersonation.begin': 'impersonation.begun',
  'impersonation.end': 'impersonation.ended',
  'login.succeeded': 'login.succeeded',
  'webhook.disable': 'webhook.disabled',
}

const objectTypes: Readonly<Record<string, string>> = {
  tenant: 'Tenant',
  application: 'Application',
  user: 'User',
  connection: 'Connection',
  signing_key: 'SigningKey',
  session: 'User',
  consent: 'User',
  impersonation: 'User',
  login: 'User',
  webhook: 'Webhook',
}

/** The events of an entry of the audit log: none, one, or two. */
export function eventsOf(entry: StoredAuditEntry): ServiceEvent[] {
  const { tenantId } = entry
  if (tenantId === undefined) return []
  return typesOf(entry).map((type) => ({
    id: eventId(tenantId, entry.id, type),
    type,
    timestamp: new Date(entry.at / 1000).toISOString(),
    data: dataOf(entry, tenantId, type),
  }))
}

function typesOf({ action, outcome, fields = [] }: StoredAuditEntry): EventType[] {
  if (outcome === 'refused') return []
  if (outcome === 'failure') return action.startsWith('login.') ? ['login.failed'] : []
  const type = typesOfAction[action]
  if (type === undefined) return []
  const disabled = type === 'user.updated' && fields.map(readField).find(isDisabled)
  if (!disabled) return [type]
  return [type, disabled.flag ? 'user.disabled' : 'user.enabled']
}

function isDisabled({ name }: { name: string }): boolean {
  return name === 'disabled'
}

function dataOf(
  { id: sequence, target, actor, fields, applicationId, requestId }: StoredAuditEntry,
  tenantId: string,
  type: EventType,
): ServiceEvent['data'] {
  const [first = '', second] = target.split('/')
  const kind = type.split('.')[0] as string
  const isCredential = kind === 'credential' && second !== undefined
  const id = isCredential ? second : first
  const isUsers =
    isCredential || (/^(login|session|consent|impersonation)$/.test(kind) && isUserId(first))
  return {
    type: isCredential ? (typeOfId(second) ?? 'Credential') : (objectTypes[kind] ?? 'User'),
    id,
    tenant_id: tenantId,
    ...(isUsers && { user_id: first }),
    ...(fields?.length && { changed: fields.map((field) => readField(field).name) }),
    actor,
    ...(applicationId !== undefined && { application_id: applicationId }),
    ...(requestId !== undefined && { request_id: requestId }),
    sequence,
  }
}

function isUserId(text: string): boolean {
  return text.startsWith('usr_')
}

/**
 * Whether an endpoint with these types gets an event. An empty list stands for all types except
 * {@link namedTypes}.
 */
export function isWanted(types: readonly string[], { type }: Pick<ServiceEvent, 'type'>): boolean {
  return types.length === 0 ? !namedTypes.has(type) : types.includes(type)
}
