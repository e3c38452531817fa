import { type RawBuilder, sql } from 'kysely'
import type { HeldJob, Job, JobStore } from '../jobs.ts'
import type { Engine } from './engine.ts'
import type { JobRow } from './schema.ts'

/** The differences between the databases of jobs. */
export interface JobEngine extends Pick<Engine, 'reader'> {
  /** Runs one statement that writes. */
  run(statement: RawBuilder<JobRow>): Promise<JobRow[]>
  /** The database's clock, in microseconds. */
  now: RawBuilder<number>
  /** The end of a statement that chooses a row to take. */
  skipLocked: RawBuilder<unknown>
}

const every = sql.raw(
  'id, tenant_id, kind, state, users, actor, progress, total, created_at, held_until, fence',
)

/** The statement that makes the table of jobs. */
export function createJobsTable(byBytes: string, integer: string): string[] {
  return [
    `create table jobs (
      id text ${byBytes} primary key,
      tenant_id text ${byBytes} not null references tenants (id) on delete cascade,
      kind text not null,
      state text not null,
      users text not null,
      actor text not null,
      progress text not null,
      total ${integer} not null,
      created_at ${integer} not null,
      held_until ${integer} not null,
      fence ${integer} not null
    )`,
    'create index jobs_by_tenant on jobs (tenant_id, id)',
    `create index jobs_running on jobs (held_until) where state = 'running'`,
  ]
}

/** The jobs of an SQL store. */
export function createJobs({ reader, run, now, skipLocked }: JobEngine): JobStore {
  const until = (seconds: number) => sql`${now} + ${sql.lit(Math.round(seconds * 1e6))}`
  return {
    async insert({ id, tenantId, kind, state, users, actor, progress, total, createdAt }) {
      await run(sql`insert into jobs (${every}) values (${id}, ${tenantId}, ${kind}, ${state},
        ${JSON.stringify(users)}, ${JSON.stringify(actor)}, ${JSON.stringify(progress)}, ${total}, ${createdAt}, 0, 0)`)
    },
    async get(tenantId, id) {
      const { rows } = await sql<JobRow>`select ${every} from jobs
        where tenant_id = ${tenantId} and id = ${id}`.execute(reader)
      return rows[0] && fromRow(rows[0])
    },
    async list(tenantId, limit) {
      const { rows } = await sql<JobRow>`select ${every} from jobs
        where tenant_id = ${tenantId} order by id desc limit ${limit}`.execute(reader)
      return rows.map(fromRow)
    },
    async claim(seconds) {
      // Asked for every few seconds: a write is tried only where there is something to take.
      const isFree = sql`state = 'running' and held_until <= ${now}`
      const free = await sql`select 1 from jobs where ${isFree} limit 1`.execute(reader)
      if (free.rows.length === 0) return undefined
      const [row] =
        await run(sql<JobRow>`update jobs set held_until = ${until(seconds)}, fence = fence + 1
        where id in (select id from jobs where ${isFree} order by id limit 1 ${skipLocked})
        returning ${every}`)
      return row && { ...fromRow(row), fence: row.fence }
    },
    async renew({ id, fence }, seconds) {
      await run(sql<JobRow>`update jobs set held_until = ${until(seconds)}
        where id = ${id} and fence = ${fence} and held_until > ${now}`)
    },
    async keep({ id, fence, state, progress }, seconds) {
      const rows =
        await run(sql<JobRow>`update jobs set held_until = ${until(seconds)}, state = ${state},
        progress = ${JSON.stringify(progress)} where id = ${id} and fence = ${fence} returning ${every}`)
      return rows.length > 0
    },
  }
}

function fromRow(row: JobRow): Job {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    kind: row.kind as HeldJob['kind'],
    state: row.state as HeldJob['state'],
    users: JSON.parse(row.users),
    actor: JSON.parse(row.actor),
    progress: JSON.parse(row.progress),
    total: row.total,
    createdAt: row.created_at,
  }
}
