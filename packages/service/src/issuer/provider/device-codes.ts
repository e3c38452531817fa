import { hash } from 'node:crypto'
import { type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { DomainContext } from '../../domain/writes/context.ts'
import type { Holder } from '../../domain/writes/entries.ts'
import { openIfKnown } from '../../domain/writes/vault.ts'
import type { IssuerContext } from '../context.ts'
import type { StoredForm } from '../engine/session.ts'
import { factsOf } from '../requests/request-facts.ts'
import { TooManyAttempts } from '../requests/too-many-attempts.ts'
import { endCommandLogins } from './command-logins.ts'

/** The error for a second answer to a device login. Its page is that of a code that was used. */
class CodeAnswered extends errors.InvalidRequest {
  override readonly name = 'AlreadyUsedError'
}

/** The lookup key of a device login, derived from its user code. */
export function userCodeUid(userCode: string): string {
  return hash('sha256', `user code ${userCode}`, 'base64url')
}

/** The secrets of a device login: the device code (`id`), and the user code. */
interface Secrets {
  id: string
  userCode?: string | undefined
}

/**
 * Encrypts the codes in a payload. oidc-provider finds a record by the device code or the user code
 * and then needs both codes. The login in the browser also needs the device code.
 */
export function sealDevice(
  { vault }: Pick<DomainContext, 'vault'>,
  tenantId: string,
  id: string,
  payload: AdapterPayload,
): AdapterPayload {
  const { kind, userCode, deviceCode, ...rest } = payload
  const seal = (secrets: Secrets) => vault.seal(purposeOf(tenantId), JSON.stringify(secrets))
  if (kind === 'DeviceCode') return { ...rest, kind, device: seal({ id, userCode }) }
  return deviceCode === undefined ? payload : { ...rest, kind, device: seal({ id: deviceCode }) }
}

/** Reverses {@link sealDevice}. Returns `undefined` if the master key no longer exists. */
export function openDevice(
  { vault }: Pick<DomainContext, 'vault'>,
  tenantId: string,
  payload: AdapterPayload | undefined,
): AdapterPayload | undefined {
  const { device, ...rest } = (payload ?? {}) as AdapterPayload & { device?: string }
  if (device === undefined) return payload
  const text = openIfKnown(vault, purposeOf(tenantId), device)
  if (text === undefined) return undefined
  const { id, userCode } = JSON.parse(text) as Secrets
  return rest.kind === 'DeviceCode' ? { ...rest, jti: id, userCode } : { ...rest, deviceCode: id }
}

const purposeOf = (tenantId: string): string => `device-code/${tenantId}`

/** Matches the errors that are no answer of a user: the same attempt can succeed later. */
const FAILURES = /^(server_error|temporarily_unavailable)$/

/**
 * Whether a change of a device login is stored. Only the first answer of a user is stored. The fact
 * that the code was typed is not stored, nor is a failure, so that the user can begin again.
 *
 * @param read - The login as the request has read it; `undefined` for a new one.
 * @throws CodeAnswered if the login has an answer already.
 */
export function isDeviceChange(
  { accountId, error, inFlight }: AdapterPayload,
  read: StoredForm | undefined,
): boolean {
  if (accountId === undefined && error === undefined) return !inFlight
  if (error !== undefined && FAILURES.test(error)) return false
  const before = JSON.parse(read?.payload ?? '{}') as AdapterPayload
  if (before.accountId !== undefined || before.error !== undefined) {
    throw new CodeAnswered('the code was used already')
  }
  return true
}

/**
 * Finds a device login by the user code that a user has typed.
 *
 * @throws TooManyAttempts if too many codes were tried from the network, or at the tenant.
 * @see RFC 8628 §5.1
 */
export async function findTyped<Found>(
  { throttle }: Pick<IssuerContext, 'throttle'>,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const request = Provider.ctx?.req
  if (!request) return find()
  const outcome = await throttle.tryUserCode(factsOf(request), async () => {
    const found = await find()
    return { kind: found ? 'verified' : 'refused', found } as const
  })
  if (outcome.kind === 'throttled') {
    throw new TooManyAttempts('too many codes were entered', outcome.retryAfterSeconds)
  }
  return outcome.kind === 'verified' ? outcome.found : undefined
}

/**
 * Revokes all logins of a user on devices with a client, whether or not the device has its tokens.
 * A later consent does not make them valid again. Logins in the user's browsers are kept.
 */
export async function endDeviceLogins(
  holder: Holder,
  userId: string,
  clientId: string,
): Promise<void> {
  const { context, tenant } = holder
  await endCommandLogins(holder, userId, clientId)
  const grants = await context.protocol.listByAccount(tenant.id, 'Grant', userId)
  const ofClient = grants.filter(
    ({ payload }) => (JSON.parse(payload) as AdapterPayload).clientId === clientId,
  )
  await Promise.all(ofClient.map((grant) => context.protocol.delete(grant)))
}
