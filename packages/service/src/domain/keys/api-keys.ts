import { hash, randomInt } from 'node:crypto'
import { type DataStore, NO_TENANT } from '../../store/ports.ts'
import type { ApiKey, Micros, Reach } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { createCache } from '../writes/cache.ts'
import { commit } from '../writes/commit.ts'
import { type DomainContext, nowMicros, type ServiceScope } from '../writes/context.ts'
import { EARLIEST, LATEST } from '../writes/days.ts'
import { ServiceError } from '../writes/errors.ts'
import { formedId, newId } from '../writes/ids.ts'
import { reason } from '../writes/reasons/index.ts'
import { checkText } from '../writes/rules.ts'

/** The prefix of every API key, so that scanners recognize a leaked one. */
export const API_KEY_PREFIX = 'latchkey_'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 43
const API_KEY = /^latchkey_[0-9A-Za-z]{43}$/

const MINUTE: Micros = 60_000_000

export interface ApiKeyInput {
  /** The display name of the key. */
  name: string
  reach: Reach
  /** Whether the key has only read access. Default `false`. */
  readOnly?: boolean | undefined
  /**
   * The expiry of the key, in microseconds since the epoch. With `undefined`, the key never
   * expires.
   */
  expiresAt?: Micros | undefined
}

/**
 * Creates an API key. Only the returned value has the secret. The store has its SHA-256, which is
 * enough because the secret has 256 random bits.
 *
 * @param form - The name of the form that makes the key, if any. A form makes one key.
 * @throws ServiceError `not_found` when `reach` names a tenant that does not exist,
 *   `invalid_request` for an empty `reach`, an invalid name or an expiry after 2249, `already_exists` if `form` has made
 *   a key.
 */
export async function createApiKey(
  scope: ServiceScope,
  input: ApiKeyInput,
  form?: string,
): Promise<{ key: ApiKey; secret: string }> {
  const { clock, store } = scope.context
  checkText('invalid_request', reason('field_key_name'), input.name)
  if (input.reach !== 'all' && input.reach.length === 0) {
    throw new ServiceError('invalid_request', reason('key_needs_tenant'))
  }
  const { expiresAt } = input
  if (expiresAt !== undefined && !(expiresAt >= EARLIEST && expiresAt <= LATEST)) {
    throw new ServiceError('invalid_request', reason('key_expires_too_late'))
  }
  const secret = newSecret()
  const id = form === undefined ? newId('key', clock) : formedId('key', scope, form)
  const key: ApiKey = {
    id,
    name: input.name,
    hash: hashApiKey(secret),
    last4: secret.slice(-4),
    reach: input.reach === 'all' ? 'all' : [...new Set(input.reach)].sort(),
    readOnly: input.readOnly ?? false,
    createdAt: nowMicros(clock),
    expiresAt,
    revokedAt: undefined,
    lastUsedAt: undefined,
  }
  await commit(scope, 'api_key.create', id, (audit) => store.apiKeys.insert(key, audit))
  return { key, secret }
}

/** All keys, including revoked and expired ones, in the order of creation. */
export function listApiKeys({ context }: ServiceScope): Promise<ApiKey[]> {
  return context.store.apiKeys.list()
}

/**
 * Revokes a key at once, and returns it. Revoking the key again changes nothing. @throws
 * ServiceError `not_found`.
 */
export function revokeApiKey(scope: ServiceScope, id: string): Promise<ApiKey> {
  const { clock, store } = scope.context
  return commit(scope, 'api_key.revoke', id, (audit) =>
    store.apiKeys.revoke(id, nowMicros(clock), audit),
  )
}

/** The caller of the API: an API key, or an operator who is logged in on a command line. */
export type Caller = Pick<ApiKey, 'id' | 'reach' | 'except' | 'readOnly'>

/**
 * The result of authenticating a request by its API key. The key of a refused request is
 * `undefined` if it is not known.
 */
export type Authentication =
  | { kind: 'good'; key: ApiKey }
  | { kind: 'refused'; key: ApiKey | undefined }

/** A function that finds an API key by its hash. */
type FindKey = (hash: string) => Promise<ApiKey | undefined>

/** The pattern of write actions that may have changed a key or its reach. */
const CONCERNS_KEYS = /^(api_key\.|tenant\.delete$)/

/**
 * Makes a cached lookup of API keys. A cached key is read again after any write of a key or a
 * deleted tenant, see {@link createCache}. A revocation by another process takes effect as soon as
 * the store reports it.
 */
export function findKeysOnce(context: DomainContext): FindKey {
  const cache = createCache<ApiKey>(context, {
    name: 'api_keys',
    concerns: CONCERNS_KEYS,
    tenantOf: () => NO_TENANT,
  })
  return (hash) => cache.get(hash, () => context.store.apiKeys.findByHash(hash))
}

/** The bearer token of an `Authorization` header; empty if there is none. @see RFC 6750 §2.1 */
export function presentedToken(authorization: string | undefined): string {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
}

/**
 * Authenticates a request by the API key in its `Authorization` header.
 *
 * @param report - Called with the error if the last use of a key cannot be stored, at most once a
 *   minute. The request is answered nevertheless.
 * @returns `refused` for a key that is malformed, unknown, revoked, expired or unconfirmed. The
 *   response does not say which, see {@link authenticationFailure}.
 * @see RFC 6750 §2.1
 */
export async function authenticate(
  context: DomainContext,
  authorization: string | undefined,
  report: (error: unknown) => void,
  find: FindKey = context.store.apiKeys.findByHash,
): Promise<Authentication> {
  const presented = presentedToken(authorization)
  const key = API_KEY.test(presented) ? await find(hashApiKey(presented)) : undefined
  const now = nowMicros(context.clock)
  if (
    !key ||
    key.revokedAt !== undefined ||
    key.isUnconfirmed ||
    (key.expiresAt !== undefined && key.expiresAt <= now)
  ) {
    return { kind: 'refused', key }
  }
  if (now - (key.lastUsedAt ?? 0) >= MINUTE) {
    key.lastUsedAt = now
    void storeUse(context, key.id, now, report)
  }
  return { kind: 'good', key }
}

/** The keys whose last use is being stored, and the time of the last report of a failure. */
const uses = new WeakMap<DataStore, { pending: Set<string>; reportedAt: Micros }>()

/**
 * Stores the last use of a key, unless an earlier write for this key has not ended. The request
 * does not wait: it may be a read, which succeeds while the store cannot write.
 */
async function storeUse(
  { store }: DomainContext,
  id: string,
  now: Micros,
  report: (error: unknown) => void,
): Promise<void> {
  const state = uses.get(store) ?? { pending: new Set(), reportedAt: 0 }
  uses.set(store, state)
  if (state.pending.has(id)) return
  state.pending.add(id)
  try {
    await store.apiKeys.touch(id, now)
  } catch (error) {
    if (now - state.reportedAt < MINUTE) return
    state.reportedAt = now
    report(error)
  } finally {
    state.pending.delete(id)
  }
}

/**
 * The error for every refused key. It is always the same, so that it reveals nothing about the key.
 */
export function authenticationFailure(): ServiceError {
  return new ServiceError('authentication_failure', reason('key_unknown'))
}

/** Whether the caller may access the tenant. No caller may access the system tenant. */
export function reaches(key: Pick<Caller, 'reach' | 'except'>, tenantId: string): boolean {
  if (tenantId === SYSTEM_TENANT_ID) return false
  return key.reach === 'all' ? !key.except?.includes(tenantId) : key.reach.includes(tenantId)
}

function newSecret(): string {
  let secret = API_KEY_PREFIX
  for (let i = 0; i < RANDOM_CHARACTERS; i++) secret += BASE62[randomInt(62)]
  return secret
}

function hashApiKey(secret: string): string {
  return hash('sha256', secret)
}
