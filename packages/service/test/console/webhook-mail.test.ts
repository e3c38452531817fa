import { expect, test, vi } from 'vitest'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import { connectApi } from '../support/api.ts'
import { startReceiver } from '../webhooks/endpoint.ts'
import { startConsole } from './support.ts'

test('owners and admins of a tenant are told when an endpoint is switched off', async () => {
  await using receiver = await startReceiver()
  await using running = await startConsole({ allowHttpOnLoopback: true })
  const { service } = running
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const other = await service.admin.createTenant({ domain: 'other.example' })
  await running.logIn({ role: 'owner', email: 'owner@example.com' })
  await running.logIn({ role: 'viewer', email: 'viewer@example.com' })
  await running.logIn({ role: 'admin', email: 'admin@example.com', reach: [tenant.id] })
  await running.logIn({ role: 'admin', email: 'other@example.com', reach: [other.id] })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const api = connectApi(service.fetch, secret, tenant.id)
  const path = new URL(receiver.url).pathname
  const webhook = await api.create(`/x${api.tenant}/webhooks`, { url: receiver.url })
  receiver.secrets.push(webhook.secret)
  receiver.answer = (response) => void response.writeHead(410).end()
  await api.createUser('ada@example.com')
  await vi.waitFor(async () => {
    const mails = await service.outbox.list(SYSTEM_TENANT_ID)
    const told = mails.filter(({ subject }) => subject === 'A webhook was switched off')
    expect(told.map(({ to }) => to).sort()).toEqual(['admin@example.com', 'owner@example.com'])
    expect(told[0]?.text).toContain(new URL(receiver.url).host)
    expect(told[0]?.text).not.toContain(path)
  })
})
