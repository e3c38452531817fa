import { expect } from 'vitest'
import { connectAccount } from '../../../src/domain/factors/social.ts'
import { findUser } from '../../../src/domain/users/users.ts'
import type { User } from '../../../src/store/records.ts'
import { type Browser, createVisitor, type Page } from './browser.ts'
import { addApp, codeOf, hasCode, mailedCode, seedOn } from './factors.ts'
import { addOn, createVirtualKey, giveKey } from './keys.ts'
import { type Person, tryAll } from './person.ts'
import { enrolPasskeyOf } from './rogue-keys.ts'
import { answerOf, type startWithProvider } from './social.ts'
import { moveTime } from './token-endpoint.ts'

const PHISHED = 'a phished and long one'

/** An account that an intruder has come into once. */
export interface Intrusion {
  readonly world: Awaited<ReturnType<typeof startWithProvider>>
  readonly round: number
  readonly user: User
  readonly owner: Person
  readonly intruder: Person
  /** The address of the owner. */
  readonly email: string
  /** The address of the intruder. */
  readonly moved: string
  /** Every browser in which the intruder has logged in. */
  readonly sessions: Browser[]
  /** How many passwords were chosen. */
  chosen: number
}

/** Ways of the owner besides the password. */
export const extraWays = {
  async 'a passkey'({ world: { issuer }, user, owner }) {
    const key = createVirtualKey()
    await giveKey(issuer, user, key)
    owner.keys.push(key)
  },
  async 'an authenticator app'({ world: { issuer }, user, owner }) {
    owner.seeds.push((await addApp(issuer, user)).seed)
  },
  async 'an account at a provider'({ world, round, user, owner }) {
    const subject = `owner-${round}`
    owner.subjects.push(subject)
    await connectAccount(world.issuer.scope, user, {
      ...{ connectionId: world.connection.id, issuer: world.provider.issuer },
      ...{ subject, email: '' },
    })
  },
} satisfies Record<string, (intrusion: Intrusion) => Promise<void>>

/** Makes the account, at which the intruder logs in with all that the owner has, phished once. */
export async function intrude(
  world: Intrusion['world'],
  round: number,
  ways: readonly (keyof typeof extraWays)[],
): Promise<Intrusion> {
  const email = `owner-${round}@example.com`
  const moved = `intruder-${round}@example.com`
  const user = await world.issuer.addUser({ email, password: PHISHED })
  const personOf = (address: string): Person => ({
    ...{ browser: createVisitor(world.issuer), addresses: [address], passwords: [PHISHED] },
    ...{ keys: [], seeds: [], subjects: [] },
  })
  const owner = personOf(email)
  const intruder = personOf(moved)
  const sessions = [intruder.browser]
  const made = { world, round, user, owner, intruder, email, moved, sessions, chosen: 0 }
  moveTime(60)
  expect(hasCode((await tryAll(world, owner, openApp(made))) as Page)).toBe(true)
  for (const way of ways) await extraWays[way](made)
  moveTime(60)
  const stolen = { ...owner, browser: intruder.browser }
  expect(hasCode((await tryAll(world, stolen, openApp(made))) as Page)).toBe(true)
  return made
}

/** Opens the login of the application, which asks again. */
function openApp({ world: { app } }: Intrusion) {
  return (browser: Browser) => app.begin({ prompt: 'login' }).then(({ url }) => browser.get(url))
}

/** The addresses that both know. */
const known = ({ email, moved }: Intrusion): readonly string[] => [email, moved]

async function links({ world }: Intrusion, to: string, path: string): Promise<string[]> {
  return (await world.issuer.mails()).flatMap((mail) =>
    mail.to === to && mail.link?.includes(path) ? [mail.link] : [],
  )
}

/** A page of the account that one of the addresses finds, for a person who has just logged in. */
async function enter(
  intrusion: Intrusion,
  person: Person,
  path: string,
  addresses: readonly string[] = known(intrusion),
): Promise<Page | undefined> {
  moveTime(5)
  const page = await tryAll(intrusion.world, person, (browser) => browser.get(path), addresses)
  return page?.status === 200 ? page : undefined
}

async function changePassword(intrusion: Intrusion, person: Person): Promise<void> {
  const page = await enter(intrusion, person, '/account/password')
  if (!page?.html.includes('name="password"')) return
  const password = `chosen in step ${++intrusion.chosen}`
  for (const current of page.html.includes('name="current"') ? person.passwords : ['']) {
    const form = { password, ...(current && { current }) }
    const done = await person.browser.submit(page, form)
    if (done.status >= 400) continue
    person.passwords.push(password)
    return
  }
}

async function resetPassword(intrusion: Intrusion, person: Person): Promise<boolean> {
  moveTime(5)
  for (const to of person.addresses) {
    const before = await links(intrusion, to, '/reset?')
    const browser = createVisitor(intrusion.world.issuer)
    await browser.submit(await browser.get('/reset'), { email: to })
    const [link] = await links(intrusion, to, '/reset?')
    if (!link || before.includes(link)) continue
    const password = `chosen in step ${++intrusion.chosen}`
    moveTime(1)
    await browser.submit(await browser.get(link), { password })
    person.passwords.push(password)
    return true
  }
  return false
}

/** Presses the button of a link, with the proof that it asks for. */
async function undo(intrusion: Intrusion, person: Person, link: string): Promise<boolean> {
  moveTime(5)
  const page = await person.browser.get(link)
  if (page.status !== 200) return false
  const tries = page.html.includes('name="password"') ? person.passwords.slice(0, 4) : ['']
  for (const password of tries) {
    const done = await person.browser.submit(page, password ? { password } : {})
    if (done.status === 200) return true
    if (done.status !== 409) continue
    await makeRoom(intrusion, person)
    return (await person.browser.submit(page, password ? { password } : {})).status === 200
  }
  return false
}

/** Gives another address to the account that has the person's by now, as the page says. */
async function makeRoom(intrusion: Intrusion, person: Person): Promise<void> {
  const { issuer } = intrusion.world
  const other = { ...person, browser: createVisitor(issuer) }
  const open = () => enter(intrusion, other, '/account/email', person.addresses)
  const page =
    (await open()) ?? ((await resetPassword(intrusion, other)) ? await open() : undefined)
  const spare = { email: `spare-${intrusion.round}@example.com`, step: 'send' }
  const sent = await other.browser.submit(page as Page, spare)
  await other.browser.submit(sent, { code: await mailedCode(issuer) })
}

/** Opens the form by which the intruder adds a key; `undefined`: there is none. */
async function openKeyForm(intrusion: Intrusion): Promise<Page | undefined> {
  const page = await enter(intrusion, intrusion.intruder, '/account/security/add?kind=hardware')
  return page?.html.includes('data-options') ? page : undefined
}

/** The steps of the intruder. */
export const intruderMoves = {
  async 'the intruder logs in on another device'(intrusion) {
    const { world, intruder, sessions } = intrusion
    const other = { ...intruder, browser: createVisitor(world.issuer) }
    sessions.push(other.browser)
    await tryAll(world, other, openApp(intrusion), known(intrusion))
  },
  async 'the intruder changes the password'(intrusion) {
    await changePassword(intrusion, intrusion.intruder)
  },
  async 'the intruder changes the address'(intrusion) {
    const { world, intruder, moved } = intrusion
    const page = await enter(intrusion, intruder, '/account/email')
    if (!page?.html.includes('name="email"')) return
    const sent = await intruder.browser.submit(page, { email: moved, step: 'send' })
    if (!sent.html.includes('name="code"')) return
    await intruder.browser.submit(sent, { code: await mailedCode(world.issuer) })
  },
  async 'the intruder makes an account with the address of the owner'({ world, email }) {
    if (await findUser(world.issuer.scope, email)) return
    await world.issuer.addUser({ email, password: 'of a squatter', emailVerified: false })
  },
  async 'the intruder adds a passkey'(intrusion) {
    const { world, intruder } = intrusion
    const page = await openKeyForm(intrusion)
    if (!page) return
    const key = createVirtualKey()
    await addOn(world.issuer, intruder.browser, page, key)
    intruder.keys.push(key)
  },
  async 'the intruder adds a second step'(intrusion) {
    const { world, intruder } = intrusion
    if (!(await openKeyForm(intrusion))) return
    const key = createVirtualKey()
    await enrolPasskeyOf(world.issuer, intruder.browser, key)
    intruder.keys.push(key)
  },
  async 'the intruder adds an authenticator app'(intrusion) {
    const { intruder } = intrusion
    const page = await enter(intrusion, intruder, '/account/security/add?kind=totp_app')
    if (!page?.html.includes('<code>')) return
    const seed = seedOn(page)
    await intruder.browser.submit(page, { code: codeOf(seed) })
    intruder.seeds.push(seed)
  },
  async 'the intruder adds codes by mail'(intrusion) {
    const { world, intruder, moved } = intrusion
    const page = await enter(intrusion, intruder, '/account/security/add?kind=totp_email')
    if (!page?.html.includes('value="send"')) return
    const sent = await intruder.browser.submit(page, { step: 'send' })
    const [mail] = await world.issuer.mails()
    if (mail?.to !== moved) return
    await intruder.browser.submit(sent, { code: await mailedCode(world.issuer) })
  },
  async 'the intruder removes what can be removed'(intrusion) {
    const { intruder } = intrusion
    const open = () => enter(intrusion, intruder, '/account/security')
    const page = await open()
    for (const [, id = ''] of page?.html.matchAll(/name="remove" value="([^"]+)"/g) ?? []) {
      const here = await open()
      if (!here?.html.includes(`value="${id}"`)) continue
      await intruder.browser.submit(here, { remove: id })
    }
  },
  async 'the intruder connects an account'(intrusion) {
    const { world, round, intruder } = intrusion
    const page = await enter(intrusion, intruder, '/account/security')
    if (!page?.html.includes('name="connection"')) return
    const sub = `intruder-${round}`
    world.provider.user = { sub, email: '' }
    const sent = await intruder.browser.submit(page, { connection: world.connection.id })
    await intruder.browser.get(await answerOf(sent))
    intruder.subjects.push(sub)
  },
  async 'the intruder presses a link in the own mailbox'(intrusion) {
    const { intruder, moved } = intrusion
    for (const link of await links(intrusion, moved, '/undo?')) {
      await undo(intrusion, intruder, link)
    }
  },
  async 'the intruder asks for a new password'(intrusion) {
    await resetPassword(intrusion, intrusion.intruder)
  },
} satisfies Record<string, (intrusion: Intrusion) => Promise<void>>

/** The steps of the owner, who notices nothing yet. */
export const ownerMoves = {
  async 'the owner logs in'(intrusion) {
    const { world, owner } = intrusion
    await tryAll(world, owner, openApp(intrusion), known(intrusion))
  },
  async 'the owner changes the password'(intrusion) {
    await changePassword(intrusion, intrusion.owner)
  },
  async 'the owner asks for a new password'(intrusion) {
    await resetPassword(intrusion, intrusion.owner)
  },
  async 'the owner takes the newest change back'(intrusion) {
    const [link] = await links(intrusion, intrusion.email, '/undo?')
    if (link) await undo(intrusion, intrusion.owner, link)
  },
} satisfies Record<string, (intrusion: Intrusion) => Promise<void>>

/** The owner reads the mail, the oldest first, logs in with a new password, and needs nobody's help. */
export async function expectOwnerBack(intrusion: Intrusion): Promise<void> {
  const { world, owner, email, user } = intrusion
  moveTime(60)
  for (const link of (await links(intrusion, email, '/undo?')).toReversed()) {
    if (await undo(intrusion, owner, link)) break
  }
  await resetPassword(intrusion, owner)
  moveTime(60)
  const back = await tryAll(world, owner, openApp(intrusion))
  expect(back && hasCode(back)).toBe(true)
  expect((await findUser(world.issuer.scope, email))?.id).toBe(user.id)
}

/** In no browser, and with nothing that the intruder has, does a login work. */
export async function expectIntruderOut(intrusion: Intrusion): Promise<void> {
  const { world, intruder, sessions } = intrusion
  for (const browser of sessions) {
    const { url } = await world.app.begin({ prompt: 'none' })
    expect(hasCode(await browser.get(url))).toBe(false)
    const person = { ...intruder, browser }
    const page = await tryAll(world, person, openApp(intrusion), known(intrusion))
    expect(page && hasCode(page)).not.toBe(true)
  }
}
