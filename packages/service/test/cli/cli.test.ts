import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { selfSigned } from '../../../../test/support/certificate.ts'
import { createProgram } from '../../src/cli/program.ts'
import { run, type Served, serve, temporaryFolder } from './support.ts'

describe('beside a running server', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let server: Served
  let data: string[]
  let tenant: string
  let key: string

  beforeAll(async () => {
    folder = temporaryFolder()
    data = ['--data', folder.path]
    tenant = (
      await run(['tenant', 'create', ...data, '--domain', 'login.example.com'])
    ).stdout.trim()
    key = (await run(['key', 'create', ...data, '--name', 'ci', '--all-tenants'])).stdout
    const hosts = 'api.example.com,api.example.org'
    server = await serve([...data, '--log-level', 'debug', '--api-host', hosts])
  })
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
    folder[Symbol.dispose]()
  })

  /** Calls the API of the server: GET, or POST when there is a body. */
  async function call(path: string, body?: object, secret = key) {
    const answer = await fetch(`${server.url}/v1/tenants${path}`, {
      headers: { ...bearer(secret).headers, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: what the API answers has the shape that it documents
    return { status: answer.status, body: (await answer.json()) as Record<string, any> }
  }

  test('a tenant and a key made by the command open the API that serve serves', async () => {
    expect(key).toMatch(/^latchkey_[0-9A-Za-z]{43}\n$/)
    const { data: tenants } = (await call('')).body
    expect(tenants.map(({ id }: { id: string }) => id)).toEqual([tenant])
  })

  test('keys that parallel commands create work at once, and a revoked key stops at once', async () => {
    const create = ['key', 'create', ...data, '--tenant', tenant, '--name']
    const names = ['one', 'two', 'three', 'four']
    const made = await Promise.all(names.map((name) => run([...create, name])))
    const listed: Record<string, string>[] = JSON.parse(
      (await run(['key', 'list', ...data, '--json'])).stdout,
    )
    for (const [n, { code, stdout }] of made.entries()) {
      expect(code).toBe(0)
      expect((await call('', undefined, stdout)).status).toBe(200)
      const row = listed.find(({ name }) => name === names[n])
      expect(row).toMatchObject({ secret: `…${stdout.trim().slice(-4)}` })
    }

    const id = listed.find(({ name }) => name === 'one')?.id ?? ''
    expect((await run(['key', 'revoke', id, ...data])).code).toBe(0)
    expect((await call('', undefined, made[0]?.stdout)).status).toBe(401)
  })

  test('application rotate-secret prints a new secret, which is accepted beside the one of before', async () => {
    const { id } = (await call(`/${tenant}/applications`, { name: 'Shop' })).body
    const path = `/${tenant}/applications/${id}`
    const { secret: before } = (await call(path)).body
    const rotate = ['application', 'rotate-secret', id, ...data, '--tenant', tenant]
    const { stdout } = await run(rotate)
    const { secret: after } = (await call(path)).body

    expect(stdout).toBe(`${after}\n`)
    expect(after).not.toBe(before)
    const isAccepted = async (secret: string) => {
      const basic = Buffer.from(`${id}:${secret}`).toString('base64')
      const headers = { host: 'login.example.com', authorization: `Basic ${basic}` }
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const sent = {
        method: 'POST',
        headers: { ...headers, ...form },
        body: 'token=unknown',
      } as const
      return (await request(`${server.url}/oidc/revoke`, sent)).statusCode
    }
    expect(await isAccepted(before)).toBe(200)
    expect(await isAccepted(after)).toBe(200)
    expect(await isAccepted('wrong')).toBe(401)
  })

  test('audit finds a refused write by the uuid of its Error', async () => {
    const { body } = await call(`/${tenant}/users`, { profile: { email: 'nobody' } })
    const found = await run(['audit', ...data, '--request-id', body.uuid, '--json'])
    expect(JSON.parse(found.stdout)).toMatchObject([
      { action: 'invalid_email', request: body.uuid },
    ])
  })

  test('the operator frees a domain that is held after its tenant moved', async () => {
    const create = ['tenant', 'create', ...data, '--domain', 'old.example.com']
    const id = (await run(create)).stdout.trim()
    const move = (domain: string) => call(`/${id}`, { settings: { domain } })
    expect((await move('api.example.org')).status).toBe(400)
    expect((await move('new.example.com')).status).toBe(200)

    expect((await run(create)).stderr).toContain('already_exists')
    const freed = await run(['tenant', 'free-domain', ...data, 'old.example.com'])

    expect(freed).toMatchObject({ code: 0, stdout: 'old.example.com is free.\n' })
    expect((await run(create)).code).toBe(0)
  })

  test('at the most talkative level the log holds no key, secret, password or hash', async () => {
    const base = `/${tenant}`
    const user = (await call(`${base}/users`, { profile: { email: 'ada@example.com' } })).body
    const password = { alg: 'plain', hash: 'a-password-to-find' }
    const credentials = `${base}/users/${user.id}/credentials`
    const credential = (await call(credentials, { password })).body
    await call(credentials, { password })
    await call(credentials, { password: { alg: 'md5', hash: 'a-hash-to-find' } })
    const created = (await call(`${base}/applications`, { name: 'Garden' })).body
    const application = (await call(`${base}/applications/${created.id}`, { name: 'Garden' })).body

    await expect.poll(() => server.log()).toContain(credentials)
    for (const secret of [
      key.trim(),
      'a-password-to-find',
      'a-hash-to-find',
      credential.password.hash,
      application.secret,
    ]) {
      expect(secret).toBeTruthy()
      expect(server.log()).not.toContain(secret)
    }
  })
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

test('an expiry that is no date, or that no database could return, makes no key', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  await using service = await createIdentityService({ data: folder.path })
  const create = ['key', 'create', ...data, '--all-tenants', '--name', 'late', '--expires']
  for (const date of ['9999-12-31', '9999-12-31T23:59:59Z', '0001-01-01', '2026-02-30', '1']) {
    const { code, stderr } = await run([...create, date])
    expect([date, code]).toEqual([date, 2])
    expect(stderr).toContain('It must be a date such as 2027-01-31, before 2250-01-01.')
  }
  const expiresAt = Date.parse('9999-12-31') * 1_000
  const late = service.admin.createApiKey({ name: 'late', reach: 'all', expiresAt })
  await expect(late).rejects.toThrow('A key must expire before 2250-01-01, or never.')
  expect(JSON.parse((await run(['key', 'list', ...data, '--json'])).stdout)).toEqual([])
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

test('seed creates connections by name, and refuses a member or a recipe that is misspelt', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'seed.json')
  const seed = ['seed', file, '--data', join(folder.path, 'data')]
  const write = (connection: object) => {
    const connections = [{ recipe: 'gitlab', client_id: 'a', secret: 'b', ...connection }]
    const tenants = [{ settings: { domain: 'a.example.com' }, connections }]
    writeFileSync(file, JSON.stringify({ tenants }))
  }

  write({ trustemail: true })
  expect((await run(seed)).stderr).toContain(
    '"trustemail" is no member of a connection. Did you mean "trust_email"?',
  )
  write({ recipe: 'gitlap' })
  expect((await run(seed)).stderr).toContain('"gitlap" is not a recipe. Did you mean "gitlab"?')
  expect((await run(['tenant', 'list', ...seed.slice(2)])).stdout).toBe('(none)\n')
  write({})
  const created = 'Created 1 tenants, 0 applications, 1 connections and 0 users.\n'
  expect((await run(seed)).stdout).toBe(created)
  expect((await run(seed)).stdout).toBe('Created 0 tenants, 0 applications and 0 users.\n')
})

test('connections are added, listed, changed and removed, and no secret is shown', async () => {
  using folder = temporaryFolder()
  const { id: tenant } = await aTenant(folder.path)
  const data = ['--data', folder.path, '--tenant', tenant]
  const secretFile = join(folder.path, 'secret')
  writeFileSync(secretFile, 'very-secret\n')
  const add = (...more: string[]) =>
    run(['connection', 'add', ...data, '--client-id', 'a', ...more])

  const wrongs = [
    [['--recipe', 'gogle'], '"gogle" is not a recipe. Did you mean "google"?'],
    [['--recipe', 'google'], 'Give the client secret in a file, with --secret-file'],
    [
      ['--recipe', 'microsoft', '--secret-file', secretFile, '--directory', 'common'],
      'The recipe "microsoft" needs "directory": the id of your Entra directory, a GUID',
    ],
    [
      ['--recipe', 'google', '--secret-file', secretFile, '--team-id', 'x'],
      '"teamId" is not an option of the recipe "google".',
    ],
    [['--recipe', 'google', '--secret', 'x'], "unknown option '--secret'"],
  ] as const
  for (const [options, sentence] of wrongs) {
    expect((await add(...options)).stderr).toContain(sentence)
  }
  const added = await add('--recipe', 'google', '--secret-file', secretFile)
  const [id = '', redirectUri] = added.stdout.split('\n')
  const own = '/social/89a8000a68d759c68bfaeab5/callback'
  expect(redirectUri).toBe(`Redirect URI to register: https://login.example.com${own}`)
  const before = await run(['connection', 'redirect-uri', ...data, '--recipe', 'google'])
  expect(before.stdout).toBe(`https://login.example.com${own}\n`)
  const unknown = await run(['connection', 'redirect-uri', ...data, '--recipe', 'oidc'])
  expect(unknown.stderr).toContain('The recipe "oidc" needs "issuer"')
  const change = ['connection', 'update', id, ...data, '--name', 'Work', '--no-enabled']
  const changed = await run([...change, '--no-own-callback'])
  expect(changed.stdout).toBe('Changed the connection "Work".\n')
  const listed = await run(['connection', 'list', ...data, '--json'])
  expect(JSON.parse(listed.stdout)).toEqual([
    {
      id,
      name: 'Work',
      recipe: 'google',
      issuer: 'https://accounts.google.com',
      'client id': 'a',
      'trust email': 'no',
      'sign-ups': 'yes',
      enabled: 'no',
      'redirect uri': 'https://login.example.com/social/callback',
    },
  ])
  await run(['connection', 'update', id, ...data, '--own-callback'])
  expect((await run(['connection', 'list', ...data])).stdout).toContain(own)
  expect(added.stdout + listed.stdout).not.toContain('very-secret')
  const { id: here } = JSON.parse(
    (await run(['tenant', 'create', '--data', folder.path, '--domain', 'localhost:4400', '--json']))
      .stdout,
  )
  const atHome = await add('--recipe', 'google', '--secret-file', secretFile, '--tenant', here)
  expect(atHome.stdout).toContain(`to register: http://localhost:4400${own}\n`)
  const removed = await run(['connection', 'remove', id, ...data, '--yes'])
  expect(removed.stdout).toBe('Removed the connection "Work".\n')
  expect((await run(['connection', 'list', ...data])).stdout).toBe('(none)\n')
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

test('an option whose help names a variable can come from the environment', async () => {
  using folder = temporaryFolder()
  await aTenant(folder.path)
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
  ['connection', 'add'],
  ['connection', 'update'],
  ['seed'],
  ['audit'],
  ['audit', 'export'],
  ['doctor'],
])('--help of the command "%s" says what it does and succeeds', async (command) => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  expect(await createProgram().run([...command, '--help'])).toBe(0)
  expect(String(written.mock.calls[0]?.[0])).toMatch(/^Usage: latchkey-service/)
})

test('a variable that is set and empty is not set', async () => {
  using folder = temporaryFolder()
  const env = { LATCHKEY_DATA: folder.path, LATCHKEY_DATABASE: '', LATCHKEY_MASTER_KEY: '' }
  const created = await run(['tenant', 'create', '--domain', 'login.example.com'], env)
  expect(created).toMatchObject({ code: 0, stderr: '' })
  const neither = await run(['tenant', 'list'], { LATCHKEY_DATA: '', LATCHKEY_DATABASE: '' })
  expect(neither.code).toBe(2)
  expect(neither.stderr).toContain('give --data, a folder, or --database, a PostgreSQL')
})

test('--help exits with 0', async () => {
  const { code, stdout } = await run(['--help'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: latchkey-service/)
})

test('a usage error exits with 2 and points to --help; a failure exits with 1 and a sentence', async () => {
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

test('doctor does not pass a folder without data, such as one with a typing error', async () => {
  using folder = temporaryFolder()
  const data = join(folder.path, 'dta')
  const examined = await run(['doctor', '--data', data])
  expect(examined).toMatchObject({ code: 1, stdout: '' })
  expect(examined.stderr).toContain(`There is no data in ${data}`)
  expect(existsSync(data)).toBe(false)
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
  expect(unreadable).toMatchObject(saying(`--tls-cert: There is no file ${missing}.`))
})

test('keys rotate publishes a new key and keeps the old one', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  await aTenant(folder.path)
  const first = await run(['keys', 'rotate', ...data])
  const second = await run(['keys', 'rotate', ...data])
  const kids = [first, second].map(({ stdout }) => stdout.trim().split(' ').at(-1))
  expect(new Set(kids).size).toBe(2)

  const service = await createIdentityService({ data: folder.path })
  const answer = await service.fetch('https://login.example.com/oidc/jwks')
  const { keys } = (await answer.json()) as { keys: { kid: string; d?: string }[] }
  await service.close()
  // Each is published for PS256 as well, under a name of its own.
  const published = keys.map(({ kid }) => kid.replace(/-ps256$/, ''))
  expect([...new Set(published)]).toEqual(kids.reverse())
  expect(keys.every(({ d }) => d === undefined)).toBe(true)
})

test('deleting a tenant needs --yes', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const { id } = await aTenant(folder.path)
  expect((await run(['tenant', 'delete', id, ...data])).code).toBe(2)
  expect((await run(['tenant', 'delete', id, ...data, '--yes'])).code).toBe(0)
  expect((await run(['tenant', 'list', ...data])).stdout).toBe('(none)\n')
})

test('a data folder whose master key is gone is refused instead of getting another one', async () => {
  using folder = temporaryFolder()
  await aTenant(folder.path)
  const moved = join(folder.path, 'moved')
  mkdirSync(moved)
  renameSync(join(folder.path, 'master.key'), join(moved, 'master.key'))
  const refused = await run(['tenant', 'list', '--data', folder.path])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('master.key is missing')
})

function bearer(key: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${key.trim()}` } }
}

/** Makes a data folder with a tenant, as the command does. */
async function aTenant(data: string): Promise<{ id: string }> {
  await using service = await createIdentityService({ data })
  return service.admin.createTenant({ domain: 'login.example.com' })
}

test('the command says its version, all of its commands, and that an old Node is too old', async () => {
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const { stdout } = await run(['--help'])
  expect(stdout).toMatch(/^ {2}application rotate-secret <id> /m)
  expect(stdout).toMatch(/^ {2}key create /m)
  const old = `data:text/javascript,${encodeURIComponent(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
  )}`
  const { code, stderr } = await run(['dev'], { NODE_OPTIONS: `--import=${old}` })
  expect([code, stderr]).toEqual([
    1,
    'latchkey-service needs Node.js 22.19 or newer, and this is 20.20.2.\n',
  ])
})
