import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase } from '../../../packages/service/test/support/postgres.ts'
import { startRedis } from '../../../packages/session-store/test/support/redis.ts'
import { selfSigned } from '../../../test/support/certificate.ts'

const shell = fileURLToPath(new URL('../shell/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'latchkey-guides-'))
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  // No load balancer has to notice that a service stops.
  LATCHKEY_DRAIN_SECONDS: '0',
  LATCHKEY_DATA: './data',
  LATCHKEY_PORT: '0',
  NODE_OPTIONS: '',
}

/** A server of a guide; the port is the one it says it listens on. */
interface Served {
  port: number
  stop(): Promise<void>
}

let served: Served

// The guides' own commands, in the order in which a reader follows them.
beforeAll(async () => {
  mkdirSync(join(folder, 'bin'))
  for (const [command, name] of Object.entries({
    'latchkey-service': '@latchkey/service',
    latchkey: '@latchkey/management',
  })) {
    const source = fileURLToPath(new URL('cli/main.ts', import.meta.resolve(name)))
    const file = join(folder, 'bin', command)
    const node = `exec "${process.execPath}" --conditions=latchkey-source`
    writeFileSync(file, `#!/bin/sh\n${node} "${source}" "$@"\n`)
    chmodSync(file, 0o755)
  }
  const [tenant, key] = (await run('first-tenant.sh')).trim().split('\n')
  environment.LATCHKEY_TENANT = tenant
  served = await serve('serve.sh')
  environment.LATCHKEY_API_KEY = key
  environment.LATCHKEY_URL = `http://127.0.0.1:${served.port}`
})
afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true })
})

test('an application is registered, and has a secret for its environment', async () => {
  const output = await run('application.sh')
  expect(output).toContain('https://shop.example.com/callback')
  expect(output).toMatch(/"secret": "\S{20,}"/)
  environment.LATCHKEY_CLIENT_ID = /"id": "(app_\w+)"/.exec(output)?.[1]
})

test('the existing users are imported, and the result names their new ids', async () => {
  copyFileSync(join(shell, 'users.csv'), join(folder, 'users.csv'))
  expect(await run('import.sh')).toContain('3 of 3 rows can be imported.')
  const result = await readFile(join(folder, 'users.csv.result.csv'), 'utf8')
  expect(result.match(/^\d+(?=,usr_\w+,\d,\w+@example\.com$)/gm)?.sort()).toEqual([
    '17',
    '18',
    '19',
  ])

  environment.USER_ID = /usr_\w+/.exec(result)?.[0]
  expect(await run('block.sh')).toMatch(/disabled +true/)
  expect(await run('audit.sh')).toContain('user.update')
  await run('audit-export.sh')
  const exported = await readFile(join(folder, 'audit.jsonl'), 'utf8')
  expect(exported).toMatch(/^\{"id":1,.*\}\n/)
  expect(await run('audit-verify.sh')).toContain('no seals, so no entry was compared')
})

test('a tenant allows second factors, and a factor that a user does not have cannot be removed', async () => {
  expect(await run('second-factors.sh')).toMatch(/allow_totp_app +true/)
  expect(await run('passkeys.sh')).toMatch(/allow_hardware +true/)
  expect(await run('credentials.sh')).toContain('PasswordCredential')
  await expect(run('remove-factor.sh')).rejects.toThrow(/not_found/)
})

test('users of a tenant may log in at a provider, whose redirect URI is printed', async () => {
  writeFileSync(join(folder, 'google.secret'), 'a secret')
  environment.GOOGLE_CLIENT_ID = 'acme'
  const redirectUri = 'https://login.example.com/social/89a8000a68d759c68bfaeab5/callback'
  expect(await run('social-redirect-uri.sh')).toBe(`${redirectUri}\n`)
  const printed = await run('social.sh')
  expect(printed).toContain(`Redirect URI to register: ${redirectUri}`)
  expect(printed).toMatch(/allow_social +true/)
  writeFileSync(join(folder, 'github.secret'), 'a secret')
  environment.GITHUB_CLIENT_ID = 'acme'
  const atGithub = 'https://login.example.com/social/996e1f714b08e971ec79e3be/callback'
  expect(await run('github.sh')).toContain(atGithub)
})

test('the invitation of the first operator opens the console, if the console is switched on', async () => {
  const link = (await run('invite-operator.sh')).trim()
  const { hostname, pathname, search } = new URL(link)
  const open = (): Promise<Response> => {
    const url = `http://127.0.0.1:${served.port}${pathname}${search}`
    return promisify(execFile)('curl', ['--silent', '--header', `host: ${hostname}`, url]).then(
      ({ stdout }) => new Response(stdout),
    )
  }
  expect(await (await open()).text()).not.toContain('ada@example.com')
  await served.stop()
  served = await serve('serve-console.sh')
  environment.LATCHKEY_URL = `http://127.0.0.1:${served.port}`
  expect(await (await open()).text()).toContain('ada@example.com')
})

test('client secrets and the master key are rotated while the service runs', async () => {
  expect(await run('rotate-secret.sh')).toMatch(/^[\w-]{43}\n$/)
  await run('rotate-master-key.sh')
  expect(await run('rotate-secret.sh')).toMatch(/^[\w-]{43}\n$/)
})

test('a backup that was made while the service runs can be restored and served', async () => {
  await run('rotate.sh')
  expect(await run('signing-keys.sh')).toMatch(/signs\n.*published/)
  await run('backup.sh')
  expect(statSync(join(folder, 'backup/data.db')).mode & 0o777).toBe(0o600)
  expect(await run('restore.sh')).toContain('login.example.com')
})

test('doctor names each part that it cannot reach, and what to do', async () => {
  const script = (await readFile(join(shell, 'doctor.sh'), 'utf8'))
    .replace('https://login.example.com', 'http://127.0.0.1:9')
    .replace('https://shop.example.com', 'http://127.0.0.1:9')
  const checked = promisify(execFile)('bash', ['-euc', script], { cwd: folder, env: environment })
  await expect(checked).rejects.toMatchObject({
    stdout: expect.stringMatching(/✗ issuer: .*ECONNREFUSED\n +Check the address/),
  })
})

test('the service says that it is ready', async () => {
  const script = (await readFile(join(shell, 'health.sh'), 'utf8')).replace(
    '4400',
    `${served.port}`,
  )
  await promisify(execFile)('bash', ['-euc', script])
})

test('the service serves https with a certificate of its own', async () => {
  const { cert, key } = await selfSigned('login.example.com')
  writeFileSync(join(folder, 'login.example.com.pem'), cert)
  writeFileSync(join(folder, 'login.example.com.key'), key)
  await served.stop()
  served = await serve('serve-tls.sh')
  const url = `https://127.0.0.1:${served.port}/.well-known/openid-configuration`
  const { stdout } = await promisify(execFile)('curl', [
    ...['--silent', '--insecure', '--header', 'host: login.example.com', url],
  ])
  expect(JSON.parse(stdout).issuer).toBe('https://login.example.com')
})

test('a data folder is moved to PostgreSQL and Redis, and the service runs on them', async () => {
  const database = await createDatabase({ migrate: false })
  await using redis = await startRedis()
  await served.stop()
  environment.LATCHKEY_DATABASE = database.url
  environment.LATCHKEY_REDIS = redis.url
  expect(await run('move.sh')).toMatch(/users +\d/)
  delete environment.LATCHKEY_DATA
  environment.LATCHKEY_MASTER_KEY_FILE = join(folder, 'data/master.key')
  served = await serve('serve-shared.sh')
  const answer = await fetch(`http://127.0.0.1:${served.port}/x/ready`)
  expect(await answer.json()).toEqual({ status: 'ready' })
  await served.stop()
  await database.drop()
})

async function run(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-eu', join(shell, script)], {
    cwd: folder,
    env: environment,
  })
  return stdout
}

function serve(script: string): Promise<Served> {
  // A group of its own, so that the server is told to stop, and not the shell around it alone.
  const child = spawn('bash', ['-eu', join(shell, script)], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      process.kill(-(child.pid as number), 'SIGTERM')
    }
    await ended
  }
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [, port] = /"port":(\d+)/.exec(output) ?? []
      if (port) resolve({ port: Number(port), stop })
    })
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${output}`)))
  })
}
