import { expect } from 'vitest'
import { endAllSessions } from '../../../src/domain/users/accounts.ts'
import { updatePassword } from '../../../src/domain/users/credentials.ts'
import { getUser, setDisabled } from '../../../src/domain/users/users.ts'
import type { User } from '../../../src/store/records.ts'
import { type Browser, createVisitor, type Page } from './browser.ts'
import { hasCode, type startWithFactors } from './factors.ts'
import { linkTo, moveTo, press } from './take-back.ts'
import { moveTime } from './token-endpoint.ts'

/** An account of an owner, who leaves mailboxes and passwords behind, which a thief has. */
export interface Owned {
  readonly world: Pick<Awaited<ReturnType<typeof startWithFactors>>, 'issuer' | 'app'>
  readonly user: User
  /** The part of its addresses that no other account has. */
  readonly name: string
  /** The newest is the last. */
  readonly mailboxes: string[]
  /** The passwords that the owner has replaced. */
  readonly earlier: string[]
  /** Of the owner. The thief has it too. */
  browser: Browser
  password: string
  /** How many passwords were chosen. */
  chosen: number
  /** Whether the operator has decided whose it is since the owner moved to the current mailbox. */
  isRuled: boolean
  /** How often the owner was displaced and has contested it. */
  disputes: number
}

/** Makes the account of the owner, who logs in. */
export async function startOwned(world: Owned['world'], round: number): Promise<Owned> {
  const name = `owner-${round}`
  const email = `${name}@a.example`
  const password = 'the first password of all'
  const user = await world.issuer.addUser({ email, password })
  const owned: Owned = {
    ...{ world, user, name, password, mailboxes: [email], earlier: [] },
    ...{ browser: createVisitor(world.issuer), chosen: 0, isRuled: false, disputes: 0 },
  }
  await enter(owned, '/account')
  return owned
}

const current = ({ mailboxes }: Owned): string => mailboxes.at(-1) ?? ''

const recordOf = ({ world, user }: Owned): Promise<User> => getUser(world.issuer.scope, user.id)

/** The mailboxes that the owner has left. A thief reads them, and has the browser of before. */
function left(owned: Owned): string[] {
  return [...new Set(owned.mailboxes.slice(0, -1))].filter((one) => one !== current(owned))
}

/** Opens a page in the owner's browser, and logs in where it asks for that. */
async function enter(owned: Owned, path: string): Promise<Page> {
  moveTime(5)
  const { browser, password } = owned
  const page = await browser.get(path)
  if (!page.html.includes('name="email"') || !page.html.includes('name="password"')) return page
  return browser.submit(page, { email: current(owned), password })
}

function choose(owned: Owned, next: string): void {
  owned.earlier.push(owned.password)
  owned.password = next
}

async function linksOfThief(owned: Owned, path: string): Promise<string[]> {
  const read = left(owned)
  return (await owned.world.issuer.mails()).flatMap(({ to = '', link }) =>
    read.includes(to) && link?.includes(path) ? [link] : [],
  )
}

async function pressResets(owned: Owned, visitor: Browser): Promise<void> {
  for (const link of await linksOfThief(owned, '/reset?')) {
    const page = await visitor.get(link)
    if (page.status === 200) await visitor.submit(page, { password: 'of the thief' })
  }
}

async function pressUndos(owned: Owned): Promise<void> {
  const { browser, earlier } = owned
  for (const link of await linksOfThief(owned, '/undo?')) {
    const page = await browser.get(link)
    if (page.status !== 200) continue
    for (const guess of page.html.includes('name="password"') ? earlier : ['']) {
      await browser.submit(page, guess ? { password: guess } : {})
    }
  }
}

/** Whether the owner was displaced: then the owner was told, contests, and the operator decides. */
async function settle(owned: Owned, before: User): Promise<void> {
  const { world, user } = owned
  const { issuer } = world
  const after = await recordOf(owned)
  if (after.email === current(owned)) {
    // No step of the thief has changed anything.
    expect(after).toEqual(before)
    return
  }
  owned.disputes++
  expect(owned.isRuled).toBe(false)
  await press(createVisitor(issuer), await linkTo(issuer, current(owned), '/contest?'))
  expect((await recordOf(owned)).disabled).toBe(true)
  await expectNoLogin(owned)
  await issuer.changeUser(user, { email: current(owned) })
  await issuer.changeUser(user, { emailVerified: true })
  await setDisabled(issuer.scope, user.id, false)
  choose(owned, `chosen after ${++owned.chosen} disputes`)
  await issuer.setPassword(user, 'plain', owned.password)
  owned.isRuled = true
}

/** No address and no password that the account has ever had logs in. */
async function expectNoLogin({ world, mailboxes, password, earlier }: Owned): Promise<void> {
  const { app, issuer } = world
  for (const email of new Set(mailboxes)) {
    for (const guess of [password, ...earlier]) {
      const visitor = createVisitor(issuer)
      const form = await visitor.get((await app.begin()).url)
      expect(hasCode(await visitor.submit(form, { email, password: guess }))).toBe(false)
    }
  }
}

/** The steps of the owner, of the thief and of the operator. */
export const displacedMoves = {
  async 'the owner logs in on a new device'(owned) {
    owned.browser = createVisitor(owned.world.issuer)
    await enter(owned, '/account')
  },
  async 'the owner changes the password'(owned) {
    const next = `chosen in step ${++owned.chosen}`
    const form = await enter(owned, '/account/password')
    const done = await owned.browser.submit(form, { current: owned.password, password: next })
    expect(done.status).toBeLessThan(400)
    choose(owned, next)
  },
  async 'the owner moves to another mailbox'(owned) {
    const { world, name, mailboxes, chosen } = owned
    await enter(owned, '/account/email')
    // Now and then back to the first one.
    const isBack = chosen % 3 === 2 && current(owned) !== mailboxes[0]
    const next = isBack ? (mailboxes[0] ?? '') : `${name}@${mailboxes.length}.example`
    await moveTo(world.issuer, owned.browser, next)
    expect((await recordOf(owned)).email).toBe(next)
    mailboxes.push(next)
    owned.isRuled = false
  },
  async 'the owner asks for a link and leaves it'(owned) {
    const visitor = createVisitor(owned.world.issuer)
    await visitor.submit(await visitor.get('/reset'), { email: current(owned) })
  },
  async 'the thief presses the links in the mailboxes that were left'(owned) {
    const before = await recordOf(owned)
    await pressResets(owned, createVisitor(owned.world.issuer))
    await pressUndos(owned)
    await settle(owned, before)
  },
  async 'the thief asks for a new password there'(owned) {
    const before = await recordOf(owned)
    const visitor = createVisitor(owned.world.issuer)
    for (const email of left(owned)) await visitor.submit(await visitor.get('/reset'), { email })
    await pressResets(owned, visitor)
    await settle(owned, before)
  },
  async 'the operator sets the password'(owned) {
    const next = `set in step ${++owned.chosen}`
    const input = { alg: 'plain', hash: next, disabled: false, metadata: {} }
    await updatePassword(owned.world.issuer.scope, owned.user.id, input)
    owned.isRuled = true
    choose(owned, next)
  },
  async 'the operator sets the address'(owned) {
    const { world, user, name, mailboxes } = owned
    const email = `${name}@set-${mailboxes.length}.example`
    await world.issuer.changeUser(user, { email })
    await world.issuer.changeUser(user, { emailVerified: true })
    mailboxes.push(email)
    owned.isRuled = true
  },
  async 'the operator ends the sessions'(owned) {
    await endAllSessions(owned.world.issuer.scope, owned.user.id)
    owned.isRuled = true
  },
} satisfies Record<string, (owned: Owned) => Promise<void>>

export type DisplacedMove = keyof typeof displacedMoves
