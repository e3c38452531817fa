import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  faultsWhenAdapted,
  isFullGallery,
  keepPicture,
  overflows,
  sizes,
  violationsOf,
} from '../../../../test/support/look.ts'
import { compareTree } from '../../../../test/support/tree.ts'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '../../../testing/src/misbehaving-provider.ts'
import { findUser } from '../../src/domain/users/users.ts'
import type { Application, TenantSettings } from '../../src/store/records.ts'
import { type Agent, ask, register, startAgent, trustsAgents } from '../issuer/support/agent.ts'
import { addOwner, owner } from '../issuer/support/apis.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { createClient } from '../issuer/support/client.ts'
import { createDevice } from '../issuer/support/devices.ts'
import {
  addApp,
  addMail,
  allFactors,
  codeOf,
  MFA,
  mailedCode,
  TWO_STEP,
} from '../issuer/support/factors.ts'
import { instantPasswords } from '../issuer/support/instant-passwords.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import { connect } from '../issuer/support/social.ts'
import { LONG_NAME, longAddress } from '../support/long-names.ts'
import { startApplication, startChromium } from './chromium.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

/** Each night every page is seen in English and light on a desktop, and in German, whose words are longer, and dark on a phone. */
const colors = { desktop: 'light', phone: 'dark' } as const

const settings = {
  companyName: 'Acme Garden Supplies',
  logoImageText: 'Acme',
  supportEmail: 'help@acme.example',
  developerMode: true,
  allowPasswords: true,
}

trustsAgents()

let issuer: TestIssuer
let agent: Agent
let provider: MisbehavingProvider
let application: Application
let site: Awaited<ReturnType<typeof startApplication>>
let chromium: Awaited<ReturnType<typeof startChromium>>
let opened: Record<string, Window>

beforeAll(async () => {
  chromium = await startChromium()
  opened = {
    desktop: await chromium.open({ locale: 'en-GB' }),
    phone: await chromium.open({ locale: 'de-DE' }),
  }
  const mailPerClient = { free: 1_000, baseSeconds: 1, maxSeconds: 1, forgetSeconds: 1 }
  issuer = await startIssuer({ settings, limits: { mailPerClient }, passwords: instantPasswords })
  site = await startApplication()
  application = await issuer.addApplication({ name: 'Garden Shop', ...site.input })
  await issuer.addUser(ada)
  provider = await startMisbehavingProvider()
  await connect(issuer, provider, { name: 'Acme Identity Management' })
  const nobody = { ...provider, issuer: 'http://127.0.0.1:1' }
  await connect(issuer, nobody, { name: 'Bankverbindungsdienstleistungen' })
  await issuer.addUser({ ...ada, email: 'new@example.com', emailVerified: false })
  agent = await startAgent({ client_name: 'Note Taker for the whole family' })
  await addOwner(issuer, { ...owner, latchkey_api_clients: 'documents' })
})

afterAll(async () => {
  await issuer[Symbol.asyncDispose]()
  await provider.close()
  await agent[Symbol.asyncDispose]()
  await chromium[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

type Window = Awaited<ReturnType<typeof chromium.open>>

const login = async () => (await (await createClient(issuer, application)).begin()).url

async function logIn(page: Window, email = ada.email): Promise<void> {
  await page.goto(await login())
  await enter(page, email)
}

async function enter(page: Window, email: string): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', ada.password)
  await page.click('button[type=submit]')
}

/** Visits while the tenant has other settings. */
async function withSettings(
  changes: Partial<TenantSettings>,
  visit: () => Promise<void>,
): Promise<void> {
  const before = (await issuer.domain.store.tenants.get(issuer.tenant.id))?.settings
  await issuer.changeSettings(changes)
  try {
    await visit()
  } finally {
    await issuer.changeSettings({ ...before })
  }
}

/** A link in a message to a user of its own, who asks for it in another browser. */
async function mailLink(page: Window, path: '/verify' | '/reset'): Promise<string> {
  const email = `reader-${Math.random()}@example.com`
  await issuer.addUser({ ...ada, email, emailVerified: false })
  const browser = createBrowser(issuer)
  browser.headers['accept-language'] = String(await page.evaluate('navigator.language'))
  if (path === '/reset') await browser.submit(await browser.get('/reset'), { email })
  else await browser.submit(await browser.get(await login()), { email, password: ada.password })
  return issuer.lastLink()
}

/** A link that takes back a new password. */
async function undoLink(page: Window): Promise<string> {
  const reset = await mailLink(page, '/reset')
  const browser = createBrowser(issuer)
  await browser.submit(await browser.get(reset), { password: 'another fine long one' })
  return issuer.lastLink()
}

/** A link that takes back another address. */
async function moveLink(): Promise<string> {
  const email = await newReader()
  const browser = createBrowser(issuer)
  const form = await browser.submit(await browser.get('/account/email'), { ...ada, email })
  const sent = await browser.submit(form, { email: `moved-${email}`, step: 'send' })
  await browser.submit(sent, { code: await mailedCode(issuer) })
  return issuer.lastLink()
}

/** A link that contests that an address was taken back. */
async function contestLink(): Promise<string> {
  const browser = createBrowser(issuer)
  await browser.submit(await browser.get(await moveLink()), { password: ada.password })
  const mails = await issuer.mails()
  return mails.find(({ link }) => link?.includes('/contest?'))?.link ?? ''
}

const factors = { ...allFactors, rememberDevice: true, rememberDeviceSeconds: 30 * 86_400 }

/** A user of their own. */
async function newReader(input: Parameters<TestIssuer['addUser']>[0] = {}): Promise<string> {
  const email = `reader-${Math.random()}@example.com`
  await issuer.addUser({ ...ada, email, ...input })
  return input.email ?? email
}

let longReaders = 0

/** A user of their own whose names and address are long. */
function newLongReader(): Promise<string> {
  const names = { name: LONG_NAME, given_name: LONG_NAME, family_name: LONG_NAME }
  return newReader({ email: longAddress(longReaders++), profile: names })
}

/** Visits as a user of their own who has every second step, and its seed. */
async function withFactors(visit: (email: string, seed: string) => Promise<void>): Promise<void> {
  const email = `reader-${Math.random()}@example.com`
  const user = await issuer.addUser({ ...ada, email })
  const { seed } = await addApp(issuer, user)
  await addMail(issuer, user)
  await withSettings(factors, () => visit(email, seed))
}

/** Is asked to add a second step, as a user of their own. */
async function enrol(page: Window, acr = MFA): Promise<void> {
  const app = await createClient(issuer, application)
  await page.goto((await app.begin({ acr_values: acr })).url)
  await enter(page, await newReader())
}

/** Opens a page of the account, as a user of their own. */
async function openAccount(
  page: Window,
  path: string,
  shown: string,
  email?: string,
): Promise<void> {
  await page.goto(issuer.url + path)
  await enter(page, email ?? (await newReader()))
  await page.locator(shown).waitFor()
}

/** Comes back from a provider, which has named an account that is new here. */
async function social(page: Window, claims: object, more = async () => {}): Promise<void> {
  await withSettings({ allowSocial: true }, async () => {
    provider.user = { sub: `visitor-${Math.random()}`, ...claims }
    await page.goto(await login())
    await page.click('button[name=connection]')
    await more()
  })
}

const scope = 'openid profile email offline_access notes:read notes:write'

/** Logs in at a client that is not registered, as a user of their own. */
async function logInAtAgent(page: Window, more: object = {}): Promise<string> {
  const email = await newReader()
  await issuer.changeSettings({}, { latchkey_client_documents: 'any' })
  await page.goto(ask(issuer, agent.id, { scope, prompt: 'consent', ...more }).url)
  await enter(page, email)
  await page.locator('button[value=allow]').waitFor()
  return email
}

/** Logs in at a client that has registered itself, whose codes go to a redirect URI, as a user of their own. */
async function logInAtRegistered(page: Window, name: string, redirectUri: string): Promise<void> {
  const email = await newReader()
  await issuer.changeSettings(
    {},
    {
      latchkey_client_documents: 'any',
      latchkey_client_registration: 'true',
    },
  )
  const { body } = await register(issuer, { client_name: name, redirect_uris: [redirectUri] })
  const asked = { scope, prompt: 'consent', redirect_uri: redirectUri }
  await page.goto(ask(issuer, String(body.client_id), asked).url)
  await enter(page, email)
  await page.locator('button[value=allow]').waitFor()
}

/** Opens the question whether a device may log in as a user. */
async function openQuestion(page: Window, email: string, name?: string): Promise<void> {
  const begun = await (await createDevice(issuer, undefined, name)).begin()
  await page.goto(begun.verification_uri_complete ?? '')
  await page.click('button[type=submit]')
  await enter(page, email)
  await page.locator('button[value=allow]').waitFor()
}

/** Every page, by what leads to it. */
const pages: Record<string, (page: Window) => Promise<void>> = {
  login: async (page) => {
    await page.goto(await login())
  },
  'login-social': (page) =>
    withSettings({ allowSocial: true }, async () => {
      await page.goto(await login())
    }),
  'login-social-only': (page) =>
    withSettings({ allowSocial: true, allowPasswords: false }, async () => {
      await page.goto(await login())
    }),
  'signup-social': (page) =>
    withSettings({ allowSocial: true }, async () => {
      await page.goto(await login())
      await page.click('a[href*="/signup"]')
    }),
  'social-unreachable': (page) =>
    withSettings({ allowSocial: true }, async () => {
      await page.goto(await login())
      await page.click('button[name=connection] >> nth=1')
    }),
  'social-link': (page) => social(page, { email: ada.email }),
  'social-address': (page) => social(page, { email: 'newcomer@example.com' }),
  'social-address-sent': (page) =>
    social(page, { email: 'newcomer@example.com' }, async () => {
      await page.click('button[value=send]')
    }),
  'security-social': (page) =>
    withSettings({ allowSocial: true }, async () => {
      provider.user = { sub: `reader-${Math.random()}`, email: 'countess@example.com' }
      await openAccount(page, '/account/security', 'button[name=connection] >> nth=0')
      await page.click('button[name=connection]')
    }),
  'login-refused': async (page) => {
    await page.goto(await login())
    await page.fill('#email', 'grace@example.com')
    await page.fill('#password', 'wrong')
    await page.click('button[type=submit]')
  },
  'login-again': async (page) => {
    await logIn(page)
    const app = await createClient(issuer, application)
    await page.goto((await app.begin({ prompt: 'login' })).url)
  },
  'select-account': async (page) => {
    await logIn(page)
    const app = await createClient(issuer, application)
    await page.goto((await app.begin({ prompt: 'select_account' })).url)
  },
  factor: async (page) => {
    await withFactors((email) => logIn(page, email))
  },
  'factor-refused': async (page) => {
    await withFactors(async (email) => {
      await logIn(page, email)
      await page.fill('#code', '000000')
      await page.click('button[type=submit]')
    })
  },
  'factor-mail': async (page) => {
    await withFactors(async (email) => {
      await logIn(page, email)
      await page.click('a[href*="kind=totp_email"]')
    })
  },
  'factor-mail-sent': async (page) => {
    await withFactors(async (email) => {
      await logIn(page, email)
      await page.click('a[href*="kind=totp_email"]')
      await page.click('button[value=send]')
    })
  },
  'factor-recovery': async (page) => {
    await withFactors(async (email) => {
      await logIn(page, email)
      await page.click('a[href*="kind=recovery_codes"]')
    })
  },
  'enrol-app': (page) => withSettings(factors, () => enrol(page)),
  'enrol-mail': async (page) => {
    await withSettings(factors, async () => {
      await enrol(page, TWO_STEP)
      await page.click('a[href*="kind=totp_email"]')
      await page.click('button[value=send]')
    })
  },
  'recovery-codes': (page) =>
    withSettings(factors, async () => {
      await enrol(page)
      await page.fill('#code', codeOf((await page.locator('code').textContent()) ?? ''))
      await page.click('button[type=submit]')
      await page.locator('.codes').waitFor()
    }),
  'security-empty': async (page) => {
    await withSettings(factors, async () => {
      await page.goto(`${issuer.url}/account/security`)
      await enter(page, await newReader())
      await page.locator('a[href*="kind=totp_app"]').waitFor()
    })
  },
  security: async (page) => {
    await withFactors(async (email, seed) => {
      await page.goto(`${issuer.url}/account/security`)
      await enter(page, email)
      await page.fill('#code', codeOf(seed))
      await page.click('button[type=submit]')
      await page.locator('button[value=renew]').waitFor()
    })
  },
  'account-password': (page) => openAccount(page, '/account/password', '#current'),
  'account-names-refused': async (page) => {
    await openAccount(page, '/account/profile', '#name')
    await page.fill('#given_name', LONG_NAME.repeat(4))
    await page.click('button[type=submit]')
    await page.locator('#given_name-problem').waitFor()
  },
  account: (page) => openAccount(page, '/account', '.rows'),
  'account-names': (page) => openAccount(page, '/account/profile', '#name'),
  'account-email': async (page) => {
    await openAccount(page, '/account/email', 'button[value=send]')
    await page.fill('#email', 'new-address@example.com')
    await page.click('button[value=send]')
    await page.locator('#code').waitFor()
  },
  'account-password-refused': async (page) => {
    await openAccount(page, '/account/password', '#current')
    await page.fill('#current', 'wrong')
    await page.fill('#password', 'another fine long one')
    await page.click('button[type=submit]')
    await page.locator('#current-problem').waitFor()
  },
  'account-sessions': async (page) => {
    const email = await newReader()
    const elsewhere = createBrowser(issuer)
    await elsewhere.submit(await elsewhere.get('/account'), { ...ada, email })
    await openAccount(page, '/account/sessions', 'button[value=others]', email)
  },
  'account-deletion': async (page) => {
    await issuer.changeSettings({}, { latchkey_account_deletion: 'true' })
    await openAccount(page, '/account/delete', '#confirm')
    await issuer.changeSettings({}, {})
  },
  consent: async (page) => void (await logInAtAgent(page)),
  'consent-long': async (page) => {
    const { document } = agent
    const id = `${agent.url}/${'long'.repeat(15)}.json`
    agent.document = { ...document, client_id: id, client_name: LONG_NAME }
    await logInAtAgent(page, { client_id: id })
    agent.document = document
  },
  'consent-registered': (page) =>
    logInAtRegistered(page, 'Note Taker', `https://${'long.'.repeat(12)}agent.example/callback`),
  'consent-registered-long': (page) =>
    logInAtRegistered(page, `${LONG_NAME} and`, 'http://127.0.0.1/callback'),
  device: async (page) => {
    await page.goto(`${issuer.url}/device`)
  },
  'device-wrong': async (page) => {
    await page.goto(`${issuer.url}/device?user_code=BBBB-BBBB`)
    await page.click('button[type=submit]')
    await page.locator('[aria-invalid]').waitFor()
  },
  'device-question': async (page) => openQuestion(page, await newReader()),
  'device-question-long': async (page) => openQuestion(page, await newLongReader(), LONG_NAME),
  'device-done': async (page) => {
    await openQuestion(page, await newReader())
    await page.click('button[value=allow]')
    await page.locator('svg.good').waitFor()
  },
  'device-denied': async (page) => {
    await openQuestion(page, await newReader())
    await page.click('button[value=deny]')
    await page.locator('svg.bad').waitFor()
  },
  'account-access': async (page) => {
    await page.route('https://agent.example/**', (route) => route.fulfill({ body: 'connected' }))
    await logInAtAgent(page)
    await page.click('button[value=allow]')
    // The target of a redirect is not routed, so there may be an error of the browser.
    await page.waitForURL(({ protocol }) => protocol !== 'http:')
    await page.goto(`${issuer.url}/account/access`)
    await page.locator('button[name=withdraw]').waitFor()
  },
  'login-branded': async (page) => {
    const logo = 'https://cdn.example.com/acme/logo.svg'
    const colors =
      '<rect width="160" height="48" rx="8" fill="#7a1f5c"/><circle cx="24" cy="24" r="12" fill="#ffd166"/>'
    await page.route(`${logo}?v=2`, (route) =>
      route.fulfill({
        contentType: 'image/svg+xml',
        body: `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="48">${colors}</svg>`,
      }),
    )
    const brand = { latchkey_brand_color: '#7a1f5c', latchkey_logo_url: `${logo}?v=2` }
    await issuer.changeSettings({}, brand)
    await page.goto(await login())
    await issuer.changeSettings({}, {})
    const shown = '[...document.images].map((image) => image.naturalWidth)'
    expect(await page.evaluate(shown)).toEqual([160])
  },
  'login-long': async (page) => {
    const words = 'Gartenbedarfsgroßhandelsgesellschaft'
    await withSettings({ companyName: `${words} & Söhne`, logoImageText: words.repeat(2) }, () =>
      logIn(page, `${'long'.repeat(15)}@${'example'.repeat(8)}.com`),
    )
  },
  'account-long': async (page) => openAccount(page, '/account', '.rows', await newLongReader()),
  'account-email-long': async (page) =>
    openAccount(page, '/account/email', 'button[value=send]', await newLongReader()),
  'factor-long': (page) =>
    withSettings({ ...factors, companyName: LONG_NAME, logoImageText: LONG_NAME }, async () => {
      const email = await newLongReader()
      const user = await findUser(issuer.scope, email)
      if (user) await addMail(issuer, user)
      await logIn(page, email)
      await page.locator('button[value=send]').waitFor()
    }),
  'select-account-long': async (page) => {
    await logIn(page, await newLongReader())
    const app = await createClient(issuer, application)
    await page.goto((await app.begin({ prompt: 'select_account' })).url)
  },
  'logout-question-long': async (page) => {
    await withSettings({ companyName: LONG_NAME, logoImageText: LONG_NAME }, async () => {
      await logIn(page, await newLongReader())
      await page.goto(`${issuer.url}/oidc/logout`)
    })
  },
  'login-passkey': async (page) => {
    await withSettings({ allowHardware: true }, async () => {
      await page.goto(await login())
      await page.locator('[data-options]').waitFor()
    })
  },
  'login-passkey-only': async (page) => {
    await withSettings({ allowPasswords: false, allowHardware: true }, async () => {
      await page.goto(await login())
      await page.locator('[data-options]').waitFor()
    })
  },
  'enrol-key': (page) =>
    withSettings({ allowHardware: true }, async () => {
      await openAccount(page, '/account/security', 'a[href*="kind=hardware"]')
      await page.click('a[href*="kind=hardware"]')
      await page.locator('button[value=passkey]').waitFor()
    }),
  'login-bare': async (page) => {
    await withSettings({ companyName: '', logoImageText: '', supportEmail: '' }, async () => {
      await page.goto(await login())
    })
  },
  'login-passwords-off': async (page) => {
    await withSettings({ allowPasswords: false }, async () => {
      await page.goto(await login())
    })
  },
  'login-mail': async (page) => {
    await withSettings({ allowPasswords: false, allowTotpEmail: true }, async () => {
      await page.goto(await login())
    })
  },
  'login-code': async (page) => {
    await withSettings({ allowPasswords: false, allowTotpEmail: true }, async () => {
      await page.goto(await login())
      await page.fill('#email', await newReader())
      await page.click('button[type=submit]')
      await page.locator('#code').waitFor()
    })
  },
  'login-code-refused': async (page) => {
    await withSettings({ allowPasswords: false, allowTotpEmail: true }, async () => {
      await page.goto(await login())
      await page.fill('#email', await newReader())
      await page.click('button[type=submit]')
      await page.fill('#code', '00000000')
      await page.locator('button[type=submit]').first().click()
    })
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
    await page.goto(await mailLink(page, '/verify'))
  },
  'verify-elsewhere': async (page) => {
    const link = await mailLink(page, '/verify')
    await withSettings({ allowPasswords: false, allowTotpEmail: true }, async () => {
      await page.goto(link)
    })
  },
  undo: async (page) => {
    await page.goto(await undoLink(page))
  },
  'undo-moved': async (page) => {
    await page.goto(await moveLink())
    await page.fill('#password', 'wrong')
    await page.click('button[type=submit]')
  },
  contest: async (page) => {
    await page.goto(await contestLink())
  },
  'contest-done': async (page) => {
    await page.goto(await contestLink())
    await page.click('button[type=submit]')
  },
  'undo-done': async (page) => {
    await page.goto(await undoLink(page))
    await page.click('button[type=submit]')
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
    await page.goto(await mailLink(page, '/reset'))
  },
  'reset-done': async (page) => {
    await page.goto(await mailLink(page, '/reset'))
    await page.fill('#password', ada.password)
    await page.click('button[type=submit]')
  },
  verified: async (page) => {
    await page.goto(await mailLink(page, '/verify'))
    await page.fill('#password', ada.password)
    await page.click('button[type=submit]')
  },
  'reset-refused': async (page) => {
    await page.goto(await mailLink(page, '/reset'))
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
  'logged-in': async (page) => {
    await logIn(page)
    await page.goto(`${issuer.url}/login/gone?application=${application.id}`)
  },
  expired: async (page) => {
    await page.goto(`${issuer.url}/login/gone?application=${application.id}`)
  },
  'error-detail': async (page) => {
    const url = new URL(await login())
    url.searchParams.delete('redirect_uri')
    await page.goto(url.href)
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
    await mailLink(page, '/reset')
    await page.goto(`${issuer.url}/x/outbox`)
  },
}

/** Pages whose accessibility tree is compared with the stored one. */
const spoken = new Set([
  'login',
  'login-refused',
  'login-passkey',
  'login-code',
  'login-code-refused',
  'factor',
  'factor-refused',
  'factor-recovery',
  'enrol-app',
  'enrol-key',
  'signup-refused',
  'security-empty',
  'error',
  'expired',
])

/** What is to be pressed or filled in, and is lower than 44 pixels (WCAG 2.2 §2.5.5). */
const small = (page: Window) =>
  page.evaluate(`[...document.querySelectorAll('button, a.button, summary, .rows a, input:not([type=checkbox])')]
    .filter((target) => target.checkVisibility() && target.getBoundingClientRect().height < 44)
    .map((target) => target.outerHTML)`)

/** The ids of fields that are said to be wrong. */
const wrongOn = (page: Window) =>
  page.evaluate(`[...document.querySelectorAll('[aria-invalid=true]')].map(({ id }) => id)`)

/** The id of the field with the cursor, where it is one that is said to be wrong. */
const focusedOn = (page: Window) =>
  page.evaluate(
    `[document.activeElement].filter((one) => one.ariaInvalid === 'true').map(({ id }) => id)`,
  )

test('axe finds what is wrong with a page: its colors, and what readers of screens miss', async () => {
  const page = opened.desktop as Window
  await page.setContent('<main><p style="color: #bbb">pale</p><input></main>')
  expect((await violationsOf(page)).join()).toMatch(/color-contrast[\s\S]*label/)
  expect((await violationsOf(page, true)).join()).toMatch(/color-contrast/)
})

test.each(Object.entries(pages).filter(([name]) => isFullGallery || spoken.has(name)))(
  'axe finds nothing wrong with the page "%s", light and in English on a desktop, and nothing overflows',
  async (name, visit) => {
    const page = await look(name, visit, 'desktop')
    if (spoken.has(name)) await compareTree(page, name)
    if (isFullGallery) expect(await faultsWhenAdapted(page)).toEqual([])
    await page.setViewportSize(sizes.narrowest)
    expect(await overflows(page)).toBe(false)
  },
)

if (isFullGallery) {
  test.each(Object.entries(pages))(
    'axe finds nothing wrong with the page "%s", dark and in German on a phone, and nothing overflows',
    async (name, visit) => {
      const page = await look(name, visit, 'phone')
      await page.setViewportSize(sizes.narrowest)
      expect(await overflows(page)).toBe(false)
    },
  )
}

/** Visits a page, and finds nothing wrong with it in the window of a device. */
async function look(
  name: string,
  visit: (page: Window) => Promise<void>,
  device: keyof typeof colors,
): Promise<Window> {
  const page = opened[device] as Window
  await page.context().clearCookies()
  await page.setViewportSize(sizes[device])
  await visit(page)
  await page.emulateMedia({ colorScheme: colors[device] })
  await keepPicture(page, `${name}-${device}`)
  // The narrow page is looked at again for its colors alone.
  expect(await violationsOf(page, device === 'phone')).toEqual([])
  expect(await small(page)).toEqual([])
  expect(await focusedOn(page)).toEqual(await wrongOn(page))
  expect(await overflows(page)).toBe(false)
  return page
}
