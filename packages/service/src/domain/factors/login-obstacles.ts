import type {
  Connection,
  Credential,
  Micros,
  Standing,
  TenantSettings,
  User,
} from '../../store/records.ts'
import type { Limits, Pause } from '../limits/limits.ts'
import { allowsMailLogin } from '../ways/login-methods.ts'
import { isContested } from '../ways/valid-links.ts'
import { isFirstFactor, isOpenWay } from '../ways/ways-in.ts'
import { factorsAmong } from './factors.ts'

/** The reasons why a login of a user can fail although all entered data is right. */
export const obstacleReasons = [
  'contested',
  'disabled',
  'no_way_in',
  'way_disabled',
  'way_not_allowed',
  'connection_off',
  'unverified',
  'address_held',
  'mail_refused',
  'needs_link',
  'password_wait',
  'device_wait',
  'client_wait',
  'factor_paused',
  'factor_wait',
  'mail_wait',
  'mail_client_wait',
] as const

/** One of {@link obstacleReasons}. */
export type ObstacleReason = (typeof obstacleReasons)[number]

/** The acts with which an operator can remove an obstacle. */
export const obstacleHelp = ['enable', 'invite', 'reset', 'verify', 'let_try_again'] as const

/** One of {@link obstacleHelp}. */
export type ObstacleHelp = (typeof obstacleHelp)[number]

/** A reason why a user cannot log in. */
export interface Obstacle {
  readonly reason: ObstacleReason
  /** Whether the user can still log in by another method. */
  readonly isPartial: boolean
  /** The time at which the wait ends; `undefined` if the obstacle does not end by itself. */
  readonly until?: Micros | undefined
  /** The network from which the user has to wait; `undefined` if all networks are affected. */
  readonly network?: string | undefined
  /** The error response of the mail server, if it refused a message. */
  readonly answer?: string | undefined
  readonly help: readonly ObstacleHelp[]
}

/** The facts that decide whether a user can log in. */
export interface LoginFacts {
  readonly settings: TenantSettings
  readonly user: User
  readonly standing: Standing
  readonly credentials: readonly Credential[]
  /** The connections at which users of the tenant can log in now. */
  readonly offered: readonly Pick<Connection, 'id'>[]
  readonly pauses: readonly Pause[]
  /** The error response of the mail server to the newest message, if that message was given up. */
  readonly refusedMail: string | undefined
  /**
   * The time until which the address waits for another operator's confirmation; `undefined` if it
   * does not wait.
   */
  readonly heldUntil: Micros | undefined
}

/**
 * The reasons why the user cannot log in now, even with the right password and factor; empty if the
 * user can log in. The login itself uses the same functions.
 */
export function loginObstacles(facts: LoginFacts): Obstacle[] {
  const { settings, user, pauses, refusedMail } = facts
  const lasting = [lockOf(facts), closedWays(facts)].filter((one) => one !== undefined)
  const ways = openWays(facts)
  const isUnverified =
    user.verifiedAt === undefined &&
    !settings.allowUnverified &&
    !allowsMailLogin(settings) &&
    !lasting.some((reason) => provesAddress(reason, facts))
  return [
    ...lasting.map((reason) => obstacle(reason, facts)),
    ...addressObstacles(facts, isUnverified),
    ...(refusedMail !== undefined && (ways.needsMail || isUnverified)
      ? [obstacle('mail_refused', facts, { isPartial: ways.isMailPartial, answer: refusedMail })]
      : []),
    ...pauses.flatMap(({ limit, until, network }) => {
      const felt = feltPause(limit, ways)
      if (!felt) return []
      return [obstacle(felt.reason, facts, { isPartial: felt.isPartial, until, network })]
    }),
  ]
}

/** The obstacles because of an address that is unverified or waits for another operator. */
function addressObstacles(facts: LoginFacts, isUnverified: boolean): Obstacle[] {
  const { heldUntil: until, settings } = facts
  if (until === undefined) return isUnverified ? [obstacle('unverified', facts)] : []
  const isPartial = !isUnverified && !allowsMailLogin(settings)
  return [obstacle('address_held', facts, { isPartial, until })]
}

/** The reason why the account is locked; `undefined` if it is not. */
function lockOf({ user, standing }: LoginFacts): ObstacleReason | undefined {
  if (isContested(user, standing)) return 'contested'
  return user.disabled ? 'disabled' : undefined
}

/** Whether the help for an obstacle includes a link that also verifies the address. */
function provesAddress(reason: ObstacleReason, facts: LoginFacts): boolean {
  return helpFor(reason, facts).some((act) => act === 'invite' || act === 'reset')
}

/**
 * The reason why the user has no available login method; `undefined` if there is one. Waiting does
 * not remove it.
 */
function closedWays(facts: LoginFacts): ObstacleReason | undefined {
  const { settings, credentials, offered } = facts
  if (allowsMailLogin(settings)) return undefined
  const ways = credentials.filter(isFirstFactor)
  if (ways.length === 0) return 'no_way_in'
  const enabled = ways.filter(({ disabled }) => !disabled)
  if (enabled.length === 0) return 'way_disabled'
  if (enabled.some((way) => isOpenWay({ settings, offered }, way))) return undefined
  const hasProvider = settings.allowSocial && enabled.some(({ kind }) => kind === 'social')
  return hasProvider ? 'connection_off' : 'way_not_allowed'
}

/** The login methods that a user can use now, and the steps that follow. */
interface OpenWays {
  readonly password: boolean
  readonly mail: boolean
  readonly social: boolean
  readonly passkey: boolean
  /** Whether a login that does not begin with a passkey asks for a second step. */
  readonly hasSecondStep: boolean
  /** Whether the login by one of the methods needs a mailed code. */
  readonly needsMail: boolean
  /** Whether the user can also log in without a mailed code. */
  readonly isMailPartial: boolean
}

function openWays({ settings, credentials, offered }: LoginFacts): OpenWays {
  const open = credentials.filter((one) => isOpenWay({ settings, offered }, one))
  const has = (kind: Credential['kind']) => open.some((one) => one.kind === kind)
  const mail = allowsMailLogin(settings)
  const [password, social, passkey] = [has('password'), has('social'), has('hardware')]
  const { usable, recoveryCodes } = factorsAmong(settings, credentials)
  const isSecondByMail = usable.length > 0 && usable.every((kind) => kind === 'totp_email')
  return {
    ...{ password, mail, social, passkey },
    hasSecondStep: usable.length > 0,
    needsMail: mail || (isSecondByMail && (password || social)),
    isMailPartial: passkey || (isSecondByMail ? recoveryCodes > 0 : social),
  }
}

/** The obstacle that a reached limit causes for a user; `undefined` if the user is not affected. */
function feltPause(
  limit: keyof Limits,
  { password, mail, social, passkey, hasSecondStep, needsMail, isMailPartial }: OpenWays,
): { reason: ObstacleReason; isPartial: boolean } | undefined {
  const when = (isFelt: boolean, reason: ObstacleReason, isPartial: boolean) =>
    isFelt ? { reason, isPartial } : undefined
  switch (limit) {
    case 'loginAnywhere':
      return when(password, 'needs_link', passkey || social)
    case 'loginPerAddress':
      return when(password, 'password_wait', passkey || social)
    case 'loginPerDevice':
      return when(password, 'device_wait', passkey || social)
    case 'loginPerClient':
      return when(password || mail || passkey, 'client_wait', social)
    case 'factorAnywhere':
      return when(hasSecondStep && (password || mail || social), 'factor_paused', passkey)
    case 'factorPerUser':
      return when(hasSecondStep && (password || mail || social), 'factor_wait', passkey)
    case 'mailPerAddress':
      return when(needsMail, 'mail_wait', isMailPartial)
    case 'mailPerClient':
      return when(needsMail, 'mail_client_wait', isMailPartial)
    // Limits a single login. The next login starts over.
    case 'factorPerLogin':
    // Limits only the codes of devices. The login in the browser is not affected.
    case 'userCodePerClient':
    case 'userCodePerTenant':
      return undefined
  }
}

function obstacle(
  reason: ObstacleReason,
  facts: LoginFacts,
  more: Partial<Obstacle> = {},
): Obstacle {
  const help = helpFor(reason, facts).filter(
    (act) => !facts.user.disabled || !needsEnabled.has(act),
  )
  return { reason, isPartial: false, ...more, help, ...answered(reason, facts.refusedMail) }
}

/** The acts that are refused for a disabled user. */
const needsEnabled: ReadonlySet<ObstacleHelp> = new Set(['invite', 'reset', 'verify'])

/** The acts that remove an obstacle of an enabled user. */
function helpFor(
  reason: ObstacleReason,
  { settings, credentials, refusedMail }: LoginFacts,
): readonly ObstacleHelp[] {
  const canReset = settings.allowPasswords && !credentials.some(isOffPassword)
  const help: Readonly<Record<ObstacleReason, readonly ObstacleHelp[]>> = {
    contested: ['enable'],
    disabled: ['enable'],
    no_way_in: canReset && refusedMail === undefined ? ['invite'] : [],
    way_disabled: canReset ? ['reset'] : [],
    way_not_allowed: [],
    connection_off: canReset ? ['reset'] : [],
    unverified: ['verify'],
    address_held: [],
    mail_refused: [],
    needs_link: canReset ? ['let_try_again', 'reset'] : ['let_try_again'],
    password_wait: ['let_try_again'],
    device_wait: ['let_try_again'],
    client_wait: [],
    factor_paused: ['let_try_again'],
    factor_wait: ['let_try_again'],
    mail_wait: ['let_try_again'],
    mail_client_wait: [],
  }
  return help[reason]
}

/**
 * The error response of the mail server, if an invitation bounced. Operators should not send
 * another invitation to the same address.
 */
function answered(reason: ObstacleReason, answer: string | undefined) {
  return reason === 'no_way_in' && answer !== undefined ? { answer } : {}
}

function isOffPassword({ kind, disabled }: Credential): boolean {
  return kind === 'password' && disabled
}
