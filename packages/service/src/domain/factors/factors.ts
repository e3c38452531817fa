import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { credentialKinds } from '../../resources/credentials.ts'
import type {
  Credential,
  HardwareCredential,
  Micros,
  RecoveryCredential,
  SocialCredential,
  TenantSettings,
  User,
} from '../../store/records.ts'
import { changeAccount, roomFor } from '../ways/account-changes.ts'
import { type FactorKind, factorKinds, type Method, methodsOf } from '../ways/assurance.ts'
import { allowedFactors, keyMethod, rpIdOf } from '../ways/login-methods.ts'
import type { Login } from '../ways/valid-logins.ts'
import { commit, unlessRefused } from '../writes/commit.ts'
import { type DomainContext, nowMicros, type Scope, updated } from '../writes/context.ts'
import { stepOf } from './totp.ts'

/** The number of recovery codes of a user. */
const RECOVERY_CODES = 10

/**
 * The size of a recovery code in bytes. 80 bits are more than the 64 that NIST SP 800-63B-4
 * requires.
 */
const RECOVERY_BYTES = 10

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** All credentials of a user, grouped by their use. */
export interface Factors {
  /** The second factors that are enrolled, enabled and allowed, the strongest first. */
  usable: FactorKind[]
  /**
   * The passkeys and security keys that are enabled, allowed, and registered for the tenant's
   * current domain.
   */
  keys: HardwareCredential[]
  /** The authentication methods that the usable factors prove as a second step. */
  methods: Method[]
  /** All second factors, including those that are disabled or not allowed. */
  enrolled: FactorKind[]
  /** All credentials, including those that cannot be used. */
  credentials: readonly Credential[]
  /** All passkeys and security keys, including those that cannot be used. */
  allKeys: HardwareCredential[]
  /** All accounts at providers, including those that cannot be used. */
  social: SocialCredential[]
  /** Whether the user has a password that is not disabled. */
  hasPassword: boolean
  /**
   * The number of unused recovery codes; 0 if the user has no usable factor that a code could
   * replace.
   */
  recoveryCodes: number
  /**
   * The version of the recovery codes, for {@link renewRecoveryCodes}; `undefined` if the user has
   * no recovery codes.
   */
  recoveryRev: number | undefined
  /**
   * The time at which a second factor or recovery codes were last added or changed. A use is no
   * change.
   */
  changedAt: Micros
}

/** The kinds of second factors that the user may add. */
export function addableFactors(
  settings: TenantSettings,
  { credentials }: Pick<Factors, 'credentials'>,
): FactorKind[] {
  return allowedFactors(settings).filter((kind) => roomFor(kind, credentials) > 0)
}

/** Reads the second factors of a user. */
export async function readFactors(
  { store }: DomainContext,
  tenantId: string,
  settings: TenantSettings,
  userId: string,
): Promise<Factors> {
  const page = { after: undefined, limit: 100 }
  return factorsAmong(settings, (await store.credentials.list(tenantId, userId, page))?.items ?? [])
}

/**
 * Groups all credentials of a user by their use. The settings of the tenant decide which of them
 * are usable.
 */
export function factorsAmong(settings: TenantSettings, listed: readonly Credential[]): Factors {
  const enabled = listed.filter(({ disabled }) => !disabled)
  const allowed = allowedFactors(settings)
  const keys = allowed.includes('hardware')
    ? enabled.filter(isKey).filter(({ rpId }) => rpId === rpIdOf(settings))
    : []
  const usable = allowed.filter((kind) =>
    kind === 'hardware' ? keys.length > 0 : enabled.some((c) => c.kind === kind),
  )
  const recovery = enabled.find((credential) => credential.kind === 'recovery_codes')
  return {
    usable,
    keys,
    methods: usable.flatMap((kind) =>
      kind === 'hardware' ? keys.map(keyMethod) : methodsOf[kind],
    ),
    enrolled: factorKinds.filter((kind) => listed.some((credential) => credential.kind === kind)),
    credentials: listed,
    allKeys: listed.filter(isKey),
    social: listed.filter((credential) => credential.kind === 'social'),
    hasPassword: enabled.some(({ kind }) => kind === 'password'),
    recoveryCodes: usable.length > 0 ? (recovery?.hashes.length ?? 0) : 0,
    recoveryRev: listed.find(({ kind }) => kind === 'recovery_codes')?.rev,
    changedAt: factorsChangedAt(listed),
  }
}

/**
 * The time at which a second factor or recovery codes among these credentials were last added or
 * changed; 0 if there are no such credentials. A use is no change.
 */
export function factorsChangedAt(credentials: readonly Credential[]): Micros {
  const isFirst = ({ kind }: Credential) => credentialKinds[kind].role === 'first'
  return Math.max(0, ...credentials.filter((c) => !isFirst(c)).map((c) => c.updatedAt))
}

function isKey(credential: Credential): credential is HardwareCredential {
  return credential.kind === 'hardware'
}

/**
 * Checks a code of the user's authenticator app, and marks it as used. Neither this code nor one of
 * an earlier time step is accepted again. If the code is entered several times at once, one attempt
 * succeeds.
 *
 * @see RFC 6238 §5.2
 */
export function proveTotp(scope: Scope, userId: string, code: string): Promise<boolean> {
  const { context } = scope
  return use(scope, userId, 'totp_app', (last) => {
    if (last.kind !== 'totp_app') return undefined
    const step = stepOf(context.vault.open(sealPurpose(last), last.sealedSeed), code, context.clock)
    if (step === undefined || step <= last.state.lastStep) return undefined
    return { ...last, state: { usedAt: nowMicros(context.clock), lastStep: step } }
  })
}

/**
 * Checks a recovery code, and removes it. If the code is entered several times at once, one attempt
 * succeeds.
 */
export function proveRecoveryCode(scope: Scope, userId: string, code: string): Promise<boolean> {
  const { context } = scope
  return use(scope, userId, 'recovery_codes', (last) => {
    if (last.kind !== 'recovery_codes') return undefined
    const hash = recoveryHash(context.vault.open(sealPurpose(last), last.sealedKey), code)
    const hashes = last.hashes.filter((kept) => !isEqual(kept, hash))
    if (hashes.length === last.hashes.length) return undefined
    return { ...last, hashes, state: { usedAt: nowMicros(context.clock) } }
  })
}

/**
 * Records the use of a correct mailed code. Resolves to `false` if the factor was disabled or
 * removed meanwhile.
 */
export function noteMailProof(scope: Scope, userId: string): Promise<boolean> {
  const usedAt = nowMicros(scope.context.clock)
  return use(scope, userId, 'totp_email', (last) =>
    last.kind === 'totp_email' ? { ...last, state: { usedAt } } : undefined,
  )
}

/**
 * Stores the use of an enabled credential. `updatedAt` stays, because a use is no change.
 *
 * @param proven - Returns the credential with its new state; `undefined` refuses the use.
 * @returns `false` if the use was refused, or the credential was disabled or removed meanwhile.
 */
export async function use(
  scope: Scope,
  userId: string,
  id: string,
  proven: (last: Credential) => Credential | undefined,
): Promise<boolean> {
  const { context, tenantId } = scope
  let isProven = false
  function change(last: Credential) {
    const next = last.disabled ? undefined : proven(last)
    isProven = next !== undefined
    return { credential: next ?? last }
  }
  const used = commit(scope, 'credential.use', `${userId}/${id}`, (audit) =>
    context.store.credentials.update(tenantId, userId, id, change, audit),
  )
  return (await unlessRefused(used, 'not_found')) !== undefined && isProven
}

/**
 * Makes the credential of an authenticator app, without storing it.
 *
 * @param step - The time step of the code with which the user has confirmed the app. That code is
 *   not accepted again.
 */
export function totpCredential(
  scope: Scope,
  user: User,
  { seed, step }: { seed: string; step: number },
): Credential {
  const record = newRecord(scope, user, 'totp_app')
  const sealedSeed = scope.context.vault.seal(sealPurpose(record), seed)
  return { ...record, kind: 'totp_app', sealedSeed, state: { lastStep: step } }
}

/** Makes the credential for mailed codes as a second factor, without storing it. */
export function mailCredential(scope: Scope, user: User): Credential {
  return { ...newRecord(scope, user, 'totp_email'), kind: 'totp_email', state: {} }
}

/** New recovery codes of a user. Only hashes are stored, so the codes cannot be read again. */
export interface RecoveryCodes {
  codes: string[]
  credential: RecoveryCredential
}

/** Makes recovery codes, without storing them. */
export function newRecoveryCodes(scope: Scope, user: User): RecoveryCodes {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  const key = randomBytes(32).toString('base64url')
  const record = newRecord(scope, user, 'recovery_codes')
  const sealedKey = scope.context.vault.seal(sealPurpose(record), key)
  const hashes = codes.map((code) => recoveryHash(key, code))
  return { codes, credential: { ...record, kind: 'recovery_codes', sealedKey, hashes, state: {} } }
}

/**
 * Replaces the recovery codes of a user by new ones.
 *
 * @param replaced - The version of the earlier codes, from {@link Factors.recoveryRev}.
 * @param login - The login in which the user requests the codes. It must still be valid.
 * @returns The codes; `undefined` if the earlier codes were replaced or changed meanwhile, the
 *   login is no longer valid, or the user is unknown.
 */
export async function renewRecoveryCodes(
  scope: Scope,
  user: User,
  replaced: number | undefined,
  login?: Login,
): Promise<string[] | undefined> {
  const { codes, credential } = newRecoveryCodes(scope, user)
  let isDone = false
  const write = {
    scope,
    action: 'credential.create',
    target: `${user.id}/recovery_codes`,
    login,
  } as const
  const account = await changeAccount(write, user.id, (account) => {
    const last = account.credentials.find(({ kind }) => kind === 'recovery_codes')
    isDone = last?.rev === replaced
    if (!isDone) return account
    const next = last ? updated(scope.context, last, { ...credential, rev: last.rev }) : credential
    return { ...account, credentials: [...account.credentials.filter((one) => one !== last), next] }
  })
  return account && isDone ? codes : undefined
}

/**
 * Seals the secret of a user's factor under the newest master key. `updatedAt` stays, because
 * nothing changes for the user. A removed factor is ignored.
 */
export async function resealFactor(scope: Scope, userId: string, id: string): Promise<void> {
  const { context, tenantId } = scope
  const reseal = (last: Credential) => ({ credential: resealed(context, last) ?? last })
  const done = commit(scope, 'credential.reseal', `${userId}/${id}`, (audit) =>
    context.store.credentials.update(tenantId, userId, id, reseal, audit),
  )
  await unlessRefused(done, 'not_found')
}

/**
 * The credential with its secret sealed under the newest master key. `undefined` if the secret is
 * already sealed under that key, or if there is no secret.
 */
function resealed({ vault }: DomainContext, last: Credential): Credential | undefined {
  if (last.kind === 'totp_app') {
    const sealedSeed = vault.reseal(sealPurpose(last), last.sealedSeed)
    return sealedSeed === undefined ? undefined : { ...last, sealedSeed }
  }
  if (last.kind !== 'recovery_codes') return undefined
  const sealedKey = vault.reseal(sealPurpose(last), last.sealedKey)
  return sealedKey === undefined ? undefined : { ...last, sealedKey }
}

/** Makes the fields that all kinds of credentials have in common. */
export function newRecord({ context, tenantId }: Scope, user: User, id: string) {
  const now = nowMicros(context.clock)
  const times = { createdAt: now, updatedAt: now }
  return { id, tenantId, userId: user.id, ...times, metadata: {}, disabled: false, rev: 1 }
}

function sealPurpose({ tenantId, userId, id }: Pick<Credential, 'tenantId' | 'userId' | 'id'>) {
  return `credential:${tenantId}:${userId}:${id}`
}

/**
 * Makes a recovery code: four groups of four characters, without letters that look like digits or
 * other letters.
 */
function newRecoveryCode(): string {
  let value = BigInt(`0x${randomBytes(RECOVERY_BYTES).toString('hex')}`)
  let text = ''
  for (let i = 0; i < 16; i++) {
    text += CROCKFORD[Number(value & 31n)]
    value >>= 5n
  }
  return text.replace(/(.{4})(?=.)/g, '$1-')
}

function recoveryHash(key: string, code: string): string {
  const text = code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
  return createHmac('sha256', key).update(text).digest('base64url')
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
