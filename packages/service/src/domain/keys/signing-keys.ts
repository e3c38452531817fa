import { createHash, generateKeyPair, type webcrypto } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Micros, SigningKey } from '../../store/records.ts'
import { commit, unlessRefused } from '../writes/commit.ts'
import { type DomainContext, exclusively, nowMicros, type Scope } from '../writes/context.ts'

/**
 * The interval, in milliseconds, between checks whether another process has created the first key.
 */
const BUSY_MS = 50

const generate = promisify(generateKeyPair)

/** A private key that signs ID Tokens. */
export interface PrivateJwk extends webcrypto.JsonWebKey {
  kid: string
  alg: 'RS256'
  use: 'sig'
}

/**
 * The number of days for which a key stays published after it last signed. This is longer than any
 * session, so that an ID Token is still valid as `id_token_hint` when its user logs out.
 */
export const RETIRED_KEY_DAYS = 90

/**
 * The tenant's signing keys as private JWKs. The key that signs now comes first. If the tenant has
 * no key, the first one is created.
 */
export async function signingKeys(context: DomainContext, tenantId: string): Promise<PrivateJwk[]> {
  const list = () => context.store.signingKeys.list(tenantId)
  let stored = await list()
  while (stored.length === 0) {
    const scope: Scope = { context, actor: { name: 'admin' }, tenantId }
    // Created before the lock is taken, so that the lock is held for only one write.
    const key = await newSigningKey(scope)
    // Without the lock, two processes could store two keys at once, and each would sign with its
    // own key for a while.
    const isDone = await exclusively(context, `first-key:${tenantId}`, async () => {
      if ((await list()).length === 0) await insertSigningKey(scope, key)
    })
    if (!isDone) await wait(BUSY_MS)
    stored = await list()
  }
  return stored.map((key) => openKey(context, key)).reverse()
}

/** The tenant's signing keys as private JWKs, the oldest first. Empty if the tenant has none. */
export async function storedKeys(context: DomainContext, tenantId: string): Promise<PrivateJwk[]> {
  const stored = await context.store.signingKeys.list(tenantId)
  return stored.map((key) => openKey(context, key))
}

/**
 * Creates a new signing key for the tenant, which signs from now on. Earlier keys stay published
 * for 90 days after they last signed, so that tokens and sessions stay valid. A rotation deletes
 * the keys whose 90 days have passed.
 *
 * @param options - `withdrawEarlier` deletes all earlier keys at once.
 * @returns The `kid` of the new key.
 */
export async function rotateSigningKey(
  scope: Scope,
  { withdrawEarlier = false }: { withdrawEarlier?: boolean } = {},
): Promise<string> {
  const { context, tenantId } = scope
  const { signingKeys: store } = context.store
  const before = await store.list(tenantId)
  const key = await newSigningKey(scope)
  await insertSigningKey(scope, key)
  const horizon = nowMicros(context.clock) - RETIRED_KEY_DAYS * 86_400 * 1e6
  for (const [index, { id }] of before.entries()) {
    // A key stopped signing when its successor was created.
    const stoppedAt = before[index + 1]?.createdAt
    const isDue = stoppedAt !== undefined && stoppedAt <= horizon
    if (!isDue && !withdrawEarlier) continue
    const deleted = commit(scope, 'signing_key.delete', id, (audit) =>
      store.delete(tenantId, id, audit),
    )
    await unlessRefused(deleted, 'not_found')
  }
  return key.id
}

/** The facts about a signing key, without the key itself. */
export type SigningKeyFacts = Pick<SigningKey, 'id' | 'createdAt'> & {
  /** The time when the key's successor was created; `undefined` for the key that signs now. */
  stoppedAt: Micros | undefined
}

/**
 * The signing keys of the tenant. The key that signs now comes first. A tenant may have no keys
 * before its first login.
 */
export async function listSigningKeys({ context, tenantId }: Scope): Promise<SigningKeyFacts[]> {
  const keys = await context.store.signingKeys.list(tenantId)
  return keys
    .map(({ id, createdAt }, index) => ({ id, createdAt, stoppedAt: keys[index + 1]?.createdAt }))
    .reverse()
}

async function newSigningKey({ context, tenantId }: Scope): Promise<SigningKey> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 })
  const jwk = privateKey.export({ format: 'jwk' })
  const kid = thumbprint(jwk)
  return {
    id: kid,
    tenantId,
    createdAt: nowMicros(context.clock),
    sealedJwk: context.vault.seal(purpose(tenantId, kid), JSON.stringify(jwk)),
  }
}

async function insertSigningKey(scope: Scope, key: SigningKey): Promise<void> {
  await commit(scope, 'signing_key.create', key.id, (audit) =>
    scope.context.store.signingKeys.insert(key, audit),
  )
}

/** Seals a signing key under the newest master key. */
async function resealSigningKey(scope: Scope, { id }: SigningKey): Promise<void> {
  const { context, tenantId } = scope
  function reseal(last: SigningKey): SigningKey {
    const sealedJwk = context.vault.reseal(purpose(tenantId, id), last.sealedJwk)
    return sealedJwk === undefined ? last : { ...last, sealedJwk }
  }
  await commit(scope, 'signing_key.reseal', id, (audit) =>
    context.store.signingKeys.update(tenantId, id, reseal, audit),
  )
}

/** Seals the signing keys of a tenant under the newest master key. */
export async function resealSigningKeys(scope: Scope): Promise<void> {
  for (const key of await scope.context.store.signingKeys.list(scope.tenantId)) {
    await unlessRefused(resealSigningKey(scope, key), 'not_found')
  }
}

function openKey(context: DomainContext, key: SigningKey): PrivateJwk {
  const jwk = JSON.parse(
    context.vault.open(purpose(key.tenantId, key.id), key.sealedJwk),
  ) as webcrypto.JsonWebKey
  return { ...jwk, kid: key.id, alg: 'RS256', use: 'sig' }
}

/** The JWK thumbprint of an RSA key, in base64url. @see RFC 7638 §3 */
function thumbprint(jwk: webcrypto.JsonWebKey): string {
  const members = JSON.stringify({ e: jwk.e, kty: 'RSA', n: jwk.n })
  return createHash('sha256').update(members).digest('base64url')
}

function purpose(tenantId: string, kid: string): string {
  return `signing-key:${tenantId}:${kid}`
}
