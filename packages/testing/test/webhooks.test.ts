import { startIdentity } from '@latchkey/testing'
import { expect, expectTypeOf, test } from 'vitest'

test('webhooks() collects verified events, and waits for one', async () => {
  await using identity = await startIdentity()
  const webhooks = await identity.webhooks()
  const ada = await identity.createUser({ name: 'Ada' })
  const created = await webhooks.waitFor('user.created', ada.id)
  expectTypeOf(created.data.type).toEqualTypeOf<'User'>()
  expect(created.data).toMatchObject({ type: 'User', id: ada.id, tenant_id: identity.tenantId })

  const { service, tenantId } = identity
  const { secret } = await service.admin.createApiKey({ name: 'test', reach: [tenantId] })
  const disabled = webhooks.waitFor('user.disabled')
  const url = `https://api.internal/v1/tenants/${tenantId}/users/${ada.id}`
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const user = (await (await service.fetch(url, { headers })).json()) as object
  const body = JSON.stringify({ ...user, disabled: true })
  await service.fetch(url, { method: 'POST', headers, body })
  expect((await disabled).data).toMatchObject({ id: ada.id, changed: ['disabled'] })
  const updated = await webhooks.waitFor('user.updated', ada.id)
  expect(updated.data.sequence).toBe((await disabled).data.sequence)
  expect(new Set(webhooks.events.map(({ id }) => id)).size).toBe(webhooks.events.length)
})

test('an event that does not arrive is named, with those that did', async () => {
  await using identity = await startIdentity()
  const webhooks = await identity.webhooks({ types: ['user.created'] })
  const ada = await identity.createUser()
  await webhooks.waitFor('user.created')
  await expect(webhooks.waitFor('user.deleted', ada.id)).rejects.toThrow(
    `No event user.deleted of ${ada.id} has arrived within 10 s. Arrived: user.created of ${ada.id}.`,
  )
})
