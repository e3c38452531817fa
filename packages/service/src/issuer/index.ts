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
  /** The runner of the issuer's background tasks and workers. Close it before the issuer. */
  background: Background
  logger: IssuerLogger
  /** Sends mail. Default: mail is captured, and can be read from {@link Issuer.outbox}. */
  mail?: MailTransport | undefined
  clientIp: ClientIp
  /** The client that is part of this process. */
  ownClient?: OwnClient | undefined
  /** The origin of the console, where operators log in; `undefined` without a console. */
  consoleUrl?: string | undefined
  /** Returns more claims about a user for ID Tokens. */
  idTokenClaims?: ClaimsOf | undefined
  /** Limits for attempts. Each has a default. */
  limits?: Partial<Limits>
  /** Limits for requests. Each has a default. */
  requestLimits?: Partial<RequestLimits>
  /**
   * Serves domains on this machine (`localhost`, `*.localhost`, `127.0.0.1`, `[::1]`) as `http://`
   * issuers. Right for development only. Default `false`.
   */
  allowHttpOnLoopback?: boolean
}

/** All tenants as OpenID providers, with the pages for their users. */
export interface Issuer {
  /**
   * Answers any request outside `/v1` and `/x/v1`. Resolves to `false`, without an answer, if no
   * tenant has the host.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Captured mail, and mail that waits to be sent. */
  readonly outbox: Pick<Outbox, 'list'>
  /** Actions of operators that help users. */
  readonly support: Support
  /** The logins of operators with the `latchkey` command. */
  readonly commandLogins: CommandLogins
  /** Resolves when every due logout token and mail was tried once. */
  idle(): Promise<void>
  /** Closes connections to other servers, and breaks off attempts in progress. */
  close(): Promise<void>
}

/** The interval between two removals of expired data, in milliseconds. */
const PRUNE_EVERY_MS = 60_000

/** Creates the issuer of all tenants. */
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
  // In batches, because more data may have expired since the last time than one batch removes.
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
