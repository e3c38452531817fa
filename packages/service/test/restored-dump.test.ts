import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { postgresPath, startPostgres } from '../../../test/support/postgres-server.ts'
import { startRedis } from '../../session-store/test/support/redis.ts'
import { run, temporaryFolder } from './cli/support.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { connectApi } from './support/api.ts'
import { createDatabase } from './support/postgres.ts'

const shell = join(import.meta.dirname, '../../../examples/guides/shell')
const database = await createDatabase()
const redis = await startRedis(['appendonly yes', 'maxmemory-policy noeviction'])
const fresh = await startPostgres()
afterAll(async () => {
  await fresh[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
  await database.drop()
})

const issuer = 'https://acme.example'
const callback = 'https://shop.example/callback'

const SEED = {
  tenants: [
    {
      settings: { domain: 'acme.example' },
      applications: [{ name: 'Shop', redirect_urls: [callback] }],
      users: [
        {
          profile: { email: 'ada@example.com', email_verified: true },
          password: { alg: 'plain', hash: 'correct horse battery' },
        },
      ],
    },
  ],
} as const

test('a dump that comes back while Redis was kept logs everybody out, and says what waits to be confirmed', async () => {
  using folder = temporaryFolder()
  const masterKey = randomBytes(32).toString('base64')
  const errors: string[] = []
  const logger = pino({ level: 'error' }, { write: (line) => void errors.push(line) })
  const open = (url: string) =>
    createIdentityService({ database: url, redis: redis.url, masterKey, logger })
  const script = (name: string, url: string) =>
    execFileSync('sh', ['-euc', readFileSync(join(shell, name), 'utf8')], {
      cwd: folder.path,
      env: { PATH: `${postgresPath()}:${process.env.PATH}`, LATCHKEY_DATABASE: url },
    })

  const before = await open(database.url)
  await before.admin.seed(SEED)
  const tenantId = (await before.admin.findTenant('acme.example'))?.id ?? ''
  const { secret, key } = await before.admin.createApiKey({ name: 'tests', reach: [tenantId] })
  const api = connectApi(before.fetch, secret, tenantId)
  const [application] = (await api.get(api.applications)).body.data
  const user = await api.createUser('bob@example.com')

  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{ client_id: application.id, redirect_uri: callback, response_type: 'code' },
    ...{ scope: 'openid', state: 'state-0123456789', nonce: 'nonce-0123456789' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const login = `${issuer}/oidc/auth?${query}`
  const where = { url: issuer, fetch: before.fetch }
  const browser = createBrowser(where)
  const password = { email: 'ada@example.com', password: 'correct horse battery' }
  const landed = await browser.submit(await browser.get(login), password)
  const code = new URL(landed.location ?? '').searchParams.get('code') ?? ''
  const redeemed = await before.fetch(`${issuer}/oidc/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${application.id}:${application.secret}`)}` },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: callback },
      code_verifier: verifier,
    }),
  })
  const { access_token: token } = (await redeemed.json()) as { access_token: string }
  const userinfo = async (service: typeof before) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await service.fetch(`${issuer}/oidc/userinfo`, { headers })).status
  }
  expect(await userinfo(before)).toBe(200)

  script('postgres-backup.sh', database.url)
  await api.post(`${api.users}/${user.id}`, { profile: user.profile, disabled: true })
  const { body } = await api.get(`/x${api.tenant}/events?types=user.disabled&wait=30`)
  const lost = body.data[0].data.sequence
  await before.admin.revokeApiKey(key.id)
  await before.close()
  const flags = ['-h', '127.0.0.1', '-p', String(fresh.port), '-U', 'latchkey']
  execFileSync(join(postgresPath() ?? '', 'createdb'), [...flags, 'latchkey'])
  const url = fresh.url('latchkey')
  script('postgres-restore.sh', url)
  const env = { LATCHKEY_DATABASE: url, LATCHKEY_REDIS: redis.url, LATCHKEY_MASTER_KEY: masterKey }
  expect((await run(['doctor'], env)).stdout).toContain('an older state of the database came back')

  const [after, beside] = await Promise.all([open(url), open(url)])
  try {
    expect(await userinfo(after)).toBe(401)
    expect(errors).toEqual([expect.stringContaining('a dump was restored')])
    where.fetch = beside.fetch
    const silent = await browser.get(`${login}&prompt=none`)
    expect(silent.location).toContain('error=login_required')
    const again = connectApi(after.fetch, secret, tenantId)
    expect((await again.get(again.users)).status).toBe(401)
    const found = await run(['doctor'], env)
    expect(found.stdout).toContain('A backup was restored at')
    expect(found.stdout).toContain('1 API key.')

    expect(await run(['confirm', key.id], env)).toMatchObject({ code: 0 })
    await expect.poll(async () => (await again.get(again.users)).status).toBe(200)
    expect((await again.get(`/x${api.tenant}/events?after=${lost}`)).status).toBe(410)
    const { body: kept } = await again.get(`/x${api.tenant}/events?types=user.created`)
    expect(kept.data).toHaveLength(2)
    expect((await run(['doctor'], env)).stdout).toBe('Nothing needs a decision.\n')
    const another = createBrowser(where)
    const anew = await another.submit(await another.get(login), password)
    expect(anew.location).toContain(`${callback}?code=`)
  } finally {
    await Promise.all([after.close(), beside.close()])
  }
  const third = await open(url)
  await third.close()
  expect(errors).toHaveLength(1)
})
