import {
  openSecret,
  rotateApplicationSecret,
  type SecretRotation,
} from '../domain/applications/applications.ts'
import { callbackPathOf } from '../domain/connections/callback-paths.ts'
import {
  type ConnectionChanges,
  type ConnectionInput,
  createConnection,
  deleteConnection,
  futureCallbackPath,
  listConnections,
  type ProviderInput,
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

/** A connection without its secret. */
export interface ShownConnection extends Omit<Connection, 'sealedSecret'> {
  /** The path of the redirect URI that is registered at the provider. */
  callbackPath: string
}

/** Options for rotating a signing key. */
export interface RotationOptions {
  /**
   * Whether to withdraw the earlier keys at once. Use it if a key may have leaked. Sessions and
   * refresh tokens stay valid. The issuer refuses tokens that an earlier key has signed;
   * applications do so once they fetch the keys again. Default `false`.
   */
  withdrawEarlier?: boolean
}

/** Operations that the API `/v1` does not have, such as creating tenants and API keys. */
export interface Admin {
  /**
   * Creates a tenant. By default its settings allow passwords and sign-ups, and nothing else.
   *
   * @throws ServiceError `already_exists` if another tenant has the domain.
   */
  createTenant(input: {
    domain: string
    name?: string
    settings?: Partial<Omit<TenantSettings, 'domain'>>
  }): Promise<Tenant>
  /**
   * Deletes a tenant with all its data. When this resolves, the tenant can no longer be reached.
   * Its rows are erased in the background, which continues after a restart.
   */
  deleteTenant(id: string): Promise<Tenant>
  /** Lists the deleted tenants whose rows are still being erased. */
  listDeletions(): Promise<TenantDeletion[]>
  /**
   * Erases the rows of deleted tenants now. Use it for data that no running service uses.
   *
   * @returns `false` if another process is already erasing them.
   */
  eraseDeleted(onStep?: (deletion: TenantDeletion) => void): Promise<boolean>
  /**
   * Makes a domain available to every tenant. After a tenant gives a domain up, it is reserved for
   * that tenant for 30 days.
   *
   * @throws ServiceError `not_found` if the domain is not reserved.
   */
  freeDomain(domain: string): Promise<void>
  listTenants(): Promise<Tenant[]>
  findTenant(domain: string): Promise<Tenant | undefined>
  /** Creates an API key. Only this result has its secret. */
  createApiKey(input: ApiKeyInput): Promise<{ key: ApiKey; secret: string }>
  listApiKeys(): Promise<ApiKey[]>
  revokeApiKey(id: string): Promise<ApiKey>
  /**
   * Replaces the client secret of an application. Resolves to the new secret. The previous secret
   * is accepted for another day, or for `overlapSeconds`.
   */
  rotateApplicationSecret(
    tenantId: string,
    applicationId: string,
    options?: SecretRotation,
  ): Promise<string>
  /**
   * Gives a tenant a new signing key. Resolves to its `kid`. The earlier keys stay published unless
   * they are withdrawn, so tokens stay valid.
   */
  rotateSigningKey(tenantId: string, options?: RotationOptions): Promise<string>
  /** Lists the published signing keys of a tenant. The first one signs. */
  listSigningKeys(tenantId: string): Promise<SigningKeyFacts[]>
  /**
   * Gives a user an authenticator app, for tests and demonstrations. It replaces an existing app,
   * and ends the user's sessions. Logins ask for its codes if the tenant has `allowTotpApp`.
   *
   * @throws ServiceError `not_found` if there is no such user.
   */
  giveAuthenticatorApp(tenantId: string, userId: string): Promise<AuthenticatorApp>
  /**
   * Lets users of a tenant log in at another OpenID provider. The tenant needs `allowSocial`.
   * Register the redirect URI at the provider: `https://`, the tenant's domain and the
   * `callbackPath` of the result.
   *
   * @throws ServiceError for a wrong recipe or field.
   */
  createConnection(tenantId: string, input: ConnectionInput): Promise<ShownConnection>
  /**
   * The `callbackPath` of a connection that does not exist yet. Providers ask for the redirect URI
   * before they assign a client id.
   *
   * @throws ServiceError for an unknown recipe, or a wrong issuer or directory.
   */
  callbackPathFor(provider: ProviderInput): string
  listConnections(tenantId: string): Promise<ShownConnection[]>
  /** Changes the given members of a connection. All other members stay. */
  updateConnection(
    tenantId: string,
    id: string,
    changes: ConnectionChanges,
  ): Promise<ShownConnection>
  /**
   * Deletes a connection. Users who have no other way to log in can set a password with a mailed
   * link.
   */
  deleteConnection(tenantId: string, id: string): Promise<ShownConnection>
  /**
   * Invites an operator of the management console by email address. Append the token to
   * `/console/invitation?token=` at the console's URL, and send the link to the operator. The link
   * is single use and valid for 24 hours.
   */
  inviteOperator(
    input: OperatorInput & { email: string },
  ): Promise<{ operator: Operator; token: string }>
  /**
   * Invites an operator again who can no longer log in. All login methods of the operator are
   * removed. Use the token like the one of `inviteOperator()`.
   *
   * @throws ServiceError `not_found` if no operator has the address.
   */
  recoverOperator(email: string): Promise<{ operator: Operator; token: string }>
  /** Lists all operators, in the order of invitation. */
  listOperators(): Promise<OperatorUser[]>
  /**
   * Changes the role or reach of an operator, with effect from the next request.
   *
   * @throws ServiceError `conflict` when no owner would be left.
   */
  updateOperator(id: string, input: OperatorInput): Promise<Operator>
  /**
   * Removes an operator. The operator's next request is refused.
   *
   * @throws ServiceError `conflict` when no owner would be left.
   */
  removeOperator(id: string): Promise<void>
  /**
   * Lists the API keys, operators and webhook endpoints that came back with a restored backup and
   * must be confirmed.
   */
  listUnconfirmed(): Promise<Unconfirmed[]>
  /**
   * Confirms an API key, an operator or a webhook endpoint, so that it works again.
   *
   * @throws ServiceError `not_found` if nothing with this id waits to be confirmed.
   */
  confirm(id: string): Promise<Unconfirmed>
  /** Lists entries of the audit log, the newest first. */
  audit(query?: AuditQuery): Promise<StoredAuditEntry[]>
  /** Reads the whole audit log, or the entries after the id `after`, the oldest first. */
  exportAudit(query?: { after?: number; tenantId?: string }): AsyncIterable<StoredAuditEntry>
  /** Adds an entry to the audit log: an export of the log has begun, or with `rows` has ended. */
  noteAuditExport(query: { tenantId?: string; after: number; rows?: number }): Promise<void>
  /**
   * Compares the audit log with its daily seals, and yields a result for each tenant.
   *
   * @param query - `tenantId`: the only tenant to verify; default: all. `days`: the days for which
   *   the service keeps entries (`auditDays`).
   * @throws ServiceError `not_found` for an unknown tenant.
   */
  verifyAudit(query: { tenantId?: string; days: number }): AsyncIterable<AuditVerification>
  /** Creates the objects of a seed document that do not exist yet, and changes no others. */
  seed(document: unknown): Promise<SeedReport>
}

/**
 * Creates the admin interface of a service.
 *
 * @param name - The actor in the audit log, for all operations of this interface.
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
      // Imported here, because most commands do not need this module.
      const { giveAuthenticatorApp } = await import('../domain/factors/authenticator-app.ts')
      return giveAuthenticatorApp({ ...scope, tenantId }, userId)
    },
    createConnection: async (tenantId, input) =>
      shown(await createConnection({ ...scope, tenantId }, input)),
    callbackPathFor: futureCallbackPath,
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
  return { ...connection, callbackPath: callbackPathOf(connection) }
}
