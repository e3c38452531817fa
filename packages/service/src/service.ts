import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { type Background, createBackground } from './background/index.ts'
import type { Clock } from './clock.ts'
import { parseConsoleUrl } from './console/addresses/console-url.ts'
import { consoleClient } from './console/gate/client.ts'
import type { Console } from './console/index.ts'
import { startConsole } from './console/start-console.ts'
import { followSeals } from './domain/keys/follow-seals.ts'
import { followJobs } from './domain/operators/follow-jobs.ts'
import { restoreFindings } from './domain/operators/restores.ts'
import { canonicalDomain, type DomainPolicy } from './domain/tenants/domain-names.ts'
import { startMailDayUpkeep } from './domain/tenants/mail-days.ts'
import { createPasswordEngine } from './domain/users/password-engine.ts'
import { readerLags, trimRefusals } from './domain/writes/audit.ts'
import { startAuditUpkeep } from './domain/writes/audit-upkeep.ts'
import type { DomainContext, ServiceEvents } from './domain/writes/context.ts'
import { ServiceError } from './domain/writes/errors.ts'
import { reason } from './domain/writes/reasons/index.ts'
import { createVault } from './domain/writes/vault.ts'
import { createLeakedPasswords } from './egress/leaked-passwords.ts'
import { type ApiOptions, createApi } from './http/app.ts'
import { readUserToImport } from './http/resources/users-import.ts'
import { readExportedUser } from './http/resources/users-import-update.ts'
import { hasTwoHosts, refuseTwoHosts } from './http/two-hosts.ts'
import { checkMembers, createIssuer, type Issuer } from './issuer/index.ts'
import type { MailTransport } from './mail/message.ts'
import type { Outbox } from './mail/outbox.ts'
import { openData } from './opening/open-data.ts'
import { type Admin, createAdmin } from './operate/admin.ts'
import { createHttpServer, type ListenOptions } from './server/http-server.ts'
import { connectInProcess } from './server/in-process.ts'
import { observeRequests } from './server/request-log.ts'
import { createServers } from './server/servers.ts'
import {
  checkListenOptions,
  checkServiceOptions,
  type IdentityServiceOptions,
} from './service-options.ts'
import { type Gauge, gaugesOf } from './telemetry/gauges.ts'
import { traceRequests } from './telemetry/tracing.ts'
import { followDeletions } from './upkeep/erasure.ts'
import { followMasterKeys } from './upkeep/key-rotation.ts'
import { version } from './version.ts'
import { createWebhooks } from './webhooks/index.ts'
import { type ClientIp, createClientIp } from './wire/client.ts'

/** An identity service. */
export interface IdentityService {
  /** Sends a request to the service without a socket, under any host name. */
  readonly fetch: typeof globalThis.fetch
  /** The request listener for a server of node:http. */
  readonly handler: RequestListener
  /**
   * Listens for HTTP, or with `tls` for HTTPS. Resolves to the address.
   *
   * @throws if the port is in use, or the certificate cannot be used.
   */
  listen(options?: ListenOptions): Promise<AddressInfo>
  /**
   * Starts to record metrics, and serves them at `GET /x/metrics` in the OpenMetrics format.
   * Resolves to the address. Use a port that only your monitoring can reach. The counters are for
   * the whole process.
   *
   * @throws if the port is in use.
   */
  listenForMetrics(options?: Omit<ListenOptions, 'tls'>): Promise<AddressInfo>
  /**
   * Operations that the API `/v1` does not have, on tenants, API keys, secrets and the audit log.
   */
  readonly admin: Admin
  /** The mail that was captured instead of sent, or is waiting to be sent. */
  readonly outbox: Pick<Outbox, 'list'>
  readonly clock: Clock
  readonly events: ServiceEvents
  /**
   * Stops the service: refuses new requests, finishes requests and background work in progress for
   * at most `closeSeconds`, and closes the data. Events, mails and logout tokens that are not sent
   * by then are sent by another process, or after the next start.
   *
   * @param options - `drainSeconds`: seconds before the stop in which `/x/ready` fails, so that
   *   load balancers stop sending requests. Requests are still served, and each connection is
   *   closed after its next response. Default 0.
   */
  close(options?: { drainSeconds?: number }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an identity service in this process.
 *
 * @throws TypeError that lists all options that are unknown or of a wrong type.
 * @throws if another process serves the data folder, if a newer version wrote the folder, if its
 *   master key is missing, or if the installed oidc-provider lacks a part that the service needs.
 */
export async function createIdentityService(
  options: IdentityServiceOptions = {},
): Promise<IdentityService> {
  checkServiceOptions(options)
  // This check comes before the data is opened: opening could migrate a folder that the service
  // then cannot serve.
  checkMembers()
  const { logger = pino({ level: 'silent' }) } = options
  const domains = domainPolicy(options)
  const clientIp = createClientIp(options.trustedProxies ?? [], logger)
  const opened = await openData(options)
  let context: DomainContext | undefined
  try {
    context = await createContext(opened, options, domains, logger)
    return await startService(options, { opened, context, logger, clientIp })
  } catch (error) {
    // Otherwise, another attempt would find the folder in use, and the list of leaked passwords
    // would stay open.
    await Promise.all([context?.leaks.close(), opened.close()])
    throw error
  }
}

/**
 * Starts a service on opened stores. If the start fails, everything that it has started is stopped.
 * The stores and the context stay open.
 */
async function startService(
  options: IdentityServiceOptions,
  { opened, context, logger, clientIp }: StartParts,
): Promise<IdentityService> {
  const { store, protocol, masterKeys } = opened
  // The console redeems its codes in this process, so no other process needs this secret.
  const consoleSecret = randomBytes(32).toString('base64url')

  const check = atMostEverySecond(async () => {
    await Promise.all([store.check(), protocol.check(), rotation.check()])
  })
  let closing: Promise<void> | undefined
  const background = createBackground(logger)
  // Imported only if mail is sent, so that a development server need not load nodemailer.
  const mail = options.mail && (await import('./mail/smtp.ts')).createSmtpTransport(options.mail)
  const { issuer, webhooks, api } = createLayers(options, {
    ...{ opened, context, background, logger, clientIp, consoleSecret, mail },
    async ready() {
      if (closing) throw new ServiceError('unavailable', reason('service_closing'))
      await check()
    },
  })
  const route = createRoute({ issuer, api, consoleHandler: () => consoleHandler })
  const handler = traceRequests(clientIp.isProxied, observeRequests(logger, route))
  followDeletions(context, background, logger)
  followJobs(context, background, {
    support: issuer.support,
    readUser: readUserToImport,
    readChange: readExportedUser,
  })
  const rotation = followMasterKeys(masterKeys, context, protocol, background, logger)
  const inProcess = connectInProcess(createHttpServer(handler))
  const system = { version, stores: storesOf(options), check, queues: protocol }
  const consoleParts = {
    ...{ context, protocol, logger, clientIp, masterKeys, webhooks },
    ...{ support: issuer.support, clientSecret: consoleSecret, fetch: inProcess.fetch },
  }
  const servers = createServers(handler)

  async function shutDown(drainSeconds: number): Promise<void> {
    webhooks.stopWaiting()
    const drains = servers.isServing() && drainSeconds > 0
    if (drains) {
      servers.drain()
      await sleep(drainSeconds * 1_000)
    }
    const graceMs = (options.closeSeconds ?? 10) * 1_000
    // Nothing in the background begins from here on. Other processes, or the next one, go on.
    const worked = background.close()
    const workedOrLate = atMost(graceMs, worked)
    await servers.close({ idleMs: drains ? IDLE_MS : 0, graceMs })
    await inProcess.close()
    // The metrics stay available until now, so that they include the last requests.
    await servers.closeMetrics()
    await workedOrLate
    // This breaks off the attempts that still wait for an endpoint or a mail server.
    await Promise.all([webhooks.close(), issuer.close()])
    await worked
    await trimRefusals(context).catch((err: unknown) => logger.error({ err }, UNTRIMMED))
  }
  function close({ drainSeconds = 0 }: { drainSeconds?: number } = {}): Promise<void> {
    closing ??= shutDown(drainSeconds).then(async () => {
      await Promise.all([context.leaks.close(), opened.close()])
    })
    return closing
  }

  let consoleHandler: Console | undefined
  try {
    if (options.consoleUrl !== undefined) {
      consoleHandler = await startConsole({ ...consoleParts, url: options.consoleUrl }, system)
    }
    startAuditUpkeep(context, background, options.auditDays ?? 400)
    await startMailDayUpkeep(context, background)
  } catch (error) {
    await shutDown(0)
    throw error
  }
  followSeals(context, background)
  for (const finding of await restoreFindings(store)) logger.warn(finding)

  return {
    fetch: inProcess.fetch,
    handler,
    async listen(where = {}) {
      checkListenOptions(where)
      return servers.listen(where)
    },
    async listenForMetrics(where = {}) {
      checkListenOptions(where)
      return servers.listenForMetrics(where, serviceGauges(context, protocol))
    },
    admin: createAdmin(context),
    outbox: issuer.outbox,
    clock: context.clock,
    events: context.events,
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

/**
 * The time that idle connections stay open after a drain, because they may still bring a request.
 */
const IDLE_MS = 1_000

const UNTRIMMED = 'Surplus refused requests could not be deleted.'

/** The stores that were opened. */
type Opened = Awaited<ReturnType<typeof openData>>

/** Creates the context for the rules of the domain, with the opened stores. */
async function createContext(
  { store, masterKeys, clock }: Opened,
  options: IdentityServiceOptions,
  domains: DomainPolicy,
  logger: Logger,
): Promise<DomainContext> {
  const { allowDeveloperMode = false, allowHttpOnLoopback = false } = options
  const reached = { store, clock, domains, allowDeveloperMode }
  const events: ServiceEvents = new EventEmitter()
  // The service itself adds ten listeners. Node reports more listeners than this limit as a leak.
  events.setMaxListeners(25)
  return {
    ...reached,
    passwords: createPasswordEngine(options.passwords),
    leaks: await createLeakedPasswords({
      domain: reached,
      allowHttpOnLoopback,
      file: options.leakedPasswordsFile,
      url: options.leakedPasswordsUrl,
      logger,
    }),
    vault: createVault(masterKeys),
    events,
  }
}

/** The parts that a service is started with. */
interface StartParts {
  opened: Opened
  context: DomainContext
  logger: Logger
  clientIp: ClientIp
}

/** The parts that the layers share. */
interface LayerParts extends StartParts {
  background: Background
  consoleSecret: string
  mail: MailTransport | undefined
  ready: ApiOptions['ready']
}

/** Creates the layers that answer requests, and the webhooks that report changes. */
function createLayers(options: IdentityServiceOptions, parts: LayerParts) {
  const { opened, context, background, logger, clientIp, mail } = parts
  const { consoleUrl, allowHttpOnLoopback = false } = options
  const issuer = createIssuer({
    domain: context,
    protocol: opened.protocol,
    background,
    logger,
    mail,
    clientIp,
    ownClient:
      consoleUrl === undefined ? undefined : consoleClient(consoleUrl, parts.consoleSecret),
    consoleUrl,
    idTokenClaims: options.idTokenClaims,
    allowHttpOnLoopback,
  })
  const webhooks = createWebhooks({
    domain: context,
    background,
    logger,
    allowHttpOnLoopback,
    onDisabled: ({ tenantId, url }, reason) =>
      issuer.support.tellOfWebhook(
        { context, actor: { name: 'service' }, tenantId },
        { url, reason },
      ),
  })
  const api = createApi({
    context,
    support: issuer.support,
    commandLogins: issuer.commandLogins,
    consoleUrl,
    webhooks,
    logger,
    clientIp,
    rateLimit: opened.rateLimit,
    ready: parts.ready,
  })
  return { issuer, webhooks, api }
}

/** The gauges of this service. The keys of `queues` are the names of the queues in the metrics. */
function serviceGauges(context: DomainContext, protocol: Opened['protocol']): Gauge[] {
  const { store, clock, passwords } = context
  return gaugesOf({
    ...{ version, clock, passwords },
    queues: {
      mail: protocol.mail,
      logout_tokens: protocol.notices,
      webhooks: store.deliveries,
    },
    cursors: { lag: () => readerLags(context) },
  })
}

function storesOf({ data, database }: IdentityServiceOptions): { data: string; protocol: string } {
  if (database !== undefined) return { data: 'PostgreSQL', protocol: 'Redis' }
  const store = data === undefined ? 'memory' : 'SQLite'
  return { data: store, protocol: store }
}

/** Waits for work, but at most some milliseconds. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const waiting = new AbortController()
  await Promise.race([work, sleep(ms, undefined, { signal: waiting.signal })])
  waiting.abort()
}

/**
 * Makes a function that skips a check for a second after it has passed. Anyone can ask whether the
 * service is ready, and each check writes to the disk.
 */
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
    consoleHost:
      options.consoleUrl === undefined ? undefined : consoleHost(options.consoleUrl, options),
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

function consoleHost(text: string, { allowHttpOnLoopback }: IdentityServiceOptions): string {
  const url = parseConsoleUrl(text)
  if (typeof url === 'string') throw new TypeError(`"consoleUrl" is "${text}". ${url}`)
  if (url.protocol === 'http:' && !allowHttpOnLoopback) {
    throw new TypeError(
      `The console's URL is ${text}, but operators log in over https here, so none could. Give it an https:// address; to try the console on this machine, run "latchkey-service dev".`,
    )
  }
  return url.host
}

/** The parts of the service that answer requests. */
interface Answering {
  issuer: Pick<Issuer, 'handle'>
  api: RequestListener
  /** `undefined` until the console has started, and in a service without one. */
  consoleHandler: () => Console | undefined
}

/** Makes the listener that passes each request to the part of the service that answers it. */
function createRoute({ issuer, api, consoleHandler }: Answering): RequestListener {
  return (req, res) => {
    if (hasTwoHosts(req)) return refuseTwoHosts(res)
    const console = consoleHandler()
    if (console?.isFor(req)) return console.handle(req, res)
    if (isApiPath(req.url)) return api(req, res)
    issuer.handle(req, res).then(
      (isAnswered) => isAnswered || api(req, res),
      (error) => res.destroy(error),
    )
  }
}

/**
 * Whether a request is for the REST API. Other requests are for the issuer of the tenant at the
 * host.
 */
function isApiPath(url = '/'): boolean {
  return /^\/(v1|x(?!\/outbox))(\/|\?|$)/.test(url)
}
