import { expect } from 'vitest'
import { connectAccount } from '../../../src/domain/factors/social.ts'
import type { User } from '../../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './browser.ts'
import { logIn } from './client.ts'
import { addApp, addMail, codeOf, hasCode, mailedCode } from './factors.ts'
import { createVirtualKey, giveKey, optionsOn, type VirtualKey } from './keys.ts'
import { giveRogueKey } from './rogue-keys.ts'
import { answerOf, type startWithProvider } from './social.ts'
import { ada } from './token-endpoint.ts'

const ofTheStranger = 'of the stranger who came first'

/** An account that a stranger has made with the address of another person, who claims it. */
export interface Squat {
  readonly world: Awaited<ReturnType<typeof startWithProvider>>
  readonly user: User
  readonly email: string
  /** What the stranger and the owner are called at the provider. */
  readonly subjects: { readonly stranger: string; readonly owner: string }
  readonly held: Held
}

/** Everything in the stranger's hands that a further step may turn into a token. */
interface Held {
  readonly sessions: Browser[]
  readonly forms: { browser: Browser; form: Page }[]
  readonly answers: { browser: Browser; answer: string }[]
  readonly keys: VirtualKey[]
  readonly additions: { browser: Browser; form: Page; key: VirtualKey; credential: string }[]
  readonly seeds: string[]
}

/** Makes the account, at which the stranger can log in. */
export async function squat(world: Squat['world'], round: number): Promise<Squat> {
  const email = `owner-${round}@example.com`
  const account = { email, password: ofTheStranger, emailVerified: false }
  const user = await world.issuer.addUser(account)
  const subjects = { stranger: `stranger-${round}`, owner: `owner-${round}` }
  const held = { sessions: [], forms: [], answers: [], keys: [], additions: [], seeds: [] }
  const made = { world, user, email, subjects, held }
  expect(hasCode((await logInAsStranger(made)).callback)).toBe(true)
  return made
}

function logInAsStranger({ world: { issuer, app }, email }: Squat) {
  return logIn(issuer, app, { email, password: ofTheStranger })
}

/** Logs in at the provider, as the person with this name there, in a new browser. */
async function byProvider({ world, email }: Squat, sub: string) {
  world.provider.user = { sub, email }
  const opened = await world.open()
  return { ...opened, page: await world.logInBy(opened.browser, opened.form) }
}

/** The steps of the stranger. */
export const strangerMoves = {
  async 'log in'(squat) {
    squat.held.sessions.push((await logInAsStranger(squat)).browser)
  },
  async 'open the login form'({ world, held }) {
    held.forms.push(await world.open())
  },
  async 'enter the address of the owner at a provider'({ world, email, subjects, held }) {
    const { browser, form } = await world.open()
    world.provider.user = { sub: subjects.stranger, email }
    const sent = await browser.submit(form, { connection: world.connection.id })
    held.answers.push({ browser, answer: await answerOf(sent) })
  },
  async 'connect an account at a provider'({ world, user, subjects }) {
    await connectAccount(world.issuer.scope, user, {
      ...{ connectionId: world.connection.id, issuer: world.provider.issuer },
      ...{ subject: subjects.stranger, email: '' },
    })
  },
  async 'ask for a link'({ world: { issuer }, email }) {
    const browser = createBrowser(issuer)
    await browser.submit(await browser.get('/reset'), { email })
  },
  async 'add a passkey'({ world: { issuer }, user, held }) {
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    held.keys.push(key)
  },
  async 'add a passkey as a second step'({ world: { issuer }, user, held }) {
    const key = createVirtualKey()
    await giveRogueKey(issuer, user, key)
    held.keys.push(key)
  },
  async 'add an authenticator app'({ world: { issuer }, user, held }) {
    held.seeds.push((await addApp(issuer, user)).seed)
  },
  async 'add codes by mail'({ world: { issuer }, user }) {
    await addMail(issuer, user)
  },
  async 'open the form of a new passkey'(squat) {
    const { browser } = await logInAsStranger(squat)
    const form = await browser.get('/account/security/add?kind=hardware')
    // A stranger with second steps is asked for them first.
    if (!form.html.includes('value="passkey"')) return
    const key = createVirtualKey()
    const credential = key.create(optionsOn(form, 'passkey'), squat.world.issuer.url)
    squat.held.additions.push({ browser, form, key, credential })
  },
} satisfies Record<string, (squat: Squat) => Promise<void>>

/** The ways in which the owner proves the address, and chooses a password. */
export const claims = {
  'a new password': resetPassword,
  async 'a provider and a code'(squat) {
    const { browser, page } = await byProvider(squat, squat.subjects.owner)
    if (!page.html.includes('value="send"')) return resetPassword(squat)
    const sent = await browser.submit(page, { step: 'send' })
    const done = await browser.submit(sent, { code: await mailedCode(squat.world.issuer) })
    expect(hasCode(done)).toBe(true)
  },
  async 'the link that confirms the address'(squat) {
    const { issuer } = squat.world
    await issuer.changeSettings({ allowUnverified: false })
    await logInAsStranger(squat)
    await issuer.changeSettings({ allowUnverified: true })
    // A stranger with second steps is asked for them first.
    const [link] = await mailedLinks(squat, '/verify?')
    if (!link) return resetPassword(squat)
    const owner = createBrowser(issuer)
    await owner.submit(await owner.get(link), { password: ada.password })
  },
  async 'a mailed code where passwords are off'(squat) {
    const { issuer } = squat.world
    await issuer.changeSettings({ allowPasswords: false })
    expect(await logsInByCode(squat)).toBe(true)
    await issuer.changeSettings({ allowPasswords: true })
    await resetPassword(squat)
  },
  async 'the links in messages about changes, and a new password'(squat) {
    const owner = createBrowser(squat.world.issuer)
    for (const link of (await mailedLinks(squat, '/undo?')).toReversed()) {
      const page = await owner.get(link)
      if (page.status === 200) await owner.submit(page)
    }
    await resetPassword(squat, owner)
  },
} satisfies Record<string, (squat: Squat) => Promise<void>>

async function resetPassword(
  { world: { issuer }, email }: Squat,
  owner: Browser = createBrowser(issuer),
): Promise<void> {
  await owner.submit(await owner.get('/reset'), { email })
  await owner.submit(await owner.get(await issuer.lastLink()), { password: ada.password })
}

async function mailedLinks({ world, email }: Squat, path: string): Promise<string[]> {
  return (await world.issuer.mails()).flatMap(({ to, link }) =>
    to === email && link?.includes(path) ? [link] : [],
  )
}

async function logsInByCode({ world, email }: Squat): Promise<boolean> {
  const { browser, form } = await world.open()
  const sent = await browser.submit(form, { email })
  return hasCode(await browser.submit(sent, { code: await mailedCode(world.issuer) }))
}

/** Tries all that the stranger has, and counts the logins that worked. */
export async function attack(squat: Squat): Promise<number> {
  const { email, subjects, held } = squat
  const { app, issuer, open } = squat.world
  const keys = [...held.keys]
  const pages = [
    (await logInAsStranger(squat)).callback,
    (await byProvider(squat, subjects.stranger)).page,
  ]
  for (const browser of held.sessions) {
    pages.push(await browser.get((await app.begin({ prompt: 'none' })).url))
  }
  for (const { browser, form } of held.forms) {
    pages.push(await browser.submit(form, { email, password: ofTheStranger }))
  }
  for (const { browser, answer } of held.answers) pages.push(await browser.get(answer))
  for (const { browser, form, key, credential } of held.additions) {
    await browser.submit(form, { credential, use: 'passkey', name: '' })
    keys.push(key)
  }
  for (const key of keys) {
    const { browser, form } = await open()
    pages.push(await browser.submit(form, { credential: key.get(optionsOn(form), issuer.url) }))
  }
  for (const seed of held.seeds) {
    const login = await logInAsStranger(squat)
    if (!login.callback.html.includes('name="code"')) continue
    pages.push(await login.browser.submit(login.callback, { code: codeOf(seed) }))
  }
  return pages.filter(hasCode).length
}

/** Whether the owner gets in, and is asked for nothing that the stranger has added. */
export async function reaches(squat: Squat): Promise<boolean> {
  const { issuer, app } = squat.world
  const login = await logIn(issuer, app, { email: squat.email, password: ada.password })
  return hasCode(login.callback) || hasCode((await byProvider(squat, squat.subjects.owner)).page)
}
