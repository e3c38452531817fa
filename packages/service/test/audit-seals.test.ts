import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBackground } from '../src/background/index.ts'
import { sealAudit, sealsOf } from '../src/domain/keys/audit-seals.ts'
import { followSeals } from '../src/domain/keys/follow-seals.ts'
import { rotateSigningKey, signingKeys } from '../src/domain/keys/signing-keys.ts'
import { type AuditVerification, verifyAudit } from '../src/domain/keys/verify-audit.ts'
import { createTenant, defaultSettings } from '../src/domain/tenants/tenants.ts'
import { noLeakedPasswords } from '../src/domain/users/leaked-passwords.ts'
import { createUser, deleteUser } from '../src/domain/users/users.ts'
import { note, noteRefusal, pruneAudit } from '../src/domain/writes/audit.ts'
import type { DomainContext, Scope } from '../src/domain/writes/context.ts'
import { createVault } from '../src/domain/writes/vault.ts'
import { createIdentityService } from '../src/service.ts'
import { openSqliteDataStore } from '../src/store/sqlite/data-store.ts'
import { run } from './cli/support.ts'
import { anAudit, aSigningKey } from './store/records.ts'
import { createDatabase, openPostgresDataStore } from './support/postgres.ts'
import { quickPasswords } from './support/quick-passwords.ts'

interface Log {
  scope: Scope
  /** Changes the log behind the back of the service. */
  tamper(sql: string): Promise<unknown>
  /** Goes on to the next day, at noon. */
  nextDay(days?: number): void
  /** Writes entries, such as `user.update usr_1`. */
  write(...targets: string[]): Promise<void>
  /** Seals the entries of the days before. */
  seal(): Promise<number>
  verify(days?: number): Promise<AuditVerification>
  /** The id of the entry about a target. */
  idOf(target: string): Promise<number>
  /** The options with which the command reads the same log. */
  flags: string[]
}

const key = Buffer.alloc(32, 7)

async function openStore(kind: string) {
  if (kind === 'PostgreSQL') {
    const database = await createDatabase()
    const store = await openPostgresDataStore(database.url)
    return {
      store,
      tamper: (sql: string) => database.query(sql),
      flags: ['--database', database.url],
      async close() {
        await store.close()
        await database.drop()
      },
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-seals-'))
  const store = await openSqliteDataStore(folder)
  return {
    store,
    async tamper(sql: string) {
      const db = new DatabaseSync(join(folder, 'data.db'))
      db.exec(sql)
      db.close()
    },
    flags: ['--data', folder],
    async close() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function openLog(kind: string): Promise<Log> {
  const { store, tamper, flags, close } = await openStore(kind)
  onTestFinished(close)
  let now = Date.UTC(2026, 0, 10, 12)
  const context: DomainContext = {
    ...{ store, passwords: quickPasswords, leaks: noLeakedPasswords, events: new EventEmitter() },
    clock: { now: () => now },
    domains: { allowLoopback: false, apiHosts: [], verification: 'none' },
    allowDeveloperMode: false,
    vault: createVault(key),
  }
  const settings = { ...defaultSettings, domain: 'acme.example' }
  const actor = { name: 'service' }
  const made = { name: '', metadata: {}, settings }
  const { id: tenantId } = await createTenant({ context, actor }, made)
  const scope = { context, actor, tenantId }
  await signingKeys(context, tenantId)
  return {
    ...{ scope, tamper },
    nextDay(days = 1) {
      now += days * 86_400_000
    },
    async write(...targets) {
      for (const target of targets) await note(scope, 'user.update', target)
    },
    seal: () => sealAudit(scope),
    verify: (days = 400) => verifyAudit(scope, days),
    async idOf(target) {
      return (await store.audit.list({ tenantId, target }))[0]?.id ?? 0
    },
    flags: [...flags, '--master-key', key.toString('base64')],
  }
}

/** A log with four entries of the first day, and two of each that follows, sealed day by day. */
async function sealedLog(kind: string, days = 3): Promise<Log> {
  const log = await openLog(kind)
  for (let day = 1; day <= days; day++) {
    await log.write(`usr_${day}a`, `usr_${day}b`)
    log.nextDay()
    expect(await log.seal()).toBe(1)
  }
  return log
}

const kinds = ({ problems }: AuditVerification) => problems.map(({ kind }) => kind)

describe.each(['SQLite', 'PostgreSQL'])('the audit log on %s', (store) => {
  test('a log that was not touched is verified, and the result says what was compared', async () => {
    const log = await sealedLog(store)
    await log.write('usr_today')
    expect(await log.verify()).toMatchObject({
      seals: 3,
      // One more for the tenant and one for its first key, and the seals of the first two days.
      verified: { seals: 3, byFormerKeys: 0, entries: 10 },
      ...{ pruned: 0, late: [], problems: [] },
      unsealed: { entries: 1, firstAt: log.scope.context.clock.now() * 1_000 },
    })
  })

  test.each([
    ['another actor', "update audit set actor = 'user:usr_x' where target = 'usr_2a'"],
    ['another time', "update audit set at = at + 1 where target = 'usr_2a'"],
    ['no fields', `update audit set fields = '["email"]' where target = 'usr_2a'`],
  ])('an entry that was changed is found: %s', async (_, sql) => {
    const log = await sealedLog(store)
    await log.tamper(sql)
    const found = await log.verify()
    expect(found.verified.seals).toBe(2)
    const id = await log.idOf('usr_2a')
    expect(found.problems).toMatchObject([
      { kind: 'changed', message: expect.stringMatching(/^There are 3 entries, 3 were sealed; /) },
    ])
    expect(found.problems[0]?.from).toBeLessThan(id)
    expect(found.problems[0]?.to).toBeGreaterThanOrEqual(id)
  })

  test('a log whose user was deleted is verified, though the name of the user is gone', async () => {
    const log = await openLog(store)
    const { scope } = log
    const input = { emailVerified: true, disabled: false, metadata: {}, profile: { name: 'Ada' } }
    const { id } = await createUser(scope, { ...input, email: 'ada@x.test' })
    const named = async () => {
      const details = await scope.context.store.audit.details([entry])
      return details.get(entry)?.target
    }
    const entry = await log.idOf(id)
    log.nextDay()
    expect(await log.seal()).toBe(1)
    expect(await named()).toBe('Ada (ada@x.test)')
    await deleteUser(scope, id)
    expect(await named()).toBeUndefined()
    expect(await log.verify()).toMatchObject({ verified: { seals: 1 }, problems: [] })
  })

  test('an entry that was removed is found, also the last one of a day', async () => {
    const log = await sealedLog(store)
    await log.tamper("delete from audit where target in ('usr_1a', 'usr_3b')")
    const found = await log.verify()
    expect(kinds(found)).toEqual(['changed', 'changed'])
    expect(found.problems[0]?.message).toBe('There are 3 entries, 4 were sealed.')
  })

  test('an entry that was inserted is found', async () => {
    const log = await sealedLog(store)
    // In place of an entry of another tenant, which leaves a hole among the ids.
    await log.tamper("update audit set tenant_id = 'ten_other' where target = 'usr_2a'")
    expect(kinds(await log.verify())).toEqual(['changed'])
    await log.tamper(`update audit set tenant_id = '${log.scope.tenantId}' where target = 'usr_2a'`)
    expect(kinds(await log.verify())).toEqual([])
    const columns = 'at, tenant_id, actor, action, outcome'
    await log.tamper(`insert into audit (id, target, ${columns})
      select -id, 'usr_new', ${columns} from audit where target = 'usr_1a'`)
    const id = await log.idOf('usr_2b')
    await log.tamper(`delete from audit where id = ${id}`)
    await log.tamper(`update audit set id = ${id} where target = 'usr_new'`)
    expect(kinds(await log.verify())).toEqual(['changed'])
  })

  test('a seal that was removed with its day, or was written by someone else, is found', async () => {
    const log = await sealedLog(store)
    const { tenantId } = log.scope
    const seals = await log.scope.context.store.audit.list({ tenantId, target: tenantId })
    const [third, second] = seals.filter(({ action }) => action === 'audit.seal')
    const other = await sealedLog(store, 1)
    const [foreign] = await other.scope.context.store.audit.list({ target: other.scope.tenantId })
    await log.tamper(`delete from audit where id = ${second?.id}`)
    expect(kinds(await log.verify())).toEqual(['seal_missing', 'changed'])
    await log.tamper(
      `update audit set fields = '${JSON.stringify(foreign?.fields)}' where id = ${third?.id}`,
    )
    expect(kinds(await log.verify())).toContain('seal_invalid')
    const [header, payload] = (third?.fields?.[0] ?? '').split('.')
    const forged = JSON.stringify([`${header}.${payload}.${'A'.repeat(342)}`])
    await log.tamper(`update audit set fields = '${forged}' where id = ${third?.id}`)
    expect(kinds(await log.verify())).toContain('seal_forged')
  })

  test('a log without its seals, or without the latest of them, is not taken for a verified one', async () => {
    const log = await sealedLog(store)
    log.nextDay(2)
    await log.tamper("delete from audit where action = 'audit.seal'")
    const found = await log.verify()
    expect(found).toMatchObject({ seals: 0, verified: { seals: 0, entries: 0 } })
    expect(kinds(found)).toEqual(['not_sealed'])
    // The service seals them again: the next verification says that this was late.
    await log.seal()
    expect((await log.verify()).late).toHaveLength(1)
  })

  test('a day without entries gets no seal, and leaves no gap', async () => {
    const log = await sealedLog(store, 1)
    log.nextDay(3)
    expect(await log.seal()).toBe(0)
    await log.write('usr_later')
    log.nextDay()
    expect(await log.seal()).toBe(1)
    expect(await log.verify()).toMatchObject({ seals: 2, verified: { seals: 2 }, problems: [] })
    expect((await log.verify()).late).toEqual([])
  })

  test('seals hold when the key is rotated, and when it is withdrawn once a later seal contains them', async () => {
    const log = await sealedLog(store)
    await rotateSigningKey(log.scope)
    await log.write('usr_4')
    log.nextDay()
    await log.seal()
    expect(await log.verify()).toMatchObject({ verified: { seals: 4, byFormerKeys: 0 } })
    await rotateSigningKey(log.scope, { withdrawEarlier: true })
    // The fourth seal is the last one, by a key that is gone.
    expect(kinds(await log.verify())).toContain('seal_forged')
    log.nextDay()
    await log.seal()
    const found = await log.verify()
    expect(found).toMatchObject({ verified: { seals: 5, byFormerKeys: 4 }, problems: [] })
  })

  test('days that were pruned are told as not compared, and younger ones are verified', async () => {
    const log = await sealedLog(store, 6)
    await pruneAudit(log.scope.context, 3)
    const found = await log.verify(3)
    expect(found.problems).toEqual([])
    expect(found.pruned).toBe(1)
    expect(found.verified.seals).toBe(3)
    // For a longer time, the same log misses entries.
    expect(kinds(await log.verify(30))).toEqual(['seal_missing', 'changed'])
  })

  test('refused requests come and go without a trace in the seals', async () => {
    const log = await openLog(store)
    await log.write('usr_1')
    await noteRefusal(log.scope, 'not_found', '/v1/tenants')
    log.nextDay()
    await log.seal()
    await log.tamper("delete from audit where outcome = 'refused'")
    expect(await log.verify()).toMatchObject({ verified: { seals: 1 }, problems: [] })
  })

  test('the command says what it compared and what not, and exits with 1 if the log was changed', async () => {
    const log = await sealedLog(store)
    const good = await run(['audit', 'verify', ...log.flags, '--days', '36500'])
    expect(good).toMatchObject({ code: 0, stderr: '' })
    expect(good.stdout).toContain(
      `${log.scope.tenantId}: 3 of 3 seals are intact: 10 entries from 2026-01-10`,
    )
    expect(good.stdout).toContain('Not checked: ')
    await log.tamper("update audit set outcome = 'failure' where target = 'usr_2a'")
    const bad = await run(['audit', 'verify', ...log.flags, '--days', '36500', '--json'])
    expect(bad.code).toBe(1)
    expect(bad.stderr).toContain('The audit log is not as it was sealed: 1 problem.')
    expect(JSON.parse(bad.stdout)).toMatchObject([
      { tenant_id: log.scope.tenantId, verified: { seals: 2 }, problems: [{ kind: 'changed' }] },
    ])
  })
})

test('the service seals each day by itself, entries that belong to no tenant as well', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-seals-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  let now = Date.UTC(2026, 0, 10, 12)
  const options = { data, clock: { now: () => now }, consoleUrl: 'https://console.example' }
  {
    await using service = await createIdentityService(options)
    await service.admin.createTenant({ domain: 'acme.example' })
    await service.admin.createApiKey({ name: 'backup', reach: 'all' })
    await service.admin.inviteOperator({ email: 'ada@example.com', role: 'owner' })
  }
  now += 86_400_000
  await using service = await createIdentityService(options)
  const seals = async () =>
    (await service.admin.audit()).filter(({ action }) => action === 'audit.seal')
  await vi.waitFor(async () => expect(await seals()).toHaveLength(2))
  const verify = async () => {
    const found: string[] = []
    for await (const { problems, verified } of service.admin.verifyAudit({ days: 400 })) {
      found.push(`${verified.seals} ${problems.map(({ kind }) => kind)}`)
    }
    return found
  }
  expect(await verify()).toEqual(['1 ', '1 '])
  const db = new DatabaseSync(join(data, 'data.db'))
  db.exec("update audit set actor = 'key:key_x' where action = 'api_key.create'")
  db.close()
  expect(await verify()).toEqual(['0 changed', '1 '])
})

test('a tenant whose signing key cannot be opened is named, and the logs of the others are sealed', async () => {
  const log = await openLog('SQLite')
  const { context, actor } = log.scope
  async function addTenant(domain: string): Promise<Scope> {
    const settings = { ...defaultSettings, domain }
    const { id } = await createTenant({ context, actor }, { name: '', metadata: {}, settings })
    return { context, actor, tenantId: id }
  }
  const broken = await addTenant('broken.example')
  await context.store.signingKeys.insert(aSigningKey(broken.tenantId), anAudit('create'))
  const last = await addTenant('last.example')
  log.nextDay()

  const faults: { err: Error; task: string }[] = []
  const background = createBackground({
    warn: () => {},
    error: (facts) => void faults.push(facts as (typeof faults)[0]),
  })
  onTestFinished(() => background.close())
  followSeals(context, background)
  await vi.waitFor(async () => {
    expect(await sealsOf(last)).toHaveLength(1)
    expect(faults).toHaveLength(1)
  })
  expect(await sealsOf(log.scope)).toHaveLength(1)
  expect(faults[0]).toMatchObject({
    task: 'sealing the audit log',
    err: { message: `The audit log of ${broken.tenantId} was not sealed.` },
  })
})
