import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { expect, test } from 'vitest'
import { commandEnv } from '../../../test/support/command-env.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { createBrowser } from '../../service/test/issuer/support/browser.ts'

const main = join(import.meta.dirname, '../src/cli/main.ts')
const email = 'ada@example.com'
const password = 'correct horse battery'

/** A service with a console on this machine, an operator, and the command with a folder of its own for settings. */
async function startConsole() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-login-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  let ahead = 0
  const service = await createIdentityService({
    clock: { now: () => Date.now() + ahead },
    consoleUrl: url,
    allowHttpOnLoopback: true,
    requestsPerSecond: 1_000_000,
  })
  await service.listen({ port })
  await service.admin.createTenant({ domain: `acme.localhost:${port}` })
  const { operator, token } = await service.admin.inviteOperator({ email, role: 'owner' })
  const browser = createBrowser({ url, fetch: service.fetch as never })
  const invited = await browser.get(`/console/invitation?token=${token}`)
  await browser.submit(await browser.submit(invited, { password }), { email, password })

  function start(args: string[]) {
    const child = spawn(process.execPath, ['--conditions=latchkey-source', main, ...args], {
      cwd: folder,
      env: {
        ...commandEnv,
        LATCHKEY_URL: url,
        XDG_CONFIG_HOME: folder,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const run = { stdout: '', stderr: '', code: Promise.resolve<number | null>(null) }
    child.stdout.on('data', (chunk) => {
      run.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      run.stderr += chunk
    })
    run.code = new Promise((resolve) => child.once('close', resolve))
    return run
  }

  async function run(...args: string[]) {
    const started = start(args)
    return { code: await started.code, stdout: started.stdout, stderr: started.stderr }
  }

  /** Logs in, with an answer of the operator in the browser. */
  async function logIn(answer: 'allow' | 'deny') {
    const login = start(['login'])
    await expect.poll(() => login.stderr).toMatch(/[A-Z]{4}-[A-Z]{4}/)
    const [code = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(login.stderr) ?? []
    const page = await browser.submit(await browser.get('/device'), { user_code: code })
    await browser.submit(page, { answer })
    return { code: await login.code, stdout: login.stdout, stderr: login.stderr }
  }

  return {
    ...{ service, operator, url, folder, file: join(folder, 'latchkey', 'logins.json') },
    ...{ run, logIn },
    advance(seconds: number) {
      ahead += seconds * 1_000
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test('an operator logs in on a command line in place of an API key, and out again', async () => {
  await using installation = await startConsole()
  const { run, logIn, file, service, operator } = installation
  const before = await run('tenants', 'list')
  expect([before.code, before.stderr]).toEqual([2, expect.stringContaining('LOGIN_MISSING')])

  const denied = await logIn('deny')
  expect([denied.code, denied.stderr]).toEqual([1, expect.stringContaining('LOGIN_DENIED')])
  expect(existsSync(file)).toBe(false)

  const login = await logIn('allow')
  expect([login.code, login.stdout]).toEqual([0, expect.stringContaining('Logged in until')])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { logins } = JSON.parse(readFileSync(file, 'utf8'))
  const { accessToken } = logins[installation.url]
  expect(login.stderr + login.stdout).not.toContain(accessToken)
  const eve = JSON.stringify({ profile: { email: 'eve@example.com' } })
  const created = await run('users', 'create', '--data', eve, '--json')
  expect([created.code, created.stderr]).toEqual([0, ''])
  const [entry] = (await service.admin.audit()).filter(({ action }) => action === 'user.create')
  expect(entry).toMatchObject({ actor: `operator:${operator.id}` })
  const { id } = JSON.parse(created.stdout)
  const refused = await run('credentials', 'list', '--user', id)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('an API key')])

  chmodSync(file, 0o640)
  const open = await run('tenants', 'list')
  expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('chmod 600')])
  chmodSync(file, 0o600)

  const out = await run('logout')
  expect([out.code, out.stdout]).toEqual([0, 'Logged out.\n'])
  expect(readFileSync(file, 'utf8')).not.toContain(accessToken)
  const answer = await fetch(`${installation.url}/v1/tenants`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  expect(answer.status).toBe(401)

  await logIn('allow')
  await service.admin.recoverOperator(email)
  const ended = await run('tenants', 'list')
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('LOGIN_ENDED')])
})

test('an import with a login that is too old rejects no row, and an API key imports the file', async () => {
  await using installation = await startConsole()
  const { run, logIn, service, folder } = installation
  await logIn('allow')
  writeFileSync(join(folder, 'users.csv'), 'id,email\n1,eve@example.com\n')
  installation.advance(301)
  const refused = await run('users', 'import', 'users.csv')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('This needs a login of the last five minutes'),
  ])
  expect(existsSync(join(folder, 'users.csv.journal'))).toBe(false)

  const { secret } = await service.admin.createApiKey({ name: 'imports', reach: 'all' })
  const imported = await run('users', 'import', 'users.csv', '--api-key', secret)
  expect([imported.code, imported.stdout]).toEqual([0, expect.stringContaining('1 imported')])
})

test('a service without a console has no login for operators', async () => {
  await using service = await createIdentityService()
  const answer = await service.fetch('https://api.example/x/v1/login')
  expect(answer.status).toBe(404)
})
