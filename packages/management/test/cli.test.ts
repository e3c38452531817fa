import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createManagementClient } from '@latchkey/management'
import { expect, onTestFinished, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'

const json = (text: string) => JSON.parse(text)

function clientOf({ url, key }: Installation) {
  return createManagementClient({ baseUrl: url, apiKey: key })
}

/** A server that answers as it is told. */
async function serve(listener: RequestListener) {
  const server = createHttpServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('objects are created, shown, changed, listed and deleted, as table, JSON and NDJSON', async () => {
  await using installation = await startInstallation()
  const data = JSON.stringify({ profile: { email: 'ada@example.com' } })
  const created = await installation.run(['users', 'create', '--data', data, '-o', 'json'])
  const { id } = json(created.stdout)
  const set = ['--set', 'disabled=true', '--set', 'profile.name=Ada Lovelace']
  const updated = await installation.run(['users', 'update', id, ...set, '-o', 'ndjson'])
  expect(json(updated.stdout)).toMatchObject({
    id,
    disabled: true,
    profile: { name: 'Ada Lovelace' },
  })

  const empty = ['--set', 'metadata.plan=', '--set', 'profile.name=']
  const emptied = await installation.run(['users', 'update', id, ...empty, '-o', 'ndjson'])
  expect(json(emptied.stdout)).toMatchObject({ metadata: { plan: '' }, profile: { name: '' } })
  await installation.run(['users', 'update', id, ...set])

  const table = await installation.run(['users', 'list'])
  expect(table.stdout).toMatch(/^ID +EMAIL +NAME/)
  expect(table.stdout).toMatch(/ada@example\.com +Ada Lovelace +yes/)
  const deleted = await installation.run(['users', 'delete', id, '-o', 'json'])
  expect(json(deleted.stdout)).toMatchObject({ id })
  expect((await installation.run(['users', 'list', '-o', 'json'])).stdout).toBe('[]\n')
})

test('a table of a new application has no row for the secret that is not in it', async () => {
  await using installation = await startInstallation()
  const created = await installation.run(['applications', 'create', '--set', 'name=Shop'])
  expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^name +Shop$/m)])
  expect(created.stdout).not.toMatch(/secret/)
  const id = /app_\w+/.exec(created.stdout)?.[0] ?? ''
  expect((await installation.run(['applications', 'get', id])).stdout).toMatch(/^secret +\S+/m)
})

test('a folder in the place of a file is named in a sentence', async () => {
  await using installation = await startInstallation()
  for (const [file, sentence] of [
    ['data', 'data is a folder; name a file.'],
    ['none.csv', 'There is no file none.csv.'],
  ] as const) {
    const { code, stderr } = await installation.run(['users', 'import', file])
    expect([code, stderr]).toEqual([1, `${sentence}\n`])
  }
})

test('a password comes from standard input', async () => {
  await using installation = await startInstallation()
  const users = clientOf(installation).users(installation.tenantId)
  const { id } = await users.create({ profile: { email: 'ada@example.com' } })
  const body = JSON.stringify({ password: { alg: 'plain', hash: 'correct horse' } })
  const args = ['credentials', 'create', '--user', id, '--data', '-', '-o', 'json']
  const { stdout, code } = await installation.run(args, body)
  expect(code).toBe(0)
  expect(json(stdout).password.alg).toBe('bcrypt')
})

test('exit codes differ for a refusal and a usage error', async () => {
  await using installation = await startInstallation()
  const refused = await installation.run(['users', 'get', 'usr_nobody'])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/404 not_found; request [0-9a-f-]{36}/)
  expect((await installation.run(['users', 'frobnicate'])).code).toBe(2)
  expect((await installation.run(['--help'])).code).toBe(0)
})

test('an import that is to write into a folder is refused before it begins', async () => {
  await using installation = await startInstallation()
  writeFileSync(join(installation.folder, 'users.csv'), 'email\nada@example.com\n')
  const imports = (...options: string[]) =>
    installation.run(['users', 'import', 'users.csv', ...options])
  for (const options of [
    ['--journal', 'data'],
    ['--result', 'data'],
    ['--rejects', 'data'],
    ['--update', '--review', 'data'],
  ]) {
    const { code, stdout, stderr } = await imports(...options)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('data is a folder; name a file.')
  }
  const users = clientOf(installation).users(installation.tenantId)
  expect((await users.page()).total).toBe(0)
})

test('an import writes through a FIFO and a link, which stay as they are', async () => {
  await using installation = await startInstallation()
  const { folder, run } = installation
  const at = (name: string) => join(folder, name)
  writeFileSync(at('users.csv'), 'id,email\n1,ada@example.com\n2,ada@\n')
  writeFileSync(at('linked'), 'an earlier file, which was longer than the one that replaces it')
  symlinkSync(at('linked'), at('link'))
  execFileSync('mkfifo', [at('fifo')])
  const reader = spawn('cat', [at('fifo')])
  onTestFinished(() => void reader.kill())
  const read = text(reader.stdout)

  const { code } = await run([
    ...['users', 'import', 'users.csv', '--result', 'fifo', '--rejects', 'link'],
  ])
  expect(code).toBe(3)
  expect(lstatSync(at('fifo')).isFIFO()).toBe(true)
  expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
  expect(await read).toMatch(/^old_id,new_id,line,email\n1,usr_\w+,2,ada@example\.com\n$/)
  expect(readFileSync(at('linked'), 'utf8')).toMatch(/^line,old_id,email,reason\n3,2,ada@,.*\n$/)
  const names = readdirSync(folder).filter((name) => /^(fifo|link)/.test(name))
  expect(names.sort()).toEqual(['fifo', 'link', 'linked'])
})

test('grants are listed by one of three options, and programs are blocked by their hosts', async () => {
  await using installation = await startInstallation()
  const unsaid = await installation.run(['grants', 'list'])
  expect([unsaid.code, unsaid.stderr]).toEqual([2, expect.stringContaining('--program <host>')])
  const twice = await installation.run(['grants', 'list', '--user', 'usr_1', '--program', 'a.b'])
  expect(twice.code).toBe(2)
  const { id } = await clientOf(installation)
    .users(installation.tenantId)
    .create({ profile: { email: 'ada@example.com' } })
  for (const of of [
    ['--user', id],
    ['--program', 'agent.example'],
  ]) {
    expect((await installation.run(['grants', 'list', ...of])).stdout).toBe('(none)\n')
  }
  const blocked = await installation.run(['programs', 'block', 'agent.example', '--json'])
  expect(json(blocked.stdout)).toMatchObject({ id: 'agent.example', blocked: true })
  const listed = await installation.run(['programs', 'list'])
  expect(listed.stdout).toMatch(/agent\.example +blocked/)
  const refused = await installation.run(['programs', 'block', 'Agent.example'])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('which is "agent.example"'),
  ])
})

test('the table of a withdrawn grant has the scopes of each API', async () => {
  await using installation = await startInstallation()
  const resources = [
    { resource: 'https://api.example', scopes: ['read', 'write'] },
    { resource: 'https://files.example', scopes: ['list'] },
  ]
  await using server = await serve((_, res) => {
    res.end(JSON.stringify({ type: 'Grant', id: 'g1', scopes: ['openid', 'email'], resources }))
  })
  const args = ['grants', 'withdraw', 'g1', '--user', 'usr_1', '--tenant', 't1']
  const { code, stdout } = await installation.run([...args, '--url', server.url])
  expect(code).toBe(0)
  const cells = stdout.split('\n').map((line) => line.split(/ {2,}/))
  expect(cells).toEqual(
    expect.arrayContaining([
      ['scopes', 'openid email'],
      ['resources.0.resource', 'https://api.example'],
      ['resources.0.scopes', 'read write'],
      ['resources.1.resource', 'https://files.example'],
      ['resources.1.scopes', 'list'],
    ]),
  )
})

test('routes sync shows the difference, registers it, and then finds nothing to change', async () => {
  await using installation = await startInstallation()
  const applications = clientOf(installation).applications(installation.tenantId)
  const { id } = await applications.create({
    name: 'Shop',
    redirect_urls: ['https://old.example/callback'],
  })
  const sync = ['routes', 'sync', '--base-url', 'https://shop.example']
  const checked = await installation.run([...sync, '--check'])
  expect(checked.code).toBe(3)
  expect((await applications.get(id)).login_url).toBe('')

  const { stdout } = await installation.run([...sync, '--replace'])
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    '+ login_url  https://shop.example/login',
    '- redirect_urls  https://old.example/callback',
    '+ redirect_urls  https://shop.example/callback',
    '+ logout_urls  https://shop.example/',
  ])
  expect(await applications.get(id)).toMatchObject({
    name: 'Shop',
    login_url: 'https://shop.example/login',
    redirect_urls: ['https://shop.example/callback'],
    logout_urls: ['https://shop.example/'],
  })
  expect((await installation.run(sync)).stdout).toBe('Nothing to change.\n')
})

test.each([
  ['https://example.com/shop', 'https://example.com/shop'],
  ['https://example.com/shop/', 'https://example.com/shop/'],
])('routes sync registers the routes below the path of --base-url %s', async (baseUrl, home) => {
  await using installation = await startInstallation()
  const applications = clientOf(installation).applications(installation.tenantId)
  const { id } = await applications.create({ name: 'Shop' })

  await installation.run(['routes', 'sync', '--base-url', baseUrl])

  expect(await applications.get(id)).toMatchObject({
    login_url: 'https://example.com/shop/login',
    redirect_urls: ['https://example.com/shop/callback'],
    logout_urls: [home],
  })
})

test('routes sync --issuer registers the redirect URL that an application has for one of its issuers', async () => {
  await using installation = await startInstallation()
  const applications = clientOf(installation).applications(installation.tenantId)
  const { id } = await applications.create({ name: 'Shop' })
  const issuer = ['--issuer', 'https://login.acme.example']
  const sync = ['routes', 'sync', '--base-url', 'https://shop.example', ...issuer]

  const { stdout } = await installation.run(sync)

  // What redirectUriFor() of the kit makes of the same two.
  const url = 'https://shop.example/callback/58f6a3a805d133fcd5e6bc0f'
  expect(stdout).toContain(`+ redirect_urls  ${url}\n`)
  expect((await applications.get(id)).redirect_urls).toEqual([url])
  expect((await installation.run([...sync.slice(0, -1), 'acme'])).code).toBe(2)
})

test.each(['ndjson', 'csv'])(
  'users exported as %s and imported elsewhere are the same',
  async (format) => {
    await using from = await startInstallation()
    await Array.fromAsync(
      clientOf(from)
        .users(from.tenantId)
        .import([
          { profile: { email: 'ada@example.com', name: 'Ada', given_name: 'A' }, disabled: true },
          {
            profile: { email: 'bob@example.com', email_verified: true, name: 'Bob, "the builder"' },
            verified_at: '2024-02-29T12:00:00.123456Z',
          },
          { profile: { email: '=1+1@example.com', name: "=HYPERLINK('x')\nÅsa", locale: 'sv' } },
          {
            profile: { email: "'-2@example.com" },
            metadata: { plan: 'gold', empty: '', 'a.b': '1' },
          },
        ]),
    )
    await using to = await startInstallation()
    const file = `users.${format}`
    await from.run(['users', 'export', '--format', format, '--file', join(to.folder, file)])
    expect((await to.run(['users', 'import', file])).code).toBe(0)

    const usersOf = async (installation: Installation) =>
      (await Array.fromAsync(clientOf(installation).users(installation.tenantId).list()))
        .map(({ id, created_at, updated_at, ...user }) => user)
        .sort((a, b) => a.profile.email.localeCompare(b.profile.email))
    expect(await usersOf(to)).toEqual(await usersOf(from))
    expect((await usersOf(to)).length).toBe(4)
  },
)

test('an export that fails leaves the file of an earlier one as it was', async () => {
  await using installation = await startInstallation()
  const { folder, run } = installation
  const user = { id: 'usr_1', created_at: '2026-01-01T00:00:00Z', profile: { email: 'ada@x.test' } }
  await using broken = await serve((req, res) => {
    if (req.url?.includes('after=')) res.writeHead(403).end('{}')
    else res.end(JSON.stringify({ type: 'List', total: 2, count: 1, limit: 1, data: [user] }))
  })
  writeFileSync(join(folder, 'users.csv'), 'an earlier export')
  const before = readdirSync(folder).sort()
  const args = ['users', 'export', '--format', 'csv', '--file', 'users.csv']
  const failed = await run([...args, '--url', broken.url, '--tenant', 't1'])
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('403')])
  expect(readFileSync(join(folder, 'users.csv'), 'utf8')).toBe('an earlier export')
  expect(readdirSync(folder).sort()).toEqual(before)
  expect(await run(args)).toMatchObject({ code: 0 })
  expect(readFileSync(join(folder, 'users.csv'), 'utf8')).toMatch(/^id,email,/)
  expect(readdirSync(folder).sort()).toEqual(before)
})

test('no cell of an export or of rejects begins a formula', async () => {
  await using installation = await startInstallation()
  const rows = ['=cmd|x@a.example', '+1@a.example', '-1@a.example', '@a.example', '=broken']
  writeFileSync(
    join(installation.folder, 'users.csv'),
    ['email,id', ...rows.map((email) => `${email},=id`)].join('\n'),
  )
  await installation.run(['users', 'import', 'users.csv'])
  const { stdout } = await installation.run(['users', 'export', '--format', 'csv'])
  const rejects = readFileSync(join(installation.folder, 'users.csv.rejects.csv'), 'utf8')
  expect(stdout).toContain('cmd|x@a.example')
  expect(rejects).toContain('broken')
  expect(`${stdout}${rejects}`).not.toMatch(/(^|,)"?[=+\-@]/m)
})

test('text of a user or server cannot send control sequences to the terminal', async () => {
  await using installation = await startInstallation()
  const name = 'Ada\u001b]0;owned\u0007\u009b31m\u202eevil\u{e0041}\u200b\nrow 2'
  const users = clientOf(installation).users(installation.tenantId)
  const { id } = await users.create({ profile: { email: 'ada@example.com', name } })
  const outputs = await Promise.all([
    installation.run(['users', 'list']),
    installation.run(['users', 'get', id]),
    installation.run(['users', 'get', id, '-o', 'json']),
    installation.run(['users', 'list', '-o', 'ndjson']),
    installation.run(['users', 'export']),
  ])
  for (const { stdout } of outputs) {
    expect(stdout).toContain('owned')
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u202e\u200b\u{e0041}]/u)
    expect(stdout).not.toMatch(/^row 2/m)
  }
  expect(json(outputs[2]?.stdout ?? '').profile.name).toBe(name)
  expect(json(outputs[3]?.stdout ?? '').profile.name).toBe(name)

  await using hostile = await serve((_, res) => {
    res.writeHead(400).end(JSON.stringify({ code: '\u001b[2Jnothing', uuid: '\u009b' }))
  })
  const refused = await installation.run(['users', 'get', id, '--url', hostile.url])
  expect(refused.stderr).toContain('[2Jnothing')
  expect(refused.stderr).not.toMatch(/(?!\n)\p{Cc}/u)
  const misspelt = await installation.run(['users', 'list', '--\u001b[2J'])
  expect(misspelt.stderr).not.toMatch(/(?!\n)\p{Cc}/u)
})

test('a key among the arguments is warned of, and other processes do not see it', async () => {
  await using installation = await startInstallation()
  let commandLine = ''
  let child: ChildProcess | undefined
  await using server = await serve((_, res) => {
    commandLine = readFileSync(`/proc/${child?.pid}/cmdline`, 'utf8')
    res.writeHead(404).end('{}')
  })
  child = installation.start(['tenants', 'list', '--url', server.url, '--api-key', 'latchkey_seen'])
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  await once(child, 'close')
  expect(commandLine).toContain('latchkey')
  expect(commandLine).not.toContain('latchkey_seen')
  expect(stderr).toContain('LATCHKEY_API_KEY')
  expect(stderr).not.toContain('latchkey_seen')
})

test('the key is not sent to where a server redirects', async () => {
  await using installation = await startInstallation()
  const seen: unknown[] = []
  await using other = await serve((req, res) => {
    seen.push(req.headers.authorization)
    res.end('{}')
  })
  await using redirecting = await serve((req, res) => {
    res.writeHead(307, { location: `${other.url}${req.url}` }).end()
  })
  const { url } = redirecting
  expect((await installation.run(['tenants', 'list', '--url', url])).code).toBe(1)
  const client = createManagementClient({ baseUrl: url, apiKey: installation.key, retries: 0 })
  await expect(client.tenants.page()).rejects.toMatchObject({ status: 307 })
  await expect(Array.fromAsync(client.users('t1').import([]))).resolves.toEqual([])
  expect(seen).toEqual([])
})

test('an invalid URL is a usage error, and its password is not repeated', async () => {
  await using installation = await startInstallation()
  const good = ['--issuer', 'https://a.example', '--base-url', 'https://b.example']
  for (const args of [
    ['doctor', '--issuer', 'nonsense', '--base-url', 'https://b.example'],
    ['doctor', ...good, '--redis-url', 'localhost:swordfish@redis'],
    ['routes', 'sync', '--base-url', 'shop.example'],
    ['users', 'list', '--url', 'nonsense'],
  ]) {
    const { code, stderr } = await installation.run(args)
    expect([args, code]).toEqual([args, 2])
    expect(stderr).toMatch(/must be a URL such as/)
    expect(stderr).not.toContain('swordfish')
  }
})

test('doctor reports no fault for a healthy installation, also under a name of this machine', async () => {
  await using installation = await startInstallation()
  const callback = { path: '/callback' }
  await using app = await serve((req, res) => {
    const redirect = encodeURIComponent(`http://${req.headers.host}${callback.path}`)
    const location = `http://${installation.domain}/oidc/auth?redirect_uri=${redirect}`
    res.writeHead(302, { location, 'set-cookie': 'transaction=x; HttpOnly' }).end()
  })
  const { id } = await clientOf(installation)
    .applications(installation.tenantId)
    .create({ name: 'Shop', redirect_urls: [`${app.url}/callback`] })
  const { secret } = await clientOf(installation).applications(installation.tenantId).get(id)
  const args = ['doctor', '--issuer', `http://${installation.domain}`, '--client-id', id]
  const right = ['--client-secret', secret, '--base-url', app.url]
  const sound = await installation.run([...args, ...right])
  expect(sound.stdout.split('\n').filter((line) => /^[^✓-]/.test(line))).toEqual([])
  expect(sound.stdout.match(/^✓/gm)).toHaveLength(8)
  expect(sound.code).toBe(0)

  // A secret is sent to the provider that was named, not to one that only answers there.
  const asked: string[] = []
  await using other = await serve((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    const document = { issuer: 'https://login.example', token_endpoint: `${other.url}/token` }
    res.end(JSON.stringify(document))
  })
  const named = ['doctor', '--issuer', other.url, '--client-id', id, ...right]
  const unsent = await installation.run(named)
  expect(unsent.stdout).toContain('- client secret: not sent: the provider names itself otherwise')
  expect(unsent.stderr).toContain('LATCHKEY_CLIENT_SECRET does not get there')
  expect(asked).toEqual(['GET /.well-known/openid-configuration'])

  const wrong = ['--client-secret', 'swordfish:%', '--base-url', app.url]
  const refused = await installation.run([...args, ...wrong])
  expect(refused.stdout).toContain(`✗ client secret: the provider refuses it for ${id}`)
  expect(refused.stdout + refused.stderr).not.toContain('swordfish')
  expect(refused.code).toBe(3)

  callback.path = '/auth/callback'
  const { stdout, code } = await installation.run([...args, '--base-url', app.url])
  expect(code).toBe(3)
  expect(stdout).toContain('doctor --callback /auth/callback')
})

test('doctor finds an application below the path of --base-url', async () => {
  await using installation = await startInstallation()
  await using app = await serve((req, res) => {
    if (req.url !== '/shop/login') return void res.writeHead(404).end()
    const redirect = encodeURIComponent(`http://${req.headers.host}/shop/auth/callback`)
    const location = `http://${installation.domain}/oidc/auth?redirect_uri=${redirect}`
    res.writeHead(302, { location, 'set-cookie': 'transaction=x; HttpOnly' }).end()
  })
  const { id } = await clientOf(installation)
    .applications(installation.tenantId)
    .create({ name: 'Shop', redirect_urls: [`${app.url}/shop/auth/callback`] })
  const args = ['doctor', '--issuer', `http://${installation.domain}`, '--client-id', id]
  const there = [...args, '--base-url', `${app.url}/shop`]

  const wrong = await installation.run(there)
  expect(wrong.code).toBe(3)
  expect(wrong.stdout).toContain(`${app.url}/shop/callback is not among`)
  expect(wrong.stdout).toMatch(/doctor --callback \/auth\/callback\b/)

  const right = await installation.run([...there, '--callback', '/auth/callback'])
  expect(right.stdout).toContain('a login starts with a cookie')
  expect(right.code).toBe(0)
})

test('doctor says what is right, what is wrong, and what to do', async () => {
  await using installation = await startInstallation()
  const { id } = await clientOf(installation)
    .applications(installation.tenantId)
    .create({ name: 'Shop', redirect_urls: ['http://127.0.0.1:1/callback'] })
  const redis = createServer((socket) => socket.on('data', () => socket.write('+OK\r\n')))
  await new Promise<void>((resolve) => redis.listen(0, '127.0.0.1', resolve))
  const { port } = redis.address() as AddressInfo
  const { code, stdout } = await installation.run([
    ...['doctor', '--issuer', `http://${installation.domain}`, '--client-id', id],
    ...['--base-url', 'http://127.0.0.1:1', '--redis-url', `redis://127.0.0.1:${port}`],
    ...['-o', 'json'],
  ])
  redis.close()
  const findings = new Map<string, { state: string; remedy?: string }>(
    json(stdout).map((finding: { check: string }) => [finding.check, finding]),
  )
  expect(findings.get('redirect URI')).toMatchObject({ state: 'ok' })
  expect(findings.get('Redis')).toMatchObject({ state: 'ok' })
  expect(findings.get('cookie and proxy')).toMatchObject({
    state: 'fault',
    remedy: expect.stringContaining('application runs'),
  })
  expect(code).toBe(3)
})

test('doctor prints a command that registers the redirect URI, also if the tenant has two applications', async () => {
  await using installation = await startInstallation()
  const { service, domain, tenantId, run } = installation
  const other = await service.admin.createTenant({ domain: 'other.localhost' })
  const reach = [tenantId, other.id]
  const { secret } = await service.admin.createApiKey({ name: 'both tenants', reach })
  const applications = clientOf(installation).applications(tenantId)
  await applications.create({ name: 'Blog' })
  const { id } = await applications.create({ name: 'Shop' })
  const env = { LATCHKEY_API_KEY: secret }
  const doctor = ['doctor', '--issuer', `http://${domain}`, '--base-url', 'http://127.0.0.1:1']
  const named = ['--client-id', id, '--tenant', tenantId, '--callback', '/auth/callback']
  const { stdout } = await run([...doctor, ...named], '', env)
  const [, command = ''] = /Run: latchkey (routes sync .*)/.exec(stdout) ?? []
  expect(await run(command.split(' '), '', env)).toMatchObject({ code: 0 })
  expect((await applications.get(id)).redirect_urls).toEqual(['http://127.0.0.1:1/auth/callback'])
})

test('bash completes commands, options, values of options, and files', async () => {
  await using installation = await startInstallation()
  const { stdout: script } = await installation.run(['completion', 'bash'])
  const complete = (...words: string[]): string => {
    const ask = `COMP_WORDS=(latchkey "$@"); COMP_CWORD=$#; _latchkey; echo "\${COMPREPLY[*]}"`
    return execFileSync('bash', ['-c', `${script}\n${ask}`, 'bash', ...words])
      .toString()
      .trim()
  }
  expect(complete('us')).toBe('users')
  expect(complete('users', 'im')).toBe('import')
  expect(complete('users', 'import', '--hash')).toBe('--hash-algorithm')
  expect(complete('users', 'import', 'a.csv', '--format', '')).toBe('csv ndjson json')
  expect(complete('users', 'list', '-o', 'n')).toBe('ndjson')
  expect(complete('completion', '')).toBe('bash zsh fish')
  // Where nothing is offered, bash completes files.
  expect(complete('users', 'import', '')).toBe('')
  expect(complete('users', 'import', '--journal', '')).toBe('')
})

test.each(['zsh', 'fish'])('completion for %s knows the commands and options', async (shell) => {
  await using installation = await startInstallation()
  const { stdout, code } = await installation.run(['completion', shell])
  expect(code).toBe(0)
  expect(stdout).toContain('hash-algorithm')
  expect(stdout).toContain('routes')
})

test('the command says its version and all of its commands', async () => {
  await using installation = await startInstallation()
  expect((await installation.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const { stdout } = await installation.run(['--help'])
  for (const command of ['users import <file>', 'routes sync', 'applications delete <id>']) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'))
  }
})

test('users are searched, sent an invitation and logged out, and the audit log tells of it', async () => {
  await using installation = await startInstallation()
  const users = clientOf(installation).users(installation.tenantId)
  const { id } = await users.create({ profile: { email: 'ada@example.com', name: 'Ada' } })
  await users.create({ profile: { email: 'eve@example.com' } })

  const found = await installation.run(['users', 'search', 'ADA', '--disabled', 'false'])
  expect(found.stdout).toContain('ada@example.com')
  expect(found.stdout).not.toContain('eve@example.com')
  const sent = await installation.run([
    'mails',
    'send',
    '--user',
    id,
    '--kind',
    'invite',
    '-o',
    'json',
  ])
  const mail = json(sent.stdout)
  expect(mail).toMatchObject({ kind: 'invite', user_id: id })
  const again = await installation.run(['mails', 'resend', mail.id, '-o', 'json'])
  expect(json(again.stdout).id).not.toBe(mail.id)
  const mails = await installation.run(['mails', 'list', '--user', id, '-o', 'json'])
  expect(json(mails.stdout)).toHaveLength(2)
  expect((await installation.run(['mails', 'get', mail.id])).code).toBe(0)
  expect((await installation.run(['sessions', 'list', '--user', id])).stdout).toBe('(none)\n')
  expect((await installation.run(['sessions', 'end-all', '--user', id])).code).toBe(0)
  expect((await installation.run(['sessions', 'end', 'x', '--user', id])).code).toBe(1)
  const audit = await installation.run(['audit', 'list', '--user', id, '-o', 'json'])
  const [last] = json(audit.stdout)
  expect(last).toMatchObject({ action: 'user.update', target: id })
  const entry = await installation.run(['audit', 'get', last.id, '-o', 'json'])
  expect(json(entry.stdout)).toEqual(last)
  const trouble = await installation.run(['users', 'login-trouble', id])
  expect(trouble.stdout).toContain('no password, passkey or connected account')
  const after = await installation.run(['users', 'let-try-again', id, '-o', 'json'])
  expect(json(after.stdout)).toMatchObject([{ reason: 'no_way_in', help: ['invite'] }])
})
