import { describe, expect, test } from 'vitest'
import type { DataStore } from '../../../src/store/ports.ts'
import type { AuditEntry } from '../../../src/store/records.ts'
import type { Open } from '../data-store-suite.ts'
import {
  aConnection,
  aCredential,
  anApiKey,
  anApplication,
  anAudit,
  aSigningKey,
  aTenant,
  aUser,
  settings,
} from '../records.ts'

/** A store with one object of each kind, and a second tenant and user to be in the way. */
async function aWorld(open: Open) {
  const store = await open()
  const tenant = aTenant()
  const other = aTenant()
  const user = aUser(tenant.id)
  const neighbor = aUser(tenant.id)
  const credential = aCredential(user)
  const application = anApplication(tenant.id)
  const apiKey = anApiKey()
  const signingKey = aSigningKey(tenant.id)
  const connection = aConnection(tenant.id)
  const setUp = anAudit('set-up')
  await store.tenants.insert(tenant, setUp)
  await store.tenants.insert(other, setUp)
  await store.users.insert(user, setUp)
  await store.users.insert(neighbor, setUp)
  await store.credentials.insert(credential, setUp)
  await store.applications.insert(application, setUp)
  await store.apiKeys.insert(apiKey, setUp)
  await store.signingKeys.insert(signingKey, setUp)
  await store.connections.insert(connection, setUp)
  return {
    store,
    tenant,
    other,
    user,
    neighbor,
    credential,
    application,
    apiKey,
    signingKey,
    connection,
  }
}

type World = Awaited<ReturnType<typeof aWorld>>
type Write = (world: World, audit: AuditEntry) => Promise<unknown>

/** Everything that a store holds, read through the port. */
async function contents(store: DataStore): Promise<object> {
  const page = { after: undefined, limit: 100 }
  const tenants = await store.tenants.list('all', page)
  const below = tenants.items.map(async ({ id }) => {
    const users = await store.users.list(id, page)
    return {
      users,
      credentials: await Promise.all(
        (users?.items ?? []).map((user) => store.credentials.list(id, user.id, page)),
      ),
      applications: await store.applications.list(id, page),
      signingKeys: await store.signingKeys.list(id),
      connections: await store.connections.list(id),
    }
  })
  return {
    tenants,
    below: await Promise.all(below),
    apiKeys: await store.apiKeys.list(),
    audit: await store.audit.list({ limit: 1_000 }),
  }
}

const later = 1_800_000_000_000_000

const successes: Record<string, Write> = {
  'tenants.insert': ({ store }, audit) => store.tenants.insert(aTenant(), audit),
  'tenants.update': ({ store, tenant }, audit) =>
    store.tenants.update(tenant.id, (current) => ({ ...current, name: 'New' }), audit),
  'tenants.delete': ({ store, tenant }, audit) => store.tenants.delete(tenant.id, audit),
  'applications.insert': ({ store, tenant }, audit) =>
    store.applications.insert(anApplication(tenant.id), audit),
  'applications.update': ({ store, tenant, application }, audit) =>
    store.applications.update(tenant.id, application.id, (a) => ({ ...a, name: 'New' }), audit),
  'applications.delete': ({ store, tenant, application }, audit) =>
    store.applications.delete(tenant.id, application.id, audit),
  'users.insert': ({ store, tenant }, audit) => store.users.insert(aUser(tenant.id), audit),
  'users.insert with a credential': ({ store, tenant }, audit) => {
    const user = aUser(tenant.id)
    return store.users.insert(user, audit, aCredential(user))
  },
  'users.update': ({ store, tenant, user }, audit) =>
    store.users.update(tenant.id, user.id, (u) => ({ ...u, disabled: true }), audit),
  'users.delete': ({ store, tenant, user }, audit) => store.users.delete(tenant.id, user.id, audit),
  'credentials.insert': ({ store, neighbor }, audit) =>
    store.credentials.insert(aCredential(neighbor), audit, later),
  'credentials.update': ({ store, tenant, user, credential }, audit) =>
    store.credentials.update(
      tenant.id,
      user.id,
      credential.id,
      (current) => ({ credential: { ...current, disabled: true } }),
      audit,
    ),
  'credentials.delete': ({ store, tenant, user, credential }, audit) =>
    store.credentials.delete(tenant.id, user.id, credential.id, audit, later),
  'apiKeys.insert': ({ store, tenant }, audit) =>
    store.apiKeys.insert(anApiKey({ reach: [tenant.id] }), audit),
  'apiKeys.revoke': ({ store, apiKey }, audit) => store.apiKeys.revoke(apiKey.id, later, audit),
  'signingKeys.insert': ({ store, tenant }, audit) =>
    store.signingKeys.insert(aSigningKey(tenant.id), audit),
  'signingKeys.update': ({ store, tenant, signingKey }, audit) =>
    store.signingKeys.update(
      tenant.id,
      signingKey.id,
      (last) => ({ ...last, sealedJwk: 'v1.new' }),
      audit,
    ),
  'signingKeys.delete': ({ store, tenant, signingKey }, audit) =>
    store.signingKeys.delete(tenant.id, signingKey.id, audit),
  'connections.insert': ({ store, tenant }, audit) =>
    store.connections.insert(aConnection(tenant.id), audit),
  'connections.update': ({ store, tenant, connection }, audit) =>
    store.connections.update(
      tenant.id,
      connection.id,
      (last) => ({ ...last, enabled: !last.enabled }),
      audit,
    ),
  'connections.delete': ({ store, tenant, connection }, audit) =>
    store.connections.delete(tenant.id, connection.id, audit),
}

const refusals: Record<string, Write> = {
  'an insert of a tenant whose domain is taken': ({ store, tenant }, audit) =>
    store.tenants.insert(aTenant({ settings: settings(tenant.settings.domain) }), audit),
  'an update of a tenant to a domain that is taken': ({ store, tenant, other }, audit) =>
    store.tenants.update(tenant.id, (t) => ({ ...t, settings: other.settings }), audit),
  'an update of a missing tenant': ({ store }, audit) =>
    store.tenants.update('ten_x', (current) => ({ ...current }), audit),
  'a deletion of a missing tenant': ({ store }, audit) => store.tenants.delete('ten_x', audit),
  'an insert of an orphan application': ({ store }, audit) =>
    store.applications.insert(anApplication('ten_x'), audit),
  'an update of a missing application': ({ store, tenant }, audit) =>
    store.applications.update(tenant.id, 'app_x', (current) => ({ ...current }), audit),
  'a deletion of a missing application': ({ store, tenant }, audit) =>
    store.applications.delete(tenant.id, 'app_x', audit),
  'an insert of a user whose address is taken': ({ store, user }, audit) => {
    const copycat = aUser(user.tenantId, { emailKey: user.emailKey })
    return store.users.insert(copycat, audit, aCredential(copycat))
  },
  'an insert of an orphan user': ({ store }, audit) => store.users.insert(aUser('ten_x'), audit),
  'an update of a user to an address that is taken': ({ store, user, neighbor }, audit) =>
    store.users.update(
      user.tenantId,
      user.id,
      (current) => ({ ...current, emailKey: neighbor.emailKey }),
      audit,
    ),
  'an update of a missing user': ({ store, tenant }, audit) =>
    store.users.update(tenant.id, 'usr_x', (current) => ({ ...current }), audit),
  'a deletion of a missing user': ({ store, tenant }, audit) =>
    store.users.delete(tenant.id, 'usr_x', audit),
  'an insert of a second credential': ({ store, user }, audit) =>
    store.credentials.insert(aCredential(user), audit, later),
  'an insert of an orphan credential': ({ store, tenant }, audit) =>
    store.credentials.insert(aCredential(aUser(tenant.id)), audit, later),
  'an update of a missing credential': ({ store, neighbor }, audit) =>
    store.credentials.update(
      neighbor.tenantId,
      neighbor.id,
      'password',
      (current) => ({ credential: { ...current }, sessionsValidAfter: later }),
      audit,
    ),
  'a deletion of a missing credential': ({ store, neighbor }, audit) =>
    store.credentials.delete(neighbor.tenantId, neighbor.id, 'password', audit, later),
  'an insert of an API key for a missing tenant': ({ store, tenant }, audit) =>
    store.apiKeys.insert(anApiKey({ reach: [tenant.id, 'ten_x'] }), audit),
  'a revocation of a missing API key': ({ store }, audit) =>
    store.apiKeys.revoke('key_x', later, audit),
  'an insert of a signing key twice': ({ store, signingKey }, audit) =>
    store.signingKeys.insert(signingKey, audit),
  'an insert of an orphan signing key': ({ store }, audit) =>
    store.signingKeys.insert(aSigningKey('ten_x'), audit),
  'a deletion of a missing signing key': ({ store, tenant }, audit) =>
    store.signingKeys.delete(tenant.id, 'kid-x', audit),
  'an insert of a connection whose name is taken': ({ store, tenant, connection }, audit) =>
    store.connections.insert(aConnection(tenant.id, { name: connection.name }), audit),
  'a deletion of a missing connection': ({ store, tenant }, audit) =>
    store.connections.delete(tenant.id, 'con_x', audit),
}

/** The four updates, each with a change of the test's choice. */
const updates: Record<string, (world: World, change: <T>(current: T) => T) => Promise<unknown>> = {
  'a tenant': ({ store, tenant }, change) =>
    store.tenants.update(tenant.id, change, anAudit('update')),
  'an application': ({ store, tenant, application }, change) =>
    store.applications.update(tenant.id, application.id, change, anAudit('update')),
  'a user': ({ store, tenant, user }, change) =>
    store.users.update(tenant.id, user.id, change, anAudit('update')),
  'a credential': ({ store, tenant, user, credential }, change) =>
    store.credentials.update(
      tenant.id,
      user.id,
      credential.id,
      (current) => ({ credential: change(current), sessionsValidAfter: later }),
      anAudit('update'),
    ),
}

/**
 * @param open - Closed by the suite.
 * @param openAlone - For the tests that close the store themselves.
 */
export function describeAtomicity(open: Open, openAlone: Open): void {
  describe('writes', () => {
    test.each(Object.entries(successes))('%s writes its audit entry, once', async (_, write) => {
      const world = await aWorld(open)
      const audit = anAudit('write', { tenantId: world.tenant.id, requestId: 'request-1' })
      await write(world, audit)
      const { target } = audit
      expect(await world.store.audit.list({ target })).toEqual([
        { ...audit, id: expect.any(Number) },
      ])
    })

    test.each(Object.entries(refusals))(
      '%s changes nothing and is not audited',
      async (_, write) => {
        const world = await aWorld(open)
        const before = await contents(world.store)
        await write(world, anAudit('write'))
        expect(await contents(world.store)).toEqual(before)
      },
    )

    test.each(Object.entries(updates))(
      'an update of %s whose change gives back what it was given writes nothing',
      async (_, update) => {
        const world = await aWorld(open)
        const before = await contents(world.store)
        const outcome = await update(world, (current) => current)
        expect(outcome).toMatchObject({ kind: 'unchanged' })
        expect(await contents(world.store)).toEqual(before)
      },
    )

    test.each(Object.entries(updates))(
      'an update of %s whose change throws rejects with that error and leaves all as it was',
      async (_, update) => {
        const world = await aWorld(open)
        const before = await contents(world.store)
        const refusal = new Error('refused')
        const changed = update(world, (current) => {
          Object.assign(current as object, { metadata: { half: 'done' } })
          throw refusal
        })
        await expect(changed).rejects.toBe(refusal)
        expect(await contents(world.store)).toEqual(before)
      },
    )

    test.each(Object.entries(updates))(
      'parallel updates of %s each see what the one before wrote',
      async (_, update) => {
        const world = await aWorld(open)
        const seen: number[] = []
        const increment = <T>(current: T): T => {
          const { metadata } = current as { metadata: Record<string, string> }
          seen.push(Number(metadata.n ?? 0))
          return { ...current, metadata: { n: String(Number(metadata.n ?? 0) + 1) } }
        }
        await Promise.all(Array.from({ length: 25 }, () => update(world, increment)))
        expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => n))
      },
    )

    test('of parallel inserts with one address, one succeeds', async () => {
      const { store, tenant } = await aWorld(open)
      const emailKey = 'same@example.com'
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.users.insert(aUser(tenant.id, { emailKey }), anAudit('create')),
        ),
      )
      expect(outcomes.filter((outcome) => outcome.kind === 'written')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome.kind === 'duplicate')).toHaveLength(19)
      const page = await store.users.list(tenant.id, { after: undefined, limit: 100 })
      expect(page?.total).toBe(3)
    })

    test('a failing write does not affect others of its group', async () => {
      const { store, tenant, user } = await aWorld(open)
      const [first, refused, last] = await Promise.allSettled([
        store.users.insert(aUser(tenant.id), anAudit('create')),
        store.users.update(
          tenant.id,
          user.id,
          () => {
            throw new Error('refused')
          },
          anAudit('update'),
        ),
        store.users.insert(aUser(tenant.id), anAudit('create')),
      ])
      expect([first.status, refused.status, last.status]).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      const page = await store.users.list(tenant.id, { after: undefined, limit: 100 })
      expect(page?.total).toBe(4)
    })
  })

  describe('what is handed in and out', () => {
    test('an object that was passed in may be changed afterwards', async () => {
      const { store, ...given } = await aWorld(open)
      const before = await contents(store)
      for (const record of Object.values(given)) {
        Object.assign(record, { createdAt: 0, name: 'spoilt', sealedJwk: 'spoilt' })
        if ('metadata' in record) record.metadata.spoilt = 'yes'
        if ('settings' in record) record.settings.companyName = 'spoilt'
        if ('profile' in record) record.profile.spoilt = 'yes'
        if ('redirectUrls' in record) record.redirectUrls.push('spoilt')
        if ('password' in record) record.password.hash = 'spoilt'
      }
      expect(await contents(store)).toEqual(before)
    })

    test('an object that was read may be changed afterwards', async () => {
      const world = await aWorld(open)
      const { store, tenant, user, application, apiKey } = world
      const before = await contents(store)
      spoil(await contents(store))
      spoil(await store.tenants.get(tenant.id))
      spoil(await store.tenants.findByDomain(tenant.settings.domain))
      spoil(await store.applications.get(tenant.id, application.id))
      spoil(await store.users.get(tenant.id, user.id))
      spoil(await store.users.findByEmail(tenant.id, user.emailKey))
      spoil(await store.credentials.get(tenant.id, user.id, 'password'))
      spoil(await store.apiKeys.findByHash(apiKey.hash))
      for (const update of Object.values(updates)) spoil(await update(world, (same) => same))
      expect(await contents(store)).toEqual(before)
    })

    test('an object that an update or a revocation returned may be changed afterwards', async () => {
      const world = await aWorld(open)
      const answers = []
      for (const update of Object.values(updates)) {
        answers.push(await update(world, (current) => ({ ...current, disabled: true })))
      }
      answers.push(await world.store.apiKeys.revoke(world.apiKey.id, later, anAudit('revoke')))
      const before = await contents(world.store)
      for (const answer of answers) spoil(answer)
      expect(await contents(world.store)).toEqual(before)
    })
  })

  describe('as a whole', () => {
    test('an open, working store passes its check', async () => {
      const store = await open()
      await expect(store.check()).resolves.toBeUndefined()
    })

    test('closing finishes the writes that are under way', async () => {
      const store = await openAlone()
      const tenant = aTenant()
      const inserted = store.tenants.insert(tenant, anAudit('create'))
      await store.close()
      expect(await inserted).toMatchObject({ kind: 'written' })
    })
  })
}

/** Changes every part of a value that can be changed. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const member of Object.values(value)) spoil(member)
  if (Array.isArray(value)) value.push('spoilt')
  else for (const name of Object.keys(value)) Object.assign(value, { [name]: 'spoilt' })
}
