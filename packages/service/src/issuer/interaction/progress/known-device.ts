import { hash, randomBytes } from 'node:crypto'
import type { Factors } from '../../../domain/factors/factors.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { entry } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { Micros, User } from '../../../store/records.ts'
import { withRequest } from '../../provider/request-changes.ts'
import { readHostCookie, setHostCookie } from '../../requests/cookies.ts'
import type { FlowRequest } from '../flow/flow-request.ts'

const NAME = 'latchkey-device'

/** Matches 32 random bytes as base64url. */
const TOKEN = /^[\w-]{43}$/

/** A device on which a user has logged in. The time of the login is in seconds since the epoch. */
interface KnownDevice {
  loggedInAt: number
}

/** The record of the messages to a user about new devices. */
interface DeviceNotices {
  /**
   * The times of the last day at which the user was notified of a new device, in seconds since the
   * epoch.
   */
  toldAt: number[]
}

/**
 * The maximum number of messages about new devices per user and day. A program without cookies
 * would otherwise cause a message at each login.
 */
const NOTICES_A_DAY = 10

/** A device on which the second step is skipped. */
interface TrustedDevice extends KnownDevice {
  /** The time at which the user chose to trust the device. */
  since: Micros
  userAgent?: string | undefined
}

const known = entry<KnownDevice>('KnownDevice', lifetimes.knownDeviceSeconds)
/** The trusted devices. The tenant's settings decide the lifetime of each entry. */
const trusted = entry<TrustedDevice>('TrustedDevice', undefined)
const notices = entry<DeviceNotices>('DeviceNews', lifetimes.knownDeviceSeconds)

/**
 * An id of the user on this device. `undefined` if the user has not logged in on it, or the user's
 * sessions were revoked since, for example by a new password. For an unknown user (`undefined`),
 * the lookup takes as long.
 */
export async function findDevice(
  flow: FlowRequest,
  user: User | undefined,
): Promise<string | undefined> {
  const { name, device } = await readDevice(flow, user)
  if (!device || !user || !isLoginValid(user, device.loggedInAt)) return undefined
  return `${user.id}/${name}`
}

async function readDevice(
  flow: FlowRequest,
  user: User | undefined,
): Promise<{ name: string; device: KnownDevice | undefined }> {
  const token = readHostCookie(flow.request, NAME)
  const name = deviceName(token, user)
  // A browser without the cookie is unknown for every user.
  if (token === undefined) return { name, device: undefined }
  return { name, device: (await known.read(flow, name))?.value }
}

/**
 * Whether a second step of the user on this device is still valid: it is not older than the tenant
 * allows, and since then no factor was changed and no sessions were revoked.
 */
export async function isTrusted(
  flow: Pick<FlowRequest, 'context' | 'tenant' | 'request'>,
  user: User,
  { changedAt }: Pick<Factors, 'changedAt'>,
): Promise<boolean> {
  if (!flow.tenant.settings.rememberDevice) return false
  const found = await trusted.read(flow, deviceName(readHostCookie(flow.request, NAME), user))
  return found !== undefined && isStillTrusted(flow, user, changedAt, found.value)
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

/**
 * The devices on which the user skips the second step. A `key` reveals nothing about its device.
 */
export async function listTrusted(
  flow: Pick<FlowRequest, 'context' | 'tenant'>,
  user: User,
  { changedAt }: Pick<Factors, 'changedAt'>,
): Promise<{ key: string; since: Micros; userAgent: string | undefined }[]> {
  if (!flow.tenant.settings.rememberDevice) return []
  const all = await trusted.ofAccount(flow, user.id)
  return all.flatMap(({ entry: { key }, value: device }) => {
    if (!isStillTrusted(flow, user, changedAt, device)) return []
    return { key, since: device.since, userAgent: device.userAgent }
  })
}

/** Requires the second step on a device again. */
export async function distrust(
  flow: Pick<FlowRequest, 'context' | 'tenant'>,
  { key }: { key: string },
): Promise<void> {
  await trusted.drop(flow, { key })
}

/**
 * Records that the user has logged in on this device.
 *
 * @param isTrusted - Whether to skip the second step on this device from now on.
 * @returns Whether to notify the user: the device is new, the user has logged in on another device
 *   before, and the daily limit is not reached.
 */
export async function rememberDevice(
  flow: FlowRequest,
  user: User,
  loggedInAt: number,
  isTrusted: boolean,
): Promise<boolean> {
  const { context, provider, tenant, request, response } = flow
  const cookie = readHostCookie(request, NAME)
  const device = cookie === undefined ? undefined : (await readDevice(flow, user)).device
  const isKnown = device && isLoginValid(user, device.loggedInAt)
  const token = cookie !== undefined && TOKEN.test(cookie) ? cookie : newToken()
  const ctx = provider.createContext(request, response)
  setHostCookie(ctx, NAME, token, lifetimes.knownDeviceSeconds)
  const name = deviceName(token, user)
  const holder = withRequest(flow)
  await known.put(holder, name, { loggedInAt })
  const mustNotify = !isKnown && (await recordNewDevice(flow, user))
  if (!isTrusted || !tenant.settings.rememberDevice) return mustNotify
  const since = nowMicros(context.domain.clock)
  const { userAgent } = flow.facts
  await trusted.put(
    holder,
    name,
    { since, loggedInAt, userAgent },
    { accountId: user.id, seconds: tenant.settings.rememberDeviceSeconds },
  )
  return mustNotify
}

/**
 * Records a login on a new device. Returns whether to notify the user. The result is `false` for
 * the user's first device, and above the daily limit.
 */
async function recordNewDevice(flow: FlowRequest, user: User): Promise<boolean> {
  const earlier = await notices.read(flow, user.id)
  const now = nowMicros(flow.context.domain.clock) / 1e6
  const today = (earlier?.value.toldAt ?? []).filter((at) => at > now - 86_400)
  if (today.length >= NOTICES_A_DAY) return false
  await notices.put(withRequest(flow), user.id, { toldAt: earlier ? [...today, now] : [] })
  return earlier !== undefined
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function deviceName(token = '', user: User | undefined): string {
  return hash('sha256', `${token}:${user?.id ?? 'nobody'}`, 'base64url')
}
