import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectApi } from '../support/api.ts'
import { uploadLogo } from '../support/logos.ts'
import { run, temporaryFolder } from './support.ts'

const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)
const data = at('data')

let service: IdentityService
let secret: string
let tenantId: string

beforeAll(async () => {
  service = await createIdentityService({ data })
  tenantId = (await service.admin.createTenant({ domain: 'acme.example' })).id
  secret = (await service.admin.createApiKey({ name: 'tests', reach: [tenantId] })).secret
  const api = connectApi(service.fetch, secret, tenantId)
  await api.createUser('ada@example.com')
  writeFileSync(at('passphrase'), 'a passphrase of some length\n')
  writeFileSync(at('other'), 'another passphrase, which is wrong\n')
})

afterAll(async () => {
  await service.close()
  folder[Symbol.dispose]()
})

/** Serves a folder that a backup was restored into. */
function serve(restored: string): Promise<IdentityService> {
  writeFileSync(join(restored, 'master.key'), readFileSync(join(data, 'master.key')))
  return createIdentityService({ data: restored })
}

/** The number of users in a folder that a backup was restored into, when it is served. */
async function usersIn(restored: string): Promise<number> {
  const again = await serve(restored)
  try {
    for (const { id } of await again.admin.listUnconfirmed()) await again.admin.confirm(id)
    const api = connectApi(again.fetch, secret, tenantId)
    expect((await api.get(`${api.users}?limit=1`)).body.data[0].profile.email).toBe(
      'ada@example.com',
    )
    return (await api.get(api.users)).body.total
  } finally {
    await again.close()
  }
}

test('a backup of a folder that is being written to is whole, private, and is served from', async () => {
  const api = connectApi(service.fetch, secret, tenantId)
  let isOver = false
  let written = 0
  const writing = (async () => {
    while (!isOver) {
      await api.createUser(`user-${written++}@example.com`)
      // A key may do a hundred requests a second.
      await setTimeout(15)
    }
  })()
  const backup = await run(['backup', at('plain.db'), '--data', data, '--json'])
  isOver = true
  await writing
  expect([backup.code, backup.stderr]).toEqual([0, expect.stringContaining('written and checked')])
  expect(statSync(at('plain.db')).mode & 0o777).toBe(0o600)
  expect(readdirSync(data).filter((name) => name.startsWith('backup'))).toEqual([])
  const users = JSON.parse(backup.stdout).find(({ what }: { what: string }) => what === 'users')
  expect(Number(users.count)).toBeLessThanOrEqual(written + 1)

  const restored = await run(['restore', at('plain.db'), '--data', at('restored')])
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringMatching(/audit +[1-9]/)])
  expect(statSync(at('restored')).mode & 0o777).toBe(0o700)
  expect(statSync(at('restored/data.db')).mode & 0o777).toBe(0o600)
  expect(String(await usersIn(at('restored')))).toBe(users.count)
})

test('a restored backup serves the uploaded logo of a tenant, at the same URL and with the same bytes', async () => {
  const logo = await uploadLogo(connectApi(service.fetch, secret, tenantId), tenantId)
  await run(['backup', at('logo.db'), '--data', data])
  expect(await run(['restore', at('logo.db'), '--data', at('with-logo')])).toMatchObject({
    code: 0,
  })
  const again = await serve(at('with-logo'))
  try {
    await logo.expectAt(again)
  } finally {
    await again.close()
  }
})

test.each([
  ['LATCHKEY_PASSPHRASE_FILE', 'passphrase'],
  ['LATCHKEY_KEY_FILE', 'key of the environment'],
])('a backup is encrypted and restored under the file that %s names', async (variable, name) => {
  writeFileSync(at('key of the environment'), `${await generateIdentity()}\n`)
  const file = at(`by ${variable}`)
  const env = { [variable]: at(name) }
  expect(await run(['backup', file, '--data', data], env)).toMatchObject({ code: 0 })
  const content = readFileSync(file)
  expect(content.includes('SQLite') || content.includes('ada@example.com')).toBe(false)
  const into = ['restore', file, '--data', at(`restored by ${variable}`)]
  expect(await run(into)).toMatchObject({ code: 1, stderr: expect.stringContaining('encrypted') })
  expect(await run(into, env)).toMatchObject({ code: 0 })
})

test('a backup whose variable names no file is not written', async () => {
  const env = { LATCHKEY_PASSPHRASE_FILE: at('missing') }
  const backup = await run(['backup', at('never'), '--data', data], env)
  expect([backup.code, backup.stderr]).toEqual([1, `There is no file ${at('missing')}.\n`])
  expect(existsSync(at('never'))).toBe(false)
})

test('a backup with a passphrase is unreadable, and is restored only with that passphrase', async () => {
  const file = at('locked')
  const flags = ['--passphrase-file', at('passphrase')]
  expect(await run(['backup', file, '--data', data, ...flags])).toMatchObject({ code: 0 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const content = readFileSync(file)
  expect(content.includes('SQLite') || content.includes('ada@example.com')).toBe(false)

  const into = ['restore', file, '--data', at('unlocked')]
  expect(await run(into)).toMatchObject({
    code: 1,
    stderr: `${file} is encrypted; give --passphrase-file or --key-file.\n`,
  })
  expect(await run([...into, '--passphrase-file', at('other')])).toMatchObject({
    code: 1,
    stderr: `${file} cannot be decrypted: another key encrypted it, or it is damaged.\n`,
  })
  expect(readdirSync(folder.path)).not.toContain('unlocked')
  expect(await run([...into, ...flags])).toMatchObject({ code: 0 })
  expect(await usersIn(at('unlocked'))).toBeGreaterThan(0)
})

test('a server that has only a public key makes backups that it cannot read', async () => {
  const identity = await generateIdentity()
  writeFileSync(at('public'), `# backups\n${await identityToRecipient(identity)}\n`)
  writeFileSync(at('secret'), `${identity}\n`)
  const file = at('for-others')
  expect(await run(['backup', file, '--data', data, '--key-file', at('public')])).toMatchObject({
    code: 0,
  })
  const into = ['restore', file, '--data', at('of-others'), '--key-file']
  expect(await run([...into, at('public')])).toMatchObject({
    code: 1,
    stderr: 'The key file holds public keys alone; restoring needs AGE-SECRET-KEY-1….\n',
  })
  expect(await run([...into, at('secret')])).toMatchObject({ code: 0 })
})

test('nothing is overwritten, and a folder in use is left alone', async () => {
  writeFileSync(at('precious'), 'precious')
  expect(await run(['backup', at('precious'), '--data', data])).toMatchObject({
    code: 1,
    stderr: `${at('precious')} exists already; name another file, or delete this one first.\n`,
  })
  expect(readFileSync(at('precious'), 'utf8')).toBe('precious')

  await run(['backup', at('again.db'), '--data', data])
  const inUse = await run(['restore', at('again.db'), '--data', data])
  expect([inUse.code, inUse.stderr]).toEqual([
    1,
    expect.stringContaining('is served by another process'),
  ])
  mkdirSync(at('full'))
  writeFileSync(at('full/notes'), '')
  expect(await run(['restore', at('again.db'), '--data', at('full')])).toMatchObject({
    code: 1,
    stderr: `The folder ${at('full')} is not empty; restore into one that is, or does not exist.\n`,
  })
  expect(readdirSync(at('full'))).toEqual(['notes'])
})

test.each(['changed', 'cut off', 'of something else'])(
  'a backup that is %s is not restored',
  async (how) => {
    const file = at(how.replaceAll(' ', '-'))
    if (how === 'of something else') writeFileSync(file, 'some text')
    else {
      const flags = how === 'changed' ? ['--passphrase-file', at('passphrase')] : []
      await run(['backup', file, '--data', data, ...flags])
      if (how === 'cut off') truncateSync(file, statSync(file).size - 8_192)
      else {
        const content = readFileSync(file)
        content[content.length - 100] = (content.at(-100) ?? 0) ^ 1
        writeFileSync(file, content)
      }
    }
    const flags = how === 'changed' ? ['--passphrase-file', at('passphrase')] : []
    const { code, stderr } = await run(['restore', file, '--data', at('never'), ...flags])
    expect([code, stderr]).toEqual([
      1,
      how === 'changed'
        ? `${file} cannot be decrypted: another key encrypted it, or it is damaged.\n`
        : `${file} does not hold a sound database of this service.\n`,
    ])
    expect(readdirSync(folder.path)).not.toContain('never')
  },
)

test('a backup that cannot be written whole leaves nothing behind', () => {
  const limited = `ulimit -f 8; "${process.execPath}" --conditions=latchkey-source "${join(import.meta.dirname, '../../src/cli/main.ts')}" backup "${at('small')}" --data "${data}"`
  expect(() => execFileSync('bash', ['-c', limited], { stdio: 'pipe' })).toThrow()
  expect(readdirSync(folder.path)).not.toContain('small')
})

test('files that a killed backup left are removed by the next start, and by the next backup', async () => {
  const folderOfKilled = at('killed')
  const ended = spawnSync(process.execPath, ['--version']).pid
  const leftBehind = () => {
    for (const suffix of ['', '-journal']) {
      writeFileSync(join(folderOfKilled, `backup-${ended}-0123456789ab.db${suffix}`), 'addresses')
    }
  }
  const drafts = () => readdirSync(folderOfKilled).filter((name) => name.startsWith('backup-'))
  mkdirSync(folderOfKilled)
  leftBehind()
  // In a container, the next process often has the id of the last one.
  writeFileSync(join(folderOfKilled, `backup-${process.pid}-ba9876543210.db`), 'addresses')
  await (await createIdentityService({ data: folderOfKilled })).close()
  expect(drafts()).toEqual([])

  leftBehind()
  const ofAnother = `backup-${process.pid}-0123456789ab.db`
  writeFileSync(join(folderOfKilled, ofAnother), 'is being written')
  const made = await run(['backup', at('after-killed.db'), '--data', folderOfKilled])
  expect([made.code, drafts()]).toEqual([0, [ofAnother]])
})
