import type { Clock } from '../clock.ts'
import type { RateLimit } from '../domain/limits/rate-limit.ts'
import type { MasterKeys } from '../domain/writes/vault.ts'
import type { DataStore } from '../store/ports.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'

/** The opened stores of a service, and its master keys. */
export interface OpenData {
  store: DataStore
  protocol: ProtocolStore
  rateLimit: RateLimit
  masterKeys: MasterKeys
  /** The clock that all processes share, or the one in the options. */
  clock: Clock
  close(): Promise<void>
}
