import { z } from 'zod'
import { obstacleHelp, obstacleReasons } from '../domain/factors/login-obstacles.ts'
import { textLanguages, textNames } from '../domain/tenants/tenant-texts.ts'
import {
  type CredentialKind,
  type CredentialType,
  credentialKinds,
  describedKinds,
} from '../resources/credentials.ts'
import { eventTypes } from '../webhooks/events.ts'
import { describeDetails } from '../wire/credentials.ts'
import { applicationBody, credentialBodies, tenantBody, userBody } from '../wire/schemas.ts'
import type { ResourceName } from './route.ts'

/** The names of the resources of the specification. */
type ObjectName = 'Tenant' | 'Application' | 'User' | CredentialType

const bodies: Record<ObjectName, z.ZodObject> = {
  Tenant: tenantBody,
  Application: applicationBody,
  User: userBody,
  ...ofKinds((kind) => credentialBodies[kind]),
}

const timestamp = { type: 'string', format: 'date-time' }

/** Members of a response that no request body has, or that a request body has in another form. */
const answered: Partial<Record<ObjectName, object>> = {
  Application: {
    secret: { type: 'string', description: 'Absent in the answers to create and delete.' },
  },
  ...ofKinds((kind) => describeDetails(kind).schema),
}

/** Members of every response, in addition to `type`, `id`, `created_at` and `updated_at`. */
const alwaysPresent: Partial<Record<ObjectName, string[]>> = {
  Tenant: ['settings'],
  Application: ['logout_urls', 'redirect_urls'],
  User: ['profile'],
  PasswordCredential: ['password'],
}

const auditEntrySchema = {
  type: 'object',
  required: ['type', 'id', 'at', 'actor', 'action', 'outcome'],
  properties: {
    type: { const: 'AuditEntry' },
    id: { type: 'string', description: 'Of the permanent address of the entry.' },
    at: timestamp,
    actor: { type: 'string', description: 'The actor, such as user:usr_… or key:key_….' },
    action: { type: 'string', description: 'Such as user.update, or the code of a refusal.' },
    target: { type: 'string', description: 'The object.' },
    outcome: { enum: ['success', 'failure', 'refused'] },
    fields: {
      type: 'array',
      items: { type: 'string' },
      description: 'The names of the members that were changed.',
    },
    flags: {
      type: 'object',
      additionalProperties: { type: 'boolean' },
      description: 'The new values of those that are true or false, such as disabled.',
    },
    application_id: { type: 'string' },
    request_id: { type: 'string' },
    address: { type: 'string', description: 'Of the client.' },
    user_agent: { type: 'string' },
  },
}

const sessionSchema = {
  type: 'object',
  required: ['type', 'id', 'logged_in_at'],
  properties: {
    type: { const: 'Session' },
    id: { type: 'string' },
    logged_in_at: timestamp,
    browser: { type: 'string', description: 'Such as Firefox, where it says so.' },
    system: { type: 'string', description: 'Such as macOS, where the browser says so.' },
    application_ids: { type: 'array', items: { type: 'string' } },
  },
}

const loginTroubleSchema = {
  type: 'object',
  required: ['type', 'obstacles'],
  properties: {
    type: { const: 'LoginTrouble' },
    obstacles: {
      type: 'array',
      description: 'Empty when nothing keeps the user from logging in.',
      items: {
        type: 'object',
        required: ['reason', 'sentence', 'help'],
        properties: {
          reason: { enum: obstacleReasons },
          sentence: { type: 'string', description: 'The reason for a person to read, in English.' },
          partial: { type: 'boolean', description: 'Whether another way to log in is still open.' },
          until: { ...timestamp, description: 'The end of a wait.' },
          network: { type: 'string', description: 'The network that has to wait.' },
          last_answer: { type: 'string', description: 'The last answer of the mail server.' },
          help: {
            type: 'array',
            items: { enum: obstacleHelp },
            description: 'Acts that remove the obstacle.',
          },
        },
      },
    },
  },
}

const tenantTextsSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'TenantTexts' },
    ...Object.fromEntries(
      textLanguages.map((language) => [
        language,
        {
          type: 'object',
          description: 'Texts by name; one that is missing is ours.',
          properties: Object.fromEntries(textNames.map((name) => [name, { type: 'string' }])),
        },
      ]),
    ),
  },
}

const tenantLogoSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'TenantLogo' },
    url: { type: 'string', description: 'Where the image is; missing without an uploaded one.' },
    sha256: { type: 'string', description: 'The hash of its bytes, in hexadecimal.' },
    content_type: { enum: ['image/png', 'image/jpeg', 'image/webp'] },
    width: { type: 'integer', description: 'In pixels, like `height`.' },
    height: { type: 'integer' },
    bytes: { type: 'integer', description: 'Its size.' },
  },
}

const mailSchema = {
  type: 'object',
  required: ['type', 'id', 'created_at', 'kind', 'state'],
  properties: {
    type: { const: 'Mail' },
    id: { type: 'string' },
    created_at: timestamp,
    kind: { type: 'string', description: 'Such as reset, verify, invite or loginCode.' },
    user_id: { type: 'string', description: 'Absent for an address without an account.' },
    state: { enum: ['waiting', 'captured', 'sent', 'given_up'] },
    attempts: { type: 'integer', description: 'How often sending has failed.' },
    last_answer: { type: 'string', description: 'The last answer of the mail server.' },
    due_at: { ...timestamp, description: 'When it is tried next.' },
    sent_at: timestamp,
  },
}

const webhookSchema = {
  type: 'object',
  required: ['type', 'id', 'created_at', 'updated_at', 'url'],
  properties: {
    type: { const: 'Webhook' },
    id: { type: 'string' },
    created_at: timestamp,
    updated_at: timestamp,
    url: { type: 'string', format: 'uri' },
    description: { type: 'string' },
    types: { type: 'array', items: { enum: Object.keys(eventTypes) } },
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    disabled: { type: 'boolean' },
    disabled_reason: {
      enum: ['switched_off', 'gone', 'failing', 'restored'],
      description:
        'gone: it answered 410. failing: it accepted nothing for five days. restored: the service was restored from ' +
        'a backup, after which the endpoint may have been deleted; switch it on if it was not.',
    },
    secret: {
      type: 'string',
      description: 'The key of the signatures (whsec_…), in the answers that make one.',
    },
  },
}

const grantSchema = {
  type: 'object',
  description: 'A program that may act on behalf of a user.',
  required: ['type', 'id', 'user_id', 'client_id', 'granted_at'],
  properties: {
    type: { const: 'Grant' },
    id: { type: 'string', description: 'Unique among the grants of the user.' },
    user_id: { type: 'string' },
    client_id: { type: 'string' },
    application_id: {
      type: 'string',
      description: 'The application to which the user has logged in on a device.',
    },
    hosts: {
      type: 'array',
      items: { type: 'string' },
      description: 'The hosts of a program that is no application.',
    },
    name: { type: 'string', description: 'The name that the program claims.' },
    on_device: { type: 'boolean', description: 'Whether it runs on the device of the user.' },
    goes_to: { type: 'string', description: 'The origin that the codes of its logins go to.' },
    granted_at: timestamp,
    last_used_at: {
      ...timestamp,
      description: 'When the service has last given out tokens for it, to the hour.',
    },
    scopes: { type: 'array', items: { type: 'string' }, description: 'The scopes of logins.' },
    resources: {
      type: 'array',
      description: 'The scopes of each API.',
      items: {
        type: 'object',
        required: ['resource', 'scopes'],
        properties: {
          resource: { type: 'string' },
          scopes: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
}

const programSchema = {
  type: 'object',
  description:
    'The programs of a host: unregistered clients that have it in their client_id or redirect URIs.',
  required: ['type', 'id'],
  properties: {
    type: { const: 'Program' },
    id: { type: 'string', description: 'The host, with its port if it has one.' },
    blocked: { type: 'boolean' },
    listed: {
      type: 'boolean',
      description: 'Whether the tenant lists the host, which counts where it trusts listed hosts.',
    },
    blocked_at: timestamp,
    unblocked_at: timestamp,
    last_granted_at: { ...timestamp, description: 'Within the last year.' },
  },
}

const answerOfEndpoint = {
  status: { type: 'integer', description: 'The status of the last answer.' },
  reason: { enum: ['timeout', 'unreachable'], description: 'Why there was no answer.' },
  milliseconds: { type: 'integer', description: 'How long the answer took.' },
}

const deliverySchema = {
  type: 'object',
  required: ['type', 'id', 'created_at', 'event_id', 'event_type', 'state'],
  properties: {
    type: { const: 'Delivery' },
    id: { type: 'string' },
    created_at: timestamp,
    event_id: { type: 'string', description: 'The webhook-id, the same at each attempt.' },
    event_type: { enum: Object.keys(eventTypes) },
    state: { enum: ['waiting', 'delivered', 'given_up'] },
    attempts: { type: 'integer' },
    tried_at: timestamp,
    due_at: { ...timestamp, description: 'When it is tried next.' },
    ...answerOfEndpoint,
  },
}

const eventSchema = {
  type: 'object',
  description: 'A change of a tenant, as webhooks send it and as the list of events has it.',
  required: ['id', 'type', 'timestamp', 'data'],
  properties: {
    id: { type: 'string', description: 'The webhook-id.' },
    type: {
      oneOf: Object.entries(eventTypes).map(([name, description]) => ({
        const: name,
        description,
      })),
    },
    timestamp,
    data: {
      type: 'object',
      required: ['type', 'id', 'tenant_id', 'actor', 'sequence'],
      properties: {
        type: { type: 'string', description: 'The type of the object, such as User.' },
        id: { type: 'string', description: 'The id of the object; GET it for its values.' },
        tenant_id: { type: 'string' },
        user_id: { type: 'string', description: 'Whose credential, login or session it is.' },
        changed: {
          type: 'array',
          items: { type: 'string' },
          description: 'The names of the members that were changed.',
        },
        actor: { type: 'string', description: 'Such as key:key_…, user:usr_… or service.' },
        application_id: { type: 'string' },
        request_id: { type: 'string' },
        sequence: { type: 'integer', description: 'Grows with time within a tenant.' },
      },
    },
  },
}

const userDataSchema = {
  type: 'object',
  description:
    'An object that is stored of a user; its type says what it is. More types and members may come.',
  required: ['type'],
  properties: {
    type: {
      description:
        'User (with last_login_at), the type of a credential, Session (with address), TrustedDevice, Grant, Mail, ' +
        'or OperatorLogin: a login of an operator as the user.',
      type: 'string',
    },
    id: { type: 'string' },
  },
}

/**
 * The JSON Schema of each object in responses. An optional member is omitted if its value is zero
 * or empty.
 */
export const resourceSchemas: Record<ResourceName, object> = {
  Tenant: resourceSchema('Tenant'),
  Application: resourceSchema('Application'),
  User: resourceSchema('User'),
  UserData: userDataSchema,
  ...ofKinds((kind) => resourceSchema(credentialKinds[kind].type)),
  AuditEntry: auditEntrySchema,
  Session: sessionSchema,
  EndedSessions: {
    type: 'object',
    required: ['type', 'data'],
    properties: {
      type: { const: 'EndedSessions' },
      data: { type: 'array', items: { $ref: '#/components/schemas/Session' } },
    },
  },
  LoginTrouble: loginTroubleSchema,
  TenantTexts: tenantTextsSchema,
  TenantLogo: tenantLogoSchema,
  Mail: mailSchema,
  Grant: grantSchema,
  Program: programSchema,
  Webhook: webhookSchema,
  WebhookTest: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { const: 'WebhookTest' },
      accepted: { type: 'boolean', description: 'Whether the endpoint answered 2xx.' },
      ...answerOfEndpoint,
    },
  },
  WebhookReplay: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { const: 'WebhookReplay' },
      events: { type: 'integer', description: 'How many events are sent again.' },
      from: {
        ...timestamp,
        description: 'Where the next request begins, when there were too many for one.',
      },
    },
  },
  Delivery: deliverySchema,
  Event: eventSchema,
  Credential: {
    description: 'One of the kinds of credentials; more may come.',
    oneOf: describedKinds.map(([, { type }]) => ({ $ref: `#/components/schemas/${type}` })),
  },
}

/** Calls `of` for each kind of credential. The results are named by the kind's type in the API. */
function ofKinds<T>(of: (kind: CredentialKind) => T): Record<CredentialType, T> {
  return Object.fromEntries(describedKinds.map(([kind, { type }]) => [type, of(kind)])) as Record<
    CredentialType,
    T
  >
}

function resourceSchema(name: ObjectName): object {
  const { properties } = z.toJSONSchema(bodies[name], { io: 'input' })
  return {
    type: 'object',
    required: ['type', 'id', 'created_at', 'updated_at', ...(alwaysPresent[name] ?? [])],
    properties: {
      ...properties,
      type: { const: name },
      id: { type: 'string' },
      created_at: timestamp,
      updated_at: timestamp,
      ...answered[name],
    },
  }
}
