import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Application } from '../../src/store/records.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { createClient } from '../issuer/support/client.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import {
  keepPicture,
  overflows,
  sizes,
  startApplication,
  startChromium,
  violationsOf,
} from './chromium.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

let issuer: TestIssuer
let application: Application
let site: Awaited<ReturnType<typeof startApplication>>
let chromium: Awaited<ReturnType<typeof startChromium>>

beforeAll(async () => {
  chromium = await startChromium()
  issuer = await startIssuer({
    settings: {
      companyName: 'Acme Garden Supplies',
      logoImageText: 'Acme',
      supportEmail: 'help@acme.example',
      developerMode: true,
    },
  })
  site = await startApplication()
  application = await issuer.addApplication({ name: 'Garden Shop', ...site.input })
  await issuer.addUser(ada)
  await issuer.addUser({ ...ada, email: 'new@example.com', emailVerified: false })
})

afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await chromium[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

type Window = Awaited<ReturnType<typeof chromium.open>>

const login = async () => (await (await createClient(issuer, application)).begin()).url

async function logIn(page: Window, email = ada.email): Promise<void> {
  await page.goto(await login())
  await page.fill('#email', email)
  await page.fill('#password', ada.password)
  await page.click('button[type=submit]')
}

async function mailLink(path: '/verify' | '/reset'): Promise<string> {
  const browser = createBrowser(issuer)
  if (path === '/reset') await browser.submit(await browser.get('/reset'), { email: ada.email })
  const mail = (await issuer.mails()).find(({ link }) => link?.includes(path))
  return mail?.link ?? ''
}

/** Every page, by what leads to it. */
const pages: Record<string, (page: Window) => Promise<void>> = {
  login: async (page) => {
    await page.goto(await login())
  },
  'login-refused': async (page) => {
    await page.goto(await login())
    await page.fill('#email', 'grace@example.com')
    await page.fill('#password', 'wrong')
    await page.click('button[type=submit]')
  },
  'login-german': async (page) => {
    await page.goto(
      (await (await createClient(issuer, application)).begin({ ui_locales: 'de' })).url,
    )
  },
  signup: async (page) => {
    await page.goto(await login())
    await page.click('a[href*="/signup"]')
  },
  'signup-refused': async (page) => {
    await page.goto(await login())
    await page.click('a[href*="/signup"]')
    await page.fill('#email', 'grace@example.com')
    await page.fill('#password', 'password1')
    await page.click('button[type=submit]')
  },
  'signup-sent': async (page) => {
    await page.goto(await login())
    await page.click('a[href*="/signup"]')
    await page.fill('#email', ada.email)
    await page.fill('#password', 'a fine long one')
    await page.click('button[type=submit]')
  },
  'confirm-email': (page) => logIn(page, 'new@example.com'),
  'confirm-email-waiting': async (page) => {
    await logIn(page, 'new@example.com')
    await page.click('button[value=continue]')
  },
  verify: async (page) => {
    await logIn(page, 'new@example.com')
    await page.goto(await mailLink('/verify'))
  },
  'reset-request': async (page) => {
    await page.goto(await login())
    await page.click('a[href*="/reset"]')
  },
  'reset-sent': async (page) => {
    await page.goto(await login())
    await page.click('a[href*="/reset"]')
    await page.fill('#email', ada.email)
    await page.click('button[type=submit]')
  },
  reset: async (page) => {
    await page.goto(await mailLink('/reset'))
  },
  'reset-refused': async (page) => {
    await page.goto(await mailLink('/reset'))
    await page.fill('#password', 'short')
    await page.click('button[type=submit]')
  },
  'link-invalid': async (page) => {
    await page.goto(`${issuer.url}/reset?token=gone&application=${application.id}`)
  },
  'logout-question': async (page) => {
    await logIn(page)
    await page.goto(`${issuer.url}/oidc/logout`)
  },
  'logged-out': async (page) => {
    await logIn(page)
    await page.goto(`${issuer.url}/oidc/logout`)
    await page.click('button[value=yes]')
  },
  'signed-in': async (page) => {
    await logIn(page)
    await page.goto(`${issuer.url}/login/gone?application=${application.id}`)
  },
  expired: async (page) => {
    await page.goto(`${issuer.url}/login/gone?application=${application.id}`)
  },
  error: async (page) => {
    await page.goto(
      (await (await createClient(issuer, application)).begin({ redirect_uri: 'https://x.test' }))
        .url,
    )
  },
  'not-found': async (page) => {
    await page.goto(`${issuer.url}/nowhere`)
  },
  'too-many': async (page) => {
    await page.goto(await login())
    for (let attempt = 0; attempt < 6; attempt++) {
      await page.fill('#email', 'flood@example.com')
      await page.fill('#password', 'wrong')
      await page.click('button[type=submit]')
      if ((await page.locator('#email').count()) === 0) return
    }
  },
  outbox: async (page) => {
    await mailLink('/reset')
    await page.goto(`${issuer.url}/x/outbox`)
  },
}

test.each(Object.entries(pages))(
  'axe finds nothing wrong with the page "%s", light or dark, and it fits a phone',
  async (name, visit) => {
    const page = await chromium.open({ viewport: sizes.desktop, colorScheme: 'light' })
    await visit(page)
    for (const [device, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      expect(await overflows(page)).toBe(false)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await keepPicture(page, `${name}-${device}-${colorScheme}`)
        if (device === 'phone') expect(await violationsOf(page)).toEqual([])
      }
    }
    await page.context().close()
  },
)
