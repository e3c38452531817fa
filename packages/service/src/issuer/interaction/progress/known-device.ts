import { hash, randomBytes } from 'node:crypto'
import type { Factors } from '../../../domain/factors/factors.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import { type EntryName, entryName } from '../../../store/protocol-store.ts'
import type { Micros, User } from '../../../store/records.ts'
import { readHostCookie, setHostCookie } from '../../requests/cookies.ts'
import type { FlowRequest } from '../flow/flow-request.ts'

const NAME = 'latchkey-device'

const KIND = 'KnownDevice'

/** 32 random bytes. */
const TOKEN = /^[\w-]{43}$/

/** The kind of record about a device that the user trusts. */
const TRUSTED = 'TrustedDevice'

/** When the user logged in, in seconds since the epoch. */
interface KnownDevice {
  loggedInAt: number
}

/** A device on which the second step is not asked for. */
interface TrustedDevice extends KnownDevice {
  /** When the user said so. */
  since: Micros
  userAgent?: string | undefined
}

/**
 * Names this device and the user, if the user has logged in on it, and what ends sessions, such as a
 * new password, has not happened since. It takes as long for an unknown user (`undefined`).
 */
export async function findDevice(
  flow: FlowRequest,
  user: User | undefined,
): Promise<string | undefined> {
  const { context, tenant, request } = flow
  const name = deviceName(readHostCookie(request, NAME), user)
  const entry = await context.protocol.find(entryName(tenant.id, KIND, name))
  if (!entry || !user) return undefined
  const { loggedInAt } = JSON.parse(entry.payload) as KnownDevice
  return isLoginValid(user, loggedInAt) ? name : undefined
}

/** Whether the last login of the user on this device was before `at`; what has ended sessions since does not count. */
export async function isKnownFromBefore(
  { context, tenant, request }: FlowRequest,
  user: User,
  at: Micros,
): Promise<boolean> {
  const name = deviceName(readHostCookie(request, NAME), user)
  const entry = await context.protocol.find(entryName(tenant.id, KIND, name))
  return entry !== undefined && (JSON.parse(entry.payload) as KnownDevice).loggedInAt * 1e6 < at
}

/**
 * Whether the user has a second step behind them that was to count for this device: not longer ago than
 * the tenant allows now, and no factor was changed and no session ended since.
 */
export async function isTrusted(
  flow: FlowRequest,
  user: User,
  { changedAt }: Pick<Factors, 'changedAt'>,
): Promise<boolean> {
  const { context, tenant, request } = flow
  if (!tenant.settings.rememberDevice) return false
  const name = deviceName(readHostCookie(request, NAME), user)
  const entry = await context.protocol.find(entryName(tenant.id, TRUSTED, name))
  if (!entry) return false
  return isStillTrusted(flow, user, changedAt, JSON.parse(entry.payload) as TrustedDevice)
}

function isStillTrusted(
  { context, tenant }: Pick<FlowRequest, 'context' | 'tenant'>,
  user: User,
  changedAt: Micros,
  { since, loggedInAt }: TrustedDevice,
): boolean {
  const age = nowMicros(context.domain.clock) - since
  const isRecent = age < tenant.settings.rememberDeviceSeconds * 1e6
  return isRecent && since > changedAt && isLoginValid(user, loggedInAt)
}

/** The devices on which the user is not asked for the second step, by names that say nothing of them. */
export async function listTrusted(
  flow: Pick<FlowRequest, 'context' | 'tenant'>,
  user: User,
  { changedAt }: Pick<Factors, 'changedAt'>,
): Promise<{ name: EntryName; since: Micros; userAgent: string | undefined }[]> {
  const { context, tenant } = flow
  if (!tenant.settings.rememberDevice) return []
  const entries = await context.protocol.listByAccount(tenant.id, TRUSTED, user.id)
  return entries.flatMap(({ tenantId, kind, key, payload }) => {
    const device = JSON.parse(payload) as TrustedDevice
    if (!isStillTrusted(flow, user, changedAt, device)) return []
    return { name: { tenantId, kind, key }, since: device.since, userAgent: device.userAgent }
  })
}

/**
 * Remembers that the user has logged in on this device.
 *
 * @param isTrusted - Whether the second step is not asked for here from now on.
 */
export async function rememberDevice(
  flow: FlowRequest,
  user: User,
  loggedInAt: number,
  isTrusted: boolean,
): Promise<void> {
  const { context, provider, tenant, request, response } = flow
  const known = readHostCookie(request, NAME)
  const token = known !== undefined && TOKEN.test(known) ? known : newToken()
  const seconds = lifetimes.knownDeviceSeconds
  setHostCookie(provider.createContext(request, response), NAME, token, seconds)
  await context.protocol.put({
    ...entryName(tenant.id, KIND, deviceName(token, user)),
    payload: JSON.stringify({ loggedInAt } satisfies KnownDevice),
    expiresAt: nowMicros(context.domain.clock) + seconds * 1e6,
  })
  if (!isTrusted || !tenant.settings.rememberDevice) return
  const since = nowMicros(context.domain.clock)
  const { userAgent } = flow.facts
  await context.protocol.put({
    ...entryName(tenant.id, TRUSTED, deviceName(token, user)),
    accountId: user.id,
    payload: JSON.stringify({ since, loggedInAt, userAgent } satisfies TrustedDevice),
    expiresAt: since + tenant.settings.rememberDeviceSeconds * 1e6,
  })
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function deviceName(token = '', user: User | undefined): string {
  return hash('sha256', `${token}:${user?.id ?? 'nobody'}`, 'base64url')
}
