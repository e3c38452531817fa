import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { afterAll, expect, test } from 'vitest'
import { postgresPath, startPostgres } from '../../../test/support/postgres-server.ts'
import { startRedis } from '../../session-store/test/support/redis.ts'
import { temporaryFolder } from './cli/support.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { connectApi } from './support/api.ts'
import { uploadLogo } from './support/logos.ts'
import { createDatabase } from './support/postgres.ts'

const shell = join(import.meta.dirname, '../../../examples/guides/shell')
const database = await createDatabase()
const redis = await startRedis()
const fresh = await startPostgres()
afterAll(async () => {
  await fresh[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
  await database.drop()
})

test('a PostgreSQL restored by the guide has the logins, the sessions, the logo and the audit log', async () => {
  using folder = temporaryFolder()
  const masterKey = randomBytes(32).toString('base64')
  const open = (url: string) =>
    createIdentityService({ database: url, redis: redis.url, masterKey })
  const run = (script: string, url: string) =>
    execFileSync('sh', ['-euc', readFileSync(join(shell, script), 'utf8')], {
      cwd: folder.path,
      env: { PATH: `${postgresPath()}:${process.env.PATH}`, LATCHKEY_DATABASE: url },
    })

  const before = await open(database.url)
  const tenant = await before.admin.createTenant({
    domain: 'acme.example',
    settings: { allowUnverified: true },
  })
  const { secret } = await before.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(before.fetch, secret, tenant.id)
  const logo = await uploadLogo(api, tenant.id)
  const user = await api.createUser('ada@example.com')
  await api.create(`${api.users}/${user.id}/credentials`, {
    password: { alg: 'plain', hash: 'correct horse' },
  })
  const callback = 'https://shop.example/callback'
  const application = await api.create(api.applications, { redirect_urls: [callback] })
  const query = new URLSearchParams({
    client_id: application.id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
    state: 'state-0123456789',
    nonce: 'nonce-0123456789',
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  })
  const login = `https://acme.example/oidc/auth?${query}`
  const issuer = { url: 'https://acme.example', fetch: before.fetch }
  const browser = createBrowser(issuer)
  const password = { email: 'ada@example.com', password: 'correct horse' }
  const landed = await browser.submit(await browser.get(login), password)
  expect(landed.location).toContain(`${callback}?code=`)
  const audit = await before.admin.audit({ limit: 1_000 })
  expect(audit.length).toBeGreaterThan(5)

  run('postgres-backup.sh', database.url)
  expect(statSync(join(folder.path, 'latchkey.dump')).mode & 0o777).toBe(0o600)
  await before.close()
  const flags = ['-h', '127.0.0.1', '-p', String(fresh.port), '-U', 'latchkey']
  execFileSync(join(postgresPath() ?? '', 'createdb'), [...flags, 'latchkey'])
  run('postgres-restore.sh', fresh.url('latchkey'))

  const after = await open(fresh.url('latchkey'))
  try {
    await logo.expectAt(after)
    expect(await after.admin.audit({ limit: 1_000 })).toEqual(audit)
    expect(await Array.fromAsync(after.admin.exportAudit())).toEqual(audit.toReversed())
    issuer.fetch = after.fetch
    const again = await browser.get(`${login}&prompt=none`)
    expect(again.location).toContain(`${callback}?code=`)
    const another = createBrowser(issuer)
    const fromStart = await another.submit(await another.get(login), password)
    expect(fromStart.location).toContain(`${callback}?code=`)
  } finally {
    await after.close()
  }
})
