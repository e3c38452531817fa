import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIdentityService, type IdentityService } from '@latchkey/service'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { run, temporaryFolder } from './cli/support.ts'
import { createBrowser } from './issuer/support/browser.ts'
import { connectApi } from './support/api.ts'
import { LEGACY_PASSWORD, legacyHashes } from './support/legacy-hashes.ts'
import { useSharedData } from './support/shared-data.ts'

const ORIGIN = 'https://acme.example'

const hashes = {
  django: legacyHashes['django, PBKDF2 with SHA-1'],
  argon2: legacyHashes['Argon2d with a key of 16 bytes'],
  firebase: legacyHashes.Firebase,
}

type Name = keyof typeof hashes
const names = Object.keys(hashes) as Name[]

const sharedData = useSharedData()

/** Makes a folder whose users have a password of another system each. */
async function fill(data: string) {
  await using service = disposable(await createIdentityService({ data }))
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(service.fetch, secret, tenant.id)
  const application = await api.create(api.applications, {
    redirect_urls: ['https://app.example/callback'],
  })
  const users = Object.entries(hashes).map(([name, legacy_password]) => ({
    profile: { email: `${name}@example.com`, email_verified: true },
    legacy_password,
  }))
  const { body } = await api.post(`/x${api.users}/import`, { users })
  expect(body).toMatchObject({ created: users.length, refused: 0 })
  return { clientId: application.id as string }
}

/** Whether a user of another system gets in at the pages of a service. */
async function logsIn(
  service: IdentityService,
  clientId: string,
  name: Name,
  password = LEGACY_PASSWORD,
): Promise<boolean> {
  const browser = createBrowser({ url: ORIGIN, fetch: service.fetch as never })
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: 'https://app.example/callback' },
    ...{ response_type: 'code', scope: 'openid', state: 'state-0123456789' },
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const form = await browser.get(`${ORIGIN}/oidc/auth?${query}`)
  const { location } = await browser.submit(form, { email: `${name}@example.com`, password })
  return location?.startsWith('https://app.example/callback?code=') ?? false
}

/** Whether each of the users gets in with the old password, and with no other. */
async function expectAllIn(service: IdentityService, clientId: string): Promise<void> {
  for (const name of names) {
    expect([name, await logsIn(service, clientId, name, 'wrong horse')]).toEqual([name, false])
    // The second time with bcrypt.
    for (const _ of [1, 2]) {
      expect([name, await logsIn(service, clientId, name)]).toEqual([name, true])
    }
  }
}

function disposable(service: IdentityService): IdentityService & AsyncDisposable {
  return { ...service, [Symbol.asyncDispose]: () => service.close() }
}

test('after a backup and a restore, users of other systems log in with their old passwords', async () => {
  using folder = temporaryFolder()
  const [data, file, restored] = ['data', 'backup.db', 'restored'].map((name) =>
    join(folder.path, name),
  ) as [string, string, string]
  const { clientId } = await fill(data)
  expect((await run(['backup', file, '--data', data])).code).toBe(0)
  expect((await run(['restore', file, '--data', restored])).code).toBe(0)
  writeFileSync(join(restored, 'master.key'), readFileSync(join(data, 'master.key')))
  await using service = disposable(await createIdentityService({ data: restored }))
  await expectAllIn(service, clientId)
})

test('after a move to PostgreSQL, users of other systems log in with their old passwords', async () => {
  using folder = temporaryFolder()
  const data = join(folder.path, 'data')
  const { clientId } = await fill(data)
  const { database, redis } = await sharedData()
  const moved = await run(['move', '--data', data, '--database', database, '--redis', redis])
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringMatching(/legacy_passwords +3/)])
  const masterKey = readFileSync(join(data, 'master.key'), 'utf8').trim()
  await using service = disposable(await createIdentityService({ database, redis, masterKey }))
  await expectAllIn(service, clientId)
})

test('after the master key was rotated, a user of Firebase logs in without the earlier one', async () => {
  using folder = temporaryFolder()
  const data = join(folder.path, 'data')
  const { clientId } = await fill(data)
  const keys = join(data, 'master.key')
  const newer = randomBytes(32).toString('base64')
  writeFileSync(keys, `${newer}\n${readFileSync(keys, 'utf8')}`)
  const messages: string[] = []
  const logger = pino({}, { write: (line) => void messages.push(JSON.parse(line).msg) })
  {
    await using _ = disposable(await createIdentityService({ data, logger }))
    await expect
      .poll(() => messages)
      .toContainEqual(expect.stringContaining('Every secret is sealed under the newest master key'))
  }
  writeFileSync(keys, `${newer}\n`)
  await using service = disposable(await createIdentityService({ data }))
  await expectAllIn(service, clientId)
})
