import { type ManagementClientOptions, resolveOptions } from './options.ts'
import { createSend } from './request.ts'
import { type Applications, createApplications } from './resources/applications.ts'
import { type Audit, createAudit } from './resources/audit.ts'
import { type Credentials, createCredentials } from './resources/credentials.ts'
import { createEvents, type Events } from './resources/events.ts'
import { createGrants, type Grants } from './resources/grants.ts'
import { createLogo, type Logo } from './resources/logo.ts'
import { createMails, type Mails } from './resources/mails.ts'
import { createPrograms, type Programs } from './resources/programs.ts'
import { createSessions, type Sessions } from './resources/sessions.ts'
import { createTenants, type Tenants } from './resources/tenants.ts'
import { createTexts, type Texts } from './resources/texts.ts'
import { createUsers, type Users } from './resources/users.ts'
import { createWebhooks, type Webhooks } from './resources/webhooks.ts'

/** A client of the management API. */
export interface ManagementClient {
  readonly tenants: Tenants
  applications(tenantId: string): Applications
  users(tenantId: string): Users
  credentials(tenantId: string, userId: string): Credentials
  /** The audit log. This resource and all resources below are not part of the API specification. */
  audit(tenantId: string): Audit
  sessions(tenantId: string, userId: string): Sessions
  grants(tenantId: string, userId: string): Grants
  programs(tenantId: string): Programs
  texts(tenantId: string): Texts
  logo(tenantId: string): Logo
  mails(tenantId: string): Mails
  webhooks(tenantId: string): Webhooks
  events(tenantId: string): Events
}

/**
 * Creates a client of the management API, without sending a request.
 *
 * The client's methods reject with an {@link ApiError} if the service refuses the request, a {@link
 * ConnectionError} if no response arrives, and a {@link ResponseError} if the response is not from
 * this API.
 *
 * @throws {@link OptionsError} when an option is missing or malformed.
 */
export function createManagementClient(options: ManagementClientOptions): ManagementClient {
  const resolved = resolveOptions(options)
  const send = createSend(resolved)
  return {
    tenants: createTenants(send),
    applications: (tenantId) => createApplications(send, tenantId),
    users: (tenantId) => createUsers(send, tenantId),
    credentials: (tenantId, userId) => createCredentials(send, tenantId, userId),
    audit: (tenantId) => createAudit(send, tenantId),
    sessions: (tenantId, userId) => createSessions(send, tenantId, userId),
    grants: (tenantId, userId) => createGrants(send, tenantId, userId),
    programs: (tenantId) => createPrograms(send, tenantId),
    texts: (tenantId) => createTexts(send, tenantId),
    logo: (tenantId) => createLogo(send, tenantId),
    mails: (tenantId) => createMails(send, tenantId),
    webhooks: (tenantId) => createWebhooks(send, tenantId),
    events: (tenantId) => createEvents(send, tenantId, resolved.timeoutSeconds),
  }
}
