import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, createAuth } from '@latchkey/core'
import { type Identity, logIn, startIdentity } from '@latchkey/testing'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from './support/app.ts'

let identity: Identity
let server: Server

beforeAll(async () => {
  identity = await startIdentity()
  server = createServer(createApp(identity.clientOptions()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.close()
  await identity.close()
})

test('a user logs in to an application that runs, by its URL', async () => {
  const { port } = server.address() as AddressInfo
  for (const address of [`http://127.0.0.1:${port}`, new URL(`http://127.0.0.1:${port}/shop`)]) {
    const browser = await logIn(address, await identity.createUser())
    expect((await browser.get('/account')).status).toBe(200)
  }
})

test('a user logs in to a function that takes a Request, and to what has one as fetch', async () => {
  const auth = createAuth(identity.clientOptions() as AuthOptions)
  const handle = (request: Request): Promise<Response> =>
    auth.fetch(request, ({ auth: { user } }) => new Response(`Hello ${user?.name}`))
  const ada = await identity.createUser({ name: 'Ada' })

  for (const app of [handle, { fetch: handle }]) {
    expect((await (await logIn(app, ada)).get('/')).text).toBe('Hello Ada')
  }
})

test('a user logs in under the host that the test names', async () => {
  const app = express()
  const hosts: unknown[] = []
  app.use((req, _res, next) => {
    hosts.push(req.headers.host)
    next()
  })
  app.use(createApp(identity.clientOptions()))

  const browser = await logIn(app, await identity.createUser(), { host: 'shop.example.com' })
  await browser.get('/account')

  expect(new Set(hosts)).toEqual(new Set(['shop.example.com']))
})
