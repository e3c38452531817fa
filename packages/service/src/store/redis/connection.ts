import type { Micros } from '../records.ts'
import type { RedisConnection } from './connect.ts'
import type { Scripts } from './scripts.ts'

/** A connection with the scripts that are loaded over it, and the time that these are told. */
export interface Scripted {
  readonly client: RedisConnection
  readonly scripts: Scripts
  readonly now: () => Micros
}
