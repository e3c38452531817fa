import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter, requireUser } from '@latchkey/express'
import { type Identity, logIn, logInPage, startIdentity } from '@latchkey/testing'
import express from 'express'
import type { Browser } from 'playwright-core'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { AUDIENCE, createApp } from '../src/app.ts'

let identity: Identity
let server: Server
let url: string
let browser: Browser
beforeAll(async () => {
  identity = await startIdentity({ listen: true })
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`
  server.on('request', createApp(identity.clientOptions({ baseUrl: url })))
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  server.close()
  server.closeAllConnections()
  await identity.close()
})

test('the API answers visitors who are not logged in with 401 and where to log in', async () => {
  const { status, body } = await request(server).get('/api/notes').set('accept', 'text/html')
  expect(status).toBe(401)
  expect(body).toMatchObject({ code: 'LATCHKEY_LOGIN_REQUIRED', loginUrl: '/login' })
})

test('every user has their own notes', async () => {
  const [ada, grace] = [
    await logIn(server, await identity.createUser()),
    await logIn(server, await identity.createUser()),
  ]
  expect((await ada.post('/api/notes').send({ text: 'Call the bank' })).status).toBe(201)
  expect((await ada.post('/api/notes').send({ text: ' ' })).status).toBe(400)
  expect((await ada.get('/api/notes')).body).toEqual({ notes: ['Call the bank'] })
  expect((await grace.get('/api/notes')).body).toEqual({ notes: [] })
})

test('a program reads and writes the notes of a user with an access token of our own service', async () => {
  const ada = await identity.createUser()
  const caller = express()
  const forApi = { resource: AUDIENCE }
  const options = { ...(await registerCaller()), authorizationParams: forApi, tokenParams: forApi }
  caller.use(createAuthRouter(identity.clientOptions(options)))
  caller.get('/token', requireUser(), async (req, res) => {
    res.send(await req.auth.accessToken())
  })
  const { text: token } = await (await logIn(caller, ada)).get('/token')
  const authorization = `Bearer ${token}`

  const written = await request(server)
    .post('/api/notes')
    .set({ authorization })
    .send({ text: 'Sent by a program' })
  expect(written.status).toBe(201)
  const page = await logIn(server, ada)
  expect((await page.get('/api/notes')).body).toEqual({ notes: ['Sent by a program'] })
  const refused = await request(server).get('/api/notes').set('authorization', `${authorization}x`)
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    expect.stringContaining('invalid_token'),
  ])
})

/** An application of the same tenant that may call the API. */
async function registerCaller(): Promise<{ clientId: string; clientSecret: string }> {
  const { secret } = await identity.service.admin.createApiKey({ name: 'test', reach: 'all' })
  const list = `https://api.test/v1/tenants/${identity.tenantId}/applications`
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({
    ...{ type: 'Application', name: 'Program', redirect_urls: ['http://localhost:3000/callback'] },
    metadata: { latchkey_resources: AUDIENCE },
  })
  const created = await identity.service.fetch(list, { method: 'POST', headers, body })
  const { id } = (await created.json()) as { id: string }
  const read = (await (await identity.service.fetch(`${list}/${id}`, { headers })).json()) as {
    secret: string
  }
  return { clientId: id, clientSecret: read.secret }
}

test('the event stream brings new notes, and ends with the session', async () => {
  const ada = await logIn(server, await identity.createUser())
  const stream = ada.get('/api/events').buffer(true)
  const text = stream.then((answer) => answer.text)
  await expect.poll(async () => (await ada.get('/api/notes')).status).toBe(200)
  await ada.post('/api/notes').send({ text: 'Call the bank' })
  await ada.post('/logout').set('origin', url)
  expect(await text).toMatch(/^data: \[\]\n\n(data: \["Call the bank"\]\n\n)?event: ended/)
})

test('the page shows the refusal of the API, logs in, adds a note, and does not violate its content security policy', async () => {
  const page = await browser.newPage()
  const violations: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text())
  })
  await page.goto(url)
  await page.getByText('The API refused.').waitFor()
  expect(await page.locator('#user').isVisible()).toBe(false)
  expect(await page.getByRole('button', { name: 'Log out' }).isVisible()).toBe(false)
  const login = await page.getByRole('link', { name: 'Log in' }).getAttribute('href')

  await logInPage(page, url + login, await identity.createUser({ name: 'Ada Lovelace' }))
  await page.getByLabel('A new note').fill('<b>Call</b> the bank')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('listitem').waitFor()

  expect(await page.getByRole('listitem').textContent()).toBe('<b>Call</b> the bank')
  expect(await page.textContent('#user')).toContain('Logged in as Ada Lovelace')
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByText('The API refused.').waitFor()
  expect(violations).toEqual([])
  await page.close()
})
