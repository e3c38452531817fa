import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { connectApi } from '../support/api.ts'
import { mountSmallDisk } from '../support/small-disk.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')
const password = 'correct horse battery'
const domain = 'login.example.com'

/** A data folder of release 0.2.0. */
function anEarlierFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-earlier-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return fill(folder)
}

/** Writes the data of release 0.2.0 into a folder. */
function fill(folder: string): string {
  const database = new DatabaseSync(join(folder, 'data.db'))
  database.exec(readFileSync(join(import.meta.dirname, 'fixtures', 'data-0.2.0.sql'), 'utf8'))
  database.close()
  return folder
}

test('a data folder of an earlier version opens, and its users log in with the passwords they had', async () => {
  const data = anEarlierFolder()
  await using service = await createIdentityService({ data, masterKey })
  const tenant = await service.admin.findTenant(domain)
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const api = connectApi(service.fetch, secret, tenant?.id ?? '')
  const shop = (await api.get(api.applications)).body.data[0]
  const url = `https://${domain}`

  async function logIn(email: string) {
    const browser = createBrowser({ url, fetch: service.fetch as never })
    const begin = new URLSearchParams({
      client_id: shop.id,
      redirect_uri: shop.redirect_urls[0],
      response_type: 'code',
      scope: 'openid',
      code_challenge: createHash('sha256').update('verifier').digest('base64url'),
      code_challenge_method: 'S256',
    })
    return browser.submit(await browser.get(`${url}/oidc/auth?${begin}`), { email, password })
  }
  // A bcrypt password, one that a login upgraded from MD5, and SHA-1.
  for (const name of ['ada', 'bob', 'kim']) {
    expect((await logIn(`${name}@example.com`)).location).toContain('?code=')
  }
  expect((await logIn('eve@example.com')).status).toBe(422)

  const users = (await api.get(api.users)).body
  expect(users).toMatchObject({ total: 4, count: 4 })
  const [ada, bob, kim, eve] = await Promise.all(
    users.data.map(async ({ id }: { id: string }) => {
      return (await api.get(`${api.users}/${id}/credentials/password`)).body
    }),
  )
  for (const credential of [ada, bob, kim]) {
    expect(credential.password).toEqual({
      alg: 'bcrypt',
      hash: expect.any(String),
      cost: 10,
    })
  }
  expect(eve).toMatchObject({
    disabled: true,
    metadata: { source: 'old shop' },
    password: { alg: 'sha256|bcrypt' },
  })
})

test('users of an earlier version are found by their names', async () => {
  const data = anEarlierFolder()
  await using service = await createIdentityService({ data, masterKey })
  const tenant = await service.admin.findTenant(domain)
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const api = connectApi(service.fetch, secret, tenant?.id ?? '')
  const { data: all } = (await api.get(api.users)).body
  for (const { id, profile } of all) {
    const search = encodeURIComponent(profile.name ?? profile.email)
    const { data } = (await api.get(`/x${api.users}?search=${search}`)).body
    expect(data.map((user: { id: string }) => user.id)).toEqual([id])
  }
})

test('connections of an earlier version keep their redirect URI, and new ones have their own', async () => {
  const data = anEarlierFolder()
  const database = new DatabaseSync(join(data, 'data.db'))
  database.exec(`insert into connections (tenant_id, id, name, recipe, issuer, client_id, sealed_secret, scopes,
      trust_email, allow_signup, enabled, created_at, updated_at)
    select id, 'con_1', 'Google', 'google', 'https://accounts.google.com', 'acme', '', '["openid"]', 0, 1, 1, 1, 1
    from tenants where domain = '${domain}'`)
  database.close()
  await using service = await createIdentityService({ data, masterKey })
  const { id = '' } = (await service.admin.findTenant(domain)) ?? {}
  await service.admin.createConnection(id, { recipe: 'gitlab', clientId: 'acme', secret: 'b' })

  expect(await service.admin.listConnections(id)).toMatchObject([
    { name: 'Google', callbackPath: '/social/callback' },
    { name: 'GitLab', callbackPath: '/social/e7be96a51bd0192a72840d2e/callback' },
  ])
  const own = { callbackPath: '/social/89a8000a68d759c68bfaeab5/callback' }
  expect(await service.admin.updateConnection(id, 'con_1', { ownCallback: true })).toMatchObject(
    own,
  )
})

test('an update of the tables that fails leaves the folder as it was, so that it can be done again', async () => {
  const data = anEarlierFolder()
  const database = new DatabaseSync(join(data, 'data.db'))
  onTestFinished(() => database.close())
  const tables = () => database.prepare('select sql from sqlite_schema order by name').all()
  // A change cannot make a table that is there.
  database.exec('create table jobs (id text)')
  const before = tables()

  await expect(createIdentityService({ data, masterKey })).rejects.toThrow(
    /could not be migrated to this version: table .?jobs.? already exists/,
  )
  expect(tables()).toEqual(before)
  database.exec('drop table jobs')
  await using _ = await createIdentityService({ data, masterKey })
})

test('an update of the tables on a full disk says so, and is done once there is space', async ({
  skip,
}) => {
  const disk = mountSmallDisk(4)
  if ('reason' in disk) return skip(disk.reason)
  onTestFinished(() => disk.remove())
  // A process that reads the file has made its log, which the update finds.
  const database = new DatabaseSync(join(fill(disk.folder), 'data.db'))
  database.exec('pragma journal_mode = wal; select id from tenants')
  disk.fill()
  await expect(openSqliteDataStore(disk.folder)).rejects.toThrow('disk is full')
  disk.free()
  await (await openSqliteDataStore(disk.folder)).close()
  database.close()
})

test('a data folder of before release 0.2.0 is refused with the remedy', async () => {
  const data = anEarlierFolder()
  const database = new DatabaseSync(join(data, 'data.db'))
  database.exec(`delete from kysely_migration where name > '0012'`)
  database.close()
  await expect(createIdentityService({ data, masterKey })).rejects.toThrow(
    'Open it with 0.2.0 once',
  )
})

test('a tenant from before a setting has its zero value, and its next update says nothing of that setting', async () => {
  const data = anEarlierFolder()
  const open = async () => {
    const service = await createIdentityService({ data, masterKey })
    const { id = '' } = (await service.admin.findTenant(domain)) ?? {}
    const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
    return { service, id, api: connectApi(service.fetch, secret, id) }
  }
  await (await open()).service.close()
  const database = new DatabaseSync(join(data, 'data.db'))
  database.exec(`update tenants set settings =
    json_remove(settings, '$.companyName', '$.allowSocial', '$.rememberLoginSeconds')`)
  database.close()

  const { service, id, api } = await open()
  const { body: tenant } = await api.get(api.tenant)
  const { status } = await api.post(api.tenant, { ...tenant, name: 'Renamed' })
  expect(status).toBe(200)
  const entries = await service.admin.audit({ target: id })
  const entry = entries.find(({ action }) => action === 'tenant.update')
  expect(entry?.fields).toEqual(['name'])
  await service.close()
})

test('a tenant with an instant that SQLite cannot return as a number works again', async () => {
  const data = anEarlierFolder()
  const database = new DatabaseSync(join(data, 'data.db'))
  // The year 1 in a user, the year 9999 in an API key.
  database.exec(`update users set verified_at = -62135596800000000 where email like 'ada@%';
    update users set verified_at = null where email like 'bob@%';
    insert into api_keys (id, name, hash, last4, reaches_all, created_at, expires_at)
      values ('key_1', 'late', 'hash', 'last', 1, 1, 253402214400000000)`)
  database.close()

  await using service = await createIdentityService({ data, masterKey })
  const tenant = await service.admin.findTenant(domain)
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const api = connectApi(service.fetch, secret, tenant?.id ?? '')
  const { status, body } = await api.get(api.users)
  expect([status, body.total]).toEqual([200, 4])
  const named = (name: string) =>
    body.data.find(({ profile }: { profile: { email: string } }) => profile.email.startsWith(name))
  const ada = named('ada@')
  expect(ada.verified_at).toBe(ada.created_at)
  expect(named('bob@')).not.toHaveProperty('verified_at')
  expect((await api.post(`${api.users}/${ada.id}`, ada)).body.verified_at).toBe(ada.verified_at)
  const late = (await service.admin.listApiKeys()).find(({ name }) => name === 'late')
  expect(late?.expiresAt).toBe(Date.parse('2250-01-01') * 1_000)
})
