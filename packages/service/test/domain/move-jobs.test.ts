import { EventEmitter } from 'node:events'
import type { Logger } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBackground } from '../../src/background/index.ts'
import { systemClock } from '../../src/clock.ts'
import {
  beginJob,
  discardOldNotices,
  type JobHelp,
  takeStep,
} from '../../src/domain/operators/jobs.ts'
import { insertJob, moveJob } from '../../src/domain/operators/new-job.ts'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { noLeakedPasswords } from '../../src/domain/users/leaked-passwords.ts'
import { createUser, editUser, getUser, type Move } from '../../src/domain/users/users.ts'
import type { DomainContext } from '../../src/domain/writes/context.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import type { MoveJob, RoleJob } from '../../src/store/jobs.ts'
import type { DataStore } from '../../src/store/ports.ts'
import { createSqliteProtocolStore } from '../../src/store/sqlite/protocol-store.ts'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import { followMasterKeys } from '../../src/upkeep/key-rotation.ts'
import { anAudit, aTenant } from '../store/records.ts'
import { dataStores } from '../support/data-stores.ts'
import { quickPasswords } from '../support/quick-passwords.ts'

/** A tenant with Ada, whose address an operator edits. */
async function open(kind: string) {
  const store = await (dataStores[kind] as () => Promise<DataStore>)()
  onTestFinished(() => store.close())
  const context: DomainContext = {
    ...{ store, passwords: quickPasswords, leaks: noLeakedPasswords, events: new EventEmitter() },
    clock: systemClock,
    domains: { allowLoopback: false, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    vault: createVault(Buffer.alloc(32, 7)),
  }
  await store.tenants.insert(aTenant({ id: SYSTEM_TENANT_ID }), anAudit('create'))
  const actor = { name: 'operator:usr_1' }
  const settings = { ...defaultSettings, domain: 'acme.example' }
  const tenant = await createTenant({ context, actor }, { name: '', metadata: {}, settings })
  const scope = { context, actor, tenantId: tenant.id }
  const profile = { emailVerified: true, disabled: false, metadata: {}, profile: {} }
  const ada = await createUser(scope, { email: 'ada@example.com', ...profile })
  const edit = (jobOf: Parameters<typeof editUser>[5]) =>
    editUser(
      scope,
      ada.id,
      () => ({ email: 'lovelace@example.com', claims: {}, metadata: {} }),
      ada.updatedAt,
      false,
      jobOf,
    )
  return { store, context, scope, ada, edit }
}

test.each(Object.keys(dataStores))(
  'a user whose address an operator changes is told, even if the first try fails, on %s',
  async (kind) => {
    const { store, context, scope, ada, edit } = await open(kind)
    await edit((move) => moveJob(scope, move))
    const told: Move[] = []
    const help = (tellOfMove: JobHelp['support']['tellOfMove']) =>
      ({ support: { tellOfMove } }) as unknown as JobHelp

    const job = await store.jobs.claim(30)
    if (!job) throw new Error('There is no job.')
    expect(JSON.stringify(job)).not.toMatch(/ada@|lovelace@/)
    const down = async () => {
      throw new Error('The outbox is down.')
    }
    await expect(takeStep(context, help(down), job, () => false)).rejects.toThrow('is down')
    expect(job.state).toBe('running')
    const up = async (_: unknown, move: Move) => void told.push(move)
    await takeStep(context, help(up), job, () => false)

    expect(job.state).toBe('done')
    expect(told).toMatchObject([
      { before: { id: ada.id, email: 'ada@example.com' }, email: 'lovelace@example.com' },
    ])
    expect(await store.jobs.get(SYSTEM_TENANT_ID, job.id)).toBeUndefined()
  },
)

test.each(Object.keys(dataStores))(
  'an address is not changed if the message about it cannot be stored, on %s',
  async (kind) => {
    const { store, scope, ada, edit } = await open(kind)
    const broken = edit((move) => ({ ...moveJob(scope, move), kind: null as never }) as never)
    await expect(broken).rejects.toThrow()

    expect((await getUser(scope, ada.id)).email).toBe('ada@example.com')
    expect(await store.jobs.claim(30)).toBeUndefined()
  },
)

test.each(Object.keys(dataStores))(
  'a job that tells an operator of a new role leaves no row behind, on %s',
  async (kind) => {
    const { store, context, scope } = await open(kind)
    const { id } = await insertJob<RoleJob>(scope, {
      ...{ tenantId: SYSTEM_TENANT_ID, kind: 'tell-role', total: 1, state: 'running' },
      work: { operatorId: 'usr_1', before: { role: 'owner', reach: 'all' }, by: undefined },
      progress: null,
    })
    const job = await store.jobs.claim(30)
    if (!job) throw new Error('There is no job.')
    await takeStep(context, {} as JobHelp, job, () => false)

    expect(job).toMatchObject({ id, state: 'done' })
    expect(await store.jobs.list(SYSTEM_TENANT_ID, 10)).toEqual([])
  },
)

test.each(Object.keys(dataStores))(
  'notices that an earlier version has sent and kept are deleted, and nothing else is, on %s',
  async (kind) => {
    const { store, context, scope, edit } = await open(kind)
    let before: MoveJob | undefined
    await edit((move) => {
      before = moveJob(scope, move)
      return before
    })
    const sent = { ...before, id: 'job_sent', state: 'done' } as MoveJob
    await store.jobs.insert({ ...sent, work: { ...sent.work, sealed: '' } })
    const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
    const bulk = await beginJob(own, { kind: 'disable', work: { ids: [] }, total: 0 })
    for (let n = 0; n < 2; n++) {
      const job = await store.jobs.claim(30)
      if (job?.id === bulk.id) await store.jobs.keep({ ...job, state: 'done' }, 0)
    }
    await discardOldNotices(context)

    const left = await store.jobs.list(SYSTEM_TENANT_ID, 10)
    expect(left.map(({ id }) => id).toSorted()).toEqual([before?.id, bulk.id].toSorted())
  },
)

test.each(Object.keys(dataStores))(
  'a message whose master key was removed is given up, which the audit log of the tenant says, on %s',
  async (kind) => {
    const { store, context, scope, edit } = await open(kind)
    await edit((move) => moveJob(scope, move))
    const job = await store.jobs.claim(30)
    if (job?.kind !== 'tell-move') throw new Error('There is no job.')
    const later = { ...context, vault: createVault(Buffer.alloc(32, 8)) }
    const tell = async () => expect.unreachable()
    const help = { support: { tellOfMove: tell } } as unknown as JobHelp
    await store.sealingKeys?.add(context.vault.newestId())
    if (store.sealingKeys) {
      // Another process has the key.
      await expect(takeStep(later, help, job, () => false)).rejects.toThrow('is not known here')
      await store.sealingKeys.keepOnly(later.vault.newestId())
    }
    await takeStep(later, help, job, () => false)

    expect(await store.jobs.list(SYSTEM_TENANT_ID, 10)).toEqual([])
    const [entry] = await store.audit.list({ tenantId: scope.tenantId, target: job.work.userId })
    expect(entry).toMatchObject({ action: 'mail.given_up', actor: 'service', outcome: 'failure' })
  },
)

test.each(Object.keys(dataStores))(
  'a message that waits during a rotation of the master key is sent with the newer key alone, on %s',
  async (kind) => {
    const { store, context, scope, ada, edit } = await open(kind)
    await edit((move) => moveJob(scope, move))
    const [older, newer] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]
    const keys = { list: () => [newer, older], refresh: () => false }
    const rotated = { ...context, vault: createVault(keys) }
    const protocol = createSqliteProtocolStore({ path: ':memory:', clock: systemClock })
    const quiet = { warn: () => {}, error: () => {}, info: vi.fn() }
    const background = createBackground(quiet)
    onTestFinished(async () => {
      await background.close()
      await protocol.close()
    })
    followMasterKeys(keys, rotated, protocol, background, quiet as unknown as Logger)
    await vi.waitUntil(() => quiet.info.mock.calls.length > 0)

    const told: string[] = []
    const tell = async (_: unknown, { before }: Move) => void told.push(before.id)
    const help = { support: { tellOfMove: tell } } as unknown as JobHelp
    const job = await store.jobs.claim(30)
    if (!job) throw new Error('There is no job.')
    await takeStep({ ...context, vault: createVault(newer) }, help, job, () => false)
    expect(told).toEqual([ada.id])
  },
)
