import type { HeldJob, Job, JobStore } from '../../jobs.ts'
import { within } from '../../queue-times.ts'
import type { AuditEntry } from '../../records.ts'
import type { Engine } from '../engine.ts'
import { every as columnsIn, type Row } from '../schema.ts'
import { list, once, type Sql, sql } from '../sql.ts'

type JobRow = Row<'jobs'>

/** The parts of the job store that differ between the databases. */
export interface JobEngine extends Pick<Engine, 'reader'> {
  /**
   * Runs one statement that writes.
   *
   * @param audit - An audit entry, which is added in the same step if the statement returns a row.
   */
  run(statement: Sql<JobRow>, audit?: AuditEntry): Promise<JobRow[]>
  /** The expression for the current time in microseconds, from a clock that all processes share. */
  now(): Sql
  /** The end of a query that locks its rows, and skips rows that another process has locked. */
  skipLocked: Sql
}

const every = columnsIn('jobs')

/** The statement that inserts a job. */
export function insertion(job: Job): Sql {
  const { id, tenantId, kind, state, work, actor, progress, total, createdAt } = job
  return sql`insert into jobs (${every}) values (${id}, ${tenantId}, ${kind}, ${state},
    ${JSON.stringify(work)}, ${JSON.stringify(actor)}, ${JSON.stringify(progress)}, ${total}, ${createdAt}, 0, 0)`
}

/** Creates the {@link JobStore} of an SQL database. */
export function createJobs(engine: JobEngine): JobStore {
  const { reader, run, now, skipLocked } = engine
  const until = (seconds: number) => sql`${now()} + ${Math.round(seconds * 1e6)}`
  return {
    ...createJobParts(engine),
    async insert(job, audit) {
      await run(sql`${insertion(job)} returning ${every}`, audit)
    },
    async get(tenantId, id) {
      const row = await reader.first(sql<JobRow>`select ${every} from jobs
        where tenant_id = ${tenantId} and id = ${id}`)
      return row && fromRow(row)
    },
    async some(ids) {
      if (ids.length === 0) return []
      const rows = await reader.all(
        once(sql<JobRow>`select ${every} from jobs where id in (${list(ids)})`),
      )
      return rows.map(fromRow)
    },
    async list(tenantId, limit) {
      const rows = await reader.all(sql<JobRow>`select ${every} from jobs
        where tenant_id = ${tenantId} order by id desc limit ${limit}`)
      return rows.map(fromRow)
    },
    async running(tenantId, kind) {
      const rows = await reader.all(sql<JobRow>`select ${every} from jobs
        where tenant_id = ${tenantId} and state = 'running' and kind = ${kind}`)
      return rows.map(fromRow)
    },
    async claim(seconds) {
      // Claims are made every few seconds. So the method reads first, and writes only if there is a
      // job to take.
      const isFree = sql`state = 'running' and held_until <= ${now()}`
      const free = await reader.first(sql`select 1 from jobs where ${isFree} limit 1`)
      if (!free) return undefined
      const [row] =
        await run(sql<JobRow>`update jobs set held_until = ${until(seconds)}, fence = fence + 1
        where id in (select id from jobs where ${isFree} order by held_until, fence, id limit 1 ${skipLocked})
        returning ${every}`)
      return row && heldFromRow(row)
    },
    async held({ id, fence }) {
      const row = await reader.first(sql<JobRow>`select ${every} from jobs
        where id = ${id} and fence = ${fence} and state = 'running' and held_until > ${now()}`)
      return row && heldFromRow(row)
    },
    async renew({ id, fence }, seconds) {
      await run(sql<JobRow>`update jobs set held_until = ${until(seconds)}
        where id = ${id} and fence = ${fence} and held_until > ${now()}`)
    },
    async recall(seconds) {
      const isAhead = sql`state = 'running' and held_until > ${now()} + ${within(seconds)}`
      const ahead = await reader.first(sql`select 1 from jobs where ${isAhead} limit 1`)
      if (!ahead) return 0
      const rows = await run(sql<JobRow>`update jobs set held_until = 0
        where ${isAhead} returning ${every}`)
      return rows.length
    },
    async remove({ id, fence }) {
      await run(sql`delete from jobs where id = ${id} and fence = ${fence}`)
    },
    async removeEnded(tenantId, kinds) {
      const hasEnded = sql`tenant_id = ${tenantId} and kind in (${list(kinds)})
        and state in ('done', 'stopped')`
      const ended = await reader.first(once(sql`select 1 from jobs where ${hasEnded} limit 1`))
      if (ended) await run(once(sql`delete from jobs where ${hasEnded}`))
    },
    async keep({ id, fence, state, progress }, seconds, audit) {
      const kept = sql<JobRow>`update jobs set held_until = ${until(seconds)}, state = ${state},
        progress = ${JSON.stringify(progress)} where id = ${id} and fence = ${fence} returning ${every}`
      const rows = await run(kept, audit)
      return rows.length > 0
    },
    async resume({ id, state, work, actor, total, progress }, before, audit) {
      const resumed = sql<JobRow>`update jobs set state = ${state},
        users = ${JSON.stringify(work)}, actor = ${JSON.stringify(actor)}, total = ${total}, progress = ${JSON.stringify(progress)}
        where id = ${id} and state = 'waiting' and progress = ${JSON.stringify(before)} returning ${every}`
      const rows = await run(resumed, audit)
      return rows.length > 0
    },
    async setWork({ tenantId, id, work }, before, audit) {
      const isAsRead = sql`state = 'running' and users = ${JSON.stringify(before)}`
      const set = sql<JobRow>`update jobs set users = ${JSON.stringify(work)}
        where tenant_id = ${tenantId} and id = ${id} and ${isAsRead} returning ${every}`
      const rows = await run(set, audit)
      return rows.length > 0
    },
    async discard(tenantId, id) {
      await run(
        sql`delete from jobs where tenant_id = ${tenantId} and id = ${id} and state = 'waiting'`,
      )
    },
    async discardBefore(at) {
      const isOld = sql`state = 'waiting' and created_at < ${at}`
      const old = await reader.first(sql`select 1 from jobs where ${isOld} limit 1`)
      if (old) await run(sql`delete from jobs where ${isOld}`)
    },
  }
}

/** Creates the methods of the {@link JobStore} for the parts of imports. */
function createJobParts({
  reader,
  run,
}: JobEngine): Pick<JobStore, 'addPart' | 'parts' | 'setPart' | 'emptyParts'> {
  return {
    async addPart(jobId, n, content) {
      await run(sql`insert into job_parts (job_id, n, content, result)
        values (${jobId}, ${n}, ${content}, ${JSON.stringify(NO_RESULT)})`)
    },
    async parts(jobId, n, limit) {
      const rows = await reader.all(sql<Omit<Row<'job_parts'>, 'job_id'>>`
        select n, content, result from job_parts
        where job_id = ${jobId} and n >= ${n} order by n limit ${limit}`)
      return rows.map((row) => ({ ...row, result: JSON.parse(row.result) }))
    },
    async setPart(jobId, { n, content, result }) {
      await run(sql`update job_parts set content = ${content}, result = ${JSON.stringify(result)}
        where job_id = ${jobId} and n = ${n}`)
    },
    async emptyParts(jobId) {
      await run(sql`update job_parts set content = '' where job_id = ${jobId}`)
    },
  }
}

const NO_RESULT = { created: 0, existing: 0, faults: [] }

function heldFromRow(row: JobRow): HeldJob {
  return { ...fromRow(row), fence: row.fence } as HeldJob
}

function fromRow(row: JobRow): Job {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    kind: row.kind as Job['kind'],
    state: row.state as Job['state'],
    work: JSON.parse(row.users),
    actor: JSON.parse(row.actor),
    progress: JSON.parse(row.progress),
    total: row.total,
    createdAt: row.created_at,
  } as Job
}
