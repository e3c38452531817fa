import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Identity, logInPage, startIdentity, type TestingErrorCode } from '@latchkey/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../test/support/chromium.ts'
import { createApp } from './support/app.ts'

let identity: Identity
let browser: Browser
let server: Server
let url: string

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

test('a page of Playwright is logged in at the address it asked for', async () => {
  const page = await browser.newPage()

  await logInPage(page, `${url}/account`, await identity.createUser({ name: 'Ada Lovelace' }))

  expect(page.url()).toBe(`${url}/account`)
  expect(await page.textContent('body')).toContain('Ada Lovelace')
  await page.close()
})

test('a page of Playwright enters the code of an authenticator app', async () => {
  const page = await browser.newPage()
  const ada = await identity.createUser({ name: 'Ada King' })
  await ada.totp()

  await logInPage(page, `${url}/account`, ada)

  expect(await page.textContent('body')).toContain('Ada King')
  await page.close()
})

test('logIn() for a page of Playwright says why no user was logged in', async () => {
  const page = await browser.newPage()
  const disabled = await identity.createUser({ disabled: true })
  const code: TestingErrorCode = 'LATCHKEY_TEST_LOGIN_REFUSED'
  await expect(logInPage(page, `${url}/account`, disabled)).rejects.toMatchObject({ code })

  const notGuarded: TestingErrorCode = 'LATCHKEY_TEST_NO_LOGIN'
  await expect(logInPage(page, url, disabled)).rejects.toMatchObject({ code: notGuarded })
  await page.close()
})

test('an identity without a socket says what a browser needs', async () => {
  await using inProcess = await startIdentity()
  const code: TestingErrorCode = 'LATCHKEY_TEST_NO_SOCKET'
  const page = await browser.newPage()
  const ada = await inProcess.createUser()
  await expect(logInPage(page, url, ada)).rejects.toMatchObject({ code })
  await page.close()
})
