import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { keepPicture } from '../../../../test/support/look.ts'
import { importUsers } from '../../src/domain/users/import-user.ts'
import type { Application } from '../../src/store/records.ts'
import { createClient } from '../issuer/support/client.ts'
import { startIssuer, type TestIssuer } from '../issuer/support/issuer.ts'
import { LEGACY_PASSWORD, legacyHashes } from '../support/legacy-hashes.ts'
import { startApplication, startChromium } from './chromium.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

let chromium: Awaited<ReturnType<typeof startChromium>>
let site: Awaited<ReturnType<typeof startApplication>>
let issuer: TestIssuer
let application: Application

beforeAll(async () => {
  chromium = await startChromium()
  site = await startApplication()
})

beforeEach(async () => {
  issuer = await startIssuer({ settings: { developerMode: true } })
  application = await issuer.addApplication({ name: 'Garden Shop', ...site.input })
})

afterEach(() => issuer[Symbol.asyncDispose]())

afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

/** A window in which no script runs. */
const openWindow = () => chromium.open({ javaScriptEnabled: false })

async function loginUrl(): Promise<string> {
  return (await (await createClient(issuer, application)).begin()).url
}

test('without JavaScript a visitor signs up, proves the address, is logged in, logs out and in again', async () => {
  const page = await openWindow()
  await page.goto(await loginUrl())
  await page.getByRole('link', { name: 'Create one' }).click()
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await keepPicture(page, 'journey-1-check-mail')

  await page.goto(`${issuer.url}/x/outbox`)
  await page.getByRole('link', { name: /^Confirm your email/ }).click()
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await page.waitForURL(`${site.url}/callback?code=*`)
  expect(await page.textContent('h1')).toBe('The application')

  await page.goto(`${issuer.url}/oidc/logout?client_id=${application.id}`)
  await page.getByRole('button', { name: 'Log out' }).click()
  expect(await page.textContent('h1')).toBe('You are logged out')
  await keepPicture(page, 'journey-2-logged-out')
  await page.getByRole('link', { name: 'Continue to Garden Shop' }).click()
  await page.waitForURL(`${site.url}/login?iss=${encodeURIComponent(issuer.url)}`)

  await page.goto(await loginUrl())
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(`${site.url}/callback?code=*`)
  await page.context().close()
})

test('without JavaScript a user sets a new password and logs in with it', async () => {
  await issuer.addUser(ada)
  const page = await openWindow()
  await page.goto(await loginUrl())
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.goto(`${issuer.url}/x/outbox`)
  await page.getByRole('link', { name: /^Set a new password/ }).click()
  await page.getByLabel('New password').fill('a brand new one')
  await page.getByRole('button', { name: 'Set password' }).click()
  await keepPicture(page, 'journey-3-after-reset')
  expect(await page.getByLabel('Email address').inputValue()).toBe(ada.email)
  await page.getByLabel('Password').fill('a brand new one')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(`${site.url}/callback?code=*`)
  await page.context().close()
})

test('without JavaScript a user whom another site sends with a form stays logged in', async () => {
  await issuer.addUser(ada)
  const page = await openWindow()
  await page.goto(await loginUrl())
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(`${site.url}/callback?code=*`)

  await page.goto(site.url)
  const { origin, pathname, searchParams } = new URL(await loginUrl())
  const fields = [...searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`)
  const form = `<form method="post" action="${origin}${pathname}">${fields.join('')}<button>Go</button>`
  await page.setContent(form)
  await page.getByRole('button').click()
  await page.waitForURL(`${site.url}/callback?code=*`)
  await page.context().close()
})

test('without JavaScript a user with an imported password logs in', async () => {
  const user = await issuer.addUser({ email: ada.email })
  const digest = createHash('sha1').update(ada.password).digest('hex')
  await issuer.setPassword(user, 'sha1', digest)
  const page = await openWindow()
  await page.goto(await loginUrl())
  await page.getByLabel('Email address').fill(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(`${site.url}/callback?code=*`)
  await page.context().close()
})

test('a user whose hash came from WordPress logs in with the old password, and once more with bcrypt', async () => {
  const input = { emailVerified: true, disabled: false, metadata: {}, profile: {} }
  const legacyPassword = legacyHashes['WordPress since 6.8']
  await importUsers(issuer.scope, [
    { input: { ...input, email: ada.email }, password: undefined, legacyPassword },
  ])
  for (const _ of ['the hash of WordPress', 'bcrypt']) {
    const page = await openWindow()
    await page.goto(await loginUrl())
    await page.getByLabel('Email address').fill(ada.email)
    await page.getByLabel('Password').fill('wrong horse')
    await page.getByRole('button', { name: 'Log in' }).click()
    expect(await page.content()).toContain('The email address or the password is wrong')
    await page.getByLabel('Password').fill(LEGACY_PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL(`${site.url}/callback?code=*`)
    await page.context().close()
  }
  expect(await issuer.actions()).toContain('credential.upgrade')
})
