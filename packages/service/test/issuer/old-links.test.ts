import { afterEach, describe, expect, test, vi } from 'vitest'
import { endAllSessions } from '../../src/domain/users/accounts.ts'
import {
  createCredential,
  deleteCredential,
  updatePassword,
} from '../../src/domain/users/credentials.ts'
import { editUser, findUser, getUser, setDisabled } from '../../src/domain/users/users.ts'
import type { User } from '../../src/store/records.ts'
import { type Browser, createVisitor } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { codeOf, hasCode, mailedCode, seedOn } from './support/factors.ts'
import { allStoreKinds, movesTheClock, type TestIssuer } from './support/issuer.ts'
import {
  choose,
  idsOf,
  linkTo,
  MALLORY,
  moveTo,
  password,
  press,
  startWithIntruder,
  undoLink,
} from './support/take-back.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

type World = Awaited<ReturnType<typeof startWithIntruder>>

const DAY = 86_400
const MOVED = 'ada@new.example.com'
const CHOSEN = 'chosen before the move'

async function changePassword(browser: Browser, current: string, chosen: string): Promise<void> {
  const page = await browser.get('/account/password')
  await browser.submit(page, { current, password: chosen })
}

async function addApp(browser: Browser): Promise<string> {
  const page = await browser.get('/account/security/add?kind=totp_app')
  const seed = seedOn(page)
  await browser.submit(page, { code: codeOf(seed) })
  return seed
}

/** The owner leaves a mailbox: a new password, then a new address. The link is of a login before that. */
async function leave({ issuer, owner }: World): Promise<string> {
  const link = await undoLink(issuer)
  moveTime(60)
  await changePassword(owner, ada.password, CHOSEN)
  moveTime(5)
  await moveTo(issuer, owner, MOVED)
  moveTime(5)
  return link
}

async function logsIn({ issuer, app }: World, user: typeof ada): Promise<boolean> {
  moveTime(60)
  return hasCode((await logIn(issuer, app, user, createVisitor(issuer))).callback)
}

const addressOf = async ({ scope }: TestIssuer, { id }: User) => (await getUser(scope, id)).email

/** The statuses of a link that was opened, and of its button, pressed with the password from before. */
async function statusesOf(browser: Browser, link: string): Promise<number[]> {
  const opened = await browser.get(link)
  const body = `${new URL(link).search.slice(1)}&${new URLSearchParams({ password: ada.password })}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const pressed = await browser.send('/undo', { method: 'POST', body, headers })
  return [opened.status, pressed.status]
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('an owner who moved is not displaced by a link from before: neither by the old mailbox with the old password, nor with a browser of before', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user, owner } = world
    await using _ = issuer
    const early = await leave(world)
    const ofPassword = (await issuer.mails()).find(
      ({ to, subject }) => to === ada.email && subject.startsWith('Your password'),
    )
    moveTime(3 * DAY)

    for (const browser of [createVisitor(issuer), owner]) {
      for (const link of [early, ofPassword?.link ?? '']) {
        expect(await statusesOf(browser, link)).toEqual([410, 410])
      }
    }
    expect(await addressOf(issuer, user)).toBe(MOVED)
    expect(await logsIn(world, { email: MOVED, password: CHOSEN })).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('an authenticator app that the owner added after a move is not removed by a link from before', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user, owner } = world
    await using _ = issuer
    const early = await leave(world)
    await addApp(owner)

    await statusesOf(createVisitor(issuer), early)

    expect(await idsOf(issuer, user)).toEqual(
      expect.arrayContaining(['password', 'recovery_codes', 'totp_app']),
    )
  })

  test('links for a new password that were mailed before a move are void, also for an owner who came back to the address', async () => {
    for (const comesBack of [false, true]) {
      const world = await startWithIntruder(store)
      const { issuer, owner } = world
      await using _ = issuer
      const visitor = createVisitor(issuer)
      await visitor.submit(await visitor.get('/reset'), { email: ada.email })
      const reset = await linkTo(issuer, ada.email, '/reset?')
      const page = await visitor.get(reset)
      const early = await undoLink(issuer)
      moveTime(5)
      await moveTo(issuer, owner, MOVED)
      moveTime(5)
      if (comesBack) await moveTo(issuer, owner, ada.email)

      expect((await visitor.get(reset)).status).toBe(410)
      moveTime(5)
      expect((await visitor.submit(page, { password })).status).toBe(410)
      expect((await visitor.get(early)).status).toBe(410)
      const email = comesBack ? ada.email : MOVED
      expect(await logsIn(world, { ...ada, email })).toBe(true)
    }
  })

  test('an act of an operator is not undone by any link that was mailed before it', async () => {
    const acts: Record<string, (issuer: TestIssuer, user: User) => Promise<unknown>> = {
      'another address over the API': ({ changeUser }, user) =>
        changeUser(user, { email: 'set@example.com' }),
      'another address in the console': async ({ scope }, user) => {
        const { updatedAt, metadata } = await getUser(scope, user.id)
        const edit = { email: 'set@example.com', claims: {}, metadata }
        await editUser(
          scope,
          user.id,
          () => edit,
          updatedAt,
          true,
          () => undefined,
        )
      },
      'another password': ({ scope }, user) =>
        updatePassword(scope, user.id, {
          ...{ alg: 'plain', hash: 'set by the support', disabled: false, metadata: {} },
        }),
      'a password in place of a removed one': async ({ scope }, user) => {
        await deleteCredential(scope, user.id, 'password')
        await createCredential(scope, user.id, {
          ...{ alg: 'plain', hash: 'set by the support', disabled: false, metadata: {} },
        })
      },
      'the end of all sessions': ({ scope }, user) => endAllSessions(scope, user.id),
      'disabling the user for a while': async ({ scope }, user) => {
        await setDisabled(scope, user.id, true)
        await setDisabled(scope, user.id, false)
      },
    }
    for (const [name, act] of Object.entries(acts)) {
      for (const hasMoved of [false, true]) {
        const world = await startWithIntruder(store)
        const { issuer, user, owner } = world
        await using _ = issuer
        const browser = createVisitor(issuer)
        await browser.submit(await browser.get('/reset'), { email: ada.email })
        const reset = await linkTo(issuer, ada.email, '/reset?')
        if (hasMoved) await moveTo(issuer, owner, MOVED)
        const link = await undoLink(issuer)
        expect((await browser.get(link)).status).toBe(200)
        moveTime(5)
        await act(issuer, user)
        moveTime(5)
        const decided = await getUser(issuer.scope, user.id)

        expect([name, ...(await statusesOf(browser, link))]).toEqual([name, 410, 410])
        expect([name, (await browser.get(reset)).status]).toEqual([name, 410])
        expect(await getUser(issuer.scope, user.id)).toEqual(decided)
      }
    }
  })

  test('a move and a link from before at the same moment: if the move came first, the link does nothing', async () => {
    for (let round = 0; round < 5; round++) {
      const world = await startWithIntruder(store)
      const { issuer, user, owner } = world
      await using _ = issuer
      const early = await undoLink(issuer)
      const form = await owner.get('/account/email')
      const sent = await owner.submit(form, { email: MOVED, step: 'send' })
      const code = await mailedCode(issuer)
      const visitor = createVisitor(issuer)
      const page = await visitor.get(early)

      const [moved, pressed] = await Promise.all([
        owner.submit(sent, { code }),
        visitor.submit(page),
      ])

      // The link ends the session of the owner, whose address did not change then.
      const isMoved = (await addressOf(issuer, user)) === MOVED
      if (isMoved) expect(await idsOf(issuer, user)).toContain('password')
      expect([isMoved, pressed.status]).toEqual(isMoved ? [true, 410] : [false, 200])
      expect(moved.status).toBeLessThan(500)
    }
  })

  test('the link of the move itself asks for a password from before it; a browser of before does not stand for that', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user, owner } = world
    await using _ = issuer
    await leave(world)
    const link = await undoLink(issuer)

    const page = await owner.get(link)
    expect(page.html).toContain('Password from before the change')
    expect((await owner.submit(page)).status).toBe(422)
    expect((await owner.submit(page, { password: 'a guess of theirs' })).status).toBe(422)
    expect(await addressOf(issuer, user)).toBe(MOVED)
    expect((await owner.submit(page, { password: CHOSEN })).status).toBe(200)
    expect(await addressOf(issuer, user)).toBe(ada.email)
  })

  test('an owner whom a thief with the old mailbox displaces is told at the present address, and contests: nobody gets in until an operator decides', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user } = world
    await using _ = issuer
    await leave(world)
    const thief = createVisitor(issuer)
    await press(thief, await undoLink(issuer), { password: ada.password })
    await choose(issuer, thief)
    expect(await logsIn(world, { ...ada, password })).toBe(true)

    const contest = await linkTo(issuer, MOVED, '/contest?')
    const locked = await press(createVisitor(issuer), contest)

    expect(locked.html).toContain('The account is locked')
    expect((await getUser(issuer.scope, user.id)).disabled).toBe(true)
    const told = (await issuer.mails()).find(({ to }) => to === ada.email)
    expect(told?.subject).toBe('Your account at Acme is locked')
    expect(await logsIn(world, { ...ada, password })).toBe(false)
    expect(await logsIn(world, { email: MOVED, password: CHOSEN })).toBe(false)
    expect((await thief.get('/account')).html).toContain('name="password"')
    expect((await createVisitor(issuer).get(contest)).status).toBe(410)
    expect(await issuer.actions()).toEqual(
      expect.arrayContaining(['user.take_back', 'user.contest']),
    )

    // The operator has found out who is the owner.
    await issuer.changeUser(user, { email: MOVED, emailVerified: true })
    await setDisabled(issuer.scope, user.id, false)
    const owner = createVisitor(issuer)
    await owner.submit(await owner.get('/reset'), { email: MOVED })
    await choose(issuer, owner, MOVED)
    expect(await logsIn(world, { email: MOVED, password })).toBe(true)
    expect(issuer.problems).toEqual([])
  })

  test('a thief who moved the account away can contest that it was taken back, but gets in no more', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user, intruder } = world
    await using _ = issuer
    await moveTo(issuer, intruder, MALLORY)
    await press(createVisitor(issuer), await undoLink(issuer), { password: ada.password })
    await press(intruder, await linkTo(issuer, MALLORY, '/contest?'))
    expect((await intruder.get('/account')).html).toContain('name="password"')
    expect(await logsIn(world, { ...ada, email: MALLORY })).toBe(false)

    await setDisabled(issuer.scope, user.id, false)
    const owner = createVisitor(issuer)
    await owner.submit(await owner.get('/reset'), { email: ada.email })
    await choose(issuer, owner)
    expect(await logsIn(world, { ...ada, password })).toBe(true)
    expect(await idsOf(issuer, user)).toEqual(['password'])
  })

  test('a thief who changes the password and moves twice does not shake off the owner, who has the password from before', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user, intruder } = world
    await using _ = issuer
    const theirs = 'the thief chose this'
    await changePassword(intruder, ada.password, theirs)
    moveTime(5)
    await moveTo(issuer, intruder, MALLORY)
    moveTime(5)
    await moveTo(issuer, intruder, 'mallory@else.example.com')
    await addApp(intruder)
    moveTime(5)

    const back = await press(createVisitor(issuer), await undoLink(issuer), {
      password: ada.password,
    })

    expect(back.status).toBe(200)
    expect(await addressOf(issuer, user)).toBe(ada.email)
    await choose(issuer, createVisitor(issuer))
    expect(await idsOf(issuer, user)).toEqual(['password'])
    // The link of the second move is of a later change.
    await expect(linkTo(issuer, MALLORY, '/contest?')).rejects.toThrow()
    expect((await intruder.get(await undoLink(issuer, MALLORY))).status).toBe(410)
    await linkTo(issuer, 'mallory@else.example.com', '/contest?')
  })

  test('a thief who takes the account back and moves on at once can still be contested', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user } = world
    await using _ = issuer
    await leave(world)
    const thief = createVisitor(issuer)
    await press(thief, await undoLink(issuer), { password: CHOSEN })
    await choose(issuer, thief)
    moveTime(5)
    await thief.submit(await thief.get('/account/email'), { ...ada, password })
    await moveTo(issuer, thief, MALLORY)
    expect(await addressOf(issuer, user)).toBe(MALLORY)

    await press(createVisitor(issuer), await linkTo(issuer, MOVED, '/contest?'))

    expect((await getUser(issuer.scope, user.id)).disabled).toBe(true)
    const told = (await issuer.mails()).find(({ to }) => to === MALLORY)
    expect(told?.subject).toBe('Your account at Acme is locked')
  })

  test('of two claimants who take back and contest at once, neither is displaced without a word: the account ends locked', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user } = world
    await using _ = issuer
    await leave(world)
    const link = await undoLink(issuer)
    const page = await createVisitor(issuer).get(link)
    const pressed = await Promise.all(
      Array.from({ length: 5 }, () =>
        createVisitor(issuer).submit(page, { password: ada.password }),
      ),
    )
    expect(pressed.filter(({ status }) => status === 200)).toHaveLength(1)
    const mails = await issuer.mails()
    const contests = mails.flatMap(({ to, link: one }) =>
      to === MOVED && one?.includes('/contest?') ? [one] : [],
    )
    expect(contests.length).toBeGreaterThan(0)

    await Promise.all(contests.map((one) => press(createVisitor(issuer), one)))

    expect((await getUser(issuer.scope, user.id)).disabled).toBe(true)
    expect(await findUser(issuer.scope, MOVED)).toBeUndefined()
    expect(issuer.problems).toEqual([])
  })

  test('a link that contests does nothing when it is opened, is stored as a hash, works once and for seven days, and ends with a decision', async () => {
    for (const end of ['a decision', 'seven days'] as const) {
      const world = await startWithIntruder(store)
      const { issuer, user } = world
      await using _ = issuer
      await leave(world)
      await press(createVisitor(issuer), await undoLink(issuer), { password: CHOSEN })
      const link = await linkTo(issuer, MOVED, '/contest?')
      const visitor = createVisitor(issuer)
      const page = await visitor.get(link)
      const token = new URL(link).searchParams.get('token') ?? ''
      expect([page.status, (await issuer.dumpProtocol()).includes(token)]).toEqual([200, false])
      expect((await getUser(issuer.scope, user.id)).disabled).toBe(false)

      if (end === 'a decision') await endAllSessions(issuer.scope, user.id)
      else moveTime(7 * DAY + 1)

      expect((await visitor.get(link)).status).toBe(410)
      expect((await visitor.submit(page)).status).toBe(410)
      expect((await getUser(issuer.scope, user.id)).disabled).toBe(false)
    }
  })
})
