import { expect, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from '../../../../test/support/postgres-server.ts'
import { createIdentityService } from '../../src/service.ts'
import { createDatabase } from '../support/postgres.ts'
import { run, start, temporaryFolder } from './support.ts'

/** Follows the log in a process of its own; answers with what it has printed. */
function follow(args: string[]): { stdout(): string; stderr(): string } {
  const child = start(['audit', 'follow', ...args], {})
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  return { stdout: () => stdout, stderr: () => stderr }
}

const patient = { interval: 100 }

test('audit follow prints entries as they come, through restarts of the service', async () => {
  using folder = temporaryFolder()
  const data = folder.path
  await run(['tenant', 'create', '--data', data, '--domain', 'before.example'])
  const all = follow(['--data', data, '--after', '0', '--format', 'ndjson'])
  const latest = follow(['--data', data])
  await vi.waitFor(() => expect(all.stdout()).toContain('"action":"tenant.create"'), patient)
  // The other one begins at the end, about as soon.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  for (const domain of ['one.example', 'two.example']) {
    await using service = await createIdentityService({ data })
    const { id } = await service.admin.createTenant({ domain })
    await vi.waitFor(
      () => expect(latest.stdout()).toContain(`  admin  tenant.create  ${id}  success`),
      patient,
    )
  }
  await vi.waitFor(() => expect(all.stdout().trim().split('\n')).toHaveLength(3), patient)
  expect(latest.stdout().trim().split('\n')).toHaveLength(2)
  expect(all.stderr() + latest.stderr()).toBe('')
})

test('audit follow goes on after PostgreSQL was restarted, and misses no entry', async () => {
  await using postgres = await startPostgres()
  const { url } = await createDatabase({ port: postgres.port })
  const key = Buffer.alloc(32, 7).toString('base64')
  const flags = ['--database', url, '--master-key', key]
  const create = (domain: string) => run(['tenant', 'create', ...flags, '--domain', domain])
  const followed = follow([...flags, '--after', '0'])
  await create('one.example')
  await vi.waitFor(() => expect(followed.stdout()).toContain('tenant.create'), patient)
  await postgres.stop('fast')
  await vi.waitFor(() => expect(followed.stderr()).toContain('Trying again.'), patient)
  await postgres.start()
  await create('two.example')
  await vi.waitFor(
    () => expect(followed.stdout().match(/tenant\.create/g)).toHaveLength(2),
    patient,
  )
  expect(followed.stderr()).toContain('The log can be read again; no entry was missed.')
  expect(followed.stderr().match(/Trying again/g)).toHaveLength(1)
})

test('audit follow refuses a tenant that does not exist, rather than wait for its entries', async () => {
  using folder = temporaryFolder()
  await run(['tenant', 'create', '--data', folder.path, '--domain', 'here.example'])
  const refused = await run(['audit', 'follow', '--data', folder.path, '--tenant', 'ten_none'])
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no tenant ten_none'),
  })
})
