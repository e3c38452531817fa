import { hash, randomBytes } from 'node:crypto'
import type { Factors } from '../../../domain/factors/factors.ts'
import { isLoginValid } from '../../../domain/ways/valid-logins.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import { type EntryName, entryName } from '../../../store/protocol-store.ts'
import type { Micros, User } from '../../../store/records.ts'
import { change } from '../../provider/request-changes.ts'
import { readHostCookie, setHostCookie } from '../../requests/cookies.ts'
import type { FlowRequest } from '../flow/flow-request.ts'

const NAME = 'latchkey-device'

const KIND = 'KnownDevice'

/** 32 random bytes. */
const TOKEN = /^[\w-]{43}$/

/** The kind of record about a device that the user trusts. */
const TRUSTED = 'TrustedDevice'

/** The kind of record about the messages to a user. */
const NEWS = 'DeviceNews'

/** When the user logged in, in seconds since the epoch. */
interface KnownDevice {
  loggedInAt: number
  /** For the first time. Default: `loggedInAt`. */
  firstAt?: number | undefined
}

/** A user who has logged in on some device. */
interface DeviceNews {
  /**
   * The times of the last day at which the user was notified of a new device, in seconds since the
   * epoch.
   */
  toldAt: number[]
}

/** How many messages about new devices a user gets a day: programs log in without cookies, too. */
const NEWS_A_DAY = 10

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
  const { name, device } = await readDevice(flow, user)
  if (!device || !user || !isLoginValid(user, device.loggedInAt)) return undefined
  return `${user.id}/${name}`
}

async function readDevice(
  { context, tenant, request }: FlowRequest,
  user: User | undefined,
): Promise<{ name: string; device: KnownDevice | undefined }> {
  const token = readHostCookie(request, NAME)
  const name = deviceName(token, user)
  // A browser without the cookie is unknown, for every user alike.
  if (token === undefined) return { name, device: undefined }
  const entry = await context.protocol.find(entryName(tenant.id, KIND, name))
  return { name, device: entry && (JSON.parse(entry.payload) as KnownDevice) }
}

/** Whether the user has logged in on this device before `at`; what has ended sessions since does not count. */
export async function isKnownFromBefore(
  flow: FlowRequest,
  user: User,
  at: Micros,
): Promise<boolean> {
  const { device } = await readDevice(flow, user)
  return device !== undefined && firstAtOf(device) * 1e6 < at
}

function firstAtOf({ loggedInAt, firstAt = loggedInAt }: KnownDevice): number {
  return firstAt
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
 * @param isTrusted - Whether to skip the second step on this device from now on.
 * @returns Whether to notify the user: it is a new device of a user who has logged in on others
 *   before.
 */
export async function rememberDevice(
  flow: FlowRequest,
  user: User,
  loggedInAt: number,
  isTrusted: boolean,
): Promise<boolean> {
  const { context, provider, tenant, request, response } = flow
  const known = readHostCookie(request, NAME)
  const device = known === undefined ? undefined : (await readDevice(flow, user)).device
  const isKnown = device && isLoginValid(user, device.loggedInAt)
  const token = known !== undefined && TOKEN.test(known) ? known : newToken()
  const seconds = lifetimes.knownDeviceSeconds
  setHostCookie(provider.createContext(request, response), NAME, token, seconds)
  const entry = {
    ...entryName(tenant.id, KIND, deviceName(token, user)),
    payload: JSON.stringify({
      loggedInAt,
      firstAt: device ? firstAtOf(device) : loggedInAt,
    } satisfies KnownDevice),
    expiresAt: nowMicros(context.domain.clock) + seconds * 1e6,
  }
  await change(context.protocol, { kind: 'put', entry })
  const isNews = !isKnown && (await countNews(flow, user))
  if (!isTrusted || !tenant.settings.rememberDevice) return isNews
  const since = nowMicros(context.domain.clock)
  const { userAgent } = flow.facts
  const trusted = {
    ...entryName(tenant.id, TRUSTED, deviceName(token, user)),
    accountId: user.id,
    payload: JSON.stringify({ since, loggedInAt, userAgent } satisfies TrustedDevice),
    expiresAt: since + tenant.settings.rememberDeviceSeconds * 1e6,
  }
  await change(context.protocol, { kind: 'put', entry: trusted })
  return isNews
}

/** Records a login on a new device; returns whether to notify the user. */
async function countNews({ context, tenant }: FlowRequest, user: User): Promise<boolean> {
  const name = entryName(tenant.id, NEWS, user.id)
  const entry = await context.protocol.find(name)
  const { toldAt } = entry ? (JSON.parse(entry.payload) as DeviceNews) : { toldAt: [] }
  const now = nowMicros(context.domain.clock)
  const today = toldAt.filter((at) => at > now / 1e6 - 86_400)
  if (today.length >= NEWS_A_DAY) return false
  const news: DeviceNews = { toldAt: entry ? [...today, now / 1e6] : [] }
  const expiresAt = now + lifetimes.knownDeviceSeconds * 1e6
  const told = { ...name, payload: JSON.stringify(news), expiresAt }
  await change(context.protocol, { kind: 'put', entry: told })
  return entry !== undefined
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function deviceName(token = '', user: User | undefined): string {
  return hash('sha256', `${token}:${user?.id ?? 'nobody'}`, 'base64url')
}
