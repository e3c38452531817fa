import { hash } from 'node:crypto'
import { type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { DomainContext } from '../../domain/writes/context.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { openIfKnown } from '../../domain/writes/vault.ts'
import type { AttemptLimit, ProtocolStore } from '../../store/protocol-store.ts'
import type { IssuerContext } from '../context.ts'
import { factsOf } from '../requests/request-facts.ts'

/** Too many codes were entered that are not there. */
export class TooManyCodes extends errors.TemporarilyUnavailable {
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super('too many codes were entered')
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The name by which the code of a user finds the code of the device. */
export function userCodeUid(userCode: string): string {
  return hash('sha256', `user code ${userCode}`, 'base64url')
}

/** The secrets of a device: it redeems the first for tokens, and its user types the second. */
interface Secrets {
  id: string
  userCode?: string | undefined
}

/**
 * A payload whose device secrets are sealed. oidc-provider finds a record by one of the two codes
 * and needs the other too, and needs the device code for the login in a browser.
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

/** The payload before {@link sealDevice}; `undefined` if the master key is gone. */
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

/** Once, for as long as a code may be on record. */
const ONCE: AttemptLimit = {
  free: 1,
  baseSeconds: 86_400,
  maxSeconds: 86_400,
  forgetSeconds: lifetimes.deviceCodeSeconds + lifetimes.expiredDeviceCodeSeconds,
}

/**
 * Whether a change of a device's code is stored. The first answer of a user counts: of two at once, the other changes nothing.
 * A code that was typed, and not answered, stays as it was, so that its user can begin again.
 */
export async function isDeviceChange(
  protocol: ProtocolStore,
  tenantId: string,
  id: string,
  { accountId, error, inFlight }: AdapterPayload,
): Promise<boolean> {
  if (accountId === undefined && error === undefined) return !inFlight
  const { kind } = await protocol.admit(`deviceAnswer:${tenantId}:${userCodeUid(id)}`, ONCE)
  return kind === 'admitted'
}

/**
 * Looks for a device by the code that its user has typed.
 *
 * @throws TooManyCodes when too many codes were tried from the network, or at the tenant.
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
  if (outcome.kind === 'throttled') throw new TooManyCodes(outcome.retryAfterSeconds)
  return outcome.kind === 'verified' ? outcome.found : undefined
}
