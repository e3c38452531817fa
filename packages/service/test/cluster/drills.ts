import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../session-store/test/support/redis.ts'
import { type Serving, serveElsewhere } from '../store/serving.ts'
import type { Field } from './field.ts'
import { type Ledger, type Load, redeem } from './load.ts'

/** Breaks something amid load and mends it; how long something is gone is in seconds. */
export type Drill = (field: Field, load: Load, seconds: number) => Promise<void>

/** Takes one process out, as a load balancer does with one that fails its check. */
function takeOut({ cluster }: Field): Serving {
  const [taken] = cluster.processes.splice(Math.floor(Math.random() * cluster.processes.length), 1)
  if (!taken) throw new Error('No process is left.')
  return taken
}

/** What may fail, by the words of the guide. */
export const drills = {
  async 'kill -9 of a process'(field) {
    const spare = await field.cluster.start()
    // The balancer learns of it by the requests that fail.
    const [victim] = field.cluster.processes
    await victim?.kill()
    field.cluster.processes.shift()
    field.cluster.processes.push(spare)
  },

  async 'SIGSTOP of a process, and SIGCONT'(field, load, seconds) {
    const stopped = takeOut(field)
    stopped.signal('SIGSTOP')
    await load.progress()
    await sleep(seconds * 1_000)
    stopped.signal('SIGCONT')
    field.cluster.processes.push(stopped)
  },

  async 'a restart of PostgreSQL'({ postgres }, _, seconds) {
    await postgres.stop('fast')
    await sleep(seconds * 1_000)
    await postgres.start()
  },

  async 'a power cut of PostgreSQL'({ postgres }, _, seconds) {
    await postgres.stop('immediate')
    await sleep(seconds * 1_000)
    await postgres.start()
  },

  async 'a PostgreSQL that is read-only for a while'({ cluster }, _, seconds) {
    const turn = async (value: string) => {
      await cluster.database.query(`alter system set default_transaction_read_only = ${value}`)
      await cluster.database.query('select pg_reload_conf()')
    }
    await turn('on')
    await sleep(seconds * 1_000)
    await cluster.database.query('set default_transaction_read_only = off')
    await turn('off')
  },

  async 'a failover of Redis by Sentinel'({ redis }, load) {
    const { sentinel, master, replica } = redis
    const leader = async () => {
      const found = await sentinel.inspect((r) =>
        r.call('sentinel', 'get-master-addr-by-name', 'sessions'),
      )
      return Number((found as string[])[1])
    }
    const before = await leader()
    const [old, next] = before === master.port ? [master, replica] : [replica, master]
    load.redisMayForget(true)
    await until('the replica has everything', async () => {
      await old.inspect((r) => r.call('wait', 1, 1_000))
      return true
    })
    await old.kill()
    await until('Sentinel promotes the replica', async () => (await leader()) === next.port, 60)
    await load.progress()
    load.redisMayForget(false)
    await old.restart()
  },

  async 'a Redis that is gone for a while'({ redis }, _, seconds) {
    // Stopped and not ended: what it holds is kept, as behind a network that is cut.
    const all = [redis.sentinel, redis.master, redis.replica].map(({ process }) => process)
    for (const one of all) one.kill('SIGSTOP')
    await sleep(seconds * 1_000)
    for (const one of all.reverse()) one.kill('SIGCONT')
  },

  async 'a restart of all processes, one after another'(field) {
    const { processes, start } = field.cluster
    for (const _ of [...processes]) {
      processes.push(await start())
      await processes.shift()?.stop()
    }
  },

  async 'a column that a newer release adds to each table'({ cluster }, load) {
    await withoutFailure(load, async () => {
      const tables = await cluster.database.query(
        "select tablename as name from pg_tables where schemaname = 'public'",
      )
      const column = `of_${crypto.randomUUID().slice(0, 8)}`
      for (const { name } of tables) {
        await cluster.database.query(`alter table ${name} add column ${column} text`)
      }
      await load.progress()
    })
  },

  async 'a PostgreSQL that ends all connections, five times'({ cluster }, load) {
    for (let n = 0; n < 5; n++) {
      await cluster.database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      await load.progress(1)
    }
    const alive = cluster.processes.map(({ origin }) => fetch(`${origin}/x/health`))
    await Promise.all(alive)
  },

  async 'SIGTERM while the balancer still sends requests'({ cluster }, load) {
    const draining = { ...cluster.options, drainSeconds: NOTICED_MS / 500 }
    await withoutFailure(load, async () => {
      for (let n = 0; n < 2; n++) {
        cluster.processes.unshift(await serveElsewhere(draining))
        const [one] = cluster.processes
        await load.progress(1)
        const gone = one?.stop()
        await sleep(NOTICED_MS)
        cluster.processes.shift()
        await gone
      }
    })
  },
} satisfies Record<string, Drill>

/** How long a balancer goes on sending requests to a process that is not ready any more. */
const NOTICED_MS = 1_500

/** Refuses a disturbance that clients notice. */
async function withoutFailure({ ledger }: Load, work: () => Promise<void>): Promise<void> {
  const before = ledger.failures
  await work()
  const failed = ledger.failures - before
  if (failed > 0) throw new Error(`${failed} requests failed, the last one: ${ledger.lastFailure}`)
}

/** What was found after a load, beside what must not be there. */
export interface Findings {
  users: number
  codes: number
  mails: number
  /** Messages that arrived more than once. */
  twice: number
  /** Requests that had no answer, or 502 or 503. */
  failures: number
}

/**
 * Compares what is there with what clients were told.
 *
 * @throws when something that was acknowledged is missing, or anything else is wrong.
 */
export async function verify(field: Field, ledger: Ledger, mailSeconds = 90): Promise<Findings> {
  const faults = [...ledger.wrong]
  const headers = { authorization: `Bearer ${field.apiKey}` }
  for (const [path, acknowledged] of ledger.users) {
    const answer = await field.fetch(path, { headers })
    const text = await answer.text()
    const { updated_at } = (text === '' ? {} : JSON.parse(text)) as { updated_at?: string }
    if (answer.status !== 200) faults.push(`${path} is gone: ${answer.status}`)
    else if (acknowledged !== undefined && updated_at !== acknowledged)
      faults.push(`${path} is of ${updated_at}, and not of ${acknowledged}`)
  }
  for (const { code, redeemed, uncertain } of ledger.codes) {
    if (redeemed > 0 && !uncertain && (await redeem(field, code)))
      faults.push('A code was redeemed later again.')
  }
  const { database } = field.cluster
  const [counted] = await database.query(`select
    (select count(*) from users) as users,
    (select sum(n) from counter_shards where scope like 'users:%') as counted,
    (select count(*) from audit where action = 'user.create') as audited`)
  if (new Set(Object.values(counted ?? {}).map(Number)).size > 1) {
    faults.push(`Users, their counter and the audit log differ: ${JSON.stringify(counted)}`)
  }
  const missing = () => [...ledger.mails].filter((email) => !field.mailbox.has(email))
  await until('all mail arrives', () => missing().length === 0, mailSeconds).catch(() =>
    faults.push(`Mail was lost: ${missing().join(' ')}`),
  )
  if (faults.length > 0) throw new Error(faults.slice(0, 10).join('\n'))
  return {
    users: ledger.users.size,
    codes: ledger.codes.length,
    mails: ledger.mails.size,
    twice: [...ledger.mails].filter((email) => (field.mailbox.get(email) ?? 0) > 1).length,
    failures: ledger.failures,
  }
}
