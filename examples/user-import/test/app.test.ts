import { createManagementClient } from '@latchkey/management'
import { type Identity, type KnownUser, logIn, startIdentity } from '@latchkey/testing'
import type { Express } from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { type BroughtOver, bringOver } from '../src/bring-over.ts'
import { oldUsers, openOldShop } from '../src/old-shop.ts'

const shop = openOldShop()
let identity: Identity
let app: Express
let bring: () => Promise<BroughtOver[]>
let report: BroughtOver[]
beforeAll(async () => {
  identity = await startIdentity()
  const { service, tenantId } = identity
  const { secret } = await service.admin.createApiKey({ name: 'import', reach: [tenantId] })
  const baseUrl = 'https://api.internal'
  const client = createManagementClient({ baseUrl, apiKey: secret, fetch: service.fetch })
  bring = () => bringOver(oldUsers, client.users(tenantId), shop)
  report = await bring()
  app = createApp(identity.clientOptions(), shop)
})
afterAll(() => identity.close())

test.for([
  ['ada@example.com', 'correct horse battery', 'A difference engine'],
  ['grace@example.com', 'nanoseconds of wire', 'Wire, 30 cm'],
])(
  '%s logs in with the password from the old table and finds the old orders',
  async ([email = '', password = '', order = '']) => {
    const { userId: id = '' } = report.find((row) => row.email === email) as BroughtOver
    const user: KnownUser = { id, email, password, name: '', identity }

    const { text } = await (await logIn(app, user)).get('/orders')

    expect(text).toContain(order)
    expect(text).toContain(id)
  },
)

test('a new user becomes a customer at the first login, and is the same customer at the next', async () => {
  const newcomer = await identity.createUser({ name: 'Margaret Hamilton' })
  const first = await (await logIn(app, newcomer)).get('/orders')
  const second = await (await logIn(app, newcomer)).get('/orders')

  const rowOf = (text: string) => />id<\/th><td>(\d+)/.exec(text)?.[1]
  expect(first.text).toContain('You have not ordered yet.')
  expect(Number(rowOf(first.text))).toBeGreaterThan(1004)
  expect(rowOf(second.text)).toBe(rowOf(first.text))
})

test('an invalid hash is named, and a second run imports no user twice', async () => {
  expect(report.filter(({ problem }) => problem).map(({ email }) => email)).toEqual([
    'charles@example.com',
  ])
  const linked = ({ customerId, userId }: BroughtOver) => [customerId, userId]
  expect((await bring()).map(linked).slice(0, 3)).toEqual(report.map(linked).slice(0, 3))
})
