import { expect, test } from 'vitest'
import type { DataStore } from '../../../src/store/ports.ts'
import { SYSTEM_TENANT_ID } from '../../../src/store/system-tenant.ts'
import { aConnection, anApiKey, anApplication, anAudit, aTenant, aUser } from '../records.ts'

/** The names and values that stay with entries of the audit log. */
export function describeAuditDetails(opened: () => Promise<DataStore>): void {
  /** The details of the newest entry about a target. */
  async function detailsOf(store: DataStore, target: string) {
    const [entry] = await store.audit.list({ target, limit: 1 })
    return (await store.audit.details([entry?.id ?? 0])).get(entry?.id ?? 0)
  }

  test('an entry keeps the names of its actor and its target, whatever they are called later', async () => {
    const store = await opened()
    const tenant = aTenant({ name: 'Acme' })
    const [tenantId, { domain }] = [tenant.id, tenant.settings]
    await store.tenants.insert(tenant, anAudit('create', { target: tenantId, tenantId }))
    const key = anApiKey({ name: 'ci' })
    await store.apiKeys.insert(key, anAudit('create', { target: key.id }))
    const ada = aUser(tenantId, {
      email: 'ada@x.test',
      emailKey: 'ada@x.test',
      profile: { name: 'Ada' },
    })
    const by = { tenantId, actor: `key:${key.id}` }
    await store.users.insert(ada, anAudit('create', { ...by, target: ada.id }))
    await store.users.update(
      tenantId,
      ada.id,
      (last) => ({ ...last, email: 'new@x.test', emailKey: 'new@x.test', profile: {} }),
      anAudit('update', {
        ...by,
        target: ada.id,
        changes: [{ name: 'profile.email', before: 'ada@x.test', after: 'new@x.test' }],
      }),
    )
    const entries = await store.audit.list({ target: ada.id })
    const details = await store.audit.details(entries.map(({ id }) => id))
    expect(entries.map(({ id }) => details.get(id))).toEqual([
      {
        actor: 'ci',
        target: 'new@x.test',
        changes: [{ name: 'profile.email', before: 'ada@x.test', after: 'new@x.test' }],
      },
      { actor: 'ci', target: 'Ada (ada@x.test)', changes: [] },
    ])
    expect((await detailsOf(store, tenantId))?.target).toBe(`Acme (${domain})`)

    const application = anApplication(tenantId, { name: 'Shop' })
    const connection = aConnection(tenantId, { name: 'Google' })
    await store.applications.insert(
      application,
      anAudit('create', { ...by, target: application.id }),
    )
    await store.connections.insert(connection, anAudit('create', { ...by, target: connection.id }))
    await store.applications.delete(
      tenantId,
      application.id,
      anAudit('delete', { ...by, target: application.id }),
    )
    await store.tenants.delete(
      tenantId,
      anAudit('delete', { tenantId, target: tenantId }),
      undefined,
    )
    expect((await detailsOf(store, application.id))?.target).toBe('Shop')
    expect((await detailsOf(store, connection.id))?.target).toBe('Google')
    expect((await detailsOf(store, tenantId))?.target).toBe(`Acme (${domain})`)
  })

  test('a deleted user is in no name and no value of an entry, and the entries stay', async () => {
    const store = await opened()
    const tenant = aTenant()
    const tenantId = tenant.id
    await store.tenants.insert(tenant, anAudit('create', { tenantId, target: tenantId }))
    const [ada, bob] = [aUser(tenantId), aUser(tenantId)]
    for (const user of [ada, bob]) {
      await store.users.insert(user, anAudit('create', { tenantId, target: user.id }))
    }
    const changes = [{ name: 'profile.email', before: 'old@x.test', after: ada.email }]
    const changed = anAudit('update', {
      tenantId,
      actor: `user:${ada.id}`,
      target: ada.id,
      changes,
    })
    await store.users.updateAccount(
      tenantId,
      ada.id,
      (last) => ({ ...last, user: { ...last.user, disabled: !last.user.disabled } }),
      changed,
    )
    await store.audit.append(
      anAudit('use', { tenantId, actor: `user:${ada.id}`, target: `${ada.id}/password` }),
    )
    await store.audit.append(anAudit('mail', { tenantId, actor: `user:${ada.id}`, target: bob.id }))
    const entries = await store.audit.list({ tenantId })
    const ids = entries.map(({ id }) => id)
    const before = JSON.stringify([...(await store.audit.details(ids)).values()])
    expect(before).toContain(ada.email)
    expect(before).toContain('old@x.test')

    await store.users.delete(tenantId, ada.id, anAudit('delete', { tenantId, target: ada.id }))
    const after = await store.audit.details(ids)
    const text = JSON.stringify([...after.values()])
    expect(text).not.toContain(ada.email)
    expect(text).not.toContain('old@x.test')
    expect(text).toContain(bob.email)
    expect(await store.audit.list({ tenantId })).toEqual([expect.anything(), ...entries])
    expect((await detailsOf(store, ada.id))?.target).toBeUndefined()
  })

  test('an entry of an operator keeps the name of the operator, who is a user of another tenant', async () => {
    const store = await opened()
    const [tenant, system] = [aTenant(), aTenant({ id: SYSTEM_TENANT_ID })]
    if (!(await store.tenants.get(SYSTEM_TENANT_ID))) {
      await store.tenants.insert(system, anAudit('create'))
    }
    await store.tenants.insert(tenant, anAudit('create'))
    const olga = aUser(SYSTEM_TENANT_ID, { profile: {} })
    await store.users.insert(olga, anAudit('create', { target: olga.id }))
    const actor = `operator:${olga.id}`
    await store.audit.append(
      anAudit('mail', { tenantId: tenant.id, actor, target: 'somewhere', outcome: 'refused' }),
    )
    expect((await detailsOf(store, 'somewhere'))?.actor).toBe(olga.email)
  })

  test('users who have acted on one another are deleted at once', async () => {
    const store = await opened()
    const tenant = aTenant()
    await store.tenants.insert(tenant, anAudit('create'))
    const users = Array.from({ length: 12 }, () => aUser(tenant.id))
    for (const user of users) await store.users.insert(user, anAudit('create'))
    for (let round = 0; round < 6; round++) {
      const acts = users.map((user, at) => {
        const actor = `user:${users[(at + 1 + round) % users.length]?.id}`
        const audit = anAudit('update', { tenantId: tenant.id, actor, target: user.id })
        return store.users.update(tenant.id, user.id, (last) => ({ ...last }), audit)
      })
      await Promise.all(acts)
    }
    const deleted = await Promise.all(
      users.map(({ id }) =>
        store.users.delete(tenant.id, id, anAudit('delete', { tenantId: tenant.id, target: id })),
      ),
    )
    expect(new Set(deleted.map(({ kind }) => kind))).toEqual(new Set(['written']))
  })
}
