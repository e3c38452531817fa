import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { renderPage, scripts } from '../../src/pages/index.ts'
import { startChromium } from '../pages/chromium.ts'
import { type ListeningConsole, listenWithConsole } from './chromium.ts'
import { fillConsole, type Ids } from './gallery-data.ts'

async function start(): Promise<
  ListeningConsole & { ids: Ids; open(script: boolean): Promise<Page> }
> {
  const chromium = await startChromium()
  const running = await listenWithConsole()
  onTestFinished(async () => {
    await chromium[Symbol.asyncDispose]()
    await running[Symbol.asyncDispose]()
  })
  const ids = await fillConsole(running.service)
  const open = async (script: boolean) => {
    const page = await chromium.open({ javaScriptEnabled: script, timezoneId: 'Asia/Kolkata' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await running.enter(page, { email: `ada${script}@example.com`, role: 'owner' })
    return page
  }
  return { ...running, ids, open }
}

const clipboardOf = (page: Page) => page.evaluate('navigator.clipboard.readText()')

async function savedBy(
  page: Page,
  press: () => Promise<void>,
): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}

test('in Chromium, a new key and the file of an application are copied and saved by a button', async () => {
  const { url, ids, open } = await start()
  const page = await open(true)
  await page.goto(`${url}/console/keys/new`)
  await page.getByLabel('Name').fill('nightly')
  await page.getByLabel('All tenants, those of the future too').check()
  await page.getByRole('button', { name: 'Make the key' }).click()
  const key = await page.locator('#secret').textContent()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByText('Copied.').waitFor()
  expect(await clipboardOf(page)).toBe(key)
  expect(key).toMatch(/^\w{20,}/)

  await page.goto(`${url}/console/t/${ids.tenant}/applications/${ids.application}`)
  await page.locator('[data-copy="environment"]').getByRole('button', { name: 'Copy' }).click()
  await page.locator('[data-copy="environment"]').getByText('Copied.').waitFor()
  expect(await clipboardOf(page)).toBe(await page.locator('#environment').textContent())
  const code = page.locator('[data-copy="code-express"]')
  expect(
    (await savedBy(page, () => code.getByRole('button', { name: 'Save as a file' }).click())).name,
  ).toBe('app.mjs')
})

test('in Chromium, a time is shown in the zone of the reader beside UTC, and without JavaScript neither that nor a button is there', async () => {
  const { url, ids, open } = await start()
  const page = await open(true)
  const plain = await open(false)
  const user = `${url}/console/t/${ids.tenant}/users/${ids.user}`
  await page.goto(user)
  await plain.goto(user)
  const shown = await page.locator('#history ~ .scroll time').first().textContent()
  const [, utc = '', local = ''] = /^([\d-]{10} [\d:]{8}) UTC (.*)$/.exec(shown ?? '') ?? []
  const [, hour, minute, second] = /, (\d\d):(\d\d):(\d\d)/.exec(local) ?? []
  const seconds = (Date.parse(`${utc.replace(' ', 'T')}Z`) / 1_000 + 5.5 * 3_600) % 86_400
  expect(Number(hour) % 12).toBe(Math.floor(seconds / 3_600) % 12)
  expect(Number(minute) * 60 + Number(second)).toBe(seconds % 3_600)
  expect(local).toContain('GMT+5:30')
  expect(await plain.locator('time').first().textContent()).toMatch(/UTC$/)
  await plain.goto(`${url}/console/t/${ids.tenant}/applications/${ids.application}`)
  expect(await plain.getByRole('button', { name: 'Copy' }).count()).toBe(0)
})

test('in Chromium, recovery codes are copied and saved one on each line', async () => {
  const chromium = await startChromium()
  onTestFinished(() => chromium[Symbol.asyncDispose]())
  const page = await chromium.open()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const codes = ['aaaa-bbbb', 'cccc-dddd']
  const branding = { language: 'en', companyName: '', logoText: '', supportEmail: '' } as never
  await page.route('http://localhost/**', (route) => {
    const { pathname } = new URL(route.request().url())
    const body = scripts.find(({ path }) => path === pathname)?.text
    if (body) return route.fulfill({ body, contentType: 'text/javascript' })
    const { html, headers } = renderPage('recoveryCodes', branding, {
      csrf: '',
      codes,
      action: '/',
    })
    return route.fulfill({ body: html, headers })
  })
  await page.goto('http://localhost/')
  await page.getByRole('button', { name: 'Copy the codes' }).click()
  await page.getByText('Copied.').waitFor()
  expect(await clipboardOf(page)).toBe(codes.join('\n'))
  const press = () => page.getByRole('button', { name: 'Save as a file' }).click()
  expect(await savedBy(page, press)).toEqual({
    name: 'recovery-codes.txt',
    text: 'aaaa-bbbb\ncccc-dddd\n',
  })
})
