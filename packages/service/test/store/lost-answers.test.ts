import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { createConnections } from '../../src/store/postgres/connections.ts'
import { createPostgresDataStore } from '../../src/store/postgres/data-store.ts'
import { script, sql } from '../../src/store/sql/sql.ts'
import { createDatabase, openPostgresDataStore } from '../support/postgres.ts'
import { anAudit, aTenant, aUser } from './records.ts'

const database = await createDatabase()
afterAll(() => database.drop())

/** What happens to the answer of PostgreSQL to a statement: its connection is cut, or falls silent. */
type Loss = 'cut' | 'silent'

/**
 * A store behind a proxy that loses answers. PostgreSQL carries out the statement before: the proxy
 * waits for the answer, and keeps it.
 */
async function behindProxy(queryMs?: number) {
  await database.empty()
  const sockets = new Set<Socket>()
  let lost: { text: string; loss: Loss } | undefined
  const server = createServer((socket) => {
    const upstream = connect(Number(new URL(database.url).port), '127.0.0.1')
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on('error', () => {})
    }
    let loss: Loss | undefined
    socket.on('data', (data: Buffer) => {
      if (lost && data.includes(lost.text)) {
        loss = lost.loss
        lost = undefined
      }
      upstream.write(data)
    })
    upstream.on('data', (data: Buffer) => {
      if (loss === 'cut') socket.destroy()
      else if (loss === undefined) socket.write(data)
    })
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database.url)
  url.port = String((server.address() as AddressInfo).port)
  const connections = createConnections({ url: url.href }, { ...(queryMs && { queryMs }) })
  const store = createPostgresDataStore(connections)
  const direct = openPostgresDataStore(database.url)
  const end = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  onTestFinished(async () => {
    await Promise.all([store.close(), direct.close()])
    end()
  })
  return {
    connections,
    store,
    /** A store on the same database, without the proxy. */
    direct,
    /** Loses the answer to the next statement with this text. */
    lose(text: string, loss: Loss) {
      lost = { text, loss }
    },
    end,
  }
}

const outcomeOf = (write: Promise<unknown>) =>
  write.then(
    () => 'written',
    (error: Error) => error.name,
  )

test.each([['cut'], ['silent']] as const)(
  'a write whose connection is %s before the answer comes may have been carried out, and says so',
  async (loss) => {
    const { store, direct, lose } = await behindProxy(500)
    const tenant = aTenant()
    await direct.tenants.insert(tenant, anAudit('create'))
    const user = aUser(tenant.id)
    lose('insert into', loss)
    const outcome = await outcomeOf(store.users.insert(user, anAudit('create')))
    expect(outcome).toBe('OutcomeUnknownError')
    await vi.waitFor(async () =>
      expect(await direct.users.get(tenant.id, user.id)).toMatchObject({ id: user.id }),
    )
  },
)

test('a transaction whose answer to "commit" is lost may have been carried out, and says so', async () => {
  const { store, lose } = await behindProxy()
  const tenant = aTenant()
  lose('commit', 'cut')
  const outcome = await outcomeOf(store.tenants.insert(tenant, anAudit('create')))
  expect(outcome).toBe('OutcomeUnknownError')
  expect(await store.tenants.get(tenant.id)).toMatchObject({ id: tenant.id })
})

test('a transaction whose connection is lost before "commit" has written nothing', async () => {
  const { store, lose } = await behindProxy()
  const tenant = aTenant()
  lose('begin', 'cut')
  expect(await outcomeOf(store.tenants.insert(tenant, anAudit('create')))).toBe('StoreError')
  expect(await store.tenants.get(tenant.id)).toBeUndefined()
})

test('a write that PostgreSQL refuses, or that has no connection, has written nothing', async () => {
  const { connections, end } = await behindProxy()
  const ended = connections.write(script('select pg_terminate_backend(pg_backend_pid())'))
  expect(await outcomeOf(ended)).toBe('StoreError')
  end()
  expect(await outcomeOf(connections.write(sql`select 1`))).toBe('StoreError')
})

test('the check of the store, which writes nothing, does not claim that it may have written', async () => {
  const { store, lose } = await behindProxy()
  lose('update revision', 'cut')
  expect(await outcomeOf(store.check?.() ?? Promise.resolve())).toBe('StoreError')
})
