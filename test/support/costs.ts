import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { TestRedis } from '../../packages/session-store/test/support/redis.ts'
import type { CountingProxy, Traffic } from './counting-proxy.ts'

/** The cost of an operation, in the words of the table in `bench/README.md`. */
export interface Cost {
  'Redis commands': number
  'round trips': number
  /** Keys that were not there before. */
  'new keys': number
  /** The memory of new keys, and by how much others grew, as Redis counts it. */
  bytes: number
  /** The growth of the keys that live longer than an hour, in number and in bytes. */
  'keys for longer': number
  'bytes for longer': number
  'SQL statements'?: number
  'SQL round trips'?: number
}

const README = new URL('../../bench/README.md', import.meta.url)

/**
 * Fails when an operation costs more than the table in `bench/README.md` says. A cost that has become lower
 * is written into the table.
 */
export function expectCost(operation: string, cost: Cost, ...traffic: Traffic[]): void {
  if (process.env.LATCHKEY_PRINT_COSTS) console.log(operation, cost, ...traffic)
  const limits = limitsOf(operation)
  const seen = traffic.map(({ commands }) => commands.join('\n')).join('\n\n')
  for (const [column, value] of Object.entries(cost)) {
    expect(limits[column], `${operation}: the table has no ${column}`).toEqual(expect.any(Number))
    expect(value, `${operation}: ${column}; it sent:\n${seen}`).toBeLessThanOrEqual(
      limits[column] as number,
    )
  }
}

function limitsOf(operation: string): Record<string, number> {
  const [head = [], ...rows] = readFileSync(README, 'utf8')
    .split('\n## What a login sends and keeps')[1]
    ?.split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim())) ?? [[]]
  const row = rows.find((cells) => cells[1] === operation) ?? []
  return Object.fromEntries(
    head.flatMap((column, at) =>
      /^\d/.test(row[at] ?? '') ? [[column, readNumber(row[at])]] : [],
    ),
  )
}

const readNumber = (text = ''): number => Number(text.replaceAll(',', ''))

/** Measures what a step sends to Redis, and what it leaves there. */
export async function costOf(
  redis: TestRedis,
  proxy: CountingProxy,
  step: () => Promise<unknown>,
): Promise<{ cost: Cost; traffic: Traffic }> {
  const before = await entriesIn(redis)
  const traffic = await proxy.count(step)
  const after = await entriesIn(redis)
  return {
    traffic,
    cost: {
      'Redis commands': traffic.commands.length,
      'round trips': traffic.roundTrips,
      'new keys': [...after.keys()].filter((key) => !before.has(key)).length,
      bytes: growth(before, after),
      'keys for longer': Math.max(0, lasting(after).length - lasting(before).length),
      'bytes for longer': Math.max(0, sum(lasting(after)) - sum(lasting(before))),
    },
  }
}

const HOUR_MS = 3_600_000

/** A key of Redis: its memory in bytes, and its remaining life in milliseconds, which may be infinite. */
interface Entry {
  readonly bytes: number
  readonly life: number
}
type Entries = ReadonlyMap<string, Entry>

/** The bytes of each key that lives longer than an hour. */
const lasting = (entries: Entries): number[] =>
  [...entries.values()].filter(({ life }) => life > HOUR_MS).map(({ bytes }) => bytes)

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0)

/** Keys that have expired or become smaller meanwhile do not make up for others. */
function growth(before: Entries, after: Entries): number {
  return sum(
    [...after].map(([key, { bytes }]) => Math.max(0, bytes - (before.get(key)?.bytes ?? 0))),
  )
}

/** The beginning of the keys by which the service remembers, once a second, how far its log has come. */
const LOG_KEYS = 'latchkey:log:'

function entriesIn(redis: TestRedis): Promise<Entries> {
  return redis.inspect(async (client) => {
    const keys = await client.keys('*')
    const entries = keys
      .filter((key) => !key.startsWith(LOG_KEYS))
      .map(async (key) => {
        const bytes = Number((await client.memory('USAGE', key, 'SAMPLES', 0)) ?? 0)
        const life = await client.pttl(key)
        return [key, { bytes, life: life === -1 ? Number.POSITIVE_INFINITY : life }] as const
      })
    return new Map(await Promise.all(entries))
  })
}
