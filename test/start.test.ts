import { execSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { device, launchChromium } from './support/chromium.ts'
import { type Started, startDemo, startExample } from './support/started.ts'

describe('what start prints', () => {
  let demo: Started
  let browser: Browser
  beforeAll(async () => {
    demo = await startDemo()
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await demo.stop()
  })

  /** A visitor who has never been here, sent to the login page by the guard. */
  async function atLogin(): Promise<Page> {
    const page = await (await browser.newContext()).newPage()
    await page.goto(demo.application)
    await page.getByRole('link', { name: 'your account' }).click()
    expect(new URL(page.url()).origin).toBe(demo.issuer)
    return page
  }

  async function logIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(demo.passwords[email] ?? '')
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
  }

  test('a person is sent to log in, lands on the page they asked for, and logs out', async () => {
    const page = await atLogin()
    await logIn(page, 'ada@example.com')
    await page.waitForURL('**/account')
    expect(await page.textContent('.card')).toContain('Logged in as Ada Lovelace')
    expect(await page.textContent('.verdict')).toContain('The guard let you in.')

    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL(`${demo.application}/`)
    expect(await page.getByRole('link', { name: 'Log in' }).isVisible()).toBe(true)

    await page.goto(`${demo.application}/account`)
    expect(new URL(page.url()).origin).toBe(demo.issuer)
    await page.context().close()
  })

  test('a person with an authenticator app logs in with the code that Enter prints', async () => {
    const page = await atLogin()
    await logIn(page, 'joan@example.com')
    await page.getByLabel('Code of 6 digits').fill(await demo.pressEnter())
    await page.locator('main form button[type=submit]').first().click()
    await page.waitForURL('**/account')
    expect(await page.textContent('.card')).toContain('Logged in as Joan Clarke')
    await page.context().close()
  })

  test('a person adds a passkey where start says, and logs in with it', async () => {
    const page = await (await browser.newContext()).newPage()
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: device })
    await page.goto(demo.account)
    await logIn(page, 'radia@example.com')
    await page.getByRole('link', { name: 'Your ways to log in' }).click()
    await page.getByRole('link', { name: 'Add: Passkey or security key' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
    await page.context().clearCookies()

    // The browser offers it where the address is typed.
    await page.goto(`${demo.application}/account`)
    await page.waitForURL(`${demo.application}/account`)
    expect(await page.textContent('.card')).toContain('Logged in as Radia Perlman')
    await page.context().close()
  })

  test('a person whose account is elsewhere logs in there, and is logged in', async () => {
    const page = await atLogin()
    await page.getByRole('button', { name: 'Continue with Partner' }).click()
    await page.waitForURL('http://partner.localhost:*/**')
    await logIn(page, 'mary@example.com')
    await page.waitForURL('**/account')
    expect(await page.textContent('.card')).toContain('Logged in as Mary Jackson')
    await page.context().close()
  })

  test('a person who was imported with an md5 hash logs in with their old password', async () => {
    const page = await atLogin()
    await logIn(page, 'alan@example.com')
    await page.waitForURL('**/account')
    expect(await page.textContent('.card')).toContain('Logged in as Alan Turing')
    await page.context().close()
  })

  test('a person whose address is not verified follows the link in the outbox, and is logged in', async () => {
    const page = await atLogin()
    await logIn(page, 'grace@example.com')
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()

    const mail = await page.context().newPage()
    await mail.goto(demo.outbox)
    await mail.locator('a[href*="/verify"]').first().click()
    await mail.getByRole('button').click()
    await mail.waitForURL('**/account')

    expect(await mail.textContent('.card')).toContain('Logged in as Grace Hopper')
    await page.context().close()
  })

  test('a person who is disabled is refused kindly, and stays at the form', async () => {
    const page = await atLogin()
    await logIn(page, 'charles@example.com')

    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).not.toMatch(/error|disabled/i)
    expect(await page.getByLabel('Email address').inputValue()).toBe('charles@example.com')
    await page.context().close()
  })

  test('the line for curl answers with the tenant', () => {
    const { data } = JSON.parse(execSync(`${demo.curl} --silent`, { encoding: 'utf8' }))
    expect(data).toMatchObject([
      { type: 'Tenant', name: 'Acme' },
      { type: 'Tenant', name: 'Partner' },
    ])
  })

  test('a second one beside it takes the next free ports', async () => {
    await using second = await startDemo()
    expect(Number(new URL(second.application).port)).toBeGreaterThan(
      Number(new URL(demo.application).port),
    )
    expect(Number(new URL(second.issuer).port)).toBeGreaterThan(Number(new URL(demo.issuer).port))
    expect((await fetch(second.application)).status).toBe(200)
    const { port } = new URL(second.application)
    expect(second.output).toMatch(new RegExp(`Port \\d+ is in use\\. --port is ${port} instead`))
  })
})

test('Ctrl-C stops everything, a second start keeps the data, and --fresh starts over', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  // Those that start beside it look for free ports elsewhere, and may take one between a look and its use.
  const ports = ['--port', '3260', '--service-port', '4720']
  await using first = await startDemo(data, ...ports)
  const before = await userIds(first)
  expect(await first.stop()).toBe(0)
  await expect(fetch(first.application)).rejects.toThrow('fetch failed')

  await using second = await startDemo(data, ...ports)
  const after = await userIds(second)
  const inUse = await startDemo(data, '--fresh', ...ports).catch((error: Error) => error.message)
  expect(await userIds(second)).toEqual(after)
  await second.stop()

  await using fresh = await startDemo(data, '--fresh', ...ports)
  const anew = await userIds(fresh)
  await fresh.stop()
  rmSync(data, { recursive: true })
  expect(before).toHaveLength(6)
  expect(after).toEqual(before)
  expect(anew).toHaveLength(6)
  expect(anew).not.toEqual(before)
  expect(inUse).toContain(`To run another beside it: npx pnpm start --data ${data}-2`)
  expect(inUse).not.toMatch(/^ +at /m)
})

test('with --personas there is no service: one click logs in, and the recorder shows how', async () => {
  await using demo = await startExample('examples/three-routes/src/start.ts', [
    '--personas',
    '--port',
    '3150',
  ])
  const browser = await launchChromium()
  const page = await browser.newPage()
  const [link = ''] = /Open first (\S+)/.exec(demo.output)?.slice(1) ?? []
  await page.goto(link)
  await page.goto(demo.application)
  await page.getByRole('link', { name: 'your account' }).click()
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await page.waitForURL(`${demo.application}/account`)
  expect(await page.textContent('.card')).toContain('Logged in as Ada Lovelace')
  expect(await page.textContent('table')).toContain('admin')

  await page.goto(demo.application)
  await page.getByRole('link', { name: 'login recorder' }).click()
  await page.getByRole('listitem').filter({ hasText: 'stored under a new id' }).waitFor()
  expect(await page.textContent('details')).toContain('Login: logged in')
  await browser.close()
  expect(await demo.stop()).toBe(0)
})

test.each([
  ['--port', 'abc', 'It must be a whole number from 1 to 65535.'],
  ['--service-port', '70000', 'It must be a whole number from 1 to 65535.'],
])('start refuses %s %s in a sentence', async (option, value, sentence) => {
  const output = await startDemo(undefined, option, value).catch((error: Error) => error.message)
  expect(output).toContain(sentence)
  expect(output).not.toMatch(/^ +at /m)
})

async function userIds(demo: Started): Promise<string[]> {
  const [, key = '', tenants = ''] = /Bearer (\S+)" (\S+)/.exec(demo.curl) ?? []
  const get = async (url: string): Promise<{ data: { id: string }[] }> => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    return response.json() as Promise<{ data: { id: string }[] }>
  }
  const [tenant] = (await get(tenants)).data
  const { data } = await get(`${tenants}/${tenant?.id}/users`)
  return data.map(({ id }) => id)
}
