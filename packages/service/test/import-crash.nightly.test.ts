import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../../session-store/test/support/redis.ts'
import { createIdentityService } from '../src/service.ts'
import { type ServeOptions, serveElsewhere } from './store/serving.ts'
import { bcryptOf } from './support/hashes.ts'
import { createDatabase } from './support/postgres.ts'

const COUNT = 100

/** What a process serves, by store. */
const stores: Record<string, () => Promise<ServeOptions>> = {
  async SQLite() {
    const data = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
    onTestFinished(() => rmSync(data, { recursive: true }))
    return { data }
  },
  async 'PostgreSQL and Redis'() {
    const database = await createDatabase()
    onTestFinished(() => database.drop())
    const redis = await startRedis()
    onTestFinished(() => redis[Symbol.asyncDispose]())
    const masterKey = Buffer.alloc(32, 7).toString('base64')
    return { database: database.url, redis: redis.url, masterKey }
  },
}

describe.each(Object.keys(stores))('on %s', (store) => {
  test('of an import without an answer each user is whole or missing, and the same request creates the missing ones', async () => {
    const options = await (stores[store] as (typeof stores)[string])()
    const { tenant, key } = await prepare(options)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const users = Array.from({ length: COUNT }, (_, n) => ({
      profile: { email: `user-${n}@example.com` },
      password: { alg: 'bcrypt', hash: bcryptOf[8] },
    }))
    const body = JSON.stringify({ users })
    const sendTo = (origin: string) =>
      fetch(`${origin}/x/v1/tenants/${tenant}/users/import`, { method: 'POST', headers, body })

    const killed = await serveElsewhere(options)
    const answer = sendTo(killed.origin).then(
      () => 'answered',
      () => 'broken off',
    )
    await until(async () => (await countUsers(killed.origin)) > 0)
    await killed.kill()
    await answer

    const serving = await serveElsewhere(options)
    onTestFinished(() => serving.kill())
    const there = await countUsers(serving.origin)
    const again = (await (await sendTo(serving.origin)).json()) as {
      data: { id?: string; user: { id: string } }[]
    }
    expect(again).toMatchObject({ created: COUNT - there, existing: there, refused: 0 })
    for (const { id, user } of again.data) {
      const path = `/v1/tenants/${tenant}/users/${id ?? user.id}/credentials`
      const found = await (await fetch(serving.origin + path, { headers })).json()
      expect(found).toMatchObject({ data: [{ id: 'password' }] })
    }

    async function countUsers(origin: string): Promise<number> {
      const list = await fetch(`${origin}/v1/tenants/${tenant}/users?limit=1`, { headers })
      return ((await list.json()) as { total: number }).total
    }
  })
})

async function prepare(options: ServeOptions): Promise<{ tenant: string; key: string }> {
  await using service = await createIdentityService(options)
  const { id } = await service.admin.createTenant({ domain: 'acme.localhost' })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [id] })
  return { tenant: id, key: secret }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(1)
}
