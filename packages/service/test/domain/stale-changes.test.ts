import { describe, expect, test } from 'vitest'
import { createApplication, updateApplication } from '../../src/domain/applications/applications.ts'
import { getTenant, updateTenant } from '../../src/domain/tenants/tenants.ts'
import { type StoreName, stores } from '../support/api.ts'
import { openApi } from '../support/context.ts'

describe.each(stores.filter((one): one is Exclude<StoreName, 'cluster'> => one !== 'cluster'))(
  'a change that names the version it was made from, on %s',
  (store) => {
    const outcomes = async (work: Promise<unknown>[]) =>
      (await Promise.allSettled(work)).map((one) =>
        one.status === 'fulfilled' ? 'written' : one.reason.code,
      )

    test('is refused for a tenant that was changed since; of two at once, one is written', async () => {
      await using api = await openApi(store)
      const { updatedAt, ...tenant } = await getTenant(api.scope)
      const change = (name: string) => updateTenant(api.scope, { ...tenant, name }, updatedAt)
      expect((await outcomes([change('a'), change('b')])).sort()).toEqual(['conflict', 'written'])
      expect(await outcomes([change('c')])).toEqual(['conflict'])
      expect(['a', 'b']).toContain((await getTenant(api.scope)).name)
    })

    test('is refused for an application that was changed since', async () => {
      await using api = await openApi(store)
      const input = { name: 'Shop', metadata: {}, loginUrl: '', logoutUrls: [], redirectUrls: [] }
      const { id, updatedAt } = await createApplication(api.scope, input)
      const change = (name: string) =>
        updateApplication(api.scope, id, { ...input, name }, updatedAt)
      expect((await outcomes([change('a'), change('b')])).sort()).toEqual(['conflict', 'written'])
    })
  },
)
