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

/** Options of `startIdentity()`. */
export interface IdentityOptions {
  /**
   * The host of the issuer. Any name will do, because it is not looked up. Default `login.test`;
   * with `listen`, a name that browsers resolve to this machine.
   */
  readonly domain?: string
  /** Whether the identity also listens on a free loopback port, for browsers. Default `false`. */
  readonly listen?: boolean
}

/**
 * Options for `createAuthRouter()` and `createAuth()` that make the application log in at this
 * identity.
 */
export interface ClientOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly baseUrl: string
  /** Sends requests to the identity, without a socket. */
  readonly fetch: typeof fetch
  readonly session: NonNullable<AuthOptions['session']>
}

/** An identity service in this process, made for tests. */
export interface Identity {
  /** The issuer, such as `https://login.test`. */
  readonly issuer: string
  /**
   * Returns the options of an application under test: yours, and those of this provider. Registers
   * the redirect URIs of the application. Default of `baseUrl`: `http://localhost:3000`, where no
   * server has to listen.
   */
  clientOptions(): ClientOptions
  clientOptions<Options extends AuthOptions>(options: Options): ClientOptions & Options
  /** Creates a user who can log in. */
  createUser(user?: NewUser): Promise<TestUser>
  /**
   * Logs a user in at the URL to which an application redirected, and follows the redirect back to
   * its callback. Acts as a browser that is new to the identity.
   *
   * @param agent - The supertest agent with which the login began.
   * @param url - The `location` of the application's redirect to the login.
   * @returns The response of the application's callback: a redirect if the user is logged in.
   * @throws {@link TestingError} with `LATCHKEY_TEST_LOGIN_REFUSED` if the pages refuse the login.
   */
  logIn<Response>(agent: TestAgent<Response>, url: string, user: KnownUser): Promise<Response>
  /**
   * Gives a user a passkey in software; later logins use it. With `verifiesUser: false`, the key is
   * a security key, which is used after the password. Turns the setting `allow_hardware` on.
   *
   * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
   */
  virtualKey(user: TestUser, options?: VirtualKeyOptions): Promise<VirtualKey>
  /**
   * Starts a second identity, at which users of this one can log in: "Continue with Upstream".
   * Create a user there, and `logIn(app, user)` logs the user in through both identities. Addresses
   * that are verified there are verified here, and users without an account get one. Turns the
   * setting `allow_social` on. The second identity is closed together with this one.
   *
   * @throws {@link ConfigError} for an option that is unknown or of a wrong type.
   */
  upstream(options?: UpstreamOptions): Promise<Identity>
  /** The messages that would have been sent, the newest first. `link` is the link in a message. */
  outbox(): Promise<CapturedMail[]>
  /**
   * Adds a webhook endpoint, and collects and verifies the events that it receives. The endpoint is
   * closed together with this identity.
   *
   * @param options - `types`: the event types. Default: all except those of logins.
   */
  webhooks(options?: { readonly types?: readonly WebhookEventType[] }): Promise<TestWebhooks>
  /** The clock. Advance it to test the expiry of sessions. */
  readonly clock: TestClock
  /**
   * The service, for its admin operations and its events. `tenantId` is the tenant of this
   * identity.
   */
  readonly service: IdentityService
  readonly tenantId: string
  /** Stops the service and resets the clock. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const RULES: Rules<IdentityOptions> = { domain: text, listen: flag }

/**
 * Starts an identity service in the memory of this process, with one tenant and one application.
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
  /** The virtual keys of users, by user id. */
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
      // The upstream identity must listen, because the service reaches providers only over sockets.
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
