import { hash } from 'node:crypto'
import { emailKey } from '../store/email-key.ts'
import type { Admission, AttemptLimit, ProtocolStore } from '../store/protocol-store.ts'
import type { Tenant } from '../store/records.ts'
import { clientNetwork } from './addresses.ts'
import { note } from './commit.ts'
import type { DomainContext } from './context.ts'

/** How often things may be tried before each further attempt has to wait. */
export interface Limits {
  /** Failed logins at one address of one tenant. */
  loginPerAddress: AttemptLimit
  /** Failed logins from one client. */
  loginPerClient: AttemptLimit
  /** Messages to one address of one tenant. */
  mailPerAddress: AttemptLimit
  /** Messages asked for, and accounts made, by one client. */
  mailPerClient: AttemptLimit
}

/** Nobody is ever locked out: the longest wait is fifteen minutes for a login, an hour for mail. */
export const defaultLimits: Limits = {
  loginPerAddress: { free: 5, baseSeconds: 2, maxSeconds: 900, forgetSeconds: 86_400 },
  loginPerClient: { free: 50, baseSeconds: 1, maxSeconds: 300, forgetSeconds: 3_600 },
  mailPerAddress: { free: 3, baseSeconds: 60, maxSeconds: 3_600, forgetSeconds: 86_400 },
  mailPerClient: { free: 30, baseSeconds: 10, maxSeconds: 900, forgetSeconds: 3_600 },
}

/** Who tries something, and at which tenant. */
export interface Attempter {
  readonly tenant: Pick<Tenant, 'id'>
  /** Empty for a request from within this process. */
  readonly clientIp: string
  readonly requestId: string
}

/** Counts attempts and makes the next ones wait. */
export interface Throttle {
  /** Counts a login attempt for the address and the client before the password is looked at. */
  admitLogin(facts: Attempter, email: string): Promise<Admission>
  /** The password was right: the address starts afresh, and the client has one attempt back. */
  forgiveLogin(facts: Attempter, email: string): Promise<void>
  /** The owner of the address has set a password: what others guessed before counts no longer. */
  forgiveAddress(facts: Attempter, email: string): Promise<void>
  /** Counts what makes the service send mail, by who asks for it. */
  admitMailRequest(facts: Attempter): Promise<Admission>
  /** Counts a message to the address; one too many is not sent. */
  admitMail(facts: Attempter, email: string): Promise<boolean>
}

/** At most one audit entry per limit and minute, so that a flood of attempts does not flood the log. */
const AUDIT_EVERY_MS = 60_000

const MAX_REMEMBERED = 10_000

/** Makes the throttle over the counters of the protocol store. */
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
    const now = domain.clock.now()
    if (now - (audited.get(name + key) ?? 0) < AUDIT_EVERY_MS) return
    if (audited.size >= MAX_REMEMBERED) audited.clear()
    audited.set(name + key, now)
    const { tenant, requestId } = facts
    const scope = { context: domain, actor: { name: 'visitor', requestId }, tenantId: tenant.id }
    await note(scope, `limit.${auditNames[name]}`, key)
  }

  async function admitClient(name: keyof Limits, facts: Attempter): Promise<Admission> {
    // A request from within this very process has no address.
    if (facts.clientIp === '') return { kind: 'admitted' }
    return admit(name, clientNetwork(facts.clientIp), facts)
  }

  function forgiveAddress(facts: Attempter, email: string): Promise<void> {
    return protocol.forgive(`loginPerAddress:${addressKey(facts, email)}`)
  }

  return {
    async admitLogin(facts, email) {
      const client = await admitClient('loginPerClient', facts)
      if (client.kind === 'refused') return client
      return admit('loginPerAddress', addressKey(facts, email), facts)
    },

    async forgiveLogin(facts, email) {
      await Promise.all([
        forgiveAddress(facts, email),
        protocol.release(`loginPerClient:${clientNetwork(facts.clientIp)}`),
      ])
    },

    forgiveAddress,

    admitMailRequest: (facts) => admitClient('mailPerClient', facts),

    async admitMail(facts, email) {
      const admission = await admit('mailPerAddress', addressKey(facts, email), facts)
      return admission.kind === 'admitted'
    },
  }
}

const auditNames: Record<keyof Limits, string> = {
  loginPerAddress: 'login_address',
  loginPerClient: 'login_client',
  mailPerAddress: 'mail_address',
  mailPerClient: 'mail_client',
}

/** What visitors type into the field for the address may be anything; only a hash of it is kept. */
function addressKey({ tenant }: Attempter, email: string): string {
  return `${tenant.id}:${hash('sha256', emailKey(email), 'base64url')}`
}
