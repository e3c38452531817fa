import { EventEmitter } from 'node:events'
import type { SourceRecord } from '@latchkey/management/import'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBackground } from '../../src/background/index.ts'
import { systemClock } from '../../src/clock.ts'
import { followJobs } from '../../src/domain/operators/follow-jobs.ts'
import {
  beginImport,
  checkImport,
  getImport,
  stopImport,
  uploadImport,
} from '../../src/domain/operators/import-jobs.ts'
import { beginJob, getJob, stopJob } from '../../src/domain/operators/jobs.ts'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { noLeakedPasswords } from '../../src/domain/users/leaked-passwords.ts'
import { createUser, findUsers, getUser } from '../../src/domain/users/users.ts'
import type { DomainContext, Scope } from '../../src/domain/writes/context.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import { readUserToImport } from '../../src/http/resources/users-import.ts'
import { readExportedUser } from '../../src/http/resources/users-import-update.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { dataStores } from '../support/data-stores.ts'
import { quickPasswords } from '../support/quick-passwords.ts'

/** The number of parts of a hundred rows in an upload. */
const PARTS = 12

async function* records(parts: number): AsyncGenerator<SourceRecord> {
  for (let line = 2; line < parts * 100 + 2; line++) {
    const members = new Map([['email', `user-${line}@example.com`]])
    yield { line, members, fault: undefined }
  }
}

/**
 * A service that runs jobs, with the ids of the jobs that it has claimed, and of the uploads whose
 * parts it has read. `holdUp` lets the reading of parts wait until its result is called.
 */
async function open(kind: string) {
  const inner = await (dataStores[kind] as () => Promise<DataStore>)()
  onTestFinished(() => inner.close())
  const parts: string[] = []
  const claimed: string[] = []
  let heldUp = Promise.resolve()
  function holdUp(): () => void {
    const gate = Promise.withResolvers<void>()
    heldUp = gate.promise
    return gate.resolve
  }
  const store: DataStore = {
    ...inner,
    jobs: {
      ...inner.jobs,
      async claim(seconds) {
        const job = await inner.jobs.claim(seconds)
        if (job) claimed.push(job.id)
        return job
      },
      async parts(id, ...rest) {
        parts.push(id)
        await heldUp
        return inner.jobs.parts(id, ...rest)
      },
    },
  }
  const context: DomainContext = {
    ...{ store, passwords: quickPasswords, leaks: noLeakedPasswords, events: new EventEmitter() },
    clock: systemClock,
    domains: { allowLoopback: false, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    vault: createVault(Buffer.alloc(32, 7)),
  }
  async function addTenant(domain: string): Promise<Scope> {
    const actor = { name: 'admin' }
    const settings = { ...defaultSettings, domain }
    const { id } = await createTenant({ context, actor }, { name: '', metadata: {}, settings })
    return { context, actor, tenantId: id }
  }
  async function check(scope: Scope, count = PARTS) {
    const job = await uploadImport(scope, 'users.csv', records(count))
    const choices = { columns: { email: 'email' }, algorithm: '', withoutPasswords: false }
    return checkImport(scope, job, { ...choices, firebase: null })
  }
  const background = createBackground({ warn: () => {}, error: (facts) => faults.push(facts) })
  const faults: object[] = []
  onTestFinished(() => background.close())
  const help = { support: {} as never, readUser: readUserToImport, readChange: readExportedUser }
  const start = () => followJobs(context, background, help)
  return { addTenant, check, start, parts, claimed, holdUp, faults }
}

const stateOf = async (scope: Scope, id: string) => (await getJob(scope, id)).state

test.each(Object.keys(dataStores))(
  'a job of one tenant runs between the parts of checks of others, on %s',
  async (kind) => {
    const service = await open(kind)
    const scopes: Scope[] = []
    for (let n = 0; n < 5; n++) scopes.push(await service.addTenant(`tenant-${n}.example`))
    const other = await service.addTenant('other.example')
    const checks: string[] = []
    for (const scope of scopes) checks.push((await service.check(scope)).id)
    service.start()
    await vi.waitUntil(() => service.parts.length > 0)
    const begun = await beginJob(other, { kind: 'disable', work: { ids: [] }, total: 0 })
    await vi.waitUntil(async () => (await stateOf(other, begun.id)) === 'done', { interval: 2 })

    const states = await Promise.all(checks.map((id, n) => stateOf(scopes[n] as Scope, id)))
    expect(states).toEqual(checks.map(() => 'running'))
    // One more check than run at a time waits for five seconds.
    await vi.waitUntil(async () => {
      const now = await Promise.all(checks.map((id, n) => stateOf(scopes[n] as Scope, id)))
      return now.every((state) => state === 'waiting')
    })
    for (const [n, id] of checks.entries()) {
      const { progress } = await getJob(scopes[n] as Scope, id)
      expect(progress).toMatchObject({ phase: 'checked', check: { creatable: PARTS * 100 } })
    }
    expect(service.faults).toEqual([])
  },
)

/** A service with a user and a checked upload, and a check of another tenant that keeps its turn. */
async function openBehindCheck(kind: string) {
  const service = await open(kind)
  const scope = await service.addTenant('acme.example')
  const other = await service.addTenant('other.example')
  const fields = { emailVerified: true, disabled: false, metadata: {}, profile: {} }
  const ada = await createUser(scope, { email: 'ada@example.com', ...fields })
  service.start()
  const upload = await service.check(scope, 1)
  await vi.waitUntil(async () => (await stateOf(scope, upload.id)) === 'waiting')
  const resume = service.holdUp()
  onTestFinished(resume)
  const slow = await service.check(other, 1)
  await vi.waitUntil(() => service.parts.includes(slow.id))
  service.claimed.length = 0
  /** Stops a job while it waits for its turn, and resolves to its last state. */
  async function stopInTurn(id: string, stop: () => Promise<unknown>): Promise<string> {
    await vi.waitUntil(() => service.claimed.includes(id))
    await stop()
    resume()
    await vi.waitUntil(async () => (await stateOf(scope, id)) !== 'running')
    return stateOf(scope, id)
  }
  return { scope, ada, upload, stopInTurn, faults: service.faults }
}

test.each(Object.keys(dataStores))(
  'a job that is stopped while it waits for its turn changes no user, on %s',
  async (kind) => {
    const { scope, ada, stopInTurn, faults } = await openBehindCheck(kind)
    const job = await beginJob(scope, { kind: 'disable', work: { ids: [ada.id] }, total: 1 })

    expect(await stopInTurn(job.id, () => stopJob(scope, job.id))).toBe('stopped')
    expect((await getUser(scope, ada.id)).disabled).toBe(false)
    expect(faults).toEqual([])
  },
)

test.each(Object.keys(dataStores))(
  'an import that is stopped while it waits for its turn creates no user, on %s',
  async (kind) => {
    const { scope, upload, stopInTurn, faults } = await openBehindCheck(kind)
    const job = await beginImport(scope, await getImport(scope, upload.id))

    expect(await stopInTurn(job.id, () => stopImport(scope, job.id))).toBe('stopped')
    expect((await getImport(scope, job.id)).progress).toMatchObject({ created: 0 })
    expect(await findUsers(scope, ['user-2@example.com'])).toEqual(new Map())
    expect(faults).toEqual([])
  },
)
