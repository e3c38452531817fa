import { hash } from 'node:crypto'
import { admissionAfter } from '../../store/attempts.ts'
import { emailKey } from '../../store/email-key.ts'
import type {
  Admission,
  AttemptCounter,
  AttemptLimit,
  AttemptOutcome,
  Attempts,
  ProtocolStore,
} from '../../store/protocol-store.ts'
import type { Micros, Tenant, User } from '../../store/records.ts'
import { count } from '../../telemetry/metrics.ts'
import type { Verification } from '../users/passwords.ts'
import { clientNetwork } from '../writes/addresses.ts'
import { note } from '../writes/audit.ts'
import { type DomainContext, nowMicros } from '../writes/context.ts'
import { createAttemptGate } from './attempt-gate.ts'

/** The limits of attempts, after which each further attempt has to wait. */
export interface Limits {
  /** Failed logins at one email address of one tenant, from one network. */
  loginPerAddress: AttemptLimit
  /** Failed logins of one user on a device on which the user logged in before. */
  loginPerDevice: AttemptLimit
  /** Failed logins in a row at one email address of one tenant, from all networks. */
  loginAnywhere: AttemptLimit
  /** Failed logins from one client network. */
  loginPerClient: AttemptLimit
  /** Attempts at a second step by one user, until one succeeds. */
  factorPerUser: AttemptLimit
  /**
   * Attempts at a second step in one login, at one mailed code, or with one link that takes an
   * account back. When the limit is reached, a login starts over with the first step.
   */
  factorPerLogin: AttemptLimit
  /**
   * Attempts at a second step by one user, until one succeeds. When the limit is reached, only an
   * operator or time helps.
   */
  factorAnywhere: AttemptLimit
  /** Messages to one email address of one tenant. */
  mailPerAddress: AttemptLimit
  /** Requests for messages and sign-ups from one client network. */
  mailPerClient: AttemptLimit
  /** Unknown device codes that were entered from one client network. */
  userCodePerClient: AttemptLimit
  /** Unknown device codes that were entered at one tenant. */
  userCodePerTenant: AttemptLimit
}

const MONTH_SECONDS = 30 * 86_400

/**
 * The default limits. The longest wait is fifteen minutes for a login, and an hour for mail and
 * second steps. After `loginAnywhere`, only a mailed link or a known device helps. `factorPerLogin`
 * lasts a day, and `factorAnywhere` a month.
 */
export const defaultLimits: Limits = {
  loginPerAddress: { free: 5, baseSeconds: 2, maxSeconds: 900, forgetSeconds: 86_400 },
  loginPerDevice: { free: 5, baseSeconds: 2, maxSeconds: 900, forgetSeconds: 86_400 },
  loginAnywhere: {
    free: 100,
    baseSeconds: MONTH_SECONDS,
    maxSeconds: MONTH_SECONDS,
    forgetSeconds: MONTH_SECONDS,
  },
  loginPerClient: { free: 50, baseSeconds: 1, maxSeconds: 300, forgetSeconds: 3_600 },
  factorPerUser: { free: 10, baseSeconds: 30, maxSeconds: 3_600, forgetSeconds: 86_400 },
  factorPerLogin: { free: 5, baseSeconds: 86_400, maxSeconds: 86_400, forgetSeconds: 86_400 },
  factorAnywhere: {
    free: 100,
    baseSeconds: MONTH_SECONDS,
    maxSeconds: MONTH_SECONDS,
    forgetSeconds: MONTH_SECONDS,
  },
  mailPerAddress: { free: 3, baseSeconds: 60, maxSeconds: 3_600, forgetSeconds: 86_400 },
  mailPerClient: { free: 30, baseSeconds: 10, maxSeconds: 900, forgetSeconds: 3_600 },
  userCodePerClient: { free: 20, baseSeconds: 5, maxSeconds: 900, forgetSeconds: 3_600 },
  // The wait is short, because it affects all users of the tenant. It allows 43,200 guesses a day,
  // of 25.6 billion codes.
  userCodePerTenant: { free: 1_000, baseSeconds: 1, maxSeconds: 2, forgetSeconds: 3_600 },
}

/** The tenant and the client of an attempt. */
export interface Attempter {
  readonly tenant: Pick<Tenant, 'id'>
  /** The IP address of the client. Empty for a request from within this process. */
  readonly clientIp: string
  readonly userAgent?: string | undefined
  readonly requestId: string
}

/** A login with a password. */
export interface LoginAttempt {
  readonly facts: Attempter
  /** The email address as entered. */
  readonly email: string
  /**
   * The id of a known device: the user's id, a slash, and a name of the device. `undefined` if this
   * user has not logged in on the device before.
   */
  readonly knownDevice: string | undefined
}

/**
 * The refusal of a login before its password is verified. The login has to wait, or needs a mailed
 * link.
 */
export type Throttled = { kind: 'throttled'; retryAfterSeconds: number } | { kind: 'needs_link' }

/** A limit that makes a user wait. */
export interface Pause {
  readonly limit: keyof Limits
  readonly until: Micros
  /**
   * The network from which attempts have to wait; `undefined` if the limit affects all networks.
   */
  readonly network?: string | undefined
}

/** The limits of attempts at logins, second steps, messages and device codes. */
export interface Throttle {
  /**
   * Calls `judge` for a login, unless too many logins have failed: at the email address from this
   * network, from this network, or at the address from all networks. On a known device, only
   * failures on this device count.
   *
   * Only a refusal counts as a failure. An error that `judge` throws does not, for example when the
   * service is too busy. A success resets the counts of the address or the device.
   */
  tryLogin(
    attempt: LoginAttempt,
    judge: () => Promise<Verification>,
  ): Promise<Verification | Throttled>
  /**
   * Calls `judge` for a login with a passkey, a mailed code or a provider, unless too many logins
   * have failed from the client's network.
   */
  tryWithoutPassword<Outcome extends { kind: 'verified' | 'refused' }>(
    facts: Attempter,
    judge: () => Promise<Outcome>,
  ): Promise<Outcome | Throttled>
  /**
   * Calls `judge` for an entered device code, unless too many unknown codes were entered from the
   * client's network or at the tenant.
   */
  tryUserCode<Outcome extends { kind: 'verified' | 'refused' }>(
    facts: Attempter,
    judge: () => Promise<Outcome>,
  ): Promise<Outcome | Throttled>
  /**
   * Resets the counts of an email address after its owner has set a password. Earlier guesses of
   * others no longer count.
   */
  resetAddress(facts: Pick<Attempter, 'tenant'>, email: string): Promise<void>
  /**
   * Counts an attempt at a second step before it is verified. So parallel attempts, in any number
   * of processes, cannot exceed the limits.
   *
   * @param login - The id of the login; for a mailed code on the account page, that of the code.
   */
  admitFactor(facts: Attempter, userId: string, login: string): Promise<FactorAdmission>
  /**
   * Counts an attempt at a mailed code of the first step, or at the password that a link requires,
   * before it is verified.
   *
   * @param code - The id of the code or the link.
   */
  admitCode(facts: Attempter, code: string): Promise<Admission>
  /**
   * The limits that make the user wait now.
   *
   * @param addresses - The IP addresses from which the user is logged in. Networks of failed logins
   *   at the user's email address are added.
   */
  pausesOf(
    tenantId: string,
    user: Pick<User, 'id' | 'email'>,
    addresses: readonly string[],
  ): Promise<Pause[]>
  /** Resets all counters of the user, for all networks. The counters of client networks stay. */
  resetUser(tenantId: string, user: Pick<User, 'id' | 'email'>): Promise<void>
  /** The number of the user's attempts at a second step since the last success. */
  failedFactors(facts: Attempter, userId: string): Promise<number>
  /** Resets the counts of the user's second steps after a success. */
  resetFactor(facts: Pick<Attempter, 'tenant'>, userId: string): Promise<void>
  /** Counts a request that makes the service send mail, by the client's network. */
  admitMailRequest(facts: Attempter): Promise<Admission>
  /**
   * Counts a message to an email address. Resolves to `false` if the limit is reached and the
   * message must not be sent.
   */
  admitMail(facts: Attempter, email: string): Promise<boolean>
}

/**
 * Whether a second step may be verified. `login_over`: too many attempts in this login have failed.
 * `paused`: too many attempts of the user have failed in a row.
 */
export type FactorAdmission = Admission | { kind: 'login_over' | 'paused' }

interface LoginCounter extends AttemptCounter {
  readonly name: keyof Limits
  /** The target of the audit entry. */
  readonly target: string
}

/**
 * The minimum time between audit entries for one limit and key, in milliseconds, so that many
 * attempts do not flood the log.
 */
const AUDIT_EVERY_MS = 60_000

const MAX_REMEMBERED = 10_000

/** The context and functions that all groups of limits share. */
interface Counting {
  readonly domain: DomainContext
  readonly protocol: ProtocolStore
  readonly limits: Limits
  /** Counts an attempt, and audits it if it is refused. */
  admit(name: keyof Limits, key: string, facts: Attempter): Promise<Admission>
  /** Adds a refused attempt to the audit log, at most once a minute for each limit and key. */
  audit(name: keyof Limits, key: string, facts: Attempter): Promise<void>
}

/** Creates the throttle. Its counters are in the protocol store. */
export function createThrottle(
  domain: DomainContext,
  protocol: ProtocolStore,
  limits: Limits,
): Throttle {
  const audited = new Map<string, number>()

  async function admit(name: keyof Limits, key: string, facts: Attempter): Promise<Admission> {
    const admission = await protocol.admit(`${name}:${key}`, limits[name])
    if (admission.kind === 'refused') await audit(name, key, facts)
    return admission
  }

  async function audit(name: keyof Limits, key: string, facts: Attempter): Promise<void> {
    count('limits', { limit: name })
    const now = domain.clock.now()
    if (now - (audited.get(name + key) ?? 0) < AUDIT_EVERY_MS) return
    if (audited.size >= MAX_REMEMBERED) audited.clear()
    audited.set(name + key, now)
    const { tenant, requestId, clientIp: address, userAgent } = facts
    const actor = { name: 'visitor', requestId, address: address || undefined, userAgent }
    const scope = { context: domain, actor, tenantId: tenant.id }
    await note(scope, `limit.${auditNames[name]}`, key, 'failure')
  }

  async function admitClient(name: keyof Limits, facts: Attempter): Promise<Admission> {
    // A request from within this process has no IP address, so no network is limited.
    if (facts.clientIp === '') return { kind: 'admitted' }
    return admit(name, clientNetwork(facts.clientIp), facts)
  }

  const counting: Counting = { domain, protocol, limits, admit, audit }
  return {
    ...createTries(counting),
    ...createFactorLimits(counting),
    ...createResets(protocol),

    pausesOf: (tenantId, user, addresses) => pausesOf(counting, tenantId, user, addresses),

    admitMailRequest: (facts) => admitClient('mailPerClient', facts),

    async admitMail(facts, email) {
      const admission = await admit('mailPerAddress', addressKey(facts, email), facts)
      return admission.kind === 'admitted'
    },
  }
}

/** The limits of logins and device codes, which count only failed attempts. */
function createTries({
  domain,
  protocol,
  limits,
  audit,
}: Counting): Pick<Throttle, 'tryLogin' | 'tryWithoutPassword' | 'tryUserCode'> {
  const gate = createAttemptGate(domain, protocol)

  function countersOf({ facts, email, knownDevice }: LoginAttempt): LoginCounter[] {
    const { tenant, clientIp } = facts
    if (knownDevice !== undefined) return [counter('loginPerDevice', `${tenant.id}:${knownDevice}`)]
    const address = addressKey(facts, email)
    const network = clientNetwork(clientIp)
    return [
      counter('loginAnywhere', address),
      // A request from within this process has no IP address, so no network is counted.
      ...(network === '' ? [] : [counter('loginPerClient', network)]),
      counter('loginPerAddress', `${address}/${network}`),
    ]
  }

  async function tryWith<Outcome extends { kind: 'verified' | 'refused' }>(
    counters: readonly LoginCounter[],
    facts: Attempter,
    judge: () => Promise<Outcome>,
  ): Promise<Outcome | Throttled> {
    const entry = await gate.enter(counters)
    if (entry.kind === 'refused') {
      const { name, target } = entry.counter
      await audit(name, target, facts)
      if (name === 'loginAnywhere') return { kind: 'needs_link' }
      return { kind: 'throttled', retryAfterSeconds: entry.retryAfterSeconds }
    }
    let outcome: Outcome | undefined
    try {
      outcome = await judge()
      return outcome
    } finally {
      await entry.end((counter) => effectOf(outcome?.kind, counter))
    }
  }

  function counter(name: keyof Limits, key: string): LoginCounter {
    return { name, key: `${name}:${key}`, limit: limits[name], target: key }
  }

  return {
    tryLogin: (attempt, judge) => tryWith(countersOf(attempt), attempt.facts, judge),

    tryWithoutPassword(facts, judge) {
      const network = clientNetwork(facts.clientIp)
      return tryWith(network === '' ? [] : [counter('loginPerClient', network)], facts, judge)
    },

    tryUserCode(facts, judge) {
      const network = clientNetwork(facts.clientIp)
      const perClient = network === '' ? [] : [counter('userCodePerClient', network)]
      return tryWith([...perClient, counter('userCodePerTenant', facts.tenant.id)], facts, judge)
    },
  }
}

/** The limits of second steps and mailed codes, which count attempts before they are verified. */
function createFactorLimits({
  protocol,
  admit,
}: Counting): Pick<Throttle, 'admitFactor' | 'admitCode' | 'failedFactors'> {
  return {
    async admitFactor(facts, userId, login) {
      const user = `${facts.tenant.id}:${userId}`
      const admission = await admit('factorPerUser', user, facts)
      if (admission.kind === 'refused') return admission
      const inARow = await admit('factorAnywhere', user, facts)
      if (inARow.kind === 'refused') return { kind: 'paused' }
      const within = await admit('factorPerLogin', `${facts.tenant.id}:${login}`, facts)
      return within.kind === 'refused' ? { kind: 'login_over' } : within
    },

    admitCode: (facts, code) => admit('factorPerLogin', `${facts.tenant.id}:${code}`, facts),

    async failedFactors(facts, userId) {
      const made = await protocol.attempts(`factorPerUser:${facts.tenant.id}:${userId}`)
      return made?.count ?? 0
    },
  }
}

/** The resets of counters, after a success or by an operator. */
function createResets(
  protocol: ProtocolStore,
): Pick<Throttle, 'resetAddress' | 'resetFactor' | 'resetUser'> {
  async function resetAddress(facts: Pick<Attempter, 'tenant'>, email: string): Promise<void> {
    const address = addressKey(facts, email)
    await Promise.all([
      protocol.resetAttempt(`loginAnywhere:${address}`),
      protocol.resetAttempts(`loginPerAddress:${address}/`),
    ])
  }

  async function resetFactor(facts: Pick<Attempter, 'tenant'>, userId: string): Promise<void> {
    const user = `${facts.tenant.id}:${userId}`
    await Promise.all([
      protocol.resetAttempt(`factorPerUser:${user}`),
      protocol.resetAttempt(`factorAnywhere:${user}`),
    ])
  }

  return {
    resetAddress,

    resetFactor,

    async resetUser(tenantId, { id, email }) {
      const facts = { tenant: { id: tenantId } }
      await Promise.all([
        resetAddress(facts, email),
        protocol.resetAttempts(`loginPerDevice:${tenantId}:${id}/`),
        resetFactor(facts, id),
        protocol.resetAttempt(`mailPerAddress:${addressKey(facts, email)}`),
      ])
    },
  }
}

/** The limits that make a user wait now; see {@link Throttle.pausesOf}. */
async function pausesOf(
  counting: Counting,
  tenantId: string,
  { id, email }: Pick<User, 'id' | 'email'>,
  addresses: readonly string[],
): Promise<Pause[]> {
  const { protocol } = counting
  const by = (limit: keyof Limits, made: Attempts | undefined, network?: string) =>
    pauseBy(counting, limit, made, network)
  const address = addressKey({ tenant: { id: tenantId } }, email)
  const user = `${tenantId}:${id}`
  const [perAddress, perDevice] = await Promise.all([
    protocol.attemptsOf(`loginPerAddress:${address}/`),
    protocol.attemptsOf(`loginPerDevice:${user}/`),
  ])
  const networks = new Set([
    ...perAddress.map(({ member }) => member),
    ...addresses.map(clientNetwork),
  ])
  networks.delete('')
  const read = async (limit: keyof Limits, key: string, network?: string) =>
    by(limit, await protocol.attempts(`${limit}:${key}`), network)
  const pauses = await Promise.all([
    read('loginAnywhere', address),
    ...perAddress.map((made) => by('loginPerAddress', made, made.member || undefined)),
    ...perDevice.map((made) => by('loginPerDevice', made)),
    read('factorAnywhere', user),
    read('factorPerUser', user),
    read('mailPerAddress', address),
    ...[...networks].flatMap((network) => [
      read('loginPerClient', network, network),
      read('mailPerClient', network, network),
    ]),
  ])
  return pauses.filter((pause) => pause !== undefined)
}

/**
 * The wait that a limit requires after the counted attempts; `undefined` if no wait is required.
 * The login uses the same calculation.
 */
function pauseBy(
  { domain, limits }: Counting,
  limit: keyof Limits,
  made: Attempts | undefined,
  network?: string,
): Pause | undefined {
  const now = nowMicros(domain.clock)
  const admission = admissionAfter(made, limits[limit], now)
  if (admission.kind === 'admitted') return undefined
  return { limit, until: now + admission.retryAfterSeconds * 1e6, network }
}

/**
 * The outcome of an attempt for a counter. An attempt without an outcome, such as after an error,
 * leaves the counter unchanged.
 */
function effectOf(outcome: string | undefined, { name }: LoginCounter): AttemptOutcome {
  if (outcome === undefined) return 'unchanged'
  if (outcome !== 'verified') return 'failed'
  // A success says nothing about other attempts from the network or at the tenant.
  return /^(loginPerClient|userCodePer)/.test(name) ? 'unchanged' : 'forgiven'
}

const auditNames: Record<keyof Limits, string> = {
  loginPerAddress: 'login_address',
  loginPerDevice: 'login_device',
  loginAnywhere: 'login_anywhere',
  loginPerClient: 'login_client',
  factorPerUser: 'factor_user',
  factorPerLogin: 'factor_login',
  factorAnywhere: 'factor_anywhere',
  mailPerAddress: 'mail_address',
  mailPerClient: 'mail_client',
  userCodePerClient: 'user_code_client',
  userCodePerTenant: 'user_code_tenant',
}

/**
 * The counter key of an email address. Visitors may type anything into the field, so the key has
 * only its hash.
 */
function addressKey({ tenant }: Pick<Attempter, 'tenant'>, email: string): string {
  return `${tenant.id}:${hash('sha256', emailKey(email), 'base64url')}`
}
