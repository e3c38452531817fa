import { type CredentialType, describedKinds } from '../resources/credentials.ts'
import { describeDetails } from '../wire/credentials.ts'
import type { ResourceName, Route } from './route.ts'

const at = '2026-01-31T09:30:00.000000Z'
const later = '2026-02-01T08:00:00.000000Z'
const dates = { created_at: at, updated_at: later }

const ids = {
  application: 'app_01J9Z3M6V5Q8R2T4W6Y8A0C2E4',
  user: 'usr_01J9Z3M6V5Q8R2T4W6Y8A0C2E4',
  session: 'Yl1b2Q9v6s8h3k5m7p0r2t4w6y8A1C3E',
  mail: 'mail_01J9Z3M6V5Q8R2T4W6Y8A0C2E4',
  tenant: 'ten_01J9Z3M6V5Q8R2T4W6Y8A0C2E4',
  event: 'evt_01J9Z3M6V5Q8R2T4W6Y8A0C2E4',
} as const

const bcryptHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
const profile = { email: 'ada@example.com', name: 'Ada Lovelace' }
const session = {
  ...{ type: 'Session', id: ids.session, logged_in_at: at },
  ...{ browser: 'Firefox', system: 'macOS', application_ids: [ids.application] },
}
const application = {
  name: 'Shop',
  login_url: 'https://shop.example.com/login',
  logout_urls: ['https://shop.example.com/'],
  redirect_urls: ['https://shop.example.com/callback'],
}
const tenant = {
  name: 'Acme',
  settings: { domain: 'login.acme.example', allow_passwords: true, allow_signups: true },
}
const credentials = Object.fromEntries(
  describedKinds.map(([kind, { type, idPrefix }]) => {
    const id = idPrefix ? `${idPrefix}_01J9Z3M6V5Q8R2T4W6Y8A0C2E4` : kind
    return [type, { type, id, ...dates, ...describeDetails(kind).example }]
  }),
) as Record<CredentialType, object>

const webhookFields = {
  url: 'https://shop.example.com/webhooks/latchkey',
  types: ['user.updated', 'user.deleted'],
}
const webhook = {
  ...{ type: 'Webhook', id: 'whk_01J9Z3M6V5Q8R2T4W6Y8A0C2E4', ...dates },
  ...webhookFields,
}

/** An example response for each resource. */
export const answerExamples: Readonly<Record<ResourceName, object>> = {
  Tenant: { type: 'Tenant', id: ids.tenant, ...dates, ...tenant },
  Application: { type: 'Application', id: ids.application, ...dates, ...application },
  User: {
    ...{ type: 'User', id: ids.user, ...dates, verified_at: at },
    profile: { ...profile, email_verified: true },
  },
  UserData: {
    ...{ type: 'User', id: ids.user, ...dates, verified_at: at, last_login_at: later },
    profile: { ...profile, email_verified: true },
  },
  Credential: credentials.PasswordCredential,
  ...credentials,
  AuditEntry: {
    ...{ type: 'AuditEntry', id: '1024', at, actor: `user:${ids.user}` },
    ...{ action: 'user.update', target: ids.user, outcome: 'success', fields: ['profile'] },
  },
  Session: session,
  EndedSessions: { type: 'EndedSessions', data: [session] },
  TenantTexts: {
    type: 'TenantTexts',
    en: { login_title: 'Welcome to {company}', login_text: 'For members of our club.' },
  },
  TenantLogo: {
    type: 'TenantLogo',
    url: 'https://login.acme.com/logo/d2f583f19491f0d46b863f1d5a988a195cb005890221dec2b66426bc6b006df8',
    sha256: 'd2f583f19491f0d46b863f1d5a988a195cb005890221dec2b66426bc6b006df8',
    ...{ content_type: 'image/png', width: 1, height: 1, bytes: 70 },
  },
  LoginTrouble: {
    type: 'LoginTrouble',
    obstacles: [
      {
        reason: 'disabled',
        sentence: 'The user is disabled.',
        help: ['enable'],
      },
    ],
  },
  Mail: {
    ...{ type: 'Mail', id: ids.mail, created_at: at, kind: 'reset', user_id: ids.user },
    ...{ state: 'sent', sent_at: later },
  },
  Grant: {
    ...{ type: 'Grant', id: ids.session, user_id: ids.user },
    ...{ client_id: 'https://agent.example/client.json', hosts: ['agent.example'] },
    ...{
      name: 'Note Taker',
      goes_to: 'https://agent.example',
      granted_at: at,
      last_used_at: later,
    },
    scopes: ['openid', 'offline_access'],
    resources: [{ resource: 'https://notes.example.com/mcp', scopes: ['notes:read'] }],
  },
  Program: { type: 'Program', id: 'agent.example', blocked: true, blocked_at: at },
  Webhook: webhook,
  WebhookTest: { type: 'WebhookTest', accepted: true, status: 204, milliseconds: 38 },
  WebhookReplay: { type: 'WebhookReplay', events: 12 },
  Delivery: {
    ...{ type: 'Delivery', id: '4711', created_at: at, event_id: ids.event },
    ...{ event_type: 'user.updated', state: 'delivered', attempts: 1, tried_at: later },
    ...{ status: 204, milliseconds: 38 },
  },
  Event: {
    ...{ id: ids.event, type: 'user.updated', timestamp: at },
    data: {
      ...{ type: 'User', id: ids.user, tenant_id: ids.tenant, changed: ['profile.name'] },
      ...{ actor: 'key:key_01J9Z3M6V5Q8R2T4W6Y8A0C2E4', sequence: 81_723 },
    },
  },
}

/** An example request body for each operation that has a body, by operation id. */
export const bodyExamples: Readonly<Record<string, object>> = {
  updateTenant: tenant,
  createApplication: application,
  updateApplication: application,
  createUser: { profile },
  updateUser: { profile, disabled: true },
  createCredential: { password: { alg: 'bcrypt', hash: bcryptHash } },
  updateCredential: { password: { alg: 'plain', hash: 'correct horse battery' } },
  importUsers: { users: [{ profile, password: { alg: 'bcrypt', hash: bcryptHash } }] },
  updateImportedUsers: { users: [{ id: ids.user, profile, disabled: true }] },
  previewImportedUsers: { users: [{ id: ids.user, profile, disabled: true }] },
  sendMail: { kind: 'reset', language: 'en' },
  letTryAgain: {},
  resendMail: {},
  updateTexts: { en: { login_title: 'Welcome to {company}' }, de: {} },
  updateLogo: {
    image:
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOoko/5DwAEAQH1U5Z8IQAAAABJRU5ErkJggg==',
  },
  createWebhook: webhookFields,
  updateWebhook: { ...webhookFields, disabled: true },
  rotateWebhookSecret: {},
  testWebhook: {},
  replayWebhook: { from: at, to: later },
  resendDelivery: {},
  blockProgram: {},
  unblockProgram: {},
}

const importAnswer = {
  ...{ type: 'UserImport', created: 1, existing: 0, refused: 0 },
  data: [{ status: 'created', id: ids.user }],
}

const updateAnswer = {
  ...{ type: 'UserImportUpdate', created: 0, updated: 1, unchanged: 0, conflict: 0, refused: 0 },
  blocked: 1,
  data: [
    {
      ...{ status: 'updated', id: ids.user, members: ['disabled=true'] },
      conflicts: [{ member: 'profile.name', reason: 'changed_here' }],
    },
  ],
}

const secrets: Readonly<Record<string, string>> = {
  getApplication: 'client secret of the application',
  updateApplication: 'client secret of the application',
  createWebhook: 'whsec_ and the key in base64',
  rotateWebhookSecret: 'whsec_ and the key in base64',
}

/** The example response of an operation. */
export function answerExample({ kind, operationId, resource }: Route): object {
  if (kind === 'batch') return operationId === 'importUsers' ? importAnswer : updateAnswer
  const one = answerExamples[resource]
  if (kind !== 'list' && kind !== 'query') {
    const secret = secrets[operationId]
    return secret ? { ...one, secret } : one
  }
  const total = kind === 'list' ? { total: 1 } : {}
  return { type: 'List', ...total, count: 1, limit: 100, data: [one] }
}
