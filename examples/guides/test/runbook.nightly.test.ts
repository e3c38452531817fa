import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { earlierRelease } from '../../../packages/service/test/support/earlier-release.ts'
import { createDatabase } from '../../../packages/service/test/support/postgres.ts'
import { mountSmallDisk } from '../../../packages/service/test/support/small-disk.ts'
import { startRedis } from '../../../packages/session-store/test/support/redis.ts'
import { limit } from '../../../test/support/limits.ts'
import { createPerson } from './runbook-person.ts'
import { createMachine, NEWEST, READY, status } from './runbook-support.ts'

test('the first day ends with a tenant, an invitation, a backup and a copy of the master key', async () => {
  const machine = await createMachine('./data')
  const printed = await machine.run('first-day')
  expect(printed).toContain(READY)
  expect(printed).toMatch(/ten_\w+\n/)
  expect(printed).toMatch(/^https:\/\/console\.example\.com\/\S+$/m)
  const [key = ''] = readdirSync(join(machine.folder, 'keys'))
  expect(readFileSync(join(machine.folder, 'keys', key))).toEqual(
    readFileSync(join(machine.folder, 'data/master.key')),
  )
  expect(readdirSync(join(machine.folder, 'backup'))).toHaveLength(1)
})

test('a restore puts the backup in the place of the data, and lists the operators who wait to be confirmed', async () => {
  const machine = await createMachine('./data')
  // As the unit does, whose `DynamicUser` has its folder elsewhere.
  mkdirSync(join(machine.folder, 'private'))
  symlinkSync('private', join(machine.folder, 'data'))
  await machine.run('first-day')
  const [backup = ''] = readdirSync(join(machine.folder, 'backup'))
  machine.environment.BACKUP = `backup/${backup}`
  await machine.service('tenant', 'create', '--domain', 'lost.example.com')
  expect(await machine.run('restore')).toContain('ada@example.com')
  await expect.poll(() => status(machine)).toBe(200)
  const tenants = await machine.service('tenant', 'list')
  expect(tenants).toContain('login.example.com')
  expect(tenants).not.toContain('lost.example.com')
  // The same hour may see a second one, which leaves alone what the first one put aside.
  expect(await machine.run('restore')).toContain('ada@example.com')
  const aside = readdirSync(join(machine.folder, 'data')).filter((name) => /^replaced-/.test(name))
  expect(aside).toHaveLength(2)
  for (const name of aside) {
    expect(existsSync(join(machine.folder, 'data', name, 'data.db'))).toBe(true)
  }
})

test('a restore or a rollback from nothing leaves the data in its place', async () => {
  const machine = await createMachine('./data')
  await machine.run('first-day')
  const tenants = await machine.service('tenant', 'list')
  const [backup = ''] = readdirSync(join(machine.folder, 'backup'))
  const whole = readFileSync(join(machine.folder, 'backup', backup))
  writeFileSync(join(machine.folder, 'cut.db'), whole.subarray(0, whole.length / 2))
  for (const [name, variables] of [
    ['restore', { BACKUP: 'missing.db' }],
    ['restore', { BACKUP: 'cut.db' }],
    ['restore', { BACKUP: undefined }],
    ['rollback', { BEFORE: 'missing' }],
    ['rollback', { BEFORE: undefined }],
  ] as const) {
    Object.assign(machine.environment, variables)
    await expect(machine.run(name), JSON.stringify(variables)).rejects.toThrow()
    await machine.systemctl('restart')
    await expect.poll(() => status(machine)).toBe(200)
    expect(await machine.service('tenant', 'list')).toBe(tenants)
  }
})

test.each([
  ['gone', undefined],
  ['damaged', randomBytes(8_192)],
])('a restore replaces data that is %s', async (_how, content) => {
  const machine = await createMachine('./data')
  await machine.run('first-day')
  const [backup = ''] = readdirSync(join(machine.folder, 'backup'))
  machine.environment.BACKUP = `backup/${backup}`
  await machine.systemctl('stop')
  const data = join(machine.folder, 'data')
  for (const name of readdirSync(data)) {
    if (name.includes('.db')) rmSync(join(data, name))
  }
  if (content) writeFileSync(join(data, 'data.db'), content)
  expect(await machine.run('restore')).toContain('ada@example.com')
  expect(await machine.service('tenant', 'list')).toContain('login.example.com')
})

test('a new master key is used while the service serves, and then the earlier one is not needed', async () => {
  const machine = await createMachine('./data')
  await machine.run('first-day')
  const file = join(machine.folder, 'data/master.key')
  const earlier = readFileSync(file, 'utf8')
  await machine.run('new-master-key')
  await expect.poll(() => machine.log()).toContain('sealed under the newest master key')
  await machine.run('only-master-key')
  expect(readFileSync(file, 'utf8')).not.toContain(earlier.trim())
  expect(statSync(file).mode & 0o077).toBe(0)
  await machine.run('rollback-shared')
  await expect.poll(() => status(machine)).toBe(200)
})

test('an operator who is locked out gets a link', async () => {
  const machine = await createMachine('./data')
  await machine.run('first-day')
  expect(await machine.run('../recover-operator')).toMatch(
    /^https:\/\/console\.example\.com\/\S+$/m,
  )
})

test('on a full disk the service is ready again once old backups are gone', async ({ skip }) => {
  const disk = mountSmallDisk(24)
  if ('reason' in disk) return skip(disk.reason)
  onTestFinished(() => disk.remove())
  const machine = await createMachine(join(disk.folder, 'data'))
  await machine.run('first-day')
  disk.fill()
  await expect
    .poll(async () => {
      // The log of a database may have room left, in which writes succeed.
      await machine
        .service('tenant', 'create', '--domain', `${crypto.randomUUID()}.example`)
        .catch(() => {})
      return status(machine)
    })
    .toBe(503)
  const old = join(machine.folder, 'backup/old.db')
  mkdirSync(join(disk.folder, 'backup'))
  renameSync(join(disk.folder, 'filler'), join(disk.folder, 'backup/old.db'))
  rmSync(join(machine.folder, 'backup'), { recursive: true })
  symlinkSync(join(disk.folder, 'backup'), join(machine.folder, 'backup'))
  utimesSync(old, 0, 0)
  expect(await machine.run('disk-full')).toContain(READY)
})

test('a certificate that was renewed is served after a restart', async () => {
  const machine = await createMachine('./data')
  const at = (name: string) => join(machine.folder, name)
  const renew = () => {
    const files = ['-keyout', 'login.example.com.key', '-out', 'login.example.com.pem']
    const named = [
      '-subj',
      '/CN=login.example.com',
      '-addext',
      'subjectAltName=DNS:login.example.com',
    ]
    const words = [
      'req',
      '-x509',
      '-newkey',
      'ed25519',
      '-nodes',
      '-days',
      '90',
      ...files,
      ...named,
    ]
    execFileSync('openssl', words, { cwd: machine.folder, stdio: 'pipe' })
  }
  renew()
  machine.set('LATCHKEY_TLS_CERT', at('login.example.com.pem'))
  machine.set('LATCHKEY_TLS_KEY', at('login.example.com.key'))
  machine.environment.CURL_CA_BUNDLE = at('login.example.com.pem')
  const { LATCHKEY_PORT } = machine.environment
  writeFileSync(at('.curlrc'), `connect-to = "login.example.com:443:127.0.0.1:${LATCHKEY_PORT}"\n`)
  expect(await machine.run('certificate')).toContain(READY)
  renew()
  const printed = await machine.run('certificate')
  expect(printed).toContain('notAfter')
  expect(printed).toContain(READY)
})

test('on PostgreSQL, a release is put in place, taken back, and a Redis that was lost is replaced by an empty one', async () => {
  const database = await createDatabase({ migrate: false })
  onTestFinished(() => database.drop())
  const lines = ['appendonly yes', 'maxmemory-policy noeviction']
  await using redis = await startRedis(lines)
  const machine = await createMachine(undefined)
  Object.assign(machine.environment, {
    LATCHKEY_DATABASE: database.url,
    LATCHKEY_REDIS: redis.url,
    LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  await machine.service('migrate')
  expect(await machine.run('upgrade-shared')).toContain(READY)
  await machine.service('tenant', 'create', '--domain', 'login.example.com')
  expect(await machine.run('rollback-shared')).toContain(READY)
  expect(await machine.service('tenant', 'list')).toContain('login.example.com')
  const person = await createPerson(machine)
  const browser = person.newBrowser()
  await person.logIn(browser)
  expect(await person.isLoggedIn(browser)).toBe(true)

  await redis.kill()
  await expect.poll(() => status(machine)).toBe(503)
  await using empty = await startRedis(lines, { port: redis.port })
  expect(empty.port).toBe(redis.port)
  const printed = await machine.run('redis-lost')
  expect(printed).toContain(READY)
  expect(printed).toContain('Nothing needs a decision.')
  // As the entry says: every user logs in again, and can.
  expect(await person.isLoggedIn(browser)).toBe(false)
  await person.logIn(browser)
  expect(await person.isLoggedIn(browser)).toBe(true)
})

test('a data folder of the last release is upgraded and taken back as the runbook says', {
  timeout: limit(600),
}, async () => {
  const earlier = join(earlierRelease(), 'src/cli/main.ts')
  const machine = await createMachine('./data', { '0.2.0': earlier })
  machine.install('0.2.0')
  await machine.service('tenant', 'create', '--domain', 'login.example.com')
  machine.environment.VERSION = NEWEST
  expect(await machine.run('upgrade')).toContain('ready')
  await machine.service('tenant', 'create', '--domain', 'new.example.com')
  machine.environment.VERSION = '0.2.0'
  const copies = readdirSync(machine.folder).filter((name) => name.startsWith('before-upgrade-'))
  machine.environment.BEFORE = copies.join()
  expect(await machine.run('rollback')).toContain('ready')
  const tenants = await machine.service('tenant', 'list')
  expect(tenants).toContain('login.example.com')
  expect(tenants).not.toContain('new.example.com')
})
