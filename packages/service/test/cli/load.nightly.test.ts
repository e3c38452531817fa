import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { main, run, start, temporaryFolder } from './support.ts'

const folder = temporaryFolder()
let dev: ReturnType<typeof spawn>
let env: Record<string, string>
let confirm: string[]
let users: ReturnType<ReturnType<typeof createManagementClient>['users']>

beforeAll(async () => {
  const args = [
    '--conditions=latchkey-source',
    main,
    'dev',
    '--port',
    '4700',
    '--data',
    folder.path,
  ]
  dev = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  dev.stdout?.on('data', (chunk) => {
    output += chunk
  })
  await vi.waitUntil(() => output.includes('Ctrl-C'))
  const value = (name: string) => new RegExp(`${name}[ =]+(\\S+)`).exec(output)?.[1] ?? ''
  const url = value('API').replace('/v1', '')
  const client = createManagementClient({ baseUrl: url, apiKey: value('API key') })
  const [tenant] = await Array.fromAsync(client.tenants.list())
  users = client.users(tenant?.id ?? '')
  env = {
    LATCHKEY_URL: url,
    LATCHKEY_ISSUER: value('Issuer'),
    LATCHKEY_TENANT: tenant?.id ?? '',
    LATCHKEY_API_KEY: value('API key'),
    LATCHKEY_CLIENT_ID: value('LATCHKEY_CLIENT_ID'),
    LATCHKEY_CLIENT_SECRET: value('LATCHKEY_CLIENT_SECRET'),
  }
  confirm = ['--confirm', new URL(env.LATCHKEY_ISSUER ?? '').host]
})
afterAll(async () => {
  dev.kill('SIGKILL')
  await vi.waitUntil(() => dev.signalCode !== null)
  folder[Symbol.dispose]()
})

const testUsers = async () =>
  (await Array.fromAsync(users.list())).filter(({ profile }) => profile?.email?.startsWith('load-'))

test('load plays logins, refreshes and API calls, and removes its users', async () => {
  const few = ['--users', '2', '--concurrency', '2', '--seconds', '5']
  const { code, stdout, stderr } = await run(['load', ...confirm, ...few, '--json'], env)
  expect([code, stderr]).toEqual([0, expect.stringContaining('Removing 2 test users')])
  const [login, refresh, api] = JSON.parse(stdout)
  expect(login).toMatchObject({ operation: 'login', errors: {} })
  expect(login.done).toBeGreaterThan(0)
  expect(login.p50).toBeLessThanOrEqual(login.p99)
  expect([refresh.done, api.done]).toEqual([2 * login.done, 2 * login.done])
  expect(await testUsers()).toEqual([])
})

test('load counts what was refused, by its code', async () => {
  const few = ['--users', '1', '--concurrency', '1', '--seconds', '1', '--api-calls', '0']
  const wrong = { ...env, LATCHKEY_CLIENT_SECRET: 'wrong' }
  const { code, stdout } = await run(['load', ...confirm, ...few], wrong)
  expect([code, stdout]).toEqual([3, expect.stringMatching(/^login +0 .* \d+ × invalid_client$/m)])
  expect(stdout).toMatch(/^OPERATION +DONE +PER SECOND +P50 MS +P95 MS +P99 MS +ERRORS$/m)
  expect(await testUsers()).toEqual([])
})

test('load that is interrupted removes its users and prints what it measured', async () => {
  const child = start(['load', ...confirm, '--users', '1', '--seconds', '3600'], env)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  await vi.waitUntil(() => /\d s: \d+ operations/.test(output))
  expect(await testUsers()).toHaveLength(1)
  child.kill('SIGINT')
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(4)
  expect(output).toMatch(/^login +\d/m)
  expect(output).toContain('Interrupted.')
  expect(await testUsers()).toEqual([])
})

test('load goes nowhere without the name of the host', async () => {
  for (const given of [[], ['--confirm', 'login.example.com'], ['--confirm', '']]) {
    const { code, stderr } = await run(['load', ...given], env)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`add ${confirm.join(' ')}.`)])
  }
  expect(await testUsers()).toEqual([])
})

test('load names everything that it lacks, and takes a secret from one place', async () => {
  const none = await run(['load', '--confirm', 'localhost'])
  expect([none.code, none.stderr]).toEqual([
    2,
    'Missing: --url, --issuer, --tenant, --client-id, LATCHKEY_API_KEY or --api-key-file, LATCHKEY_CLIENT_SECRET or --client-secret-file.\n',
  ])
  const file = join(folder.path, 'key')
  writeFileSync(file, '\n')
  const both = await run(['load', ...confirm, '--api-key-file', file], env)
  expect([both.code, both.stderr]).toEqual([
    2,
    'Give LATCHKEY_API_KEY or --api-key-file, not both.\n',
  ])
  const { LATCHKEY_API_KEY: _, ...others } = env
  const empty = await run(['load', ...confirm, '--api-key-file', file], others)
  expect([empty.code, empty.stderr]).toEqual([2, `--api-key-file: ${file} is empty.\n`])
  const unknown = await run(['load', '--api-kei-file', file])
  expect(unknown.stderr).toContain('(Did you mean --api-key-file?)')
})
