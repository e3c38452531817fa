import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type Hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { Micros, StoredAuditEntry } from '../../store/records.ts'
import { entryOf } from '../writes/audit.ts'
import { type DomainContext, nowMicros, type Scope } from '../writes/context.ts'
import { type PrivateJwk, signingKeys, storedKeys } from './signing-keys.ts'

/** The audit action of an entry that seals earlier entries. */
export const SEAL = 'audit.seal'

/**
 * The signed content of a seal: a hash of a tenant's entries between two ids. Refused requests are
 * left out.
 */
export interface SealStatement {
  tenant: string
  /** The id after which the sealed entries begin: the last id of the previous seal, or 0. */
  from: number
  /** The id of the last sealed entry. */
  to: number
  entries: number
  /** The time of the earliest sealed entry. */
  firstAt: Micros
  /** The time of the previous seal; `null` for the first one. */
  previousAt: Micros | null
  /** The SHA-256 of the entries, each in the form of {@link canonicalLine}, in base64url. */
  sha256: string
}

/** A seal as read from the audit log. */
export interface Seal {
  /** The id of the audit entry that contains the seal. */
  id: number
  at: Micros
  /** The signed content; `undefined` if the entry is not a seal of this tenant. */
  statement: SealStatement | undefined
  /** Whether the seal is signed by a signing key that the tenant has now. */
  isSigned: boolean
}

/**
 * The JWS `typ` of a seal. It distinguishes a seal from other texts that the same key signs, such
 * as ID Tokens (RFC 8725 §3.11).
 */
const TYPE = 'latchkey-audit-seal'

const DAY_MICROS = 86_400 * 1e6

/**
 * The maximum number of entries in a seal. After some entries of a seal are pruned, the other
 * entries can no longer be verified, so the limit keeps them few.
 */
const MAX_ENTRIES = 100_000

/** The maximum number of entries or seals that one query reads. */
const BATCH = 1_000

/** The hash of some entries of a tenant. */
export interface Digest {
  entries: number
  /**
   * The number of entries that are not seals, and the time of the first such entry
   * (`firstOtherAt`).
   */
  others: number
  firstOtherAt: Micros | undefined
  firstAt: Micros
  /** The id of the last hashed entry. */
  to: number
  sha256: string
}

/**
 * Seals all unsealed entries of a tenant from before today (UTC). It adds entries to the log with
 * the hash of earlier entries, signed by the tenant's signing key.
 *
 * @returns The number of added seals. It is 0 if only seals were written since the last one.
 */
export async function sealAudit(scope: Scope): Promise<number> {
  const { context, tenantId } = scope
  const midnight = Math.floor(nowMicros(context.clock) / DAY_MICROS) * DAY_MICROS
  let last = await lastSeal(scope)
  for (let count = 0; ; count++) {
    const from = last?.statement?.to ?? 0
    const digest = await digestOf(scope, from, ({ at }) => at >= midnight, MAX_ENTRIES)
    if (digest.others === 0) return count
    const { others: _, firstOtherAt: __, ...rest } = digest
    const previousAt = last?.at ?? null
    const statement: SealStatement = { tenant: tenantId, from, ...rest, previousAt }
    const entry = entryOf(scope, SEAL, tenantId)
    await context.store.audit.append({ ...entry, fields: [await signed(context, statement)] })
    last = { id: 0, at: entry.at, statement, isSigned: true }
  }
}

/**
 * Hashes the entries after the id `from`, up to the first entry for which `isEnd` returns `true`
 * (excluded), or up to `limit` entries.
 */
export async function digestOf(
  { context: { store }, tenantId }: Scope,
  from: number,
  isEnd: (entry: StoredAuditEntry) => boolean,
  limit: number = Number.MAX_SAFE_INTEGER,
): Promise<Digest> {
  const hash: Hash = createHash('sha256')
  const digest: Omit<Digest, 'sha256'> = {
    ...{ entries: 0, others: 0, to: from },
    firstAt: Number.MAX_SAFE_INTEGER,
    firstOtherAt: undefined,
  }
  const done = (): Digest => ({ ...digest, sha256: hash.digest('base64url') })
  for (;;) {
    const { entries } = await store.audit.afterOf(tenantId, digest.to, BATCH)
    for (const entry of entries) {
      if (isEnd(entry) || digest.entries >= limit) return done()
      hash.update(`${canonicalLine(entry)}\n`)
      digest.entries++
      if (entry.action !== SEAL) {
        digest.others++
        digest.firstOtherAt ??= entry.at
      }
      digest.firstAt = Math.min(digest.firstAt, entry.at)
      digest.to = entry.id
    }
    if (entries.length < BATCH) return done()
  }
}

/** All seals of a tenant, the oldest first. */
export async function sealsOf(scope: Scope): Promise<Seal[]> {
  const { context, tenantId } = scope
  const jwks = await storedKeys(context, tenantId)
  const keys = new Map(jwks.map((jwk) => [jwk.kid, createPublicKey(keyInput(jwk))]))
  const seals: Seal[] = []
  for (let after: { at: Micros; id: number } | undefined; ; ) {
    const page = await context.store.audit.search(
      tenantId,
      { action: SEAL },
      { after, limit: BATCH },
    )
    seals.push(...page.items.map((entry) => readSeal(entry, tenantId, keys)))
    if (!page.next) return seals.sort((a, b) => a.id - b.id)
    after = page.next
  }
}

async function lastSeal({ context, tenantId }: Scope): Promise<Seal | undefined> {
  const page = { after: undefined, limit: 1 }
  const { items } = await context.store.audit.search(tenantId, { action: SEAL }, page)
  return items[0] && readSeal(items[0], tenantId, new Map())
}

/**
 * The text of an entry for the hash: its members in this order as JSON, with `null` for missing
 * members.
 */
function canonicalLine(entry: StoredAuditEntry): string {
  const { id, at, tenantId, actor, action, target, outcome, fields } = entry
  const { applicationId, requestId, address, userAgent } = entry
  const members = [id, at, tenantId, actor, action, target, outcome, fields]
  return JSON.stringify([...members, applicationId, requestId, address, userAgent])
}

/** Signs a statement with the tenant's current signing key, as a compact JWS (RFC 7515 §7.1). */
async function signed(context: DomainContext, statement: SealStatement): Promise<string> {
  const [jwk] = await signingKeys(context, statement.tenant)
  if (!jwk) throw new Error('The tenant has no signing key.')
  const header = encoded({ alg: 'RS256', kid: jwk.kid, typ: TYPE })
  const text = `${header}.${encoded(statement)}`
  const key = createPrivateKey(keyInput(jwk))
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

function readSeal(
  { id, at, fields = [] }: StoredAuditEntry,
  tenantId: string,
  keys: ReadonlyMap<string, KeyObject>,
): Seal {
  const [header = '', payload = '', signature = ''] = (fields[0] ?? '').split('.')
  const { alg, kid, typ } = decoded<{ alg: string; kid: string; typ: string }>(header) ?? {}
  const statement = decoded<SealStatement>(payload)
  if (alg !== 'RS256' || typ !== TYPE || statement?.tenant !== tenantId) {
    return { id, at, statement: undefined, isSigned: false }
  }
  const key = keys.get(kid ?? '')
  const text = Buffer.from(`${header}.${payload}`)
  const isSigned =
    key !== undefined && verify('sha256', text, key, Buffer.from(signature, 'base64url'))
  return { id, at, statement, isSigned }
}

function keyInput(jwk: PrivateJwk) {
  return { key: { ...jwk }, format: 'jwk' } as const
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decoded<T>(text: string): T | undefined {
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
