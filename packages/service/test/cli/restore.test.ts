import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectApi } from '../support/api.ts'
import { expectError } from '../support/errors.ts'
import { run, serve, temporaryFolder } from './support.ts'

const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)
const data = at('data')
const backup = at('backup.db')

let tenantId: string
/** A key that was revoked after the backup, and one that was not. */
const keys = { revoked: { id: '', secret: '' }, good: { id: '', secret: '' } }
const users = { disabled: '', deleted: '' }
let endpoint: string
/** The `sequence` of an event that the backup does not have. */
let lostPlace: number

beforeAll(async () => {
  await using service = await createIdentityService({ data })
  const { admin } = service
  tenantId = (await admin.createTenant({ domain: 'acme.example' })).id
  for (const name of ['revoked', 'good'] as const) {
    const { key, secret } = await admin.createApiKey({ name, reach: [tenantId] })
    keys[name] = { id: key.id, secret }
  }
  await admin.inviteOperator({ email: 'olga@example.com', role: 'owner', reach: 'all' })
  const api = connectApi(service.fetch, keys.good.secret, tenantId)
  const first = await api.createUser('first@example.com')
  const second = await api.createUser('second@example.com')
  Object.assign(users, { disabled: first.id, deleted: second.id })
  endpoint = (await api.create(`/x${api.tenant}/webhooks`, { url: 'https://shop.invalid/' })).id
  expect(await run(['backup', backup, '--data', data])).toMatchObject({ code: 0 })

  await admin.revokeApiKey(keys.revoked.id)
  await api.post(`${api.users}/${first.id}`, { profile: first.profile, disabled: true })
  await api.delete(`${api.users}/${second.id}`)
  await api.delete(`/x${api.tenant}/webhooks/${endpoint}`)
  const { body } = await api.get(`/x${api.tenant}/events?types=user.deleted`)
  lostPlace = body.data[0].data.sequence
})

afterAll(() => folder[Symbol.dispose]())

/** Restores the backup into a folder that can be served. */
async function restoreInto(name: string, ...flags: string[]) {
  const restored = await run(['restore', backup, '--data', at(name), ...flags])
  copyFileSync(join(data, 'master.key'), join(at(name), 'master.key'))
  return restored
}

test('restore says how far the backup goes, and counts what it knows nothing of', async () => {
  const alone = await restoreInto('alone')
  expect(alone.stderr).toMatch(/The backup ends at \d{4}-\d\d-\d\dT[\d:.]+Z\. It knows nothing of/)
  expect(alone.stderr).toContain('How much that is cannot be known')
  const compared = await restoreInto('compared', '--replaces', data)
  expect(compared.code).toBe(0)
  expect(compared.stdout).toMatch(/API keys revoked since +1\n/)
  expect(compared.stdout).toMatch(/users disabled since +1\n/)
  expect(compared.stdout).toMatch(/users deleted since +1\n/)
  expect(compared.stdout).toMatch(/endpoints deleted or switched off since +1\n/)
  expect(compared.stderr).toContain(`users deleted since: ${users.deleted}\n`)
  expect(compared.stderr).toContain(`API keys revoked since: ${keys.revoked.id}\n`)
  const missing = await run(['restore', backup, '--data', at('x'), '--replaces', at('nowhere')])
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('no data in') })
})

test.each([
  ['missing', undefined, 'it has no data.db'],
  ['empty', Buffer.alloc(0), 'data.db: '],
  ['random', randomBytes(8_192), 'data.db: '],
])(
  'with a data.db that is %s in the folder that it replaces, restore says that nothing was compared, and restores',
  async (name, content, why) => {
    const replaced = at(`replaced-${name}`)
    mkdirSync(replaced)
    if (content) writeFileSync(join(replaced, 'data.db'), content)
    const restored = await restoreInto(`from-${name}`, '--replaces', replaced)
    expect(restored.code, restored.stderr).toBe(0)
    expect(restored.stdout).toMatch(/^users +3\n/m)
    expect(restored.stdout).not.toContain('users disabled since')
    const sentence = restored.stderr.split('\n').find((line) => line.startsWith(replaced)) ?? ''
    expect(sentence).toContain(`${replaced} could not be compared with the backup (`)
    expect(sentence).toContain(why)
    expect(sentence).toContain('Users who were disabled or deleted since are back and enabled')
    expect(existsSync(join(replaced, 'data.db'))).toBe(content !== undefined)
    const waiting = await run(['confirm', '--data', at(`from-${name}`), '--json'])
    expect(JSON.parse(waiting.stdout)).toHaveLength(4)
  },
)

test('API keys, operators and endpoints of a backup have no effect until they are confirmed', async () => {
  await restoreInto('restored')
  const where = ['--data', at('restored')]
  const server = await serve(where)
  const reach = (secret: string) => connectApi(fetchAt(server.url), secret, tenantId)
  try {
    for (const { secret } of Object.values(keys)) {
      expectError(await reach(secret).get(reach(secret).users), 401, 'authentication_failure')
    }
    expect(server.log()).toContain('A backup was restored at')
    await expect.poll(server.log).toContain('the key was not confirmed since')
    const found = await run(['doctor', ...where])
    expect(found.code).toBe(1)
    expect(found.stdout).toContain('2 API keys, 1 operator, and 1 endpoint')

    const listed = JSON.parse((await run(['confirm', ...where, '--json'])).stdout)
    expect(listed.map(({ kind, name }: { kind: string; name: string }) => [kind, name])).toEqual([
      ['API key', 'revoked'],
      ['API key', 'good'],
      ['operator', 'olga@example.com'],
      ['endpoint', 'https://shop.invalid/'],
    ])
    expect(await run(['confirm', keys.good.id, ...where])).toMatchObject({
      code: 0,
      stdout: `Confirmed the API key ${keys.good.id} (good).\n`,
    })
    const api = reach(keys.good.secret)
    await expect.poll(async () => (await api.get(api.users)).status).toBe(200)
    expect((await reach(keys.revoked.secret).get(api.users)).status).toBe(401)
    expect((await api.get(`/x${api.tenant}/webhooks/${endpoint}`)).body).toMatchObject({
      ...{ disabled: true, disabled_reason: 'restored' },
    })
    expectError(await api.get(`/x${api.tenant}/events?after=${lostPlace}`), 410, 'place_gone')
    const { id } = await api.createUser('third@example.com')
    const { body } = await api.get(`/x${api.tenant}/events?types=user.created`)
    const { data } = body.data.at(-1)
    expect(data.id).toBe(id)
    expect(data.sequence).toBeGreaterThan(lostPlace)
    expect((await run(['confirm', '--all', ...where])).stdout.split('\n')).toHaveLength(4)
    expect((await api.get(`/x${api.tenant}/webhooks/${endpoint}`)).body.disabled).toBeUndefined()
    expect((await run(['doctor', ...where])).stdout).toBe('Nothing needs a decision.\n')
    const log = await run(['audit', 'export', ...where])
    for (const action of ['service.restore', 'api_key.confirm', 'operator.confirm']) {
      expect(log.stdout).toContain(action)
    }
  } finally {
    await server.stop()
  }
})

test('with --keep-access, a drill uses the API keys at once, and endpoints get no events', async () => {
  const { stderr } = await restoreInto('drill', '--keep-access')
  expect(stderr).toContain('(--keep-access)')
  await using service = await createIdentityService({ data: at('drill') })
  const api = connectApi(service.fetch, keys.good.secret, tenantId)
  expect((await api.get(api.users)).status).toBe(200)
  expect((await api.get(`/x${api.tenant}/webhooks/${endpoint}`)).body).toMatchObject({
    disabled_reason: 'restored',
  })
})

function fetchAt(url: string): typeof fetch {
  return (path, init) => fetch(new URL(String(path).replace(/^https?:\/\/[^/]+/, ''), url), init)
}
