import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createIdentityService } from '@latchkey/service'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVault } from '../src/domain/writes/vault.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { connectApi, startApi, stores } from './support/api.ts'

const newKey = () => randomBytes(32).toString('base64')

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-master-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A logger and the messages it was given. */
function recording() {
  const messages: string[] = []
  const logger = pino(
    { level: 'info' },
    { write: (line) => void messages.push(JSON.parse(line).msg) },
  )
  return { logger, messages }
}

const DONE = expect.stringContaining('Every secret is sealed under the newest master key.')

describe.each(stores)('on %s', (store) => {
  test('a master key is rotated while the service serves, and the earlier one is not needed afterwards', async () => {
    const masterKeyFile = join(aFolder(), 'keys')
    const [older, newer] = [newKey(), newKey()]
    writeFileSync(masterKeyFile, `${older}\n`)
    const { logger, messages } = recording()
    await using api = await startApi(store, { masterKeyFile, logger })
    const created = await api.create(api.applications, { name: 'Shop' })
    const path = `${api.applications}/${created.id}`
    const { secret, updated_at } = (await api.get(path)).body
    const jwks = async () =>
      (await api.service.fetch('https://acme.example/oidc/jwks')).json() as Promise<object>
    const published = await jwks()
    const browser = createBrowser({
      url: 'https://acme.example',
      fetch: api.service.fetch as never,
    })
    await api.createUser('ada@example.com')
    await browser.submit(await browser.get('/reset'), { email: 'ada@example.com' })
    const [mail] = await api.service.outbox.list(api.tenantId)

    writeFileSync(masterKeyFile, `${newer}\n${older}\n`)
    await expect.poll(() => messages).toContainEqual(DONE)

    writeFileSync(masterKeyFile, `${newer}\n`)
    expect((await api.get(path)).body).toMatchObject({ secret, updated_at })
    expect(await jwks()).toEqual(published)
    expect(await api.service.outbox.list(api.tenantId)).toEqual([mail])
  })
})

test('a rotation that a stop breaks off goes on at the next start', async () => {
  const data = aFolder()
  const file = join(data, 'master.key')
  const first = await createIdentityService({ data })
  for (let n = 0; n < 20; n++) {
    await first.admin.createTenant({ domain: `t${n}.example` })
    expect((await first.fetch(`https://t${n}.example/oidc/jwks`)).status).toBe(200)
  }
  await first.close()
  writeFileSync(file, `${newKey()}\n${readFileSync(file, 'utf8')}`)

  const { logger, messages } = recording()
  await (await createIdentityService({ data, logger })).close()
  expect(messages).not.toContainEqual(DONE)
  await using _ = await createIdentityService({ data, logger })
  await expect.poll(() => messages).toContainEqual(DONE)
})

test('nothing in a folder is sealed under the earlier master key after a rotation', async () => {
  const data = aFolder()
  const file = join(data, 'master.key')
  const { logger, messages } = recording()
  const service = await createIdentityService({ data, logger })
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const key = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const api = connectApi(service.fetch, key.secret, tenant.id)
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await api.create(api.applications, { name: 'Shop' })).id)
  await service.admin.rotateApplicationSecret(tenant.id, ids[0] ?? '')
  await service.fetch('https://acme.example/oidc/jwks')
  const browser = createBrowser({ url: 'https://acme.example', fetch: service.fetch as never })
  await api.createUser('ada@example.com')
  await browser.submit(await browser.get('/reset'), { email: 'ada@example.com' })

  const newer = newKey()
  writeFileSync(file, `${newer}\n${readFileSync(file, 'utf8')}`)
  await expect.poll(() => messages).toContainEqual(DONE)
  await service.close()

  const vault = createVault(Buffer.from(newer, 'base64'))
  const rows = (database: string, query: string) => {
    const open = new DatabaseSync(join(data, database), { readOnly: true })
    const found = open.prepare(query).all() as Record<string, string>[]
    open.close()
    return found
  }
  const applications = rows('data.db', 'select * from applications')
  const signingKeys = rows('data.db', 'select * from signing_keys')
  const mails = rows('protocol.db', 'select * from mail')
  expect([applications.length, signingKeys.length, mails.length]).toEqual([3, 1, 1])
  for (const { id, sealed_secret, earlier_secret } of applications) {
    expect(vault.open(`application-secret:${id}`, sealed_secret ?? '')).toBeTruthy()
    if (earlier_secret) vault.open(`application-secret:${id}`, earlier_secret)
  }
  for (const { id, sealed_jwk } of signingKeys) {
    expect(vault.open(`signing-key:${tenant.id}:${id}`, sealed_jwk ?? '')).toBeTruthy()
  }
  for (const { id, sealed } of mails) expect(vault.open(`mail:${id}`, sealed ?? '')).toBeTruthy()

  writeFileSync(file, `${newer}\n`)
  await using again = await createIdentityService({ data })
  const jwks = await again.fetch('https://acme.example/oidc/jwks')
  expect(jwks.status).toBe(200)
  expect(await again.outbox.list(tenant.id)).toHaveLength(1)
})

test('a key file that becomes unreadable is logged once, and the keys of before stay in use', async () => {
  const masterKeyFile = join(aFolder(), 'keys')
  writeFileSync(masterKeyFile, `${newKey()}\n`)
  const { logger, messages } = recording()
  await using api = await startApi('memory', { masterKeyFile, logger })
  const { id } = await api.create(api.applications, { name: 'Shop' })
  writeFileSync(masterKeyFile, 'half a key')
  const complaint = 'The master keys of before stay in use.'
  await expect.poll(() => messages).toContain(complaint)
  expect((await api.get(`${api.applications}/${id}`)).body.secret).toBeTruthy()
  expect(messages.filter((message) => message === complaint)).toHaveLength(1)
})

test.each([
  [
    { masterKeyFile: '/nowhere/keys' },
    'The master key file /nowhere/keys cannot be read (ENOENT).',
  ],
  [{ masterKeyFile: '/dev/null' }, 'The master key file /dev/null holds no key.'],
  [
    { masterKey: newKey(), masterKeyFile: '/dev/null' },
    'Give "masterKey" or "masterKeyFile", and not both.',
  ],
])('master keys that cannot be used are refused with a sentence: %o', async (options, sentence) => {
  await expect(createIdentityService(options)).rejects.toThrow(sentence)
})

const [one, other] = [newKey(), newKey()]

test.each([
  ['two keys that are joined', `${one}${other}`],
  ['two keys, of which the first one lacks its sign of the end', one.slice(0, -1) + other],
  ['a key and a word after it', `${one}x`],
  ['a key between quotes', `"${one}"`],
  ['half a key', one.slice(0, 20)],
])('%s are refused with a sentence without the key', async (_, text) => {
  const refused = (options: object) =>
    createIdentityService(options).then(
      () => 'accepted',
      ({ message }: Error) => message,
    )
  const sentence = await refused({ masterKey: text })
  expect(sentence).toContain('A master key must be 32 bytes in base64')
  expect(sentence).toContain(`has ${text.length} characters`)
  expect(sentence).not.toContain(text.slice(0, 8))

  const masterKeyFile = join(aFolder(), 'keys')
  writeFileSync(masterKeyFile, `${newKey()}\n${text}\n`)
  const ofFile = await refused({ masterKeyFile })
  expect(ofFile).toContain(`Key 2 in ${masterKeyFile} has ${text.length} characters`)
  expect(ofFile).not.toContain(text.slice(0, 8))
})

test.each([
  ['base64', (key: Buffer) => key.toString('base64')],
  ['base64url', (key: Buffer) => key.toString('base64url')],
  ['base64 without the sign of its end', (key: Buffer) => key.toString('base64').slice(0, -1)],
  ['base64 between blank lines', (key: Buffer) => `\n\n${key.toString('base64')}\r\n\n`],
])('a master key in %s opens what it has sealed', async (_, spell) => {
  const data = aFolder()
  const key = Buffer.from(`${'/+8'.repeat(14)}A`, 'base64')
  {
    await using service = await createIdentityService({ data, masterKey: key.toString('base64') })
    await service.admin.createTenant({ domain: 'acme.example' })
    expect((await service.fetch('https://acme.example/oidc/jwks')).status).toBe(200)
  }
  const masterKeyFile = join(aFolder(), 'keys')
  writeFileSync(masterKeyFile, spell(key))
  await using service = await createIdentityService({ data, masterKeyFile })
  expect((await service.fetch('https://acme.example/oidc/jwks')).status).toBe(200)
})
