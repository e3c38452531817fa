import type { CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { device } from '../../../../test/support/chromium.ts'
import {
  isFullGallery,
  keepPicture,
  overflows,
  sizes,
  violationsOf,
} from '../../../../test/support/look.ts'
import { deleteCredential } from '../../src/domain/users/credentials.ts'
import type { Application, HardwareCredential, User } from '../../src/store/records.ts'
import { createClient } from '../issuer/support/client.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import { startApplication, startChromium } from './chromium.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const grace = { email: 'grace@example.com', password: 'another horse battery' }

let chromium: Awaited<ReturnType<typeof startChromium>>
let site: Awaited<ReturnType<typeof startApplication>>
let issuer: TestIssuer
let application: Application
let user: User

beforeAll(async () => {
  chromium = await startChromium()
  site = await startApplication()
})

beforeEach(async () => {
  issuer = await startIssuer({ settings: { allowHardware: true, allowTotpApp: true } })
  application = await issuer.addApplication({ name: 'Garden Shop', ...site.input })
  user = await issuer.addUser(ada)
})

afterEach(() => issuer[Symbol.asyncDispose]())

afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

/** A key on the keyring that has no PIN. */
const pinless = {
  ...device,
  transport: 'usb',
  hasUserVerification: false,
  isUserVerified: false,
} as const

/** A window with an authenticator of its own. */
async function openWith(options: typeof device | typeof pinless, context = {}) {
  const page = await chromium.open(context)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { page, cdp, authenticatorId }
}

const credentialsIn = async (cdp: CDPSession, authenticatorId: string) =>
  (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials

const presence = (cdp: CDPSession, authenticatorId: string, enabled: boolean) =>
  cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })

/** Makes a browser of it that does not offer passkeys by itself. */
const offerNothing = (page: Page) =>
  page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = undefined')

async function loginUrl(parameters = {}): Promise<string> {
  return (await (await createClient(issuer, application)).begin(parameters)).url
}

const arrived = (page: Page) => page.waitForURL(`${site.url}/callback?code=*`)

async function enterPassword(page: Page, who = ada): Promise<void> {
  await page.getByLabel('Email address').fill(who.email)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Adds a passkey on the account page, up to the recovery codes. */
async function addPasskey(page: Page, who = ada): Promise<void> {
  await page.goto(`${issuer.url}/account/security`)
  await enterPassword(page, who)
  await page.getByRole('link', { name: 'Add: Passkey or security key' }).click()
  await page.getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
}

async function keysOf(of: User): Promise<HardwareCredential[]> {
  const page = { after: undefined, limit: 100 }
  const listed = await issuer.domain.store.credentials.list(issuer.tenant.id, of.id, page)
  return (listed?.items ?? []).filter((credential) => credential.kind === 'hardware')
}

test('in Chromium a device with verification adds a passkey and logs in by the button', async () => {
  const { page } = await openWith(device)
  await addPasskey(page)
  await offerNothing(page)
  await page.context().clearCookies()
  await page.goto(await loginUrl())
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await arrived(page)

  const [key] = await keysOf(user)
  expect(key).toMatchObject({ name: 'Laptop', purpose: 'passkey', transports: ['internal'] })
  expect(key?.state.usedAt).toBeDefined()
  expect(issuer.problems).toEqual([])
  await page.context().close()
})

test('in Chromium a passkey is offered where the address is typed, and logs in without a click', async () => {
  const { page } = await openWith(device)
  await addPasskey(page)
  await page.context().clearCookies()
  await page.goto(await loginUrl())
  await arrived(page)
  await page.context().close()
})

test('in Chromium a key without PIN is no passkey, and is added as a second step instead', async () => {
  const { page } = await openWith(pinless)
  await page.goto(`${issuer.url}/account/security`)
  await enterPassword(page)
  await page.getByRole('link', { name: 'Add: Passkey or security key' }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('can be added as a second step').waitFor()
  await keepPicture(page, 'key-refused-by-browser')
  expect(await violationsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Add a security key as a second step' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
  // The page asks for the new step before it is shown again.
  await page.getByRole('button', { name: 'Use the key' }).click()
  await page.getByRole('heading', { name: 'Security key', exact: true }).waitFor()

  await page.context().clearCookies()
  await page.goto(await loginUrl())
  await enterPassword(page)
  await page.getByRole('button', { name: 'Use the key' }).click()
  await arrived(page)
  await page.context().close()
})

test('in Chromium two users keep passkeys on one device, and each logs in as themselves', async () => {
  const other = await issuer.addUser(grace)
  const { page, cdp, authenticatorId } = await openWith(device)
  await addPasskey(page)
  await page.context().clearCookies()
  await presence(cdp, authenticatorId, false)
  await addOther(page, cdp, authenticatorId)
  const kept = await credentialsIn(cdp, authenticatorId)
  expect(
    kept.map(({ userHandle }) => Buffer.from(userHandle ?? '', 'base64').toString()).sort(),
  ).toEqual([user.id, other.id].sort())

  for (const { userHandle } of kept) {
    // The person picks one of the two: for the device, the other one is not there.
    const unpicked = kept.filter((one) => one.userHandle !== userHandle)
    for (const { credentialId } of unpicked) {
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
    }
    await page.context().clearCookies()
    const app = await createClient(issuer, application)
    const begun = await app.begin()
    await page.goto(begun.url)
    await arrived(page)
    const { sub } = (await app.redeem(begun, { location: page.url() } as never)).claims() ?? {}
    expect(sub).toBe(Buffer.from(userHandle ?? '', 'base64').toString())
    for (const credential of unpicked) {
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
    }
  }
  await page.context().close()
})

async function addOther(page: Page, cdp: CDPSession, authenticatorId: string): Promise<void> {
  await page.goto(`${issuer.url}/account/security`)
  await enterPassword(page, grace)
  await page.getByRole('link', { name: 'Add: Passkey or security key' }).click()
  await presence(cdp, authenticatorId, true)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
}

test('in Chromium a passkey that was removed is refused, and the device forgets it', async () => {
  const { page, cdp, authenticatorId } = await openWith(device)
  await addPasskey(page)
  const [key] = await keysOf(user)
  await deleteCredential(issuer.scope, user.id, key?.id ?? '')
  await page.context().clearCookies()
  await offerNothing(page)
  await page.goto(await loginUrl())
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await page.getByText('This key was not accepted').waitFor()
  await keepPicture(page, 'key-removed')

  await expect.poll(() => credentialsIn(cdp, authenticatorId)).toEqual([])
  await page.context().close()
})

test('without JavaScript the pages say that keys need it, and their other ways are there', async () => {
  const { page } = await openWith(device)
  await addPasskey(page)
  await page.context().close()
  const without = await chromium.open({ javaScriptEnabled: false })
  await without.goto(await loginUrl())
  expect(await without.getByRole('button', { name: 'Log in with a passkey' }).isVisible()).toBe(
    false,
  )
  await enterPassword(without)
  await keepPicture(without, 'factor-key-no-script')
  await without.locator('noscript p').waitFor()
  expect(await without.getByRole('button', { name: 'Use the key' }).isVisible()).toBe(false)
  await without.getByRole('link', { name: 'Recovery code' }).click()
  expect(await without.getByLabel('Recovery code').isVisible()).toBe(true)
  await without.context().close()
})

test('in a browser that knows no keys the pages say so, and their other ways are there', async () => {
  const { page } = await openWith(device)
  await addPasskey(page)
  await page.context().close()
  const without = await chromium.open()
  await without.addInitScript('delete window.PublicKeyCredential')
  const note = without.getByText('This browser cannot use passkeys and security keys.')
  await without.goto(await loginUrl())
  expect(await note.count()).toBe(0)
  await enterPassword(without)
  await note.waitFor()
  expect(await violationsOf(without)).toEqual([])
  await keepPicture(without, 'factor-key-unknown')
  expect(await without.getByRole('button', { name: 'Use the key' }).isVisible()).toBe(false)
  await without.getByRole('link', { name: 'Recovery code' }).click()
  expect(await without.getByLabel('Recovery code').isVisible()).toBe(true)

  await issuer.changeSettings({ allowPasswords: false })
  await without.context().clearCookies()
  await without.goto(await loginUrl())
  await note.waitFor()
  await without.context().close()
})

const readers = [
  {
    device: 'desktop',
    locale: 'en-GB',
    words: ['Add: Passkey or security key', 'Add a passkey', 'I have saved them', 'Use the key'],
  },
  {
    device: 'phone',
    locale: 'de-DE',
    words: [
      'Hinzufügen: Passkey oder Sicherheitsschlüssel',
      'Passkey hinzufügen',
      'Ich habe sie aufbewahrt',
      'Schlüssel verwenden',
    ],
  },
] as const

test.each(isFullGallery ? readers : [])(
  'axe finds nothing wrong with the pages of keys, light or dark, on a $device, in $locale, and nothing overflows',
  async ({ device: name, locale, words }) => {
    const viewport = sizes[name]
    const { page, cdp, authenticatorId } = await openWith(device, { locale, viewport })
    const [add, passkey, saved, use] = words
    async function look(what: string): Promise<void> {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await keepPicture(page, `${what}-${name}-${colorScheme}`)
        expect(await violationsOf(page, colorScheme === 'dark')).toEqual([])
      }
      await page.setViewportSize(sizes.narrowest)
      expect(await overflows(page)).toBe(false)
      await page.setViewportSize(viewport)
    }
    await page.goto(`${issuer.url}/account/security`)
    await look('login-passkey')
    await page.fill('#email', ada.email)
    await page.fill('#password', ada.password)
    await page.click('button[type=submit]')
    await page.getByRole('link', { name: add }).waitFor()
    await look('security-no-keys')
    await page.getByRole('link', { name: add }).click()
    await look('enrol-key')
    await page.getByRole('button', { name: passkey }).click()
    await page.getByRole('button', { name: saved }).click()
    await page.getByRole('button', { name: use }).waitFor()
    await look('factor-key')
    await page.getByRole('button', { name: use }).click()
    await page.locator('summary').click()
    await look('security-keys')
    await issuer.changeSettings({ allowPasswords: false })
    await presence(cdp, authenticatorId, false)
    await page.context().clearCookies()
    await page.goto(await loginUrl())
    await look('login-passkey-only')
    await page.context().close()
  },
)
