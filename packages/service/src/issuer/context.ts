import type { DomainContext } from '../domain/context.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import type { Notifier } from './notifier.ts'

/** Where the issuer reports what an operator should know. No secret ever reaches it. */
export interface IssuerLogger {
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** What the issuer works with. One per service. */
export interface IssuerContext {
  readonly domain: DomainContext
  readonly protocol: ProtocolStore
  readonly logger: IssuerLogger
  readonly notifier: Notifier
  /** Whether domains on this very machine are served over plain http. */
  readonly allowHttpOnLoopback: boolean
}
