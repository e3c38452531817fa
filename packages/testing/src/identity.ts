import { type AuthOptions, ConfigError, type WebhookEventType } from '@latchkey/core'
import { checkOptions, flag, type Rules, text } from '@latchkey/core/internal'
import { type CapturedMail, createIdentityService, type IdentityService } from '@latchkey/service'
import { addVirtualKey } from './add-key.ts'
import { logIn, type TestAgent } from './log-in.ts'
import { createCall } from './management.ts'
import { createRegistration } from './registration.ts'
import { createTestClock, type TestClock } from './shifted-date.ts'
import { checkUpstreamOptions, connectUpstream, type UpstreamOptions } from './upstream.ts'
import {
  createUsers,
  type KnownUser,
  type NewUser,
  type TestUser,
  type UserClaims,
} from './users.ts'
import type { VirtualKey, VirtualKeyOptions } from './virtual-key.ts'
import { collectWebhooks, type OpenWebhooks, type TestWebhooks } from './webhooks.ts'

/** Options of an identity. */
export interface IdentityOptions {
  /**
   * The host of its issuer: any domain, because no name is looked up. Default `login.test`, and with `listen`
   * a name that browsers take for this machine.
   */
  readonly domain?: string
  /** Whether it also serves on a free loopback port, for browsers. Default `false`. */
  readonly listen?: boolean
}

/** The options with which `createAuthRouter` logs in at an identity. */
export interface ClientOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly baseUrl: string
  /** Reaches the identity without a socket. */
  readonly fetch: typeof fetch
  readonly session: NonNullable<AuthOptions['session']>
}

/** An identity service in this process, made for tests. */
export interface Identity {
  /** Its issuer, such as `https://login.test`. */
  readonly issuer: string
  /**
   * The options of an application under test: the given ones, and the provider's. Its routes are
   * registered. `baseUrl` is `http://localhost:3000` by default, where no server needs to listen.
   */
  clientOptions(): ClientOptions
  clientOptions<Options extends AuthOptions>(options: Options): ClientOptions & Options
  /** Creates a user who can log in. */
  createUser(user?: NewUser): Promise<TestUser>
  /**
   * Logs a user in at the page that an application led to, and goes back to the application's callback
   * with the agent. The browser it plays has never been at the identity before.
   *
   * @param agent - An agent of supertest, with the cookies from where the login began.
   * @param url - Where the application sent the visitor: the `location` of its redirect.
   * @returns The answer of the application's callback; a redirect when the user is logged in.
   * @throws {@link TestingError} with `LATCHKEY_TEST_LOGIN_REFUSED` when the pages refuse the
   *   login.
   */
  logIn<Response>(agent: TestAgent<Response>, url: string, user: KnownUser): Promise<Response>
  /**
   * Gives a user a passkey, in software: from now on the user logs in with it. With `verifiesUser: false`
   * it is a security key, which follows the password. The setting `allow_hardware` is switched on.
   *
   * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
   */
  virtualKey(user: TestUser, options?: VirtualKeyOptions): Promise<VirtualKey>
  /**
   * Starts another identity at which users of this one can log in: "Continue with Upstream". A user
   * who is created there logs in to an application of this one through both, with `logIn(app,
   * user)`. An address that is verified there is verified here; users without an account get one. The
   * setting `allow_social` is switched on. Closing this identity closes it.
   *
   * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
   */
  upstream(options?: UpstreamOptions): Promise<Identity>
  /** The messages that would have been sent, the newest first; `link` is the link in them. */
  outbox(): Promise<CapturedMail[]>
  /**
   * Adds an endpoint for webhooks, and collects the events that it gets; each is verified. Closing the identity closes it.
   *
   * @param options - `types`: the types of events. Default: all but those of logins.
   */
  webhooks(options?: { readonly types?: readonly WebhookEventType[] }): Promise<TestWebhooks>
  /** The time, which can be moved ahead to see a session end. */
  readonly clock: TestClock
  /** The service itself, for its admin half and its events; `tenantId` is the tenant used here. */
  readonly service: IdentityService
  readonly tenantId: string
  /** Ends the service and moves the time back. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const RULES: Rules<IdentityOptions> = { domain: text, listen: flag }

/**
 * Starts an identity service in this process, in memory, with a tenant and an application.
 *
 * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
 */
export async function startIdentity(options: IdentityOptions = {}): Promise<Identity> {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'startIdentity() cannot start:')
  const claims = new Map<string, UserClaims>()
  const service = await createIdentityService({
    allowHttpOnLoopback: true,
    allowDeveloperMode: true,
    requestsPerSecond: 1_000_000,
    idTokenClaims: (userId) => claims.get(userId) ?? {},
  })
  try {
    return await createIdentity(service, claims, options)
  } catch (error) {
    await service.close()
    throw error
  }
}

async function createIdentity(
  service: IdentityService,
  claims: Map<string, UserClaims>,
  { domain, listen = false }: IdentityOptions,
): Promise<Identity> {
  const address = listen ? await service.listen() : undefined
  const tenant = await service.admin.createTenant({
    domain: hostOf(domain, address?.port),
    name: 'Test',
    settings: { developerMode: true },
  })
  const { secret } = await service.admin.createApiKey({ name: 'testing', reach: [tenant.id] })
  const call = createCall(service, secret)
  const registration = await createRegistration(call, tenant.id, service.fetch)
  const createUser = createUsers(service, call, tenant.id, claims)
  const clock = createTestClock()
  const { domain: host } = tenant.settings
  const isPlain = listen || /(^|\.)localhost(:\d+)?$/.test(host)
  const issuer = `${isPlain ? 'http' : 'https'}://${host}`

  const place = { issuer, fetch: registration.fetch }
  /** The keys of users, by their ids. */
  const keys = new Map<string, VirtualKey>()

  const upstreams: Identity[] = []
  const collectors: OpenWebhooks[] = []

  async function close(): Promise<void> {
    await Promise.all(upstreams.map((upstream) => upstream.close()))
    clock.reset()
    await service.close()
    await Promise.all(collectors.map((collector) => collector.close()))
  }

  const identity: Identity = {
    issuer,
    clientOptions: <Options extends AuthOptions>(wanted?: Options) =>
      registration.clientOptions(issuer, wanted),
    createUser: (user) => createUser(identity, user),
    logIn: (agent, url, user) => logIn(place, agent, url, user, keys.get(user.id)),
    async virtualKey(user, options = {}) {
      const key = await addVirtualKey(place, call, tenant.id, user, options)
      keys.set(user.id, key)
      return key
    },
    async upstream(wanted = {}) {
      checkUpstreamOptions(wanted)
      // The service reaches its providers over sockets alone.
      const upstream = await startIdentity({ listen: true, domain: 'upstream.localhost' })
      upstreams.push(upstream)
      await connectUpstream(identity, place, call, upstream, wanted)
      return upstream
    },
    outbox: () => service.outbox.list(tenant.id),
    async webhooks({ types = [] } = {}) {
      const collector = await collectWebhooks(call, tenant.id, types)
      collectors.push(collector)
      return collector
    },
    clock,
    service,
    tenantId: tenant.id,
    close,
    [Symbol.asyncDispose]: close,
  }
  return identity
}

function hostOf(domain: string | undefined, port: number | undefined): string {
  if (port === undefined) return domain ?? 'login.test'
  const name = domain ?? 'login.localhost'
  return `${name}:${port}`
}
