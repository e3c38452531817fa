import {
  openSecret,
  rotateApplicationSecret,
  type SecretRotation,
} from '../domain/applications/applications.ts'
import {
  type ConnectionChanges,
  type ConnectionInput,
  createConnection,
  deleteConnection,
  listConnections,
  updateConnection,
} from '../domain/connections/connections.ts'
import type { AuthenticatorApp } from '../domain/factors/authenticator-app.ts'
import {
  type ApiKeyInput,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '../domain/keys/api-keys.ts'
import {
  listSigningKeys,
  rotateSigningKey,
  type SigningKeyFacts,
} from '../domain/keys/signing-keys.ts'
import { type AuditVerification, verifyAuditOf } from '../domain/keys/verify-audit.ts'
import {
  inviteOperator,
  listOperators,
  type OperatorInput,
  recoverOperator,
  removeOperator,
  updateOperator,
} from '../domain/operators/operators.ts'
import { confirm, listUnconfirmed, type Unconfirmed } from '../domain/operators/restores.ts'
import { eraseDeleted, listDeletions } from '../domain/tenants/deletions.ts'
import {
  createTenant,
  defaultSettings,
  deleteTenant,
  findTenant,
  freeDomain,
  listTenants,
} from '../domain/tenants/tenants.ts'
import { exportAudit, listAudit, noteExport } from '../domain/writes/audit.ts'
import type { DomainContext, ServiceScope } from '../domain/writes/context.ts'
import type { AuditQuery, OperatorUser, TenantDeletion } from '../store/ports.ts'
import type {
  ApiKey,
  Connection,
  Operator,
  StoredAuditEntry,
  Tenant,
  TenantSettings,
} from '../store/records.ts'
import { type SeedReport, seed } from './seed.ts'

/** A connection as it may be shown: without its secret. */
export type ShownConnection = Omit<Connection, 'sealedSecret'>

/** How a signing key is rotated. */
export interface RotationOptions {
  /**
   * Withdraws the earlier keys at once, for a key that may have leaked. Sessions and refresh tokens
   * stay valid. Tokens that an earlier key has signed are refused by the issuer, and by
   * applications once they fetch its keys again. Default `false`.
   */
  withdrawEarlier?: boolean
}

/** Operations that the specification leaves out of `/v1`: tenants come and go, and keys are made. */
export interface Admin {
  /**
   * Creates a tenant. Settings that are not given: passwords and sign-ups are on, the rest is off.
   *
   * @throws ServiceError `already_exists` when another tenant has the domain.
   */
  createTenant(input: {
    domain: string
    name?: string
    settings?: Partial<Omit<TenantSettings, 'domain'>>
  }): Promise<Tenant>
  /**
   * Deletes a tenant with all that it holds. It is out of reach when this resolves; its rows are erased in
   * the background, also after a restart.
   */
  deleteTenant(id: string): Promise<Tenant>
  /** The deleted tenants whose rows are being erased. */
  listDeletions(): Promise<TenantDeletion[]>
  /**
   * Erases the rows of deleted tenants, for data that no service serves.
   *
   * @returns Whether it ran: one process does at a time.
   */
  eraseDeleted(onStep?: (deletion: TenantDeletion) => void): Promise<boolean>
  /**
   * Lets any tenant have a domain that is held for the one that gave it up within the last 30 days.
   *
   * @throws ServiceError `not_found` when the domain is not held.
   */
  freeDomain(domain: string): Promise<void>
  listTenants(): Promise<Tenant[]>
  findTenant(domain: string): Promise<Tenant | undefined>
  /** Makes an API key. The secret cannot be read again. */
  createApiKey(input: ApiKeyInput): Promise<{ key: ApiKey; secret: string }>
  listApiKeys(): Promise<ApiKey[]>
  revokeApiKey(id: string): Promise<ApiKey>
  /**
   * Replaces the client secret of an application; resolves with the new one. The previous one is
   * accepted for another day, or for `overlapSeconds`.
   */
  rotateApplicationSecret(
    tenantId: string,
    applicationId: string,
    options?: SecretRotation,
  ): Promise<string>
  /**
   * Gives a tenant a new signing key; resolves with its `kid`. The earlier ones stay published, so no
   * session and no token ends, unless they are withdrawn.
   */
  rotateSigningKey(tenantId: string, options?: RotationOptions): Promise<string>
  /** The signing keys of a tenant, the one that signs first; all of them are published. */
  listSigningKeys(tenantId: string): Promise<SigningKeyFacts[]>
  /**
   * Gives a user an authenticator app, in place of one that the user has: for tests and demonstrations.
   * Users add their own themselves. It is asked for while the tenant has `allowTotpApp`. The sessions of
   * the user end.
   *
   * @throws ServiceError `not_found` for an unknown user.
   */
  giveAuthenticatorApp(tenantId: string, userId: string): Promise<AuthenticatorApp>
  /**
   * Lets users of a tenant log in at another OpenID provider, where the tenant has `allowSocial`. Register
   * `https://<domain>/social/callback` there as the redirect URI.
   *
   * @throws ServiceError with a sentence for a recipe or an option that no connection can have.
   */
  createConnection(tenantId: string, input: ConnectionInput): Promise<ShownConnection>
  listConnections(tenantId: string): Promise<ShownConnection[]>
  /** Changes the given members of a connection; the others stay. */
  updateConnection(
    tenantId: string,
    id: string,
    changes: ConnectionChanges,
  ): Promise<ShownConnection>
  /** Removes a connection. Users who have no other way to log in set a password by a mailed link. */
  deleteConnection(tenantId: string, id: string): Promise<ShownConnection>
  /**
   * Invites an operator of the management console by email address. The token belongs into the link
   * `/console/invitation?token=` at the console's URL; it is good once, for 24 hours.
   */
  inviteOperator(
    input: OperatorInput & { email: string },
  ): Promise<{ operator: Operator; token: string }>
  /**
   * Takes every way to log in from an operator who has lost one; the token is that of a new invitation.
   *
   * @throws ServiceError `not_found` when the address is no operator's.
   */
  recoverOperator(email: string): Promise<{ operator: Operator; token: string }>
  /** All operators, in the order of invitation. */
  listOperators(): Promise<OperatorUser[]>
  /**
   * Gives an operator another role or reach; it counts from the next request on.
   *
   * @throws ServiceError `conflict` when no owner would be left.
   */
  updateOperator(id: string, input: OperatorInput): Promise<Operator>
  /**
   * Removes an operator, whose sessions end with the next request.
   *
   * @throws ServiceError `conflict` when no owner would be left.
   */
  removeOperator(id: string): Promise<void>
  /** The API keys, operators and endpoints that wait to be confirmed since a backup was restored. */
  listUnconfirmed(): Promise<Unconfirmed[]>
  /**
   * Lets an API key or an operator in again, or sends events to an endpoint again.
   *
   * @throws ServiceError `not_found` when it does not wait to be confirmed.
   */
  confirm(id: string): Promise<Unconfirmed>
  /** Entries of the audit log, the newest first. */
  audit(query?: AuditQuery): Promise<StoredAuditEntry[]>
  /** The whole audit log, or what follows the entry `after`, the oldest first. */
  exportAudit(query?: { after?: number; tenantId?: string }): AsyncIterable<StoredAuditEntry>
  /** Notes in the audit log that an export of it begins, or with `rows` that it has ended. */
  noteAuditExport(query: { tenantId?: string; after: number; rows?: number }): Promise<void>
  /**
   * Compares the audit log with its daily seals, tenant by tenant.
   *
   * @param query - `tenantId`: of one tenant; otherwise of all. `days`: for how long the service keeps entries.
   * @throws ServiceError `not_found` for an unknown tenant.
   */
  verifyAudit(query: { tenantId?: string; days: number }): AsyncIterable<AuditVerification>
  /** Creates the objects of a seed document that do not exist yet. */
  seed(document: unknown): Promise<SeedReport>
}

/**
 * The admin half of a service.
 *
 * @param name - The key's user, as the audit log names it.
 */
export function createAdmin(context: DomainContext, name = 'admin'): Admin {
  const scope: ServiceScope = { context, actor: { name } }
  return {
    createTenant: ({ domain, name = '', settings }) =>
      createTenant(scope, {
        name,
        metadata: {},
        settings: { ...defaultSettings, ...settings, domain },
      }),
    deleteTenant: (id) => deleteTenant({ ...scope, tenantId: id }),
    listDeletions: () => listDeletions(context),
    eraseDeleted: (onStep) => eraseDeleted(context, onStep && { onStep }),
    freeDomain: (domain) => freeDomain(scope, domain),
    async listTenants() {
      const tenants: Tenant[] = []
      for (let after: string | undefined; ; ) {
        const page = await listTenants(scope, 'all', { after, limit: 1_000 })
        tenants.push(...page.items)
        if (!page.more) return tenants
        after = page.items.at(-1)?.id
      }
    },
    findTenant: (domain) => findTenant(scope, domain),
    createApiKey: (input) => createApiKey(scope, input),
    listApiKeys: () => listApiKeys(scope),
    revokeApiKey: (id) => revokeApiKey(scope, id),
    async rotateApplicationSecret(tenantId, applicationId, options) {
      const own = { ...scope, tenantId }
      return openSecret(context, await rotateApplicationSecret(own, applicationId, options))
    },
    rotateSigningKey: (tenantId, options) => rotateSigningKey({ ...scope, tenantId }, options),
    listSigningKeys: (tenantId) => listSigningKeys({ ...scope, tenantId }),
    async giveAuthenticatorApp(tenantId, userId) {
      // Loaded here, so that commands of the operator need not load it.
      const { giveAuthenticatorApp } = await import('../domain/factors/authenticator-app.ts')
      return giveAuthenticatorApp({ ...scope, tenantId }, userId)
    },
    createConnection: async (tenantId, input) =>
      shown(await createConnection({ ...scope, tenantId }, input)),
    listConnections: async (tenantId) => (await listConnections({ ...scope, tenantId })).map(shown),
    updateConnection: async (tenantId, id, changes) =>
      shown(await updateConnection({ ...scope, tenantId }, id, changes)),
    deleteConnection: async (tenantId, id) =>
      shown(await deleteConnection({ ...scope, tenantId }, id)),
    inviteOperator: (input) => inviteOperator(scope, input),
    recoverOperator: (email) => recoverOperator(scope, email),
    listOperators: () => listOperators(scope),
    updateOperator: async (id, input) => (await updateOperator(scope, id, input)).operator,
    async removeOperator(id) {
      await removeOperator(scope, id)
    },
    listUnconfirmed: () => listUnconfirmed(context.store),
    confirm: (id) => confirm(scope, id),
    audit: (query = {}) => listAudit(context, query),
    exportAudit: (query) => exportAudit(context, query),
    noteAuditExport: ({ tenantId, after, rows }) =>
      rows === undefined
        ? noteExport({ ...scope, tenantId }, 'audit.export', { after })
        : noteExport({ ...scope, tenantId }, 'audit.exported', { rows }),
    verifyAudit: (query) => verifyAuditOf(scope, query),
    seed: (document) => seed(scope, document),
  }
}

function shown({ sealedSecret: _, ...connection }: Connection): ShownConnection {
  return connection
}
