import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Clock, systemClock } from '../../src/clock.ts'
import { nowMicros } from '../../src/domain/writes/context.ts'
import { createIdentityService } from '../../src/service.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { anAudit } from '../store/records.ts'
import { serveElsewhere } from '../store/serving.ts'
import { connectApi } from '../support/api.ts'
import { createBrowser } from './support/browser.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const url = 'http://acme.localhost'
const callback = 'http://localhost:3000/callback'

/** An application that accepts logout tokens once it is told to, and counts these. */
async function startReceiver() {
  const receiver = { url: '', accepted: 0, status: 503 }
  const server = createServer((request, response) => {
    if (receiver.status === 200) receiver.accepted++
    request.resume()
    response.writeHead(receiver.status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://localhost:${(server.address() as AddressInfo).port}/`
  return receiver
}

/** A data folder with a user who is logged in at an application with a back-channel address. */
async function aFolder(backchannel: string) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-notices-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using service = await createIdentityService({ data: folder, allowHttpOnLoopback: true })
  const tenant = await service.admin.createTenant({ domain: 'acme.localhost' })
  const { secret: key } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const api = connectApi(service.fetch, key, tenant.id)
  const shop = await api.create(api.applications, {
    name: 'Shop',
    redirect_urls: [callback],
    metadata: { backchannel_logout_uri: backchannel },
  })
  const profile = { email: ada.email, email_verified: true }
  const user = await api.create(api.users, { profile })
  const password = { alg: 'plain', hash: ada.password }
  await api.create(`${api.users}/${user.id}/credentials`, { password })

  const browser = createBrowser({ url, fetch: service.fetch as never })
  const begin = new URLSearchParams({
    client_id: shop.id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update('verifier').digest('base64url'),
    code_challenge_method: 'S256',
  })
  const landed = await browser.submit(await browser.get(`${url}/oidc/auth?${begin}`), ada)
  expect(landed.location).toContain('code=')
  return {
    folder,
    key,
    tenantId: tenant.id,
    userId: user.id,
    user: `${api.users}/${user.id}`,
    profile,
  }
}

test('a notice of a session that ended right before kill -9 arrives after the next start', async () => {
  const receiver = await startReceiver()
  const { folder, key, tenantId, user, profile } = await aFolder(receiver.url)
  const first = await serveElsewhere(folder)
  const answer = await fetch(first.origin + user, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ profile, disabled: true }),
  })
  expect(answer.status).toBe(200)
  await first.kill()

  // Later than the time for which an attempt under way is kept from others.
  await expectNotice(folder, tenantId, receiver, { now: () => Date.now() + 120_000 })
})

test('a change that was not processed when the process ended is processed after the next start', async () => {
  const receiver = await startReceiver()
  const { folder, tenantId, userId } = await aFolder(receiver.url)
  // What is durable when the process ends right after the write: the change and its audit entry.
  const store = await openSqliteDataStore(folder)
  const clock = systemClock
  const audit = anAudit('user.update', { at: nowMicros(clock), tenantId, target: userId })
  await store.users.update(tenantId, userId, (last) => ({ ...last, disabled: true }), audit)
  await store.close()
  await expectNotice(folder, tenantId, receiver, clock)
})

/**
 * Expects the next start of the service to bring the notice to an application that accepts it. A notice
 * may come twice: when the process ended between storing it and noting that the change was acted on.
 */
async function expectNotice(
  data: string,
  tenantId: string,
  receiver: { accepted: number; status: number },
  clock: Clock,
): Promise<void> {
  expect(receiver.accepted).toBe(0)
  receiver.status = 200
  await using service = await createIdentityService({ data, clock, allowHttpOnLoopback: true })
  const actions = async () => (await service.admin.audit({ tenantId })).map(({ action }) => action)
  await vi.waitFor(async () => expect(await actions()).toContain('logout_notice.sent'))
  expect(receiver.accepted).toBeGreaterThan(0)
}
