import type { ResolvedAuthOptions } from './options.ts'
import type { Provider } from './provider.ts'
import type { Transactions } from './transaction.ts'

/** What every flow of one instance works with. */
export interface AuthContext {
  readonly options: ResolvedAuthOptions
  readonly provider: Provider
  readonly transactions: Transactions
}
