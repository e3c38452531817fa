import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { StoreError } from '../../src/store/errors.ts'
import { script } from '../../src/store/sql/sql.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { IN_MEMORY, openDatabase } from '../../src/store/sqlite/database.ts'
import { takeOwnership } from '../../src/store/sqlite/owner-lock.ts'
import {
  aCredential,
  anApiKey,
  anApplication,
  anAudit,
  aTenant,
  aUser,
  aWebhook,
} from './records.ts'
import { serveElsewhere } from './serving.ts'

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const firstPage = { after: undefined, limit: 100 }

describe('the owner of a data folder', () => {
  test('a second process is refused with a sentence that names PostgreSQL', async () => {
    const folder = aFolder()
    const other = await serveElsewhere(folder)
    onTestFinished(() => other.kill())
    await expect(createIdentityService({ data: folder })).rejects.toThrow(
      /is served by another process \(pid \d+\)\. .*latchkey-service move --data \S+ --database/,
    )
    await expect(serveElsewhere(folder)).rejects.toThrow(/latchkey-service move/)
    expect((await fetch(`${other.origin}/x/health`)).status).toBe(200)
  })

  test('a second service of the same process is refused as well', async () => {
    const folder = aFolder()
    await using _ = await createIdentityService({ data: folder })
    await expect(createIdentityService({ data: folder })).rejects.toThrow(/latchkey-service move/)
  })

  test('the folder of a process that was killed is free at once', async () => {
    const folder = aFolder()
    const other = await serveElsewhere(folder)
    await other.kill()
    await using service = await createIdentityService({ data: folder })
    expect((await service.fetch('http://service.test/x/ready')).status).toBe(200)
  })

  test('the folder of a service that was closed is free at once', async () => {
    const folder = aFolder()
    await (await createIdentityService({ data: folder })).close()
    takeOwnership(folder).release()
  })

  test('a service that cannot start leaves the folder free', async () => {
    const folder = aFolder()
    await expect(createIdentityService({ data: folder, masterKey: 'short' })).rejects.toThrow()
    takeOwnership(folder).release()
  })
})

describe('a database on disk', () => {
  test('processes that start at once in an empty folder make its tables once', async () => {
    const folder = aFolder()
    const script = join(import.meta.dirname, 'open.ts')
    const children = Array.from({ length: 5 }, () =>
      spawn(process.execPath, ['--conditions=latchkey-source', script, folder]),
    )
    await Promise.all(children.map((child) => once(child.stdout, 'data')))
    const closed = Promise.all(children.map((child) => once(child, 'close')))
    for (const child of children) child.stdin.end()
    const codes = (await closed).map(([code]) => code)
    expect(codes).toEqual([0, 0, 0, 0, 0])
  })

  test('reopening it keeps everything', async () => {
    const folder = aFolder()
    const before = await openSqliteDataStore(folder)
    const tenant = aTenant()
    const user = aUser(tenant.id)
    const credential = aCredential(user)
    const application = anApplication(tenant.id)
    const key = anApiKey({ reach: [tenant.id] })
    const audit = anAudit('create')
    await before.tenants.insert(tenant, audit)
    await before.users.insert(user, audit, credential)
    await before.applications.insert(application, audit)
    await before.apiKeys.insert(key, audit)
    const entries = await before.audit.list({})
    await before.close()

    const store = await openSqliteDataStore(folder)
    onTestFinished(() => store.close())
    expect(await store.tenants.get(tenant.id)).toEqual(tenant)
    expect(await store.users.list(tenant.id, firstPage)).toEqual({
      total: 1,
      items: [user],
      more: false,
    })
    expect(await store.credentials.get(tenant.id, user.id, 'password')).toEqual(credential)
    expect(await store.applications.list(tenant.id, firstPage)).toEqual({
      total: 1,
      items: [application],
      more: false,
    })
    expect(await store.apiKeys.findByHash(key.hash)).toEqual(key)
    expect(await store.audit.list({})).toEqual(entries)
  })

  test('a user who was deleted is gone from every file of the folder', async () => {
    const folder = aFolder()
    const service = await createIdentityService({ data: folder })
    const { id } = await service.admin.createTenant({ domain: 'acme.example' })
    const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
    const call = async (method: string, path: string, body?: object) => {
      const answer = await service.fetch(`https://api.example/v1/tenants/${id}/users${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      expect(answer.status).toBe(200)
      return (await answer.json()) as { id: string }
    }
    for (const name of ['first', 'last', 'forgotten']) {
      const user = await call('POST', '', { profile: { email: `${name}@example.com` } })
      await call('POST', `/${user.id}/credentials`, { password: { alg: 'plain', hash: 'secret' } })
      if (name === 'forgotten') await call('DELETE', `/${user.id}`)
    }
    await service.close()

    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
    expect(files.join('')).toContain('last@example.com')
    expect(files.join('')).not.toContain('forgotten@example.com')
  })

  test('only the owner of the files may read them, those of an earlier version too', async () => {
    const folder = aFolder()
    const umask = process.umask(0o022)
    onTestFinished(() => void process.umask(umask))
    const modes = () =>
      Object.fromEntries(
        readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o077]),
      )
    {
      await using _ = await createIdentityService({ data: folder })
      expect(modes()).toMatchObject({ 'data.db': 0, 'data.db-wal': 0, 'protocol.db': 0 })
    }
    for (const name of ['data.db', 'protocol.db']) chmodSync(join(folder, name), 0o644)
    await using _ = await createIdentityService({ data: folder })
    expect(modes()).toMatchObject({ 'data.db': 0, 'data.db-wal': 0, 'protocol.db': 0 })
  })

  test('one that a newer version wrote is refused', async () => {
    const folder = aFolder()
    await (await createIdentityService({ data: folder })).close()
    const database = new DatabaseSync(join(folder, 'data.db'))
    database.exec(`insert into kysely_migration values ('9999-later', '2099-01-01T00:00:00Z')`)
    database.close()

    await expect(openSqliteDataStore(folder)).rejects.toThrow('9999-later')
    await expect(createIdentityService({ data: folder })).rejects.toThrow(
      'Start the newer version.',
    )
    takeOwnership(folder).release()
  })

  test('a file that is no database is refused and left as it is', async () => {
    const folder = aFolder()
    const service = await createIdentityService({ data: folder })
    await service.close()
    const file = join(folder, 'data.db')
    writeFileSync(file, 'not a database, but somebody’s text '.repeat(100))
    const before = readFileSync(file)
    await expect(createIdentityService({ data: folder })).rejects.toThrow()
    expect(readFileSync(file)).toEqual(before)
  })

  test('a write is synchronized to the disk before it is acknowledged', async () => {
    const database = await openDatabase(aFolder())
    onTestFinished(() => database.close())
    const pragma = async (name: string) => {
      const row = await database.writer.first(script<object>(`pragma ${name}`))
      return Object.values(row ?? {})[0]
    }
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(2)
    expect(await pragma('foreign_keys')).toBe(1)
  })

  test('one that has been closed refuses writes as a store that failed', async () => {
    const store = await openSqliteDataStore(aFolder())
    await store.close()
    await expect(store.tenants.insert(aTenant(), anAudit('create'))).rejects.toThrow(StoreError)
    await expect(store.tenants.get('ten_x')).rejects.toThrow(StoreError)
    await expect(store.check()).rejects.toThrow(StoreError)
  })
})

describe('a disk that is full', () => {
  test('writes are answered 503 unavailable, reads go on, and nothing acknowledged is lost', async () => {
    const folder = aFolder()
    const { key, tenant } = await (async () => {
      await using service = await createIdentityService({ data: folder })
      const tenant = await service.admin.createTenant({ domain: 'acme.example.com' })
      const { secret } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
      return { key: secret, tenant }
    })()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const path = `/v1/tenants/${tenant.id}/users`
    const small = await serveElsewhere(folder, 4_000)
    onTestFinished(() => small.kill())

    const create = (n: number) =>
      fetch(small.origin + path, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          profile: { email: `user-${n}@example.com` },
          metadata: { text: 'x'.repeat(1_000) },
        }),
      })
    const acknowledged: string[] = []
    let refused: Response | undefined
    for (let n = 0; n < 1_000 && !refused; n++) {
      const answer = await create(n)
      const body = (await answer.json()) as { id: string }
      if (answer.status === 200) acknowledged.push(body.id)
      else refused = answer
      if (refused) expect(body).toMatchObject({ code: 'unavailable', status_code: 503 })
    }
    expect(refused?.status).toBe(503)
    expect(refused?.headers.get('retry-after')).toBeTruthy()
    const read = await fetch(`${small.origin + path}/${acknowledged[0]}`, { headers })
    expect(read.status).toBe(200)
    await small.kill()

    await using service = await createIdentityService({ data: folder })
    const get = async (url: string) => (await service.fetch(url, { headers })).json()
    for (const id of acknowledged) {
      expect(await get(`http://service.test${path}/${id}`)).toMatchObject({ id })
    }
    expect(await get(`http://service.test${path}?limit=1`)).toMatchObject({
      total: acknowledged.length,
    })
    expect(acknowledged.length).toBeGreaterThan(10)
  })
})

test('deliveries are removed after thirty days, also those behind one that was sent again', async () => {
  const day = 86_400_000
  let now = Date.UTC(2026, 0, 1)
  const store = await openSqliteDataStore(IN_MEMORY, { now: () => now })
  onTestFinished(() => store.close())
  const tenant = aTenant()
  const { id: webhookId } = aWebhook(tenant.id)
  await store.tenants.insert(tenant, anAudit('create'))
  await store.webhooks.insert({ ...aWebhook(tenant.id), id: webhookId }, anAudit('create'))
  const event = (n: number) => ({
    ...{ webhookId, eventId: `evt_${n}`, type: 'user.created', body: '{}' },
    entry: { id: n, at: Number.MAX_SAFE_INTEGER },
  })
  // More than one statement removes.
  await store.deliveries.add(Array.from({ length: 2_500 }, (_, n) => event(n)))
  now += 20 * day
  await store.deliveries.addAgain([event(0), event(1_500)])
  await store.deliveries.add([event(2_500)])

  now += 11 * day
  await store.deliveries.prune()
  const left = await store.deliveries.list(webhookId, { before: undefined, limit: 10 })
  expect(left.map(({ eventId }) => eventId)).toEqual(['evt_2500', 'evt_1500', 'evt_0'])

  now += 20 * day
  await store.deliveries.prune()
  expect(await store.deliveries.list(webhookId, { before: undefined, limit: 10 })).toEqual([])
})

test('other writes do not wait until all old entries of the audit log are deleted', async () => {
  const store = await openSqliteDataStore(aFolder())
  onTestFinished(() => store.close())
  const old = Array.from({ length: 1_500 }, (_, n) => [
    anAudit('old', { at: n }),
    anAudit('refused', { at: 10_000 + n, outcome: 'refused' }),
  ])
  await Promise.all(old.flat().map((entry) => store.audit.append(entry)))

  let isPruned = false
  const pruned = store.audit.prune(10_000, 20_000).finally(() => {
    isPruned = true
  })
  let between = 0
  // Each write begins in a turn of its own, as if a request had brought it.
  for (; !isPruned; between++) {
    await nextTurn()
    await store.audit.append(anAudit('new', { at: 30_000 }))
  }

  expect(await pruned).toBe(3_000)
  expect(between).toBeGreaterThan(4)
  const left = await store.audit.list({ limit: 10_000 })
  expect(left.map(({ action }) => action)).toEqual(Array.from({ length: between }, () => 'new'))
})
