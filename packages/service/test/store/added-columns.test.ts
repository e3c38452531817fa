import { expect, onTestFinished, test } from 'vitest'
import type { DataStore } from '../../src/store/ports.ts'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../src/store/postgres/data-store.ts'
import { createPostgresQueues } from '../../src/store/postgres/queue.ts'
import { createDatabase } from '../support/postgres.ts'
import { aCredential, anApplication, anAudit, aTenant, aUser } from './records.ts'

const page = { after: undefined, limit: 10 }

/** Reads and writes of every kind, on objects of their own. */
async function use(store: DataStore): Promise<void> {
  const tenant = aTenant()
  const [user, other] = [aUser(tenant.id), aUser(tenant.id)]
  const application = anApplication(tenant.id)
  const credential = aCredential(user)
  const audit = () => anAudit('update')
  await store.tenants.insert(tenant, audit())
  await store.applications.insert(application, audit())
  await store.users.insert(user, audit(), credential)
  await store.users.insertMany(tenant.id, [{ user: other, credential: undefined, audit: audit() }])
  expect(await store.tenants.get(tenant.id)).toEqual(tenant)
  expect(await store.tenants.findByDomain(tenant.settings.domain)).toEqual(tenant)
  expect(await store.applications.get(tenant.id, application.id)).toEqual(application)
  expect(await store.users.get(tenant.id, user.id)).toEqual(user)
  expect(await store.users.findByEmail(tenant.id, user.emailKey)).toEqual(user)
  expect((await store.users.list(tenant.id, page))?.total).toBe(2)
  expect((await store.applications.list(tenant.id, page))?.items).toEqual([application])
  expect((await store.credentials.list(tenant.id, user.id, page))?.items).toEqual([credential])
  const later = <T extends { updatedAt: number }>(last: T) => ({
    ...last,
    updatedAt: last.updatedAt + 1,
  })
  const written = [
    await store.tenants.update(tenant.id, later, audit()),
    await store.applications.update(tenant.id, application.id, later, audit()),
    await store.users.update(tenant.id, user.id, later, audit()),
    await store.users.updateAccount(
      tenant.id,
      user.id,
      (last) => ({ ...last, user: later(last.user) }),
      audit(),
    ),
    await store.credentials.update(
      tenant.id,
      user.id,
      credential.id,
      (last) => ({ credential: later(last) }),
      audit(),
    ),
    await store.credentials.delete(tenant.id, user.id, credential.id, audit(), 1),
    await store.users.delete(tenant.id, user.id, audit()),
    await store.applications.delete(tenant.id, application.id, audit()),
  ]
  expect(written.map(({ kind }) => kind)).toEqual(written.map(() => 'written'))
  expect((await store.audit.list({ tenantId: tenant.id })).length).toBeGreaterThanOrEqual(0)
  await store.check()
}

test('columns that a release adds while this one serves make no read and no write fail', async () => {
  const database = await createDatabase()
  const connections = createConnections({ url: database.url })
  const store = createPostgresDataStore(connections)
  const { mail } = createPostgresQueues(connections)
  onTestFinished(async () => {
    await store.close()
    await database.drop()
  })
  const work = () => Promise.all([...Array.from({ length: 6 }, () => use(store)), mail.list('', 5)])
  await work()
  const tables = await database.query(
    "select tablename as name from pg_tables where schemaname = 'public'",
  )

  for (const round of [1, 2]) {
    const busy = work()
    for (const { name } of tables) {
      await database.query(`alter table ${name} add column of_release_${round} text`)
    }
    await busy
    await work()
  }
})
