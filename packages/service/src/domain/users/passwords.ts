import { createHash } from 'node:crypto'
import type {
  Credential,
  LegacyPassword,
  PasswordCredential,
  StoredAlgorithm,
  StoredPassword,
  User,
} from '../../store/records.ts'
import { inSpan } from '../../telemetry/tracing.ts'
import { commit, unlessRefused } from '../writes/commit.ts'
import { nowMicros, type Scope, updated } from '../writes/context.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { isWhole } from '../writes/rules.ts'
import {
  findLegacyPassword,
  isLegacyPassword,
  makeUpLegacy,
  replaceLegacyPassword,
} from './legacy-passwords.ts'
import { type HashPriority, STANDARD_COST } from './password-engine.ts'

/** The maximum number of bytes that bcrypt reads. */
const MAX_PASSWORD_BYTES = 72

/**
 * The maximum length of a password that is verified, in bytes. No login form sends a longer one.
 */
const MAX_ATTEMPT_BYTES = 4_096

const MIN_COST = 8
const MAX_COST = 12

/** The values of `alg` for passwords that can be imported. */
export const importAlgorithms = ['bcrypt', 'plain', 'md5', 'sha1', 'sha256', 'sha512'] as const

const digestBytes = { md5: 16, sha1: 20, sha256: 32, sha512: 64 } as const

type Digest = keyof typeof digestBytes

/** The algorithms of stored hashes: bcrypt, or bcrypt over a legacy digest. */
export const storedAlgorithms: readonly StoredAlgorithm[] = [
  'bcrypt',
  ...(Object.keys(digestBytes) as Digest[]).map((digest) => `${digest}|bcrypt` as const),
]

/**
 * Converts a caller's `alg` and `hash` into the stored form.
 *
 * @throws ServiceError `unsupported_algorithm`, `invalid_hash`, `bcrypt_cost_out_of_range` or
 *   `password_policy`.
 */
export async function importPassword(
  scope: Scope,
  alg: string,
  hash: string,
): Promise<StoredPassword> {
  switch (alg) {
    case 'plain':
      return hashPassword(scope, hash, 'import')
    case 'bcrypt':
      return { alg, hash, cost: checkedBcryptCost(hash) }
    case 'md5':
    case 'sha1':
    case 'sha256':
    case 'sha512': {
      const digest = canonicalDigest(alg, hash)
      const wrapped = await scope.context.passwords.hash(digest, 'import', scope.tenantId)
      return { alg: `${alg}|bcrypt`, hash: wrapped, cost: STANDARD_COST }
    }
    default:
      throw new ServiceError(
        'unsupported_algorithm',
        reason('password_algorithm', { all: importAlgorithms.join(', ') }),
      )
  }
}

/**
 * Hashes a plain password with bcrypt at the standard cost.
 *
 * @throws ServiceError `password_policy` unless the password is 1 to 72 bytes of well-formed UTF-8
 *   after NFC, without NUL.
 */
export async function hashPassword(
  { context, tenantId }: Scope,
  password: string,
  priority: HashPriority,
): Promise<StoredPassword> {
  const text = normalizePassword(password)
  const bytes = Buffer.byteLength(text)
  if (bytes === 0 || bytes > MAX_PASSWORD_BYTES) {
    throw new ServiceError(
      'password_policy',
      reason('password_length', { bytes, most: MAX_PASSWORD_BYTES }),
    )
  }
  if (!isWhole(text)) {
    throw new ServiceError('password_policy', reason('password_not_whole'))
  }
  return {
    alg: 'bcrypt',
    hash: await context.passwords.hash(text, priority, tenantId),
    cost: STANDARD_COST,
  }
}

/** The reason why a password was refused, for the audit log. It is never shown to the visitor. */
export type RefusalReason =
  | 'unknown_user'
  | 'no_password'
  | 'user_disabled'
  | 'credential_disabled'
  | 'wrong_password'

export type Verification =
  | {
      kind: 'verified'
      /** The user as read after the verification. */
      user: User
      /** All credentials of the user, read together with the user. */
      credentials: readonly Credential[]
      /** The start of the login, in seconds since the epoch, before any data was read. */
      loggedInAt: number
      upgraded: boolean
    }
  | { kind: 'refused'; reason: RefusalReason }

/**
 * Verifies a password at a login. A user has a password credential (bcrypt, perhaps of a digest) or
 * a legacy password (the hash of another system). A right password is stored as bcrypt of the
 * standard cost, unless another request has changed the credential meanwhile or bcrypt cannot read
 * the whole password.
 *
 * Refusing a wrong password takes the work of the highest bcrypt cost in the tenant and of its most
 * expensive legacy passwords, even for an unknown user (`undefined`). So response times do not
 * reveal which users exist.
 *
 * User and password are read again after the verification, so that changes made meanwhile count.
 * `loggedInAt` is before the verification, so that a change that ends the user's sessions also ends
 * this login.
 *
 * @param credentials - The credentials of the user, if they were read together with the user.
 */
export function verifyPassword(
  scope: Scope,
  user: User | undefined,
  password: string,
  credentials?: readonly Credential[],
): Promise<Verification> {
  return inSpan('latchkey.password.verify', {}, () => verify(scope, user, password, credentials))
}

async function verify(
  scope: Scope,
  user: User | undefined,
  password: string,
  known: readonly Credential[] | undefined,
): Promise<Verification> {
  const { context, tenantId } = scope
  const loggedInAt = context.clock.now() / 1000
  const credential = known ? passwordAmong(known) : user && (await findPassword(scope, user.id))
  const legacy = credential ? undefined : await findLegacyPassword(scope, user?.id)
  const matches = await isPassword(scope, credential?.password, password)
  const attempt = attemptOf(password)
  const matchesLegacy =
    user !== undefined &&
    legacy !== undefined &&
    (await isLegacyPassword(scope, user.id, legacy, attempt)) &&
    attempt !== ''
  if (!matches && !matchesLegacy) {
    const highest = await context.store.credentials.highestCost(tenantId)
    const cost = credential?.password.cost ?? STANDARD_COST
    if (highest !== undefined) await context.passwords.makeUp(cost, highest, tenantId)
    await makeUpLegacy(scope, legacy, attempt)
  }

  if (!user) return { kind: 'refused', reason: 'unknown_user' }
  if (legacy) {
    if (!matchesLegacy) return { kind: 'refused', reason: 'wrong_password' }
    return admitLegacy(scope, user, legacy, attempt, loggedInAt)
  }
  if (!credential) return { kind: 'refused', reason: 'no_password' }
  if (!matches) return { kind: 'refused', reason: 'wrong_password' }

  const account = await context.store.users.getAccount(tenantId, user.id)
  if (!account) return { kind: 'refused', reason: 'unknown_user' }
  const current = passwordAmong(account.credentials)
  if (!current) return { kind: 'refused', reason: 'no_password' }
  if (!isSamePassword(credential.password, current)) {
    return { kind: 'refused', reason: 'wrong_password' }
  }
  if (account.user.disabled) return { kind: 'refused', reason: 'user_disabled' }
  if (current.disabled) return { kind: 'refused', reason: 'credential_disabled' }
  const upgraded = await upgrade(scope, current, normalizePassword(password))
  return { kind: 'verified', ...account, loggedInAt, upgraded }
}

/**
 * Completes a login with a legacy password. Replaces the legacy password by bcrypt, unless another
 * login has replaced it first.
 */
async function admitLegacy(
  scope: Scope,
  { id }: User,
  legacy: LegacyPassword,
  text: string,
  loggedInAt: number,
): Promise<Verification> {
  const { context, tenantId } = scope
  const user = await context.store.users.get(tenantId, id)
  if (!user) return { kind: 'refused', reason: 'unknown_user' }
  if (user.disabled) return { kind: 'refused', reason: 'user_disabled' }
  const password = await hashAnyPassword(scope, text)
  const state = { upgradedFrom: fingerprint(legacy.verifier) }
  let upgraded = false
  const account = await replaceLegacyPassword(scope, id, legacy, (last) => {
    upgraded = !last.user.disabled
    if (!upgraded) return last
    const now = nowMicros(context.clock)
    const own: PasswordCredential = {
      ...{ kind: 'password', id: 'password', tenantId, userId: id, password, state },
      ...{ createdAt: now, updatedAt: now, metadata: {}, disabled: false, rev: 1 },
    }
    return { ...last, credentials: [...last.credentials, own] }
  })
  if (!account) return { kind: 'refused', reason: 'unknown_user' }
  if (account.user.disabled) return { kind: 'refused', reason: 'user_disabled' }
  const current = passwordAmong(account.credentials)
  if (current?.state.upgradedFrom !== state.upgradedFrom) {
    return { kind: 'refused', reason: 'wrong_password' }
  }
  if (current?.disabled) return { kind: 'refused', reason: 'credential_disabled' }
  const { credentials } = account
  return { kind: 'verified', user: account.user, credentials, loggedInAt, upgraded }
}

/** Hashes a password with bcrypt, or its SHA-256 if bcrypt would not read the whole password. */
async function hashAnyPassword(scope: Scope, text: string): Promise<StoredPassword> {
  const isWhollyRead = Buffer.byteLength(text) <= MAX_PASSWORD_BYTES && !text.includes('\0')
  if (isWhollyRead && isWhole(text)) return hashPassword(scope, text, 'login')
  const alg = 'sha256|bcrypt'
  const { passwords } = scope.context
  const hash = await passwords.hash(preimage(alg, text), 'login', scope.tenantId)
  return { alg, hash, cost: STANDARD_COST }
}

function passwordAmong(credentials: readonly Credential[]): PasswordCredential | undefined {
  return credentials.find((one) => one.kind === 'password')
}

/** The user's password credential, if there is one. */
export async function findPassword(
  { context, tenantId }: Pick<Scope, 'context' | 'tenantId'>,
  userId: string,
): Promise<PasswordCredential | undefined> {
  const credential = await context.store.credentials.get(tenantId, userId, 'password')
  return credential?.kind === 'password' ? credential : undefined
}

/** Whether `password` matches the stored password. Without one (`undefined`), it takes as long. */
export async function isPassword(
  { context: { passwords }, tenantId }: Scope,
  stored: StoredPassword | undefined,
  password: string,
): Promise<boolean> {
  const attempt = attemptOf(password)
  const matches = await passwords.verify(
    stored ? preimage(stored.alg, attempt) : attempt,
    stored?.hash ?? passwords.dummyHash,
    tenantId,
  )
  return matches && attempt !== ''
}

/**
 * The normalized password to verify. It is empty if the password is longer than a login form can
 * send.
 */
function attemptOf(password: string): string {
  const text = normalizePassword(password)
  return Buffer.byteLength(text) > MAX_ATTEMPT_BYTES ? '' : text
}

/**
 * Whether a credential still has the same password, perhaps with a hash that another login has
 * upgraded.
 */
export function isSamePassword({ alg, hash }: StoredPassword, after: PasswordCredential): boolean {
  const isUnchanged = isStoredPassword(after.password, alg, hash)
  return isUnchanged || after.state.upgradedFrom === fingerprint(hash)
}

/** Whether `alg` and `hash` from a caller equal the stored ones. */
export function isStoredPassword(stored: StoredPassword, alg: string, hash: string): boolean {
  return stored.alg === alg && stored.hash === hash
}

/**
 * Whether `alg` and `hash` from a caller are an outdated copy of the stored password. They are if
 * the hash is from before an upgrade, `alg` is a stored form such as `md5|bcrypt`, or `alg` does
 * not belong to the stored hash.
 */
export function isStalePassword(
  { password, state }: PasswordCredential,
  alg: string,
  hash: string,
): boolean {
  const isMislabelled = alg === 'bcrypt' && hash === password.hash
  return isWrapped(alg) || isMislabelled || state.upgradedFrom === fingerprint(hash)
}

/** Replaces a hash by bcrypt of the standard cost. @returns Whether this login has replaced it. */
async function upgrade(scope: Scope, known: PasswordCredential, text: string): Promise<boolean> {
  const { hash, alg, cost } = known.password
  if (alg === 'bcrypt' && cost === STANDARD_COST) return false
  if (Buffer.byteLength(text) > MAX_PASSWORD_BYTES || text.includes('\0')) return false

  const { context } = scope
  const password = await hashPassword(scope, text, 'login')
  const state = { upgradedFrom: fingerprint(hash) }
  const change = (last: Credential) => ({
    credential:
      last.kind === 'password' && last.rev === known.rev
        ? updated(context, last, { password, state })
        : last,
  })
  const { tenantId, userId, id } = known
  const upgraded = commit(scope, 'credential.upgrade', `${userId}/${id}`, (audit) =>
    context.store.credentials.update(tenantId, userId, id, change, audit),
  )
  // The login continues even if the credential was deleted meanwhile.
  const now = await unlessRefused(upgraded, 'not_found')
  return now?.kind === 'password' && now.password.hash === password.hash
}

/** The input of bcrypt: the password, or its digest as lower-case hexadecimal. */
function preimage(alg: StoredAlgorithm, password: string): string {
  if (alg === 'bcrypt') return password
  const digest = alg.slice(0, alg.indexOf('|')) as Digest
  return createHash(digest).update(password, 'utf8').digest('hex')
}

function isWrapped(alg: string): boolean {
  const [digest = '', ...rest] = alg.split('|')
  return Object.hasOwn(digestBytes, digest) && rest.join('|') === 'bcrypt'
}

function normalizePassword(password: string): string {
  return password.normalize('NFC')
}

/** A digest of a hash, which recognizes the hash without storing it. */
export function fingerprint(hash: string): string {
  return createHash('sha256').update(hash).digest('hex')
}

const BCRYPT = /^\$(2[abxy])\$(\d\d)\$[./A-Za-z0-9]{53}$/

function checkedBcryptCost(hash: string): number {
  const [, version, digits] = BCRYPT.exec(hash) ?? []
  if (!digits || version === '2x') {
    throw new ServiceError('invalid_hash', reason('hash_not_bcrypt'))
  }
  const cost = Number(digits)
  if (cost < MIN_COST || cost > MAX_COST) {
    throw new ServiceError(
      'bcrypt_cost_out_of_range',
      reason('hash_bcrypt_cost', { cost, least: MIN_COST, most: MAX_COST }),
    )
  }
  return cost
}

/** Converts a digest of the exact length from hexadecimal or base64 to lower-case hexadecimal. */
function canonicalDigest(alg: Digest, text: string): string {
  const bytes = digestBytes[alg]
  if (text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text)) return text.toLowerCase()

  const decoded = Buffer.from(text, 'base64')
  if (decoded.length === bytes && decoded.toString('base64') === text)
    return decoded.toString('hex')
  throw new ServiceError(
    'invalid_hash',
    reason('hash_not_digest', { alg, digits: bytes * 2, bytes }),
  )
}
