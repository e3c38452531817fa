import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepPicture } from '../../../../test/support/look.ts'
import { type Client, createClient } from '../issuer/support/client.ts'
import { instantPasswords } from '../issuer/support/instant-passwords.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import { startApplication, startChromium } from './chromium.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

let issuer: TestIssuer
let site: Awaited<ReturnType<typeof startApplication>>
let app: Client
let chromium: Awaited<ReturnType<typeof startChromium>>

beforeAll(async () => {
  chromium = await startChromium()
  site = await startApplication()
  issuer = await startIssuer({ passwords: instantPasswords })
  await issuer.addUser(ada)
  app = await createClient(issuer, await issuer.addApplication(site.input))
})

afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await chromium[Symbol.asyncDispose]()
})

const loginUrl = async () => (await app.begin()).url

test.for([
  ['en-GB', 'Show password'],
  ['de-DE', 'Passwort anzeigen'],
] as const)(
  'in %s a button shows the password and hides it again, by the keyboard too, and says so',
  async ([locale, name]) => {
    const page = await chromium.open({ locale })
    await page.goto(await loginUrl())
    const field = page.locator('#password')
    await page.getByRole('button', { name, pressed: false }).click()
    expect(await field.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name, pressed: true }).press('Space')
    expect(await field.getAttribute('type')).toBe('password')
    await field.press('Tab')
    await page.keyboard.press('Enter')
    expect(await field.getAttribute('type')).toBe('text')
    expect(new URL(page.url()).pathname).toMatch(/^\/login\//)
  },
)

test('where text runs from right to left, the button is at the end of the field, not where typing starts', async () => {
  const page = await chromium.open({ locale: 'en' })
  await page.goto(await loginUrl())
  const middleOf = async (selector: string): Promise<number> => {
    const box = await page.locator(selector).boundingBox()
    return (box?.x ?? 0) + (box?.width ?? 0) / 2
  }
  expect(await middleOf('.secret button')).toBeGreaterThan(await middleOf('#password'))
  await page.evaluate(`document.documentElement.dir = 'rtl'`)
  expect(await middleOf('.secret button')).toBeLessThan(await middleOf('#password'))
})

test('a password that is shown is hidden before it is sent', async () => {
  const page = await chromium.open({ locale: 'en' })
  await page.goto(await loginUrl())
  await page.fill('#email', ada.email)
  await page.fill('#password', 'wrong')
  await page.getByRole('button', { name: 'Show password' }).click()
  await page.evaluate(
    `document.forms[0].addEventListener('submit', (event) => {
      document.title = document.querySelector('#password').type
      event.preventDefault()
    })`,
  )
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.title()).toBe('password')
})

test('a page with two passwords has a button for each', async () => {
  const page = await chromium.open({ locale: 'en' })
  await page.goto(`${issuer.url}/account/password`)
  await page.fill('#email', ada.email)
  await page.fill('#password', ada.password)
  await page.click('button[type=submit]')
  await page.getByRole('button', { name: 'Show new password' }).click()
  const types = '["current", "password"].map((id) => document.getElementById(id).type)'
  expect(await page.evaluate(types)).toEqual(['password', 'text'])
})

test('without scripts the button is not there, and the login works', async () => {
  const page = await chromium.open({ locale: 'en', javaScriptEnabled: false })
  await page.goto(await loginUrl())
  expect(await page.getByRole('button', { name: 'Show password' }).count()).toBe(0)
  await keepPicture(page, 'login-without-scripts')
  await page.fill('#email', ada.email)
  await page.fill('#password', ada.password)
  await page.click('button[type=submit]')
  await page.waitForURL(/callback\?code=/)
})
