import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../pages/chromium.ts'
import { type ListeningConsole, listenWithConsole } from './chromium.ts'
import { fillConsole, type Ids } from './gallery-data.ts'

let chromium: Awaited<ReturnType<typeof startChromium>>
let running: ListeningConsole
let mailServer: Awaited<ReturnType<typeof startMailServer>>
let page: Page
let ids: Ids

/** A mail server that takes every message. */
async function startMailServer() {
  const received: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _, callback) => {
      received.push(address)
      callback()
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    options: { url: `smtp://127.0.0.1:${port}`, from: 'no-reply@acme.example' },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

beforeAll(async () => {
  chromium = await startChromium()
  mailServer = await startMailServer()
  running = await listenWithConsole({ mail: mailServer.options })
  ids = await fillConsole(running.service)
  page = await chromium.open({ javaScriptEnabled: false })
  await running.enter(page, { email: 'ada@example.com', role: 'owner' })
}, 60_000)

afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await running[Symbol.asyncDispose]()
  await mailServer.close()
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const follow = (name: string) =>
  page.locator('main').getByRole('link', { name, exact: true }).first().click()

/** Opens the users of the tenant, and finds one by half an address. */
async function findUser(half: string, address: string): Promise<void> {
  await page.goto(`${running.url}/console/t/${ids.tenant}/users`)
  await page.getByLabel('Part of an address').fill(half)
  await press('Search')
  await follow(address)
}

/**
 * Counts the pages that are seen until the task is done: the one it begins at, and each that a click
 * leads to. A page that a form leads back to is the same page.
 */
async function pagesOf(task: () => Promise<void>): Promise<string[]> {
  const seen = new Set<string>()
  const note = () => void seen.add(new URL(page.url()).pathname)
  page.on('framenavigated', note)
  try {
    await task()
  } finally {
    page.off('framenavigated', note)
  }
  return [...seen]
}

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  'find a user by half an address': async () => {
    await page.goto(`${running.url}/console/tenants`)
    await follow('Acme Garden Supplies')
    await follow('Users')
    await page.getByLabel('Part of an address').fill('grace.hop')
    await press('Search')
    await page.getByText('grace.hopper@example.com').waitFor()
  },
  'see why a user cannot log in': async () => {
    await findUser('maria@', 'maria@example.com')
    await page
      .getByText(/can’t log in|cannot log in/)
      .first()
      .waitFor()
  },
  'send a user her mail again': async () => {
    await findUser('grace.hop', 'grace.hopper@example.com')
    await press('Send')
    await page.getByText('The message is on its way').waitFor()
    await expect.poll(() => mailServer.received).toContain('grace.hopper@example.com')
  },
  'remove a lost phone': async () => {
    await findUser('grace.hop', 'grace.hopper@example.com')
    expect(await page.getByText('Authenticator app').count()).toBe(1)
    await follow('Remove…')
    await press('Remove it')
    await page.getByText('Removed.').waitFor()
    expect(await page.getByText('Authenticator app').count()).toBe(0)
  },
  'make an API key': async () => {
    await page.goto(`${running.url}/console/keys`)
    await page.getByLabel('Name').fill('Deployment')
    await page.getByLabel('Ids of tenants').fill(ids.tenant ?? '')
    await press('Make the key')
    await page.getByText('is shown once').waitFor()
  },
  'add a redirect URL': async () => {
    await page.goto(`${running.url}/console/t/${ids.tenant}/applications`)
    await follow('Garden Shop')
    const urls = page.getByLabel('Redirect URLs')
    await urls.fill(`${await urls.inputValue()}\nhttps://new.acme.example/callback`)
    await press('Save')
    await page.getByText('Saved.').waitFor()
  },
  'read who disabled a user': async () => {
    await findUser('zoe@', 'zoe@example.com')
    await follow('Disable…')
    await press('Disable the user')
    await page.getByText('Every session of this user has ended').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'user.update' }).first()
    expect(await row.textContent()).toContain('operator:usr_')
  },
  'rotate a client secret': async () => {
    await page.goto(`${running.url}/console/t/${ids.tenant}/applications`)
    await follow('Garden Shop')
    await page.getByText('Rotate the secret').click()
    await press('Make a new secret')
    await page.getByText('has a new secret').waitFor()
  },
}

test.each(Object.entries(tasks))(
  'an operator can %s, in at most four pages and without JavaScript',
  { timeout: 60_000 },
  async (_, task) => {
    expect((await pagesOf(task)).length).toBeLessThanOrEqual(4)
  },
)
