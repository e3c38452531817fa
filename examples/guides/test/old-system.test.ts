import { createManagementClient } from '@latchkey/management'
import { createIdentityService } from '@latchkey/service'
import { expect, test } from 'vitest'
import { type OldSystem, type OldUser, passOn } from '../src/old-system.ts'

const BCRYPT = '$2b$10$Rmj06lYZT6tgxjrYBdF.Q.J/KGz22BmtWk.LyLTQoj34W7BSjhZBC'

async function start() {
  const service = await createIdentityService({ requestsPerSecond: 1_000 })
  const { id: tenantId } = await service.admin.createTenant({ domain: 'login.example' })
  const { secret } = await service.admin.createApiKey({ name: 'old system', reach: [tenantId] })
  const client = createManagementClient({
    baseUrl: 'https://api.example',
    apiKey: secret,
    fetch: (url, init) => service.fetch(url, init),
  })
  const table = new Map<string, OldUser>()
  const newIds = new Map<string, string>()
  const warnings: string[] = []
  const old: OldSystem = {
    find: async (oldId) => table.get(oldId),
    newIdOf: async (oldId) => newIds.get(oldId),
    keepNewId: async (oldId, newId) => void newIds.set(oldId, newId),
  }
  return {
    ...{ table, newIds, warnings },
    users: client.users(tenantId),
    /** Passes a user on twice, as a queue does whose acknowledgement was lost. */
    async passOn(oldId: string) {
      for (let n = 0; n < 2; n++) {
        await passOn(client, tenantId, old, oldId, (sentence) => warnings.push(sentence))
      }
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

const ada: OldUser = {
  ...{ email: 'ada@example.com', isVerified: true, name: 'Ada', isBlocked: false },
  password: { alg: 'bcrypt', hash: BCRYPT },
}

test('each event of the old system arrives once, in any number of attempts', async () => {
  await using world = await start()
  const { table, newIds, users, warnings } = world
  const all = () => Array.fromAsync(users.list())
  table.set('17', ada)
  await world.passOn('17')
  expect(await all()).toMatchObject([{ id: newIds.get('17'), profile: { name: 'Ada' } }])

  table.set('17', { ...ada, email: 'ada@new.example', name: 'Ada Lovelace' })
  await world.passOn('17')
  expect(await all()).toMatchObject([
    { profile: { email: 'ada@new.example', name: 'Ada Lovelace', email_verified: true } },
  ])

  table.set('17', { ...ada, email: 'ada@new.example', name: 'Ada Lovelace', isBlocked: true })
  await world.passOn('17')
  expect(await all()).toMatchObject([{ disabled: true }])
  expect(warnings).toEqual([])

  table.delete('17')
  await world.passOn('17')
  expect(await all()).toEqual([])
  // An event that comes late creates no user again.
  table.set('17', ada)
  await world.passOn('17')
  expect(await all()).toEqual([])
  expect(warnings[0]).toBe('User 17: user deleted_here')
})

test('a new id that was lost before it was kept is found again', async () => {
  await using world = await start()
  world.table.set('17', ada)
  await world.passOn('17')
  const id = world.newIds.get('17')
  world.newIds.clear()
  await world.passOn('17')
  expect(world.newIds.get('17')).toBe(id)
})

test('an operator who changed a user here since is not overruled', async () => {
  await using world = await start()
  world.table.set('17', ada)
  await world.passOn('17')
  const id = world.newIds.get('17') ?? ''
  await world.users.update(id, (user) => ({ ...user, disabled: true }))
  world.table.set('17', { ...ada, name: 'Ada L.' })
  await world.passOn('17')
  expect(await world.users.get(id)).toMatchObject({ disabled: true, profile: { name: 'Ada L.' } })
  expect(world.warnings[0]).toBe('User 17: disabled disabled_here')
})
