import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startRedis, type TestRedis } from '../../../session-store/test/support/redis.ts'
import { createIdentityService } from '../../src/service.ts'
import { temporaryFolder } from '../cli/support.ts'
import { type Serving, serveElsewhere } from '../store/serving.ts'
import { createDatabase, type TestDatabase } from '../support/postgres.ts'

const servers: { database: TestDatabase; redis: TestRedis } = {
  database: await createDatabase(),
  redis: await startRedis(),
}
afterAll(async () => {
  await servers.redis[Symbol.asyncDispose]()
  await servers.database.drop()
})

const shell = join(import.meta.dirname, '../../../../examples/guides/shell')
const newKey = () => randomBytes(32).toString('base64')

/** Two machines with the same key file, each of which serves, and a tenant with an API key. */
async function twoMachines() {
  const folder = temporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  const urls = { database: servers.database.url, redis: servers.redis.url }
  const masterKey = newKey()
  await servers.database.query('delete from tenants; delete from sealing_keys')
  await using admin = await createIdentityService({ ...urls, masterKey })
  const tenant = await admin.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await admin.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const machines = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const place = join(folder.path, name)
      mkdirSync(place)
      const file = join(place, 'master.key')
      writeFileSync(file, `${masterKey}\n`)
      const process = await serveElsewhere({ ...urls, masterKeyFile: file, logLevel: 'info' })
      onTestFinished(() => process.kill())
      return { place, file, process }
    }),
  )
  const [one, two] = machines as [(typeof machines)[0], (typeof machines)[0]]
  const applications = `/v1/tenants/${tenant.id}/applications`
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  return {
    one,
    two,
    async create({ origin }: Serving): Promise<string> {
      const body = JSON.stringify({ name: 'Shop' })
      const answer = await fetch(origin + applications, { method: 'POST', headers, body })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { id: string }).id
    },
    async secretOf({ origin }: Serving, id: string): Promise<number> {
      return (await fetch(`${origin}${applications}/${id}`, { headers })).status
    },
  }
}

async function ready({ origin }: Serving): Promise<{ status: number; sentence: string | null }> {
  const answer = await fetch(`${origin}/x/ready`)
  return { status: answer.status, sentence: answer.headers.get('latchkey-error-detail') }
}

const WAIT = { interval: 250 }

test('following the guide, a master key is distributed, used, and all secrets are resealed, while two machines serve', async () => {
  const { one, two, create, secretOf } = await twoMachines()
  const first = await create(one.process)
  const run = (script: string, { place }: typeof one) =>
    execFileSync('sh', ['-euc', readFileSync(join(shell, script), 'utf8')], { cwd: place })

  run('spread-master-key.sh', one)
  copyFileSync(one.file, two.file)
  for (const machine of [one, two]) {
    run('use-master-key.sh', machine)
    const id = await create(machine.process)
    for (const { process } of [one, two]) {
      expect(await secretOf(process, first)).toBe(200)
      expect(await secretOf(process, id)).toBe(200)
      expect((await ready(process)).status).toBe(200)
    }
  }
  const [newest] = readFileSync(one.file, 'utf8').split('\n')
  await expect
    .poll(() => servers.database.query('select distinct id from sealing_keys'), WAIT)
    .toHaveLength(1)
  for (const { process } of [one, two])
    await expect.poll(() => process.log(), WAIT).toContain('Every secret is sealed')

  for (const { file } of [one, two]) writeFileSync(file, `${newest}\n`)
  await Promise.all([one.process.stop(), two.process.stop()])
  const again = await serveElsewhere({
    database: servers.database.url,
    redis: servers.redis.url,
    masterKey: newest,
  })
  onTestFinished(() => again.kill())
  expect(await secretOf(again, first)).toBe(200)
  expect((await ready(again)).status).toBe(200)
})

test('a machine that does not know the key of another one says so at /x/ready, until it is given', async () => {
  const { one, two, create, secretOf } = await twoMachines()
  writeFileSync(one.file, `${newKey()}\n${readFileSync(one.file, 'utf8')}`)
  await expect.poll(async () => (await ready(two.process)).status, WAIT).toBe(503)
  expect((await ready(two.process)).sentence).toMatch(
    /encrypted under the master key [\w-]{8}, which is not known here/,
  )
  expect((await ready(one.process)).status).toBe(200)

  copyFileSync(one.file, two.file)
  await expect.poll(async () => (await ready(two.process)).status, WAIT).toBe(200)
  expect(await secretOf(two.process, await create(one.process))).toBe(200)
})

test('a machine that has only another master key is not ready, and does not make others unready', async () => {
  const { one } = await twoMachines()
  const { database, redis } = servers
  await expect.poll(async () => (await ready(one.process)).status, WAIT).toBe(200)
  const wrong = await serveElsewhere({
    ...{ database: database.url, redis: redis.url },
    masterKey: newKey(),
  })
  onTestFinished(() => wrong.kill())
  expect((await ready(wrong)).status).toBe(503)
  expect((await ready(one.process)).status).toBe(200)
})

test('several master keys in one option open what each of them sealed', async () => {
  const urls = { database: servers.database.url, redis: servers.redis.url }
  await servers.database.query('delete from tenants; delete from sealing_keys')
  const [older, newer] = [newKey(), newKey()]
  const seal = async (masterKey: string, domain: string) => {
    await using service = await createIdentityService({ ...urls, masterKey })
    await service.admin.createTenant({ domain })
    const jwks = await service.fetch(`https://${domain}/oidc/jwks`)
    expect(jwks.status).toBe(200)
  }
  await seal(older, 'one.example')
  await seal(`${older} ${newer}`, 'two.example')
  await seal(`${newer},${older}`, 'three.example')
  await using service = await createIdentityService({ ...urls, masterKey: `${newer} ${older}` })
  for (const domain of ['one.example', 'two.example', 'three.example'])
    expect((await service.fetch(`https://${domain}/oidc/jwks`)).status).toBe(200)
})
