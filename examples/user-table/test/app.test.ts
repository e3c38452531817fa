import { createHmac, randomUUID } from 'node:crypto'
import type { WebhookEventType } from '@latchkey/core'
import { createManagementClient, type ManagementClient } from '@latchkey/management'
import { type Identity, logIn, startIdentity, type TestUser } from '@latchkey/testing'
import type { Express } from 'express'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { fill } from '../src/keep-in-step.ts'
import { type Members, openMembers } from '../src/members.ts'

const KEY = Buffer.alloc(32, 'club')
const webhookSecret = `whsec_${KEY.toString('base64')}`

let identity: Identity
let users: ReturnType<ManagementClient['users']>
let members: Members
let app: Express
let sequence = 0
beforeAll(async () => {
  identity = await startIdentity()
  const { service, tenantId } = identity
  const { secret } = await service.admin.createApiKey({ name: 'club', reach: [tenantId] })
  const baseUrl = 'https://api.internal'
  users = createManagementClient({ baseUrl, apiKey: secret, fetch: service.fetch }).users(tenantId)
})
afterAll(() => identity.close())

beforeEach(() => {
  members = openMembers(':memory:')
  app = createApp({ auth: identity.clientOptions(), users, members, webhookSecret })
})

/** Sends an event as the service does. */
async function send(type: WebhookEventType, user: { id: string }, at = ++sequence): Promise<void> {
  const id = `evt_${randomUUID()}`
  const data = { type: 'User', id: user.id, tenant_id: 'ten_1', actor: 'key:key_1', sequence: at }
  const body = JSON.stringify({ id, type, timestamp: new Date().toISOString(), data })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const mac = createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest('base64')
  await request(app)
    .post('/webhooks')
    .set({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac}` })
    .set('content-type', 'application/json')
    .send(body)
    .expect(204)
}

const disable = (user: TestUser, disabled = true) =>
  users.update(user.id, (changed) => {
    changed.disabled = disabled
  })

test('a user who is created or changed at the service is so in the table', async () => {
  const ada = await identity.createUser({ name: 'Ada' })
  await send('user.created', ada)
  expect(members.find(ada.id)).toMatchObject({ name: 'Ada', email: ada.email, state: 'active' })

  await users.update(ada.id, ({ profile }) => {
    profile.name = 'Ada King'
  })
  await send('user.updated', ada)
  expect(members.find(ada.id)).toMatchObject({ id: 1, name: 'Ada King' })
})

test('the sessions of a user who is disabled end, and a login of an enabled user is let in again', async () => {
  const grace = await identity.createUser({ name: 'Grace' })
  const other = await identity.createUser({ name: 'Margaret' })
  const browser = await logIn(app, grace)
  const others = await logIn(app, other)
  expect((await browser.get('/members')).text).toContain('Grace, active')

  await disable(grace)
  await send('user.disabled', grace)
  expect((await browser.get('/members').accept('html')).status).toBe(302)
  expect((await others.get('/members')).text).toContain('Grace, disabled')

  await disable(grace, false)
  await send('user.enabled', grace)
  expect((await (await logIn(app, grace)).get('/members')).text).toContain('Grace, active')
})

test('the row of a user who is deleted stays for what refers to it, without name and address', async () => {
  const alan = await identity.createUser({ name: 'Alan' })
  const browser = await logIn(app, alan)
  await browser
    .post('/notes')
    .set('origin', 'http://localhost:3000')
    .type('form')
    .send({ text: 'Hello' })
  const { id } = members.find(alan.id) ?? {}

  await users.delete(alan.id)
  await send('user.deleted', alan)
  expect(members.list()).toEqual([
    { id, userId: alan.id, name: 'A former member', email: '', state: 'deleted', notes: 1 },
  ])
  expect((await browser.get('/members').accept('html')).status).toBe(302)
})

test('events that come late or in another order leave the latest values', async () => {
  const joan = await identity.createUser({ name: 'Joan' })
  await disable(joan)
  await send('user.disabled', joan, 900)
  await send('user.created', joan, 100)
  expect(members.find(joan.id)).toMatchObject({ state: 'disabled' })

  // One handler has read the older values and writes them last.
  const before = { userId: joan.id, name: 'Joan', email: joan.email, state: 'active' } as const
  members.save(before, 899)
  expect(members.find(joan.id)).toMatchObject({ state: 'disabled' })
})

test('the event of a user who was never in the table and is gone adds no row', async () => {
  await send('user.deleted', { id: 'usr_01JD0000000000000000000000' })
  expect(members.list()).toEqual([])
})

test('the table is filled with the users who were there before, and later values stay', async () => {
  const radia = await identity.createUser({ name: 'Radia' })
  await send('user.created', radia, 1_000_000)
  await fill(users, members)
  const names = members.list().map(({ name }) => name)
  expect(names).toContain('Radia')
  expect(new Set(names).size).toBeGreaterThan(1)
})
