import { createPrivateKey } from 'node:crypto'
import type { Connection, Micros, RecipeName, Tenant } from '../../store/records.ts'
import { auditingFields, commit, unlessRefused } from '../writes/commit.ts'
import {
  type DomainContext,
  nowMicros,
  refuseStale,
  type Scope,
  updated,
} from '../writes/context.ts'
import { found, ServiceError } from '../writes/errors.ts'
import { newId } from '../writes/ids.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import { checkText, checkUrl } from '../writes/rules.ts'
import { callbackPathOf } from './callback-paths.ts'
import {
  followRecipe,
  issuerOf,
  type RecipeInput,
  recipeNamed,
  recipes,
} from './connection-recipes.ts'

/** The fields that determine the provider of a connection, and with it the redirect URI. */
export type ProviderInput = Pick<ConnectionInput, 'recipe' | 'issuer' | 'directory'>

/** The fields of a connection that a caller sets. */
export interface ConnectionInput extends RecipeInput {
  /** The provider: `google`, `microsoft`, `apple`, `gitlab`, `github`, or `oidc` for any other. */
  recipe: string
  /** The name that users see. Default: the name of the provider. */
  name?: string | undefined
  clientId: string
  /** The client secret. For Apple, the private key in PEM. */
  secret: string
  /** The scopes to request. Default: the scopes of the recipe. */
  scopes?: readonly string[] | undefined
  /** Whether an address that the provider has verified counts as verified here. Default `false`. */
  trustEmail?: boolean | undefined
  /**
   * Whether a login creates an account for a user without one, if the tenant allows sign-ups.
   * Default `true`.
   */
  allowSignup?: boolean | undefined
  /** Whether users can log in with the connection. Default `true`. */
  enabled?: boolean | undefined
}

/**
 * The fields of a connection that can be changed. Missing fields stay. For another provider, create
 * another connection.
 */
export type ConnectionChanges = {
  [Name in
    | 'name'
    | 'clientId'
    | 'secret'
    | 'scopes'
    | 'trustEmail'
    | 'allowSignup'
    | 'enabled'
    | 'keyId']?: ConnectionInput[Name] | undefined
} & {
  /**
   * Whether the redirect URI belongs to the connection's provider alone. Switch it on for a
   * connection of an earlier version, once the provider knows the redirect URI. `false`: the
   * redirect URI that those connections share. With two of them, a malicious provider could log in
   * as users of the other.
   */
  ownCallback?: boolean | undefined
}

/** The maximum number of connections of a tenant. Each is a button on the login page. */
const MAX_CONNECTIONS = 20

/**
 * Creates a connection of the tenant.
 *
 * @throws ServiceError `invalid_request` or `invalid_url` for invalid input or too many
 *   connections; `already_exists` if the tenant has a connection with this name.
 */
export async function createConnection(scope: Scope, input: ConnectionInput): Promise<Connection> {
  const { store } = scope.context
  const connection = newConnection(scope, input)
  return commit(scope, 'connection.create', connection.id, (audit) =>
    store.connections.insert(connection, audit, (existing) => {
      if (existing.length < MAX_CONNECTIONS) return
      throw refused(reason('connections_full', { count: MAX_CONNECTIONS }))
    }),
  )
}

/** Makes a connection without storing it. @throws ServiceError as {@link createConnection} does. */
export function newConnection({ context, tenantId }: Scope, input: ConnectionInput): Connection {
  const recipe = recipeNamed(input.recipe)
  const { issuer, apple } = followRecipe(recipe, input)
  checkIssuer(recipe, issuer)
  const id = newId('con', context.clock)
  const now = nowMicros(context.clock)
  const { trustEmail = false, allowSignup = true, enabled = true } = input
  const connection: Connection = {
    id,
    tenantId,
    name: (input.name ?? '').trim() || recipes[recipe].name,
    createdAt: now,
    updatedAt: now,
    recipe,
    issuer,
    clientId: input.clientId.trim(),
    sealedSecret: '',
    scopes: [...(input.scopes ?? recipes[recipe].scopes)],
    trustEmail,
    allowSignup,
    enabled,
    ownCallback: true,
    apple,
  }
  const sealed = withSecret(context, connection, input.secret)
  check(sealed)
  return sealed
}

/**
 * The path of the redirect URI of a connection that does not exist yet. Providers ask for it before
 * they assign a client id.
 *
 * @throws ServiceError `invalid_request` or `invalid_url` for an unknown recipe, or if the recipe
 *   needs another issuer or directory.
 */
export function futureCallbackPath(input: ProviderInput): string {
  const recipe = recipeNamed(input.recipe)
  const issuer = issuerOf(recipe, input)
  checkIssuer(recipe, issuer)
  return callbackPathOf({ issuer, ownCallback: true })
}

/** The connections of the tenant, in the order of creation. */
export function listConnections({ context, tenantId }: Scope): Promise<Connection[]> {
  return context.store.connections.list(tenantId)
}

/** The connection of the tenant with this id. @throws ServiceError `not_found`. */
export async function getConnection({ context, tenantId }: Scope, id: string): Promise<Connection> {
  return found(await context.store.connections.get(tenantId, id))
}

/** The number of the tenant's users who have connected an account through the connection. */
export function countConnected({ context, tenantId }: Scope, id: string): Promise<number> {
  return context.store.credentials.countConnected(tenantId, id)
}

/** The connections at which users of the tenant can log in now. */
export async function offeredConnections(
  { store }: Pick<DomainContext, 'store'>,
  { id, settings }: Pick<Tenant, 'id' | 'settings'>,
): Promise<Connection[]> {
  if (!settings.allowSocial) return []
  return (await store.connections.list(id)).filter(({ enabled }) => enabled)
}

/**
 * Changes a connection.
 *
 * @param readAt - The `updatedAt` that the caller has read; `undefined` for any.
 * @throws ServiceError `not_found`, `already_exists` for a name that is taken, `invalid_request`, or
 *   `conflict` if the connection was changed since `readAt`.
 */
export function updateConnection(
  scope: Scope,
  id: string,
  changes: ConnectionChanges,
  readAt?: Micros,
): Promise<Connection> {
  const { context, tenantId } = scope
  function change(last: Connection): Connection {
    refuseStale(last, readAt)
    return changedConnection(context, last, changes)
  }
  return commit(scope, 'connection.update', id, (audit) =>
    context.store.connections.update(tenantId, id, auditingFields(audit, change), audit),
  )
}

/** The connection after changes, without storing it. @throws ServiceError `invalid_request`. */
export function changedConnection(
  context: DomainContext,
  last: Connection,
  { secret, keyId, ...given }: ConnectionChanges,
): Connection {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  const { apple, recipe } = last
  if (keyId !== undefined && !apple) {
    throw refused(reason('recipe_lacks_option', { option: 'keyId', recipe }))
  }
  const changes = Object.fromEntries(entries)
  const key = apple && keyId !== undefined ? { apple: { ...apple, keyId } } : {}
  const changed = updated(context, last, { ...changes, ...key })
  const next = secret === undefined ? changed : withSecret(context, changed, secret)
  check(next)
  return next
}

/**
 * Removes a connection, and returns its last version. Users can no longer log in through the
 * connection, even with a connected account.
 */
export function deleteConnection(scope: Scope, id: string): Promise<Connection> {
  const { context, tenantId } = scope
  return commit(scope, 'connection.delete', id, (audit) =>
    context.store.connections.delete(tenantId, id, audit),
  )
}

/** The client secret of a connection in clear text; for Apple, the private key in PEM. */
export function openConnectionSecret({ vault }: DomainContext, connection: Connection): string {
  return vault.open(purpose(connection), connection.sealedSecret)
}

/**
 * Seals the secrets of a tenant's connections under the newest master key. `updatedAt` stays
 * unchanged.
 */
export async function resealConnections(scope: Scope): Promise<void> {
  const { context, tenantId } = scope
  function reseal(last: Connection): Connection {
    const sealedSecret = context.vault.reseal(purpose(last), last.sealedSecret)
    return sealedSecret === undefined ? last : { ...last, sealedSecret }
  }
  for (const { id } of await listConnections(scope)) {
    const done = commit(scope, 'connection.reseal', id, (audit) =>
      context.store.connections.update(tenantId, id, reseal, audit),
    )
    await unlessRefused(done, 'not_found')
  }
}

function withSecret(context: DomainContext, connection: Connection, secret: string): Connection {
  if (secret.trim() === '') throw refused(reason('connection_no_secret'))
  if (connection.apple) checkAppleKey(secret)
  const sealedSecret = context.vault.seal(purpose(connection), secret.trim())
  return { ...connection, sealedSecret }
}

function checkAppleKey(pem: string): void {
  let curve: string | undefined
  try {
    curve = createPrivateKey(pem).asymmetricKeyDetails?.namedCurve
  } catch {
    // `createPrivateKey` throws for text that is not a key in PEM.
  }
  if (curve === 'prime256v1') return
  throw refused(reason('connection_not_apple_key'))
}

function check({ name, clientId, scopes, recipe }: Connection): void {
  if (name.trim() === '') throw refused(reason('connection_no_name'))
  checkText('invalid_request', '"name"', name, 60)
  if (clientId === '') throw refused(reason('connection_no_client_id'))
  checkText('invalid_request', '"clientId"', clientId)
  const needed = recipes[recipe].isGithub ? 'user:email' : 'openid'
  if (!scopes.includes(needed)) throw refused(reason('scopes_lack', { scope: needed }))
  for (const scope of scopes) {
    // RFC 6749 §3.3
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)) throw refused(reason('not_a_scope', { scope }))
  }
}

function checkIssuer(recipe: RecipeName, issuer: string): void {
  checkUrl('"issuer"', issuer, false)
  if (recipes[recipe].isGithub && new URL(issuer).origin !== issuer) {
    throw refused(reason('issuer_not_github'))
  }
  // OpenID Connect Core 1.0 §2
  if (issuer.includes('?')) throw refused(reason('issuer_has_query'))
}

function purpose({ tenantId, id }: Pick<Connection, 'tenantId' | 'id'>): string {
  return `connection:${tenantId}:${id}`
}

function refused(because: Reason): ServiceError {
  return new ServiceError('invalid_request', because)
}
