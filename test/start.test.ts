import { execSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from './support/chromium.ts'
import { type Started, startDemo } from './support/started.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

test('a person is sent to log in, lands on the page they asked for, and logs out', async () => {
  await using demo = await startDemo()
  const page = await browser.newPage()

  await page.goto(demo.application)
  await page.getByRole('link', { name: 'your account' }).click()
  expect(new URL(page.url()).origin).toBe(demo.issuer)

  await logIn(page, demo)
  await page.waitForURL('**/account')
  expect(await page.textContent('.card')).toContain('Signed in as Ada Lovelace')

  await page.getByRole('button', { name: 'Log out' }).click()
  await page.waitForURL(`${demo.application}/`)
  expect(await page.getByRole('link', { name: 'Log in' }).isVisible()).toBe(true)

  await page.goto(`${demo.application}/account`)
  expect(new URL(page.url()).origin).toBe(demo.issuer)
})

test('the line for curl that start prints answers with the tenant', async () => {
  await using demo = await startDemo()
  const { data } = JSON.parse(execSync(`${demo.curl} --silent`, { encoding: 'utf8' }))
  expect(data).toMatchObject([{ type: 'Tenant', name: 'Demo' }])
})

test('Ctrl-C stops everything, and a second start keeps the data', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  const first = await startDemo(data)
  const before = await userIds(first)
  expect(await first.stop()).toBe(0)

  const second = await startDemo(data)
  const after = await userIds(second)
  await second.stop()
  rmSync(data, { recursive: true })
  expect(before).toHaveLength(1)
  expect(after).toEqual(before)
})

test('a data folder that is in use is refused with a sentence and no stack', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  const first = await startDemo(data)
  const second = await startDemo(data).catch((error: Error) => error.message)
  await first.stop()
  rmSync(data, { recursive: true })
  expect(second).toContain('is served by another process')
  expect(second).not.toMatch(/^ +at /m)
})

async function logIn(page: Page, demo: Started): Promise<void> {
  await page.getByLabel('Email address').fill(demo.email)
  await page.getByLabel('Password').fill(demo.password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

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
