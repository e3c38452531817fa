import { randomBytes, randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { type Admin, createAdmin } from './admin.ts'
import { createBackground } from './background/index.ts'
import { type Clock, systemClock } from './clock.ts'
import { consoleClient } from './console/client.ts'
import { parseConsoleUrl } from './console/console-url.ts'
import type { Console } from './console/index.ts'
import { followSeals } from './domain/keys/follow-seals.ts'
import { followJobs } from './domain/operators/follow-jobs.ts'
import { ensureSystemTenant } from './domain/operators/operators.ts'
import { canonicalDomain, type DomainPolicy } from './domain/tenants/domain-names.ts'
import { findTenant } from './domain/tenants/tenants.ts'
import { createPasswordEngine } from './domain/users/password-engine.ts'
import { readerLags, trimRefusals } from './domain/writes/audit.ts'
import { startAuditUpkeep } from './domain/writes/audit-upkeep.ts'
import type { DomainContext, ServiceEvents } from './domain/writes/context.ts'
import { ServiceError } from './domain/writes/errors.ts'
import { createVault } from './domain/writes/vault.ts'
import { followDeletions } from './erasure.ts'
import { createApi } from './http/app.ts'
import { readUserToImport } from './http/users-import.ts'
import { createIssuer } from './issuer/index.ts'
import { followMasterKeys } from './key-rotation.ts'
import type { Outbox } from './mail/outbox.ts'
import { createSmtpTransport } from './mail/smtp.ts'
import { openData } from './open-data.ts'
import { closeServer, createHttpServer, type ListenOptions, listen } from './server/http-server.ts'
import { connectInProcess } from './server/in-process.ts'
import { observeRequests } from './server/request-log.ts'
import {
  checkListenOptions,
  checkServiceOptions,
  type IdentityServiceOptions,
} from './service-options.ts'
import { gaugesOf } from './telemetry/gauges.ts'
import { createMetricsListener, type MetricsListener } from './telemetry/metrics-listener.ts'
import { traceRequests } from './telemetry/tracing.ts'
import { version } from './version.ts'
import { createWebhooks } from './webhooks/index.ts'
import { createClientIp } from './wire/client.ts'
import { sendError } from './wire/errors.ts'

/** An identity service. */
export interface IdentityService {
  /** Reaches the service without a socket, under any host name. */
  readonly fetch: typeof globalThis.fetch
  /** The request listener, for any Node server. */
  readonly handler: RequestListener
  /**
   * Serves over HTTP, or over HTTPS with `tls`; resolves with the address once it does.
   *
   * @throws with a sentence when the port is taken or the certificate cannot be used.
   */
  listen(options?: ListenOptions): Promise<AddressInfo>
  /**
   * Begins to record metrics, and serves them at `GET /x/metrics` in the format OpenMetrics; resolves with the
   * address. Give it a port of its own, which only your monitoring reaches. The counters are those of the process.
   *
   * @throws with a sentence when the port is taken.
   */
  listenForMetrics(options?: Omit<ListenOptions, 'tls'>): Promise<AddressInfo>
  /** The operations that `/v1` leaves out: tenants, API keys, secrets, the audit log. */
  readonly admin: Admin
  /** Mail that was captured instead of being sent, or that waits. */
  readonly outbox: Pick<Outbox, 'list'>
  readonly clock: Clock
  readonly events: ServiceEvents
  /**
   * Finishes requests in progress, refuses new ones, and closes the data.
   *
   * @param options - `drainSeconds`: how long `/x/ready` fails before, while everything is still served,
   *   so that load balancers stop sending requests. Default 0.
   */
  close(options?: { drainSeconds?: number }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an identity service in this process.
 *
 * @throws TypeError for an option that is unknown or of a wrong type, listing every one; and an error
 *   when the data folder is served by another process, was written by a newer version, or its
 *   master key is missing.
 */
export async function createIdentityService(
  options: IdentityServiceOptions = {},
): Promise<IdentityService> {
  checkServiceOptions(options)
  const { clock = systemClock, logger = pino({ level: 'silent' }) } = options
  const domains = domainPolicy(options)
  const opened = await openData(options, clock)
  const { store, protocol, masterKeys, rateLimit } = opened
  const events: ServiceEvents = new EventEmitter()
  const passwords = createPasswordEngine(options.passwords)
  const vault = createVault(masterKeys)
  const { allowDeveloperMode = false, consoleUrl } = options
  // The console redeems its codes in this process, so no other one needs to know it.
  const consoleSecret = randomBytes(32).toString('base64url')
  const context: DomainContext = {
    store,
    clock,
    passwords,
    vault,
    domains,
    allowDeveloperMode,
    events,
  }

  const check = atMostEverySecond(async () => {
    await Promise.all([store.check(), protocol.check(), rotation.check()])
  })
  let closing: Promise<void> | undefined
  const clientIp = createClientIp(options.trustedProxies ?? [], logger)
  const background = createBackground(logger)
  const issuer = createIssuer({
    domain: context,
    protocol,
    background,
    logger,
    mail: options.mail && createSmtpTransport(options.mail),
    clientIp,
    ownClient: consoleUrl === undefined ? undefined : consoleClient(consoleUrl, consoleSecret),
    idTokenClaims: options.idTokenClaims,
    allowHttpOnLoopback: options.allowHttpOnLoopback ?? false,
  })
  const webhooks = createWebhooks({
    domain: context,
    background,
    logger,
    allowHttpOnLoopback: options.allowHttpOnLoopback ?? false,
    onDisabled: ({ tenantId, url }, reason) =>
      issuer.support.tellOfWebhook(
        { context, actor: { name: 'service' }, tenantId },
        { url, reason },
      ),
  })
  const api = createApi({
    context,
    support: issuer.support,
    webhooks,
    logger,
    clientIp,
    rateLimit,
    async ready() {
      if (closing) throw new ServiceError('unavailable', 'The service is shutting down.')
      await check()
    },
  })
  const route: RequestListener = (req, res) => {
    if (hasTwoHosts(req)) return refuseTwoHosts(res)
    if (consoleHandler?.isFor(req)) return consoleHandler.handle(req, res)
    if (isApiPath(req.url)) return api(req, res)
    issuer.handle(req, res).then(
      (isAnswered) => isAnswered || api(req, res),
      (error) => res.destroy(error),
    )
  }
  const handler = traceRequests(clientIp.isProxied, observeRequests(logger, route))
  followDeletions(context, background, logger)
  followJobs(context, background, { support: issuer.support, readUser: readUserToImport })
  const rotation = followMasterKeys(masterKeys, context, protocol, background, logger)
  const inProcess = connectInProcess(createHttpServer(handler))
  const consoleHandler = consoleUrl === undefined ? undefined : await startConsole(consoleUrl)
  const servers: Server[] = []
  const metricsServers: { server: Server; listener: MetricsListener }[] = []

  async function startConsole(url: string): Promise<Console> {
    if (domains.consoleHost && (await findTenant({ context }, domains.consoleHost))) {
      throw new Error(
        `A tenant has the domain ${domains.consoleHost}; give the console another URL.`,
      )
    }
    // The console reads the metadata of its own issuer at once.
    await ensureSystemTenant({ context, actor: { name: 'service' } })
    // Loaded here, so that a service without a console need not load it.
    const { createConsole } = await import('./console/index.ts')
    return createConsole({
      ...{ url, context, protocol, logger, clientIp, masterKeys },
      support: issuer.support,
      webhooks,
      system: {
        version,
        stores: storesOf(options),
        startedAt: Math.floor(clock.now() / 1_000),
        check,
        queues: protocol,
      },
      clientSecret: consoleSecret,
      fetch: inProcess.fetch,
    })
  }

  await startAuditUpkeep(context, background, options.auditDays ?? 400)
  followSeals(context, background)

  async function shutDown(drainSeconds: number): Promise<void> {
    webhooks.stopWaiting()
    if (servers.length > 0 && drainSeconds > 0) await sleep(drainSeconds * 1_000)
    const graceMs = (options.closeSeconds ?? 10) * 1_000
    await Promise.all(servers.map((server) => closeServer(server, graceMs)))
    await inProcess.close()
    // Until now: the last requests count as well.
    for (const { server, listener } of metricsServers) {
      listener.close()
      await closeServer(server, METRICS_GRACE_MS)
    }
    await background.close()
    await trimRefusals(context).catch((err: unknown) => logger.error({ err }, UNTRIMMED))
    await Promise.all([webhooks.close(), issuer.close()])
    await opened.close()
  }
  function close({ drainSeconds = 0 }: { drainSeconds?: number } = {}): Promise<void> {
    closing ??= shutDown(drainSeconds)
    return closing
  }

  return {
    fetch: inProcess.fetch,
    handler,
    async listen(where = {}) {
      checkListenOptions(where)
      const server = createHttpServer(handler, where.tls)
      servers.push(server)
      return listen(server, where)
    },
    async listenForMetrics(where = {}) {
      checkListenOptions(where)
      const listener = await createMetricsListener(
        gaugesOf({
          ...{ version, clock, passwords },
          queues: {
            mail: protocol.mail,
            logout_tokens: protocol.notices,
            webhooks: store.deliveries,
          },
          cursors: { lag: () => readerLags(context) },
        }),
      )
      const server = createHttpServer(listener.handle)
      metricsServers.push({ server, listener })
      return listen(server, where)
    },
    admin: createAdmin(context),
    outbox: issuer.outbox,
    clock,
    events,
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

const UNTRIMMED = 'Surplus refused requests could not be deleted.'

/** A scraper asks again. */
const METRICS_GRACE_MS = 1_000

function storesOf({ data, database }: IdentityServiceOptions): { data: string; protocol: string } {
  if (database !== undefined) return { data: 'PostgreSQL', protocol: 'Redis' }
  const store = data === undefined ? 'memory' : 'SQLite'
  return { data: store, protocol: store }
}

/** Anybody may ask whether the service is ready, and each check writes to the disk. */
function atMostEverySecond(check: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let doneAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - doneAt < 1_000) return
    running ??= check()
      .then(() => {
        doneAt = performance.now()
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
}

function domainPolicy(options: IdentityServiceOptions): DomainPolicy {
  return {
    allowLoopback: options.allowHttpOnLoopback ?? false,
    apiHosts: (options.apiHosts ?? []).map(apiHost),
    consoleHost: options.consoleUrl === undefined ? undefined : consoleHost(options.consoleUrl),
    verification: options.domainVerification ?? 'none',
  }
}

function apiHost(text: string): string {
  try {
    return canonicalDomain(text)
  } catch {
    throw new TypeError(`"apiHosts" holds "${text}"; give hosts such as api.example.com.`)
  }
}

function consoleHost(text: string): string {
  const url = parseConsoleUrl(text)
  if (typeof url === 'string') throw new TypeError(`"consoleUrl" is "${text}". ${url}`)
  return url.host
}

/** Proxies in front of the service may have looked at the other one. RFC 9112 §3.2. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  const isHost = (text: string, i: number) => i % 2 === 0 && text.toLowerCase() === 'host'
  return rawHeaders.filter(isHost).length > 1
}

function refuseTwoHosts(res: ServerResponse): void {
  const requestId = randomUUID()
  res.setHeader('request-id', requestId)
  sendError(
    res,
    requestId,
    new ServiceError('invalid_request', 'The request has two Host headers.'),
  )
}

/** Whether a request is for the REST half; all else is for the issuer of the tenant at its host. */
function isApiPath(url = '/'): boolean {
  return /^\/(v1|x(?!\/outbox))(\/|\?|$)/.test(url)
}
