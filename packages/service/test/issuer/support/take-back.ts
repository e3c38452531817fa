import { expect } from 'vitest'
import type { User } from '../../../src/store/records.ts'
import { type Browser, createVisitor, type Page, trustedProxies } from './browser.ts'
import { mailedCode, startWithFactors } from './factors.ts'
import type { StoreKind, TestIssuer } from './issuer.ts'
import { ada, moveTime } from './token-endpoint.ts'

/** The address of an intruder. */
export const MALLORY = 'mallory@example.com'

/** The password that {@link choose} sets. */
export const password = 'another fine long one'

/** A user, the browser in which the owner has logged in, and that of an intruder with the password. */
export async function startWithIntruder(store: StoreKind, settings = {}) {
  const world = await startWithFactors({
    store,
    trustedProxies,
    settings: { allowHardware: true, ...settings },
  })
  const { issuer } = world
  const owner = createVisitor(issuer)
  await owner.submit(await owner.get('/account'), ada)
  moveTime(10)
  const intruder = createVisitor(issuer)
  const entered = await intruder.submit(await intruder.get('/account/security'), ada)
  expect(entered.html).toContain('<h1>Your ways to log in')
  moveTime(10)
  return { ...world, owner, intruder }
}

/** The link of the newest message to an address whose path is this one. */
export async function linkTo(issuer: TestIssuer, to: string, path: string): Promise<string> {
  const mails = await issuer.mails()
  const mail = mails.find((one) => one.to === to && one.link?.includes(path))
  if (!mail?.link) throw new Error(`No link to ${to} in: ${mails.map(({ subject }) => subject)}`)
  return mail.link
}

/** The link of the newest message about a change to an address. */
export function undoLink(issuer: TestIssuer, to: string = ada.email): Promise<string> {
  return linkTo(issuer, to, '/undo?')
}

/** Presses the button of a link. */
export async function press(browser: Browser, link: string, fields: Record<string, string> = {}) {
  return browser.submit(await browser.get(link), fields)
}

/** Chooses a new password by the newest message to an address. */
export async function choose(
  issuer: TestIssuer,
  browser: Browser,
  to: string = ada.email,
): Promise<Page> {
  const page = await browser.get(await linkTo(issuer, to, '/reset?'))
  // The clock of these tests stands still.
  moveTime(1)
  return browser.submit(page, { password })
}

/** Gives the user of a browser another address. */
export async function moveTo(issuer: TestIssuer, browser: Browser, email: string): Promise<void> {
  const sent = await browser.submit(await browser.get('/account/email'), { email, step: 'send' })
  await browser.submit(sent, { code: await mailedCode(issuer) })
}

/** The ids of the credentials of a user. */
export async function idsOf({ domain, tenant }: TestIssuer, user: User): Promise<string[]> {
  const page = { after: undefined, limit: 100 }
  const listed = await domain.store.credentials.list(tenant.id, user.id, page)
  return (listed?.items ?? []).map(({ id }) => id)
}
