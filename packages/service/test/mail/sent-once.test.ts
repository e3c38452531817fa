import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { createIdentityService } from '../../src/service.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { connectApi } from '../support/api.ts'
import { createDatabase } from '../support/postgres.ts'

const database = await createDatabase()
const redis = await startRedis()
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await database.drop()
})

/** Lets PostgreSQL take writes, or none. */
async function takeWrites(does: boolean): Promise<void> {
  await database.query(`do $$ begin execute format(
    'alter database %I set default_transaction_read_only = ${does ? 'off' : 'on'}', current_database()); end $$`)
  await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
}

test('a message that is sent while PostgreSQL is read-only is recorded as sent later, and not sent again', async () => {
  let arrived = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _, done) {
      stream.resume().on('end', () => {
        arrived++
        void takeWrites(false).then(() => done())
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.server.address() as AddressInfo
  await using service = await createIdentityService({
    database: database.url,
    redis: redis.url,
    masterKey: randomBytes(32).toString('base64'),
    mail: { url: `smtp://127.0.0.1:${port}`, from: 'no-reply@acme.example' },
  })
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(service.fetch, secret, tenant.id)
  await api.create(api.users, { profile: { email: 'ada@example.com', email_verified: true } })
  const browser = createBrowser({ url: 'https://acme.example', fetch: service.fetch })
  await browser.submit(await browser.get('https://acme.example/reset'), {
    email: 'ada@example.com',
  })
  await expect.poll(() => arrived).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await takeWrites(true)
  await expect.poll(() => database.query('select outcome from mail')).toEqual([{ outcome: 'sent' }])
  expect(arrived).toBe(1)
})
