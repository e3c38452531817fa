import type { AdapterPayload } from 'oidc-provider'
import type { Throttle } from '../domain/limits/limits.ts'
import type { ClaimsOf } from '../domain/users/users.ts'
import type { DomainContext } from '../domain/writes/context.ts'
import type { Outgoing } from '../egress/outgoing.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import type { ClientIp } from '../wire/client.ts'
import type { ClientDocuments } from './provider/clients/client-documents.ts'
import type { ClientKeys } from './provider/clients/client-keys.ts'
import type { Directory } from './provider/directory.ts'
import type { RequestCounts } from './requests/request-limits.ts'
import type { UnfinishedLogins } from './requests/unfinished-logins.ts'
import type { LogoutNotices } from './sessions/logout-notices.ts'
import type { Upstreams } from './social/upstreams.ts'

/** The log for operators of the service. It contains no secrets. */
export interface IssuerLogger {
  debug(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/**
 * A client that is part of this process and no application of the tenant: the management console.
 */
export interface OwnClient {
  readonly tenantId: string
  readonly client: AdapterPayload
}

/** The services that the issuer uses. There is one context per service. */
export interface IssuerContext {
  readonly domain: DomainContext
  readonly protocol: ProtocolStore
  readonly directory: Directory
  readonly outbox: Outbox
  readonly logoutNotices: LogoutNotices
  readonly throttle: Throttle
  readonly counts: RequestCounts
  readonly unfinished: UnfinishedLogins
  readonly outgoing: Outgoing
  readonly upstreams: Upstreams
  readonly clientKeys: ClientKeys
  readonly clientDocuments: ClientDocuments
  readonly clientIp: ClientIp
  readonly logger: IssuerLogger
  readonly ownClient: OwnClient | undefined
  readonly idTokenClaims: ClaimsOf | undefined
  /** Whether domains of this machine are served over plain HTTP. */
  readonly allowHttpOnLoopback: boolean
}
