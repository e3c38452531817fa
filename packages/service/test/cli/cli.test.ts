import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { selfSigned } from '../../../../test/support/certificate.ts'
import { run, serve, temporaryFolder } from './support.ts'

test('a tenant and a key made by the command open the API that serve serves', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const tenant = await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
  const key = await run(['key', 'create', ...data, '--name', 'ci', '--all-tenants'])
  expect([tenant.code, key.code]).toEqual([0, 0])
  expect(key.stdout).toMatch(/^latchkey_[0-9A-Za-z]{43}\n$/)

  const server = await serve(data)
  const answer = await fetch(`${server.url}/v1/tenants`, bearer(key.stdout))
  const { data: tenants } = (await answer.json()) as { data: { id: string }[] }
  expect(tenants.map(({ id }) => id)).toEqual([tenant.stdout.trim()])
  expect(await server.stop()).toBe(0)
})

test('a key is made and revoked beside a running server, and both count at once', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const tenant = await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
  const server = await serve(data)
  const key = await run([
    'key',
    'create',
    ...data,
    '--name',
    'ci',
    '--tenant',
    tenant.stdout.trim(),
  ])
  const opened = await fetch(`${server.url}/v1/tenants`, bearer(key.stdout))
  expect(opened.status).toBe(200)

  const [listed] = JSON.parse((await run(['key', 'list', ...data, '--json'])).stdout)
  expect(listed).toMatchObject({ name: 'ci', secret: `…${key.stdout.trim().slice(-4)}` })
  expect((await run(['key', 'revoke', listed.id, ...data])).code).toBe(0)
  const closed = await fetch(`${server.url}/v1/tenants`, bearer(key.stdout))
  expect(closed.status).toBe(401)
  await server.stop()
})

test('a key is good for a year unless the command says otherwise, and can be read-only', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  await (await createIdentityService({ data: folder.path })).close()
  const create = ['key', 'create', ...data, '--all-tenants', '--name']
  await run([...create, 'usual', '--read-only'])
  await run([...create, 'eternal', '--expires', 'never'])

  const listed = JSON.parse((await run(['key', 'list', ...data, '--json'])).stdout)
  const named = (name: string) => listed.find((key: { name: string }) => key.name === name)
  expect(named('usual')).toMatchObject({ access: 'read' })
  expect(named('eternal')).toMatchObject({ access: 'write', expires: '-' })
  const days = (Date.parse(named('usual').expires) - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(365)
})

test('application rotate-secret prints a new secret, which a running server accepts beside the one of before', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'seed.json')
  const data = ['--data', join(folder.path, 'data')]
  const tenants = [{ settings: { domain: 'a.example.com' }, applications: [{ name: 'Shop' }] }]
  writeFileSync(file, JSON.stringify({ tenants }))
  await run(['seed', file, ...data])
  const { stdout: key } = await run(['key', 'create', ...data, '--name', 'ci', '--all-tenants'])
  const server = await serve(data)
  const list = async (path: string) => {
    const answer = await fetch(`${server.url}/v1/tenants${path}`, bearer(key))
    return ((await answer.json()) as { data: [{ id: string; secret: string }] }).data[0]
  }
  const { id: tenant } = await list('')
  const before = await list(`/${tenant}/applications`)
  const rotate = ['application', 'rotate-secret', before.id, ...data, '--tenant', tenant]
  const { stdout } = await run(rotate)
  const after = await list(`/${tenant}/applications`)

  expect(stdout).toBe(`${after.secret}\n`)
  expect(after.secret).not.toBe(before.secret)
  const isAccepted = async (secret: string) => {
    const basic = Buffer.from(`${before.id}:${secret}`).toString('base64')
    const headers = { host: 'a.example.com', authorization: `Basic ${basic}` }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const url = `${server.url}/oidc/revoke`
    const sent = {
      method: 'POST',
      headers: { ...headers, ...form },
      body: 'token=unknown',
    } as const
    return (await request(url, sent)).statusCode
  }
  expect(await isAccepted(before.secret)).toBe(200)
  expect(await isAccepted(after.secret)).toBe(200)
  expect(await isAccepted('wrong')).toBe(401)
  await server.stop()
})

test('audit finds a refused write by the uuid of its Error', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const tenant = await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
  const key = await run(['key', 'create', ...data, '--name', 'ci', '--all-tenants'])
  const server = await serve(data)
  const refused = await fetch(`${server.url}/v1/tenants/${tenant.stdout.trim()}/users`, {
    method: 'POST',
    headers: { ...bearer(key.stdout).headers, 'content-type': 'application/json' },
    body: '{"profile":{"email":"nobody"}}',
  })
  const { uuid } = (await refused.json()) as { uuid: string }
  await server.stop()
  const found = await run(['audit', ...data, '--request-id', uuid, '--json'])
  expect(JSON.parse(found.stdout)).toMatchObject([{ action: 'invalid_email', request: uuid }])
})

test('seed creates what a file names, once', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'seed.json')
  const user = { profile: { email: 'ada@example.com' }, password: { alg: 'plain', hash: 'secret' } }
  const tenants = [
    { settings: { domain: 'a.example.com' }, applications: [{ name: 'Shop' }], users: [user] },
  ]
  writeFileSync(file, JSON.stringify({ tenants }))
  const seed = ['seed', file, '--data', join(folder.path, 'data')]
  expect((await run(seed)).stdout).toBe('Created 1 tenants, 1 applications and 1 users.\n')
  expect((await run(seed)).stdout).toBe('Created 0 tenants, 0 applications and 0 users.\n')
})

test('a seed of another shape is refused with what is wrong, and nothing is created', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'seed.json')
  const data = join(folder.path, 'data')
  writeFileSync(file, '{"tenants":[{"settings":{"domain":"a.example.com"}},{"settings":{}}]}')
  const refused = await run(['seed', file, '--data', data])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('tenants[1].settings.domain')
  expect((await run(['tenant', 'list', '--data', data])).stdout).toBe('(none)\n')
})

test('every option can come from the environment', async () => {
  using folder = temporaryFolder()
  await run(['tenant', 'create', '--data', folder.path, '--domain', 'login.example.com'])
  const listed = await run(['tenant', 'list'], { LATCHKEY_DATA: folder.path })
  expect(listed.stdout).toContain('login.example.com')
})

test.for([
  [],
  ['serve'],
  ['dev'],
  ['tenant'],
  ['key'],
  ['key', 'create'],
  ['application', 'rotate-secret'],
  ['keys', 'rotate'],
  ['seed'],
  ['audit'],
  ['audit', 'export'],
  ['doctor'],
])('--help of the command "%s" says what it does and exits with 0', async (command) => {
  const { code, stdout } = await run([...command, '--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: latchkey-service/)
})

test('a wrong call exits with 2 and points to --help; a failure exits with 1 and a sentence', async () => {
  using folder = temporaryFolder()
  const wrong = await run(['serve', '--data', folder.path, '--port', 'many'])
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('It must be a whole number from 0 to 65535.')
  expect(wrong.stderr).toContain('--help')

  const failed = await run(['key', 'list', '--data', folder.path])
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('There is no data in')
  expect(failed.stderr).not.toMatch(/^ +at /m)
})

test('a port that is taken is refused with a sentence', async () => {
  using folder = temporaryFolder()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const refused = await run(['serve', '--data', folder.path, '--port', String(port)])
  other.close()
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`Port ${port} on 127.0.0.1 is taken`)
})

test('serve speaks https with a certificate and key from files', async () => {
  using folder = temporaryFolder()
  const { cert, key } = await selfSigned('localhost')
  const files = { cert: join(folder.path, 'cert.pem'), key: join(folder.path, 'key.pem') }
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  const server = await serve(['--data', folder.path, '--tls-cert', files.cert], {
    LATCHKEY_TLS_KEY: files.key,
  })
  const dispatcher = new Agent({ connect: { ca: cert } })
  const url = server.url.replace('http://127.0.0.1', 'https://localhost')
  const { statusCode } = await request(`${url}/x/health`, { dispatcher })
  await dispatcher.close()
  expect(statusCode).toBe(200)
  expect(await server.stop()).toBe(0)
})

test('half a pair for TLS, and a file that cannot be read, are refused with a sentence', async () => {
  using folder = temporaryFolder()
  const serving = ['serve', '--data', folder.path]
  const missing = join(folder.path, 'missing.pem')
  const [noKey, noCert, unreadable] = await Promise.all([
    run([...serving, '--tls-cert', missing]),
    run(serving, { LATCHKEY_TLS_KEY: missing }),
    run([...serving, '--tls-cert', missing, '--tls-key', missing]),
  ])
  // On Node 22 a warning about its SQLite follows.
  const saying = (sentence: string) => ({
    code: 1,
    stderr: expect.stringContaining(`${sentence}\n`),
  })
  expect(noKey).toMatchObject(saying('--tls-cert needs --tls-key, its private key.'))
  expect(noCert).toMatchObject(saying('--tls-key needs --tls-cert, its certificate.'))
  expect(unreadable).toMatchObject(
    saying(`The file of --tls-cert, ${missing}, cannot be read (ENOENT).`),
  )
})

test('keys rotate publishes a new key and keeps the old one', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
  const first = await run(['keys', 'rotate', ...data])
  const second = await run(['keys', 'rotate', ...data])
  const kids = [first, second].map(({ stdout }) => stdout.trim().split(' ').at(-1))
  expect(new Set(kids).size).toBe(2)

  const service = await createIdentityService({ data: folder.path })
  const answer = await service.fetch('https://login.example.com/oidc/jwks')
  const { keys } = (await answer.json()) as { keys: { kid: string; d?: string }[] }
  await service.close()
  expect(keys.map(({ kid }) => kid)).toEqual(kids.reverse())
  expect(keys.every(({ d }) => d === undefined)).toBe(true)
})

test('the operator frees a domain that is held after its tenant moved', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const { stdout: id } = await run(['tenant', 'create', ...data, '--domain', 'old.example.com'])
  const { stdout: key } = await run(['key', 'create', ...data, '--name', 'ci', '--all-tenants'])
  const server = await serve([...data, '--api-host', 'api.example.com,api.example.org'])
  const move = (domain: string) =>
    fetch(`${server.url}/v1/tenants/${id.trim()}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ settings: { domain } }),
    })
  expect((await move('api.example.org')).status).toBe(400)
  expect((await move('new.example.com')).status).toBe(200)
  const create = ['tenant', 'create', ...data, '--domain', 'old.example.com']

  expect((await run(create)).stderr).toContain('already_exists')
  const freed = await run(['tenant', 'free-domain', ...data, 'old.example.com'])

  expect(freed).toMatchObject({ code: 0, stdout: 'old.example.com is free.\n' })
  expect((await run(create)).code).toBe(0)
  await server.stop()
})

test('deleting a tenant needs --yes', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const { stdout } = await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
  const id = stdout.trim()
  expect((await run(['tenant', 'delete', id, ...data])).code).toBe(2)
  expect((await run(['tenant', 'delete', id, ...data, '--yes'])).code).toBe(0)
  expect((await run(['tenant', 'list', ...data])).stdout).toBe('(none)\n')
})

test('a data folder whose master key is gone is refused instead of getting another one', async () => {
  using folder = temporaryFolder()
  await run(['tenant', 'create', '--data', folder.path, '--domain', 'login.example.com'])
  const moved = join(folder.path, 'moved')
  mkdirSync(moved)
  renameSync(join(folder.path, 'master.key'), join(moved, 'master.key'))
  const refused = await run(['tenant', 'list', '--data', folder.path])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('master.key is missing')
})

test('at the most talkative level the log holds no key, secret, password or hash', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const tenant = await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
  const key = await run(['key', 'create', ...data, '--name', 'ci', '--all-tenants'])
  const server = await serve([...data, '--log-level', 'debug'])
  const base = `${server.url}/v1/tenants/${tenant.stdout.trim()}`
  const call = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await fetch(base + path, {
      method: 'POST',
      headers: { ...bearer(key.stdout).headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as Record<string, string>
  }
  const user = await call('/users', { profile: { email: 'ada@example.com' } })
  const password = { alg: 'plain', hash: 'a-password-to-find' }
  const credential = await call(`/users/${user.id}/credentials`, { password })
  await call(`/users/${user.id}/credentials`, { password })
  await call(`/users/${user.id}/credentials`, { password: { alg: 'md5', hash: 'a-hash-to-find' } })
  const created = await call('/applications', { name: 'Shop' })
  const application = await call(`/applications/${created.id}`, { name: 'Shop' })
  await server.stop()

  const { hash } = credential.password as unknown as { hash: string }
  expect(server.log()).toContain(`/users/${user.id}/credentials`)
  for (const secret of [
    key.stdout.trim(),
    'a-password-to-find',
    'a-hash-to-find',
    hash,
    application.secret,
  ]) {
    expect(secret).toBeTruthy()
    expect(server.log()).not.toContain(secret)
  }
})

function bearer(key: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${key.trim()}` } }
}
