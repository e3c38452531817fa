import { findRestoredDump } from '../domain/operators/restored-dump.ts'
import { restoreFindings } from '../domain/operators/restores.ts'
import type { DatabaseOptions } from '../service-options.ts'
import type { DataStore } from '../store/ports.ts'
import { type Connections, createConnections } from '../store/postgres/connections.ts'
import { createPostgresDataStore } from '../store/postgres/data-store.ts'
import {
  clockDifference,
  counterDrift,
  logEnds,
  repairCounters,
  repairLogEnds,
} from '../store/postgres/inspect.ts'
import { connectRedis } from '../store/redis/connect.ts'
import { inspectRedis, type RedisFacts } from '../store/redis/inspect.ts'
import { createLogMemory } from '../store/redis/log-memory.ts'

/**
 * The maximum difference between two clocks. Smaller differences do no harm, because codes of
 * authenticator apps are accepted for another 30 seconds.
 */
const MAX_SECONDS_APART = 30

/** The servers to examine. */
interface Examined {
  database: DatabaseOptions
  redis?: string | undefined
  /** Whether to correct wrong counters, and wrong ends of the audit log. */
  repair: boolean
}

/** Advice for an operator about PostgreSQL, Redis or this machine, one sentence each. */
export async function examineShared({ database, redis, repair }: Examined): Promise<string[]> {
  const connections = createConnections(database, { queryMs: 0 })
  const store = createPostgresDataStore(connections)
  try {
    const findings: string[] = []
    const seconds = await clockDifference(connections)
    findings.push(...clockFinding('this machine', seconds))
    const drift = await counterDrift(connections)
    if (repair && drift.length > 0) await repairCounters(connections)
    for (const { scope, counted, rows } of drift) {
      const what = `The counter ${scope} said ${counted}, and there are ${rows}`
      findings.push(repair ? `${what}. It was repaired.` : `${what}. Run doctor with --repair.`)
    }
    findings.push(...(await examineLog(connections, repair)))
    findings.push(...(await restoreFindings(store)))
    if (redis !== undefined) findings.push(...(await examineDump(store, redis)))
    if (redis !== undefined) findings.push(...(await examineRedis(redis, seconds)))
    return findings
  } finally {
    await store.close()
  }
}

/**
 * Findings about the audit log: wrong ends of the log, and entries that exports cannot read yet.
 *
 * @param repair - Whether to correct wrong ends.
 */
async function examineLog(connections: Connections, repair: boolean): Promise<string[]> {
  const { last, newest, read, exported } = await logEnds(connections)
  const remedy = repair ? 'It was repaired.' : 'Run doctor with --repair.'
  const findings: string[] = []
  if (newest > last) {
    findings.push(
      `The audit log has entries up to ${newest}, and new ones begin at ${last}. ${remedy}`,
    )
  }
  if (read > Math.max(last, newest)) {
    findings.push(`The audit log is said to be read up to ${read}, and ends at ${last}. ${remedy}`)
  }
  if (repair && findings.length > 0) await repairLogEnds(connections)
  if (exported < last) {
    findings.push(
      `Entries of the audit log behind ${exported} are not exported while a transaction that writes it ` +
        'does not end. Look for it in pg_stat_activity.',
    )
  }
  return findings
}

/** A finding if the database is a restored dump that no process has noticed at its start. */
async function examineDump(store: DataStore, url: string): Promise<string[]> {
  const client = connectRedis(url)
  try {
    const dump = await findRestoredDump(store, createLogMemory(client))
    if (!dump) return []
    return [
      `The audit log ends at ${dump.ends}, and Redis knows of entries up to ${dump.past}: an older state of the ` +
        'database came back. Restart all processes: they log all users out, and API keys, operators and endpoints ' +
        'wait for "latchkey-service confirm".',
    ]
  } finally {
    client.disconnect()
  }
}

function clockFinding(whose: string, seconds: number): string[] {
  if (Math.abs(seconds) <= MAX_SECONDS_APART) return []
  const how = seconds > 0 ? 'ahead of' : 'behind'
  return [
    `The clock of ${whose} is ${Math.abs(seconds).toFixed(0)} s ${how} that of PostgreSQL. ` +
      'Let both keep their time by NTP.',
  ]
}

/**
 * Findings about each node of Redis.
 *
 * @param seconds - How far this machine's clock is ahead of PostgreSQL's.
 */
async function examineRedis(url: string, seconds: number): Promise<string[]> {
  const client = connectRedis(url)
  try {
    return (await inspectRedis(client)).flatMap((facts) => [
      ...clockFinding(`Redis at ${facts.node}`, facts.secondsAhead + seconds),
      ...redisFindings(facts),
    ])
  } finally {
    client.disconnect()
  }
}

/** The faults of one Redis node. */
function redisFindings({ node, evictionPolicy, isPersistent }: RedisFacts): string[] {
  const findings: string[] = []
  if (evictionPolicy !== undefined && evictionPolicy !== 'noeviction') {
    findings.push(
      `Redis at ${node} has maxmemory-policy ${evictionPolicy}. Set noeviction, or it may evict sessions.`,
    )
  }
  if (!isPersistent) {
    findings.push(
      `Redis at ${node} keeps nothing on disk. Set appendonly yes, or a restart logs all users out.`,
    )
  }
  return findings
}
