import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { run } from '../cli/support.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { connectApi } from '../support/api.ts'

const password = 'correct horse battery'

/** Writes an address and its key as the first version of the service did. */
const earlier = [
  // Alone with its address.
  { email: 'Grace@ｅxample.com', key: 'grace@ｅxample.com' },
  // The same address as the next one.
  { email: 'ada@exa\u200bmple.com', key: 'ada@exa\u200bmple.com' },
  { email: 'ada@example.com', key: 'ada@example.com' },
  // The same address, which no user has in its canonical form.
  { email: 'zoe@exämple.com', key: 'zoe@exämple.com' },
  { email: 'zoe@exämple。com', key: 'zoe@exämple。com' },
]

/** Takes back what migrations after that of the addresses have added. */
const undoLater = `
  drop index tenants_by_name;
  drop index tenants_deleted;
  alter table tenants drop column deleted_at;
  alter table tenants drop column deleted_users;
  drop index audit_by_time;
  drop table operators;
  drop index credentials_social;
  drop table connections;
  drop index audit_by_tenant_and_time;
  create index audit_by_tenant on audit (tenant_id);
  alter table audit drop column fields;
  drop index users_by_name;
  drop index users_by_family_name;
  drop index users_disabled;
  drop index users_unverified;
  alter table users drop column name_key;
  alter table users drop column family_name_key;
  drop index audit_refused;
  alter table audit drop column outcome;
  alter table audit drop column address;
  alter table audit drop column user_agent;
  alter table audit drop column application_id;
  alter table applications drop column earlier_secret;
  alter table applications drop column earlier_secret_until;
  alter table api_keys drop column read_only;`

/** A data folder from before addresses were canonical, with a user for each of {@link earlier}. */
async function anEarlierFolder() {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-addresses-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  const service = await createIdentityService({ data })
  const { tenantId, secret, ids } = await (async () => {
    await using _ = service
    const { id: tenantId } = await service.admin.createTenant({ domain: 'login.acme.test' })
    const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenantId] })
    const api = connectApi(service.fetch, secret, tenantId)
    await api.create(api.applications, {
      name: 'Shop',
      redirect_urls: ['https://shop.acme.test/callback'],
    })
    const ids: string[] = []
    for (let i = 0; i < earlier.length; i++) {
      const profile = { email: `user-${i}@example.org`, email_verified: true }
      const { id } = await api.create(api.users, { profile })
      const credential = { password: { alg: 'plain', hash: `${password} ${i}` } }
      await api.create(`${api.users}/${id}/credentials`, credential)
      ids.push(id)
    }
    return { tenantId, secret, ids }
  })()
  const database = new DatabaseSync(join(data, 'data.db'))
  earlier.forEach(({ email, key }, i) => {
    database
      .prepare('update users set email = ?, email_key = ? where id = ?')
      .run(email, key, ids[i] as string)
  })
  database.exec(`delete from kysely_migration where name >= '0004'; ${undoLater}`)
  database.close()
  return { data, tenantId, secret, ids }
}

function keysIn(data: string): Record<string, string> {
  const database = new DatabaseSync(join(data, 'data.db'), { readOnly: true })
  const rows = database.prepare('select email, email_key from users').all()
  database.close()
  return Object.fromEntries(rows.map(({ email, email_key }) => [email, email_key as string]))
}

test('users of an earlier version get canonical keys, but those whose keys would become equal keep theirs', async () => {
  const { data } = await anEarlierFolder()
  await (await createIdentityService({ data })).close()

  expect(keysIn(data)).toEqual({
    'Grace@ｅxample.com': 'grace@example.com',
    'ada@exa\u200bmple.com': 'ada@exa\u200bmple.com',
    'ada@example.com': 'ada@example.com',
    'zoe@exämple.com': 'zoe@exämple.com',
    'zoe@exämple。com': 'zoe@exämple。com',
  })
})

test('after the migration each user logs in with the address as it was, each to an account of their own', async () => {
  const { data, tenantId, secret, ids } = await anEarlierFolder()
  await using service = await createIdentityService({ data })
  const api = connectApi(service.fetch, secret, tenantId)
  const { body: applications } = await api.get(api.applications)
  const query = new URLSearchParams({
    client_id: applications.data[0].id,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: 'https://shop.acme.test/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })

  for (const [i, { email }] of earlier.entries()) {
    const browser = createBrowser({ url: 'https://login.acme.test', fetch: service.fetch })
    const form = await browser.get(`/oidc/auth?${query}`)
    const callback = await browser.submit(form, { email, password: `${password} ${i}` })
    expect(callback.location, email).toContain('code=')

    const user = (await api.get(`${api.users}/${ids[i]}`)).body
    expect((await api.post(`${api.users}/${ids[i]}`, user)).body.profile).toEqual(user.profile)
  }
  const grace = createBrowser({ url: 'https://login.acme.test', fetch: service.fetch })
  const form = await grace.get(`/oidc/auth?${query}`)
  const credentials = { email: 'grace@example.com', password: `${password} 0` }
  expect((await grace.submit(form, credentials)).location).toContain('code=')
})

test('latchkey-service doctor names the users whose addresses are the same', async () => {
  const { data, ids } = await anEarlierFolder()

  const { code, stdout } = await run(['doctor', '--data', data])

  expect(code).toBe(1)
  for (const i of [1, 2, 3, 4]) expect(stdout).toContain(ids[i])
  expect(stdout).not.toContain(ids[0])
  expect(stdout).toContain('ada@exa\\u200bmple.com')
})

test('latchkey-service doctor is content with a folder in which it finds nothing', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-addresses-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  await run(['tenant', 'create', '--data', data, '--domain', 'login.acme.test'])

  expect(await run(['doctor', '--data', data])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing'),
  })
})
