import type { MasterKeys } from './domain/writes/vault.ts'
import type { RateLimit } from './http/rate-limit.ts'
import type { DataStore } from './store/ports.ts'
import type { ProtocolStore } from './store/protocol-store.ts'

/** Where a service keeps what it knows. */
export interface OpenData {
  store: DataStore
  protocol: ProtocolStore
  rateLimit: RateLimit
  masterKeys: MasterKeys
  close(): Promise<void>
}
