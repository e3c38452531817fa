import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Background } from '../background/index.ts'
import { createThrottle, defaultLimits, type Limits } from '../domain/limits/limits.ts'
import type { CommandLogins } from '../domain/operators/command-logins.ts'
import type { Support } from '../domain/operators/support.ts'
import type { ClaimsOf } from '../domain/users/users.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import { createOutgoing } from '../egress/outgoing.ts'
import type { MailTransport } from '../mail/message.ts'
import { createOutbox, type Outbox } from '../mail/outbox.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import type { Tenant } from '../store/records.ts'
import type { ClientIp } from '../wire/client.ts'
import type { IssuerContext, IssuerLogger, OwnClient } from './context.ts'
import { createDispatcher } from './dispatcher.ts'
import { createClientDocuments } from './provider/clients/client-documents.ts'
import { createClientKeys } from './provider/clients/client-keys.ts'
import { createCommandLogins } from './provider/command-logins.ts'
import { createDirectory } from './provider/directory.ts'
import { createProviders } from './provider/providers.ts'
import {
  createRequestCounts,
  defaultRequestLimits,
  type RequestLimits,
} from './requests/request-limits.ts'
import { createUnfinishedLogins } from './requests/unfinished-logins.ts'
import { watchActing } from './sessions/acting.ts'
import { createLogoutNotices } from './sessions/logout-notices.ts'
import { endVoidSessions } from './sessions/void-sessions.ts'
import { createUpstreams } from './social/upstreams.ts'
import { createSupport } from './support/support.ts'

export type { Limits } from '../domain/limits/limits.ts'
export type { Outbox } from '../mail/outbox.ts'
export type { IssuerLogger } from './context.ts'
export { checkMembers } from './engine/replace.ts'
export { resealNotice } from './sessions/logout-notices.ts'

export interface IssuerOptions {
  domain: DomainContext
  protocol: ProtocolStore
  /** The tasks and workers of the issuer. Close it first. */
  background: Background
  logger: IssuerLogger
  /** How mail is sent. Default: it is captured, to be read from {@link Issuer.outbox}. */
  mail?: MailTransport | undefined
  clientIp: ClientIp
  /** The client that this process itself is. */
  ownClient?: OwnClient | undefined
  /** The origin of the console, at which operators log in; `undefined` without a console. */
  consoleUrl?: string | undefined
  /** More claims of a user for their ID tokens. */
  idTokenClaims?: ClaimsOf | undefined
  /** How often things may be tried. Every limit that is not given has its default. */
  limits?: Partial<Limits>
  /** How many requests are answered. Every limit that is not given has its default. */
  requestLimits?: Partial<RequestLimits>
  /**
   * Serves domains on this machine (`localhost`, `*.localhost`, `127.0.0.1`, `[::1]`) as `http://` issuers. Right for
   * development only. Default `false`.
   */
  allowHttpOnLoopback?: boolean
}

/** Every tenant as an OpenID provider, with the pages its users see. */
export interface Issuer {
  /**
   * Answers any request outside `/v1` and `/x/v1`. Resolves to `false`, with nothing answered, when
   * no tenant is at the host.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Mail that was captured or waits to be sent. */
  readonly outbox: Pick<Outbox, 'list'>
  /** Help of operators for users. */
  readonly support: Support
  /** The logins of operators on command lines. */
  readonly commandLogins: CommandLogins
  /** Resolves when all due logout tokens and mails were tried once. */
  idle(): Promise<void>
  /** Closes the connections to others, after the background. */
  close(): Promise<void>
}

/** How often what has expired is removed. */
const PRUNE_EVERY_MS = 60_000

/** Makes the issuer of all tenants. */
export function createIssuer(options: IssuerOptions): Issuer {
  const { domain, protocol, background, logger } = options
  const outbox = createOutbox({ domain, protocol, transport: options.mail, background, logger })
  const requestLimits = { ...defaultRequestLimits, ...options.requestLimits }
  const allowHttpOnLoopback = options.allowHttpOnLoopback ?? false
  const outgoing = createOutgoing({ domain, allowHttpOnLoopback })
  const context: IssuerContext = {
    domain,
    protocol,
    directory: createDirectory(domain, { allowHttpOnLoopback }),
    logger,
    ownClient: options.ownClient,
    idTokenClaims: options.idTokenClaims,
    outbox,
    logoutNotices: createLogoutNotices({ domain, protocol, background, logger }),
    throttle: createThrottle(domain, protocol, { ...defaultLimits, ...options.limits }),
    counts: createRequestCounts(requestLimits),
    unfinished: createUnfinishedLogins({ ...domain, protocol }, requestLimits.unfinishedLogins),
    clientIp: options.clientIp,
    outgoing,
    upstreams: createUpstreams({ domain, outgoing, logger }),
    clientDocuments: createClientDocuments({ clock: domain.clock, outgoing, logger }),
    clientKeys: createClientKeys({ clock: domain.clock, outgoing, logger }),
    allowHttpOnLoopback,
  }
  const providers = createProviders(context)
  const providerOf = async (tenant: Tenant) => (await providers.of(tenant)).provider
  context.logoutNotices.start(providerOf)
  const acting = watchActing(context, background, providerOf)
  const voiding = endVoidSessions(context, background, providerOf)
  // Batch after batch: more may have expired since the last time than fits into one.
  background.every(PRUNE_EVERY_MS, 'pruning protocol state', async (isClosed) => {
    while (!isClosed() && (await protocol.prune()) > 0);
  })

  async function idle(): Promise<void> {
    await voiding.idle()
    await acting.idle()
    await context.logoutNotices.idle()
    await outbox.idle()
  }

  return {
    handle: createDispatcher(context, providers),
    outbox: { list: (tenantId) => outbox.list(tenantId) },
    support: createSupport(context, providerOf),
    commandLogins: createCommandLogins(context, options.consoleUrl),
    idle,
    async close() {
      await context.outgoing.close()
      outbox.close()
    },
  }
}
