import { execFileSync } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createManagementClient } from '@latchkey/management'
import { expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'

const json = (text: string) => JSON.parse(text)

function clientOf({ url, key }: Installation) {
  return createManagementClient({ baseUrl: url, apiKey: key })
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

  const table = await installation.run(['users', 'list'])
  expect(table.stdout).toMatch(/^ID +EMAIL +NAME/)
  expect(table.stdout).toMatch(/ada@example\.com +Ada Lovelace +yes/)
  const deleted = await installation.run(['users', 'delete', id, '-o', 'json'])
  expect(json(deleted.stdout)).toMatchObject({ id })
  expect((await installation.run(['users', 'list', '-o', 'json'])).stdout).toBe('[]\n')
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

test('exit codes tell a refusal from a wrong call', async () => {
  await using installation = await startInstallation()
  const refused = await installation.run(['users', 'get', 'usr_nobody'])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/404 not_found; request [0-9a-f-]{36}/)
  expect((await installation.run(['users', 'frobnicate'])).code).toBe(2)
  expect((await installation.run(['--help'])).code).toBe(0)
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

test('what is exported can be imported elsewhere', async () => {
  await using from = await startInstallation()
  const users = clientOf(from).users(from.tenantId)
  for (const name of ['Ada', 'Bob, "the builder"']) {
    const email = `${name.slice(0, 3)}@example.com`
    await users.create({ metadata: { plan: 'gold' }, profile: { email, name } })
  }
  const { stdout } = await from.run(['users', 'export'])
  await using to = await startInstallation()
  const { writeFileSync } = await import('node:fs')
  writeFileSync(`${to.folder}/users.ndjson`, stdout)
  expect((await to.run(['users', 'import', 'users.ndjson'])).code).toBe(0)
  const imported = await Array.fromAsync(clientOf(to).users(to.tenantId).list())
  expect(imported.map(({ profile }) => profile.name).sort()).toEqual(['Ada', 'Bob, "the builder"'])
  expect(imported.map(({ metadata }) => metadata)).toEqual([{ plan: 'gold' }, { plan: 'gold' }])

  const csv = await from.run(['users', 'export', '--format', 'csv'])
  expect(csv.stdout.split('\n')[0]).toMatch(/^id,email,/)
})

test('doctor says what is right, what is wrong, and what to do', async () => {
  await using installation = await startInstallation()
  const { id } = await clientOf(installation)
    .applications(installation.tenantId)
    .create({ name: 'Shop', redirect_urls: ['http://127.0.0.1:1/callback'] })
  const redis = createServer((socket) => socket.on('data', () => socket.write('+PONG\r\n')))
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

test('bash completes commands, options, what an option may be, and files', async () => {
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
