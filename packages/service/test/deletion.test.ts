import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { DataStore } from '../src/store/ports.ts'
import { openSqliteDataStore } from '../src/store/sqlite/data-store.ts'
import { run, serve, start } from './cli/support.ts'
import { CONSOLE, on, startConsole, stores } from './console/support.ts'
import { aTenant as aConsoleTenant } from './console/tenant.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { anAudit, aTenant, aUser } from './store/records.ts'
import { createDatabase, openPostgresDataStore } from './support/postgres.ts'

/** So many that a command is killed before it has erased them. SQLite takes longer for each. */
const USERS = { SQLite: 5_000, PostgreSQL: 20_000 }
const BATCH = 500
const WAIT = { interval: 100 }
const MASTER_KEY = { LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }

/** A tenant with more users than one step erases. */
async function fill(store: DataStore, users: number): Promise<string> {
  const tenant = aTenant()
  await store.tenants.insert(tenant, anAudit('create'))
  for (let i = 0; i < users / BATCH; i++) {
    const batch = Array.from({ length: BATCH }, () => {
      const user = aUser(tenant.id)
      return { user, credential: undefined, audit: { ...anAudit('create'), target: user.id } }
    })
    await store.users.insertMany(tenant.id, batch)
  }
  return tenant.id
}

/** Deletes the tenant with a command that is killed while it erases the users. */
async function deleteAndKill(id: string, where: string[]): Promise<void> {
  const child = start(['tenant', 'delete', id, '--yes', ...where], MASTER_KEY)
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk
    if (said.includes('Nothing reaches it any more')) child.kill('SIGKILL')
  })
  const [code, signal] = await once(child, 'close')
  expect({ code, signal, said }).toMatchObject({ code: null, signal: 'SIGKILL' })
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-deletion-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a deletion that was killed is finished by the service that starts next, on SQLite', async () => {
  const folder = aFolder()
  const store = await openSqliteDataStore(folder)
  onTestFinished(() => store.close())
  const id = await fill(store, USERS.SQLite)
  const where = ['--data', folder]
  await deleteAndKill(id, where)
  const [stopped] = await store.tenants.deletions()
  expect(stopped).toMatchObject({ id, users: USERS.SQLite })
  expect(stopped?.left).toBeGreaterThan(0)
  expect(stopped?.left).toBeLessThanOrEqual(USERS.SQLite)
  const listed = await run(['tenant', 'deletions', '--json', ...where], MASTER_KEY)
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, users: String(USERS.SQLite) }])

  const served = await serve(where, MASTER_KEY)
  await vi.waitFor(async () => expect(await store.tenants.deletions()).toEqual([]), WAIT)
  await served.stop()
  expect(served.log()).toContain('erasing a deleted tenant')
  expect(await store.users.search(id, {}, { after: undefined, limit: 9 })).toMatchObject({
    items: [],
  })
  const [entry] = await store.audit.list({ target: id })
  expect(entry).toMatchObject({ action: 'tenant.erase', actor: 'service' })
})

test('a deletion that was killed is finished by a command, on PostgreSQL', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const store = openPostgresDataStore(database.url)
  onTestFinished(() => store.close())
  const id = await fill(store, USERS.PostgreSQL)
  const where = ['--database', database.url]
  await deleteAndKill(id, where)
  expect((await store.tenants.deletions())[0]?.left).toBeGreaterThan(0)
  const finished = await run(['tenant', 'deletions', '--finish', ...where], MASTER_KEY)
  expect(finished).toMatchObject({ code: 0 })
  expect(finished.stderr).toContain(`${USERS.PostgreSQL} of ${USERS.PostgreSQL} users erased`)
  expect(await store.tenants.deletions()).toEqual([])
  expect(await database.query('select id from users')).toEqual([])
})

test.each(stores)(
  'a deleted tenant is unreachable at once through API, issuer and console, on %s',
  async (store) => {
    await using running = await startConsole(on(store))
    const { service } = running
    const tenant = await aConsoleTenant(running)
    const ada = await tenant.addUser()
    const visitor = createBrowser({
      url: `https://${tenant.domain}`,
      fetch: service.fetch as never,
    })
    const owner = await running.logIn({ role: 'owner' })
    const paths = [
      '',
      '/users',
      `/users/${ada.id}`,
      `/users/${ada.id}/credentials`,
      '/applications',
    ]
    const api = () =>
      Promise.all(paths.map((path) => tenant.call('GET', `/v1/tenants/${tenant.id}${path}`)))
    const statuses = async () => [
      ...(await api()).map(({ status }) => status),
      (await owner.get(`${CONSOLE}${tenant.path}/users/${ada.id}`)).status,
      (await visitor.get('/.well-known/openid-configuration')).status,
    ]
    expect(new Set(await statuses())).toEqual(new Set([200]))
    await service.admin.deleteTenant(tenant.id)
    expect(new Set(await statuses())).toEqual(new Set([404]))
  },
)

test('other processes on the same PostgreSQL learn of a deletion', async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const [here, there] = [openPostgresDataStore(database.url), openPostgresDataStore(database.url)]
  onTestFinished(() => Promise.all([here.close(), there.close()]).then(() => {}))
  const tenant = aTenant()
  await here.tenants.insert(tenant, anAudit('create'))
  const settled = () =>
    vi.waitFor(() => expect(typeof there.foreignVersion?.()).toBe('number'), WAIT)
  await settled()
  const before = there.foreignVersion?.()
  await here.tenants.delete(tenant.id, anAudit('delete'))
  expect(await there.tenants.get(tenant.id)).toBeUndefined()
  await vi.waitFor(() => {
    expect(typeof there.foreignVersion?.()).toBe('number')
    expect(there.foreignVersion?.()).not.toBe(before)
  }, WAIT)
})
