import { EventEmitter } from 'node:events'
import type { SourceRecord } from '@latchkey/management/import'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import {
  beginImport,
  checkImport,
  getImport,
  stopImport,
  uploadImport,
} from '../../src/domain/operators/import-jobs.ts'
import { beginJob, getJob, stopJob, takeStep } from '../../src/domain/operators/jobs.ts'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { noLeakedPasswords } from '../../src/domain/users/leaked-passwords.ts'
import type { DomainContext, Scope } from '../../src/domain/writes/context.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import { readUserToImport } from '../../src/http/resources/users-import.ts'
import { readExportedUser } from '../../src/http/resources/users-import-update.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { dataStores } from '../support/data-stores.ts'
import { quickPasswords } from '../support/quick-passwords.ts'

const help = { support: {} as never, readUser: readUserToImport, readChange: readExportedUser }

async function* records(): AsyncGenerator<SourceRecord> {
  const members = new Map([['email', 'ada@example.com']])
  yield { line: 2, members, fault: undefined }
}

/** A tenant on a store that adds no audit entry by itself, as if the process ended before each. */
async function open(kind: string) {
  const store = await (dataStores[kind] as () => Promise<DataStore>)()
  onTestFinished(() => store.close())
  const dead = async () => {
    throw new Error('The process has ended.')
  }
  const context: DomainContext = {
    ...{ passwords: quickPasswords, leaks: noLeakedPasswords, events: new EventEmitter() },
    store: { ...store, audit: { ...store.audit, append: dead } },
    clock: systemClock,
    domains: { allowLoopback: false, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    vault: createVault(Buffer.alloc(32, 7)),
  }
  const admin = { context, actor: { name: 'admin' } }
  const settings = { ...defaultSettings, domain: 'acme.example' }
  const { id } = await createTenant(admin, { name: '', metadata: {}, settings })
  const scope: Scope = { ...admin, tenantId: id }
  async function step(): Promise<void> {
    const job = await store.jobs.claim(30)
    if (!job) throw new Error('There is no job.')
    await takeStep(context, help, job, () => false)
    await store.jobs.keep(job, 0)
  }
  async function checked(firebase: string | null = null) {
    const upload = await uploadImport(scope, 'users.csv', records())
    const choices = { columns: { email: 'email' }, algorithm: '', withoutPasswords: false }
    await checkImport(scope, upload, { ...choices, firebase })
    await step()
    return getImport(scope, upload.id)
  }
  const disable = (by: Scope) =>
    beginJob(by, { kind: 'disable', work: { query: { search: '' } }, total: 0 })
  const entriesOf = async (target: string) =>
    (await store.audit.list({ target })).map(({ action, actor }) => `${actor} ${action}`)
  return { scope, store, step, checked, disable, entriesOf }
}

test.each(Object.keys(dataStores))(
  'an import that begins, ends or is stopped has an entry, even if the process ends right after it, on %s',
  async (kind) => {
    const { scope, store, step, checked, entriesOf } = await open(kind)
    const whole = await beginImport(scope, await checked())
    await step()
    expect(await getImport(scope, whole.id)).toMatchObject({ state: 'done' })
    const entries = await store.audit.list({ requestId: whole.id })
    expect(entries.map(({ action, target }) => `${action} ${target}`)[0]).toBe(
      'user.import 1 created, 0 existing, 0 refused',
    )

    const { id } = await beginImport(scope, await checked())
    expect(await getImport(scope, id)).toMatchObject({ state: 'running' })
    expect(await entriesOf(id)).toEqual(['admin job.begin'])

    // As by a double click.
    await Promise.all([stopImport(scope, id), stopImport(scope, id)])
    await stopImport(scope, id)
    expect((await getImport(scope, id)).work.isStopped).toBe(true)
    expect(await entriesOf(id)).toEqual(['admin job.stop', 'admin job.begin'])
  },
)

test.each(Object.keys(dataStores))(
  'a job that is stopped has an entry, even if the process ends right after it, on %s',
  async (kind) => {
    const { scope, step, disable, entriesOf } = await open(kind)
    const { id } = await disable(scope)
    await Promise.all([stopJob(scope, id), stopJob(scope, id)])
    await stopJob(scope, id)
    expect(await entriesOf(id)).toEqual(['admin job.stop', 'admin job.begin'])
    await step()

    const gone = { ...scope, actor: { name: 'operator:usr_gone' } }
    const other = await disable(gone)
    await step()
    expect(await getJob(scope, other.id)).toMatchObject({ state: 'stopped' })
    expect(await entriesOf(other.id)).toEqual(['service job.stop', 'operator:usr_gone job.begin'])
  },
)

const FIREBASE = 'base64_signer_key: c2VjcmV0, base64_salt_separator: Bw==, rounds: 8, mem_cost: 14'

test.each(Object.keys(dataStores))(
  'an import that is stopped in its last part keeps no parameters of Firebase, on %s',
  async (kind) => {
    const { scope, store, checked } = await open(kind)
    const { id, work } = await beginImport(scope, await checked(FIREBASE))
    expect(work.firebase).toBeTruthy()

    const { jobs } = store
    const held = await jobs.claim(30)
    if (!held) throw new Error('There is no job.')
    const parts: typeof jobs.parts = async (...asked) => {
      await stopImport(scope, id)
      return jobs.parts(...asked)
    }
    const during = { ...scope.context, store: { ...store, jobs: { ...jobs, parts } } }
    await takeStep(during, help, held, () => false)
    await jobs.keep(held, 0)
    const ended = await getImport(scope, id)
    expect([ended.state, ended.work.isStopped, ended.work.firebase]).toEqual([
      'done',
      true,
      undefined,
    ])
  },
)
