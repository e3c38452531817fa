import type { Micros } from '../records.ts'
import type { RedisConnection } from './connect.ts'
import type { Scripts } from './scripts.ts'

/** A connection with its scripts. `now`: the time for the arguments of the scripts. */
export interface Scripted {
  readonly client: RedisConnection
  readonly scripts: Scripts
  readonly now: () => Micros
}
