import { describe, expect, test } from 'vitest'
import type { BulkJob, HeldJob, ImportJob } from '../../../src/store/jobs.ts'
import type { Open } from '../data-store-suite.ts'
import { anAudit, aTenant } from '../records.ts'

let made = 0

function aJob(tenantId: string): BulkJob {
  return {
    id: `job_${String(made++).padStart(6, '0')}`,
    tenantId,
    kind: 'disable',
    work: { query: { search: 'ada', disabled: false } },
    actor: { name: 'operator:usr_1', requestId: 'r', address: undefined, userAgent: undefined },
    createdAt: 1_700_000_000_000_000,
    total: 7,
    state: 'running',
    progress: { after: undefined, taken: [], done: 0, failed: 0, failures: [] },
  }
}

export function describeJobs(open: Open): void {
  describe('jobs', () => {
    async function withJobs(count: number) {
      const store = await open()
      const tenant = aTenant()
      await store.tenants.insert(tenant, anAudit('create'))
      const jobs = Array.from({ length: count }, () => aJob(tenant.id))
      for (const job of jobs) await store.jobs.insert(job)
      return { store, tenant, jobs }
    }

    test('a job is read as it was made, the newest first, by its tenant alone', async () => {
      const { store, tenant, jobs } = await withJobs(3)
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
      expect(plain(await store.jobs.list(tenant.id, 2))).toEqual(plain(jobs.slice(1).reverse()))
      const id = jobs[0]?.id ?? ''
      expect(plain(await store.jobs.get(tenant.id, id))).toEqual(plain(jobs[0]))
      expect(await store.jobs.get('ten_other', id)).toBeUndefined()
      const ids = [id, 'job_none', jobs[2]?.id ?? '']
      expect((await store.jobs.some(ids)).map((one) => one.id).sort()).toEqual([ids[0], ids[2]])
      expect(await store.jobs.some([])).toEqual([])
    })

    test('a job is stored together with its audit entry, or not at all', async () => {
      const { store, tenant } = await withJobs(0)
      const [begun, failed] = [aJob(tenant.id), aJob(tenant.id)]
      const entry = { ...anAudit('job.begin'), tenantId: tenant.id, target: begun.id }
      await store.jobs.insert(begun, entry)
      const broken = { ...entry, target: failed.id, action: null as unknown as string }
      await expect(store.jobs.insert(failed, broken)).rejects.toThrow()

      expect((await store.jobs.list(tenant.id, 10)).map(({ id }) => id)).toEqual([begun.id])
      const entries = await store.audit.list({ target: begun.id })
      expect(entries.map(({ action }) => action)).toEqual(['job.begin'])
    })

    test('a job that goes on, is changed or kept is stored together with its audit entry, or not at all', async () => {
      const { store, tenant } = await withJobs(0)
      const waiting: BulkJob = { ...aJob(tenant.id), state: 'waiting' }
      const { id } = waiting
      await store.jobs.insert(waiting)
      const entry = (action: string) => ({ ...anAudit(action), tenantId: tenant.id, target: id })
      const broken = entry(null as unknown as string)
      const stored = () => store.jobs.get(tenant.id, id)
      const actions = async () => (await store.audit.list({ target: id })).map((one) => one.action)

      const running: BulkJob = { ...waiting, state: 'running' }
      await expect(store.jobs.resume(running, waiting.progress, broken)).rejects.toThrow()
      expect(await stored()).toMatchObject({ state: 'waiting' })
      const stale = { ...waiting.progress, done: 1 }
      expect(await store.jobs.resume(running, stale, entry('job.late'))).toBe(false)
      expect(await store.jobs.resume(running, waiting.progress, entry('job.begin'))).toBe(true)

      const changed = { ...running, work: { ids: ['usr_1'], isStopped: true as const } }
      await expect(store.jobs.setWork(changed, waiting.work, broken)).rejects.toThrow()
      expect(await stored()).toMatchObject({ state: 'running', work: waiting.work })
      expect(await store.jobs.setWork(changed, changed.work, entry('job.late'))).toBe(false)
      expect(await store.jobs.setWork(changed, waiting.work, entry('job.stop'))).toBe(true)
      expect(await stored()).toMatchObject({ work: changed.work })

      const held = await store.jobs.claim(30)
      if (!held) throw new Error('No job is free.')
      const stopped: HeldJob = { ...held, state: 'stopped' }
      await expect(store.jobs.keep(stopped, 0, broken)).rejects.toThrow()
      const earlier = { ...stopped, fence: held.fence - 1 }
      expect(await store.jobs.keep(earlier, 0, entry('job.late'))).toBe(false)
      expect(await stored()).toMatchObject({ state: 'running' })
      expect(await store.jobs.keep(stopped, 0, entry('job.end'))).toBe(true)
      expect(await store.jobs.setWork(running, changed.work, entry('job.late'))).toBe(false)
      expect(await actions()).toEqual(['job.end', 'job.stop', 'job.begin'])
    })

    test('one process at a time holds a job, and one that comes too late keeps nothing', async () => {
      const { store, tenant, jobs } = await withJobs(2)
      const claims = await Promise.all([1, 2, 3].map(() => store.jobs.claim(30)))
      const held = claims.filter((one) => one !== undefined) as HeldJob<BulkJob>[]
      expect(held.map(({ id }) => id).sort()).toEqual(jobs.map(({ id }) => id))
      const [first, second] = held as [(typeof held)[0], (typeof held)[0]]
      first.progress = { ...first.progress, done: 3, after: { key: 'k', id: 'usr_3' } }
      expect(await store.jobs.keep(first, 0)).toBe(true)
      const again = await store.jobs.claim(30)
      expect(again).toMatchObject({ id: first.id, progress: { done: 3, after: { id: 'usr_3' } } })
      first.progress.done = 9
      expect(await store.jobs.keep(first, 30)).toBe(false)
      expect(await store.jobs.get(tenant.id, first.id)).toMatchObject({ progress: { done: 3 } })
      expect(await store.jobs.keep({ ...second, state: 'done' }, 0)).toBe(true)
      expect(await store.jobs.claim(30)).toBeUndefined()
    })

    test('a process that holds a job reads it as it is now, until it has lost or ended the job', async () => {
      const { store, tenant } = await withJobs(1)
      const job = (await store.jobs.claim(30)) as HeldJob<BulkJob>
      const work = { ...job.work, isStopped: true } as const
      await store.jobs.setWork({ tenantId: tenant.id, id: job.id, work }, job.work)
      expect(await store.jobs.held(job)).toEqual({ ...job, work })

      await store.jobs.keep(job, 0)
      expect(await store.jobs.held(job)).toBeUndefined()
      const next = (await store.jobs.claim(30)) as HeldJob<BulkJob>
      expect(await store.jobs.held(job)).toBeUndefined()
      expect(await store.jobs.held(next)).toMatchObject({ id: job.id, work })
      await store.jobs.keep({ ...next, state: 'done' }, 30)
      expect(await store.jobs.held(next)).toBeUndefined()
    })

    test('a process deletes a job that it holds, and none that another has taken', async () => {
      const { store, tenant, jobs } = await withJobs(2)
      const first = (await store.jobs.claim(30)) as HeldJob
      await store.jobs.keep(first, 0)
      const other = (await store.jobs.claim(30)) as HeldJob
      const again = (await store.jobs.claim(30)) as HeldJob
      await store.jobs.remove(first)
      expect(await store.jobs.list(tenant.id, 10)).toHaveLength(jobs.length)
      expect(await store.jobs.running(tenant.id, 'enable')).toEqual([])
      expect(await store.jobs.running(tenant.id, 'disable')).toHaveLength(jobs.length)

      await store.jobs.remove(again)
      const left = await store.jobs.running(tenant.id, 'disable')
      expect(left.map(({ id }) => id)).toEqual([other.id])
    })

    test('jobs take turns: one that was given back comes after those that waited meanwhile', async () => {
      const { store, jobs } = await withJobs(2)
      const taken: string[] = []
      for (let step = 0; step < 4; step++) {
        const job = await store.jobs.claim(30)
        if (!job) throw new Error('No job is free.')
        taken.push(job.id)
        await store.jobs.keep(job, 0)
      }
      const [one, two] = jobs.map(({ id }) => id)
      expect(taken).toEqual([one, two, one, two])
    })

    test('an import waits with its parts until one request goes on with it, or it is discarded', async () => {
      const { store, tenant } = await withJobs(0)
      const upload = (): ImportJob => ({
        ...aJob(tenant.id),
        kind: 'import',
        state: 'waiting',
        work: {
          fileName: 'users.csv',
          parts: 2,
          columns: {},
          algorithm: '',
          withoutPasswords: false,
        },
        progress: {
          ...{ phase: 'mapping', part: 0, since: 0, fence: 0 },
          ...{ created: 0, existing: 0, refused: 0 },
        },
      })
      const [one, other, old] = [upload(), upload(), { ...upload(), createdAt: 1 }]
      for (const job of [one, other, old]) {
        await store.jobs.insert(job)
        for (const n of [1, 0]) await store.jobs.addPart(job.id, n, `part ${n}`)
      }
      expect(await store.jobs.claim(30)).toBeUndefined()
      const parts = (id: string, n = 0) => store.jobs.parts(id, n, 10)
      expect((await parts(one.id)).map(({ content }) => content)).toEqual(['part 0', 'part 1'])
      const fault = { row: 3, line: 4, reason: 'has no email address' }
      await store.jobs.setPart(one.id, {
        ...{ n: 1, content: '' },
        result: { created: 2, existing: 1, faults: [fault] },
      })
      expect(await parts(one.id, 1)).toEqual([
        { n: 1, content: '', result: { created: 2, existing: 1, faults: [fault] } },
      ])

      const running: ImportJob = { ...one, state: 'running', total: 9 }
      expect(await store.jobs.resume(running, { ...one.progress, fence: 7 })).toBe(false)
      const resumed = await Promise.all([1, 2].map(() => store.jobs.resume(running, one.progress)))
      expect(resumed.sort()).toEqual([false, true])
      expect(await store.jobs.claim(30)).toMatchObject({ id: one.id, kind: 'import', total: 9 })
      for (const { id } of [one, other]) await store.jobs.discard(tenant.id, id)
      await store.jobs.discardBefore(1_000)
      const left = await store.jobs.list(tenant.id, 10)
      expect(left.map(({ id }) => id)).toEqual([one.id])
      expect([await parts(other.id), await parts(old.id)]).toEqual([[], []])
    })
  })
}
