import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  isFullGallery,
  keepPicture,
  overflows,
  sizes,
  violationsOf,
} from '../../../../test/support/look.ts'
import { defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { composeMail, type MailKind } from '../../src/mail/compose.ts'
import { languages } from '../../src/pages/texts/index.ts'
import type { Metadata, Tenant, TenantSettings } from '../../src/store/records.ts'
import { startChromium } from './chromium.ts'

let chromium: Awaited<ReturnType<typeof startChromium>>

beforeAll(async () => {
  chromium = await startChromium()
})

afterAll(() => chromium[Symbol.asyncDispose]())

const LOGO = 'https://cdn.example.com/acme/logo.png'
const LONG = 'Gartenbedarfsgroßhandelsgesellschaftsversicherungsangestellte'

function tenantWith(settings: Partial<TenantSettings> = {}, metadata: Metadata = {}): Tenant {
  const names = { companyName: 'Acme Garden Supplies', supportEmail: 'help@acme.example' }
  return {
    id: 'ten_1',
    name: 'Acme',
    createdAt: 0,
    updatedAt: 0,
    metadata,
    settings: { ...defaultSettings, domain: 'login.acme.example', ...names, ...settings },
  }
}

const ada = {
  email: 'ada@example.com',
  profile: { name: 'Ada Lovelace', given_name: 'Ada' },
  verifiedAt: 1,
}

const link = `https://login.acme.example/verify?token=${'x'.repeat(43)}&ui_locales=en&application=app_1`
const values = { code: '40718293', application: 'Garden Shop', email: 'new@example.com' }

/** Every message, with its values. */
const kinds: Record<MailKind, { link?: string; values?: Record<string, string> }> = {
  verify: { link },
  reset: { link },
  exists: { link },
  invite: { link },
  changed: { link },
  code: { values },
  loginCode: { values },
  addressCode: { values },
  factors: { link, values: { way: 'a passkey' } },
  guessed: { link },
  moved: { link, values: { email: values.email } },
  displaced: { link },
  contested: {},
  held: {},
  movedBySupport: { link, values: { email: values.email } },
  connected: { link, values: { name: 'Partner', email: values.email } },
  device: { link, values: { device: 'Firefox on Windows' } },
  impersonationAsked: { link, values: { operator: 'Eve Support', company: 'Acme' } },
  impersonated: {
    link,
    values: { operator: 'Eve Support', company: 'Acme', time: '2026-11-27 12:30' },
  },
  role: {
    values: { by: 'eve@example.com', before: 'viewer', role: 'admin', tenants: 'ten_1, ten_2' },
  },
  operatorInvite: {
    link,
    values: {
      ...{ by: 'eve@example.com', role: 'admin', tenants: 'ten_1, ten_2' },
      host: 'console.example.com',
    },
  },
  operatorJoined: { values: { email: values.email, role: 'admin' } },
  webhookGone: { values: { host: 'shop.example.com', tenant: 'login.acme.example' } },
  webhookFailing: { values: { host: 'shop.example.com', tenant: 'login.acme.example' } },
  deleted: {},
}

/** What a mail program shows. A mail has no landmarks: it is a part of the program's page. */
const violationsIn = async (...looked: Parameters<typeof violationsOf>) =>
  (await violationsOf(...looked)).filter((found) => !/^(region|landmark-one-main):/.test(found))

/** The rest is looked at each night. */
const usual: readonly string[] = ['verify', 'code', 'device']

test.for(Object.entries(kinds).filter(([kind]) => isFullGallery || usual.includes(kind)))(
  'axe finds nothing wrong with the mail "%s", light in one language and dark in the others, and its text says the same',
  async ([kind, options]) => {
    const page = await chromium.open()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    for (const language of languages) {
      const mail = composeMail(kind as MailKind, tenantWith(), ada, { language, ...options })
      await page.setViewportSize({ width: 640, height: 640 })
      await page.setContent(mail.html)
      // One language is looked at in full and light, the others in dark for their colors.
      const isFirst = language === languages[0]
      await page.emulateMedia({ colorScheme: isFirst ? 'light' : 'dark' })
      await keepPicture(page, `mail-${kind}-${language}`)
      expect(await violationsIn(page, !isFirst)).toEqual([])
      await page.setViewportSize(sizes.narrowest)
      expect(await overflows(page)).toBe(false)

      expect(await page.getAttribute('html', 'lang')).toBe(language)
      expect(await page.locator('h1').textContent()).toBe(mail.subject)
      const shown = ((await page.textContent('body')) ?? '').replace(/\s+/g, ' ')
      for (const paragraph of mail.text.replace(/:\nhttps/, '\n\nhttps').split('\n\n')) {
        expect(shown).toContain(paragraph)
      }
      expect(`${mail.subject}${mail.text}${shown}`).not.toMatch(/[{}]|undefined/)
    }
    expect(requested).toEqual([])
  },
)

test('a mail loads the logo of the tenant and nothing else, and says its name where images are off', async () => {
  const metadata = { latchkey_brand_color: '#7a1f5c', latchkey_logo_url: LOGO }
  const mail = composeMail('reset', tenantWith({}, metadata), ada, { language: 'en', link })
  const page = await chromium.open()
  const requested: string[] = []
  await page.route('**', (route) => {
    requested.push(route.request().url())
    const body = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="48"><rect width="160" height="48" rx="8" fill="#7a1f5c"/></svg>`
    return route.fulfill({ contentType: 'image/svg+xml', body })
  })
  await page.setContent(mail.html, { waitUntil: 'load' })
  await keepPicture(page, 'mail-branded-light')
  expect(requested).toEqual([LOGO])
  expect(await page.getAttribute('img', 'alt')).toBe('Acme Garden Supplies')
  expect(mail.html).toContain('background:#7a1f5c')
  expect(mail.text).not.toContain(LOGO)
})

test('a mail in long names fits on a narrow phone', async () => {
  const tenant = tenantWith({ companyName: LONG, logoImageText: LONG })
  const profile = { name: LONG, given_name: LONG }
  const email = `${'long'.repeat(15)}@example.com`
  const page = await chromium.open()
  await page.setViewportSize(sizes.narrowest)
  for (const [kind, options] of Object.entries(kinds)) {
    const to = { ...ada, profile }
    const changes = options.values && { values: { ...options.values, application: LONG, email } }
    const mail = composeMail(kind as MailKind, tenant, to, {
      language: 'de',
      ...options,
      ...changes,
    })
    await page.setContent(mail.html)
    await keepPicture(page, `mail-${kind}-long`)
    expect(await overflows(page), kind).toBe(false)
  }
})
