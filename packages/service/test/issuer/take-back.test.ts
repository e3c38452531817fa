import { afterEach, describe, expect, test, vi } from 'vitest'
import { deleteUser, findUser } from '../../src/domain/users/users.ts'
import { type Browser, createVisitor, type Page, trustedProxies } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addApp, codeOf, hasCode, mailedCode, seedOn, startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { addOn, answer, createVirtualKey, type VirtualKey } from './support/keys.ts'
import {
  choose,
  idsOf,
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

async function addKey({ issuer, intruder }: World, key: VirtualKey): Promise<void> {
  const page = await intruder.get('/account/security/add?kind=hardware')
  await addOn(issuer, intruder, page, key)
}

async function changePassword({ intruder }: World, chosen: string): Promise<void> {
  const form = { current: ada.password, password: chosen }
  await intruder.submit(await intruder.get('/account/password'), form)
}

const opens = async ({ issuer, app }: World, key: VirtualKey) => {
  const browser = createVisitor(issuer)
  return hasCode(await answer(issuer, browser, await browser.get((await app.begin()).url), key))
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('the owner who takes a change back is alone in the account: the intruder’s passkey opens nothing, and is not asked for', async () => {
    const world = await startWithIntruder(store)
    const { issuer, app, user, intruder } = world
    await using _ = issuer
    const key = createVirtualKey()
    await addKey(world, key)
    expect(await opens(world, key)).toBe(true)

    const anywhere = createVisitor(issuer)
    const done = await press(anywhere, await undoLink(issuer))
    expect(done.html).toContain('We have sent a message to ada@example.com')
    await choose(issuer, anywhere)

    expect(await opens(world, key)).toBe(false)
    expect(await idsOf(issuer, user)).toEqual(['password'])
    expect(hasCode((await logIn(issuer, app, ada, createVisitor(issuer))).callback)).toBe(false)
    moveTime(5)
    expect(
      hasCode((await logIn(issuer, app, { ...ada, password }, createVisitor(issuer))).callback),
    ).toBe(true)
    expect((await intruder.get('/account')).html).toContain('name="password"')
    expect(await issuer.actions()).toContain('user.take_back')
    expect(issuer.problems).toEqual([])
  })

  test('a message about a password or a second step has a link that takes it back, and the refresh tokens of before end', async () => {
    const settings = { rememberDevice: true }
    const world = await startWithIntruder(store, settings)
    const { issuer, app, user, intruder } = world
    await using _ = issuer
    await changePassword(world, password)
    moveTime(5)
    const page = await intruder.get('/account/security/add?kind=totp_app')
    await intruder.submit(page, { code: codeOf(seedOn(page)) })
    const begun = await app.begin({ scope: 'openid offline_access' })
    const tokens = await app.redeem(begun, await intruder.get(begun.url))
    const links = (await issuer.mails()).filter(({ link }) => link?.includes('/undo?'))
    expect(links.map(({ subject }) => subject)).toEqual([
      'The ways to log in at Acme were changed',
      'Your password for Acme was changed',
      'A new login to your account at Acme',
    ])
    expect(links[0]?.text).toMatch(/^This was just added to your account: .+\. If this/m)
    expect(links[0]?.text).not.toMatch(/[{}]/)

    const ofChanges = links.slice(0, 2)
    await press(createVisitor(issuer), ofChanges[1]?.link ?? '')

    expect(await idsOf(issuer, user)).toEqual([])
    await expect(app.refresh(tokens.refresh_token ?? '')).rejects.toThrow()
    for (const { link } of ofChanges) {
      expect((await createVisitor(issuer).get(link ?? '')).status).toBe(410)
    }
  })

  test('M26: opening the link does nothing, and its button logs no user in', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user } = world
    await using _ = issuer
    const key = createVirtualKey()
    await addKey(world, key)
    const link = await undoLink(issuer)
    const scanner = createVisitor(issuer)

    for (const method of ['GET', 'HEAD']) {
      expect((await scanner.send(link, { method })).status).toBe(200)
    }
    expect(await idsOf(issuer, user)).toHaveLength(3)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const cross = { ...headers, 'sec-fetch-site': 'cross-site' }
    const body = new URL(link).search.slice(1)
    expect((await scanner.send('/undo', { method: 'POST', body, headers: cross })).status).toBe(403)
    expect(await idsOf(issuer, user)).toHaveLength(3)

    const done = await press(scanner, link)
    expect(done.html).not.toContain('name="password"')
    expect((await scanner.get('/account')).html).toContain('name="password"')
    const [mail] = await issuer.mails()
    expect([mail?.to, mail?.link?.includes('/reset?')]).toEqual([ada.email, true])
  })

  test('M27: a stranger in the mailbox that the owner gave up takes nothing back, nor with a browser from before; the owner does, by the password', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user, owner } = world
    await using _ = issuer
    await moveTo(issuer, world.intruder, MALLORY)
    const link = await undoLink(issuer)

    for (const browser of [createVisitor(issuer), owner]) {
      const asked = await browser.get(link)
      expect(asked.html).toContain('Password from before the change')
      for (const guess of ['', 'a guess']) {
        expect((await browser.submit(asked, { password: guess })).status).toBe(422)
      }
    }
    expect((await findUser(issuer.scope, MALLORY))?.id).toBe(user.id)

    await press(createVisitor(issuer), link, { password: ada.password })
    expect((await findUser(issuer.scope, ada.email))?.id).toBe(user.id)
    expect((await findUser(issuer.scope, ada.email))?.verifiedAt).toBe(user.verifiedAt)
    expect(await findUser(issuer.scope, MALLORY)).toBeUndefined()
    await choose(issuer, createVisitor(issuer))
    expect(
      hasCode(
        (await logIn(issuer, world.app, { ...ada, password }, createVisitor(issuer))).callback,
      ),
    ).toBe(true)
  })

  test('M28: the link of a change that the intruder made later is void once the owner is back', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user, owner, intruder } = world
    await using _ = issuer
    await moveTo(issuer, intruder, MALLORY)
    moveTime(5)
    await addKey(world, createVirtualKey())
    const theirs = await undoLink(issuer, MALLORY)
    await press(owner, await undoLink(issuer), { password: ada.password })
    await choose(issuer, owner)

    expect((await intruder.get(theirs)).status).toBe(410)
    const body = new URL(theirs).search.slice(1)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await intruder.send('/undo', { method: 'POST', body, headers })).status).toBe(410)
    expect((await findUser(issuer.scope, ada.email))?.id).toBe(user.id)
    expect(await idsOf(issuer, user)).toEqual(['password'])
  })

  test('M29: the links of two changes, in either order, end as it was before the earlier one', async () => {
    for (const order of ['earlier first', 'later first'] as const) {
      const world = await startWithIntruder(store)
      const { issuer, user } = world
      await using _ = issuer
      await changePassword(world, 'the thief chose this')
      const earlier = await undoLink(issuer)
      moveTime(5)
      const page = await world.intruder.get('/account/security/add?kind=totp_app')
      await world.intruder.submit(page, { code: codeOf(seedOn(page)) })
      const later = await undoLink(issuer)
      expect(later).not.toBe(earlier)

      const links = order === 'earlier first' ? [earlier, later] : [later, earlier]
      const browser = createVisitor(issuer)
      await press(browser, links[0] ?? '')
      const second = await browser.get(links[1] ?? '')
      if (order === 'later first') await browser.submit(second)
      else expect(second.status).toBe(410)
      expect(await idsOf(issuer, user)).toEqual([])
    }
  })

  test('M30: a link takes the account back once, of twenty at once too, and not after seven days', async () => {
    const world = await startWithIntruder(store)
    const { issuer } = world
    await using _ = issuer
    await addKey(world, createVirtualKey())
    const link = await undoLink(issuer)
    const page = await createVisitor(issuer).get(link)

    const all = await Promise.all(
      Array.from({ length: 20 }, () => createVisitor(issuer).submit(page)),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    const resets = (await issuer.mails()).filter((mail) => mail.link?.includes('/reset?'))
    expect(resets).toHaveLength(1)
    await choose(issuer, createVisitor(issuer))
    const late = await undoLink(issuer)
    moveTime(7 * 86_400 + 1)
    expect((await createVisitor(issuer).get(late)).status).toBe(410)
  })

  test('M31: a link for a user who is gone or disabled, or at another tenant, answers as an unknown one', async () => {
    const world = await startWithIntruder(store)
    const { issuer, user } = world
    await using _ = issuer
    await using other = (await startWithFactors({ store, trustedProxies })).issuer
    await addKey(world, createVirtualKey())
    const link = await undoLink(issuer)
    const path = link.slice(new URL(link).origin.length)
    const mainOf = ({ html }: Page) => /<main>[\s\S]*<\/main>/.exec(html)?.[0]
    const unknown = await createVisitor(issuer).get(`/undo?token=${'x'.repeat(43)}`)
    expect(unknown.status).toBe(410)

    expect((await createVisitor(other).get(path)).status).toBe(410)
    const page = await createVisitor(issuer).get(link)
    const before = await idsOf(issuer, user)
    await issuer.changeUser(user, { disabled: true })
    for (const answered of [
      await createVisitor(issuer).get(link),
      await createVisitor(issuer).submit(page),
    ]) {
      expect([answered.status, mainOf(answered)]).toEqual([410, mainOf(unknown)])
    }
    expect(await idsOf(issuer, user)).toEqual(before)
    await issuer.changeUser(user, { disabled: false })
    await deleteUser(issuer.scope, user.id)
    expect(mainOf(await createVisitor(issuer).submit(page))).toBe(mainOf(unknown))
    expect(issuer.problems).toEqual([])
  })

  test('M32: what the intruder’s session adds at the same moment is not there afterwards', async () => {
    for (let round = 0; round < 5; round++) {
      const world = await startWithIntruder(store)
      const { issuer, user, owner, intruder } = world
      await using _ = issuer
      await changePassword(world, 'the thief chose this')
      const link = await undoLink(issuer)
      const key = createVirtualKey()
      const page = await intruder.get('/account/security/add?kind=hardware')
      const email = await intruder.get('/account/email')
      const sent = await intruder.submit(email, { email: MALLORY, step: 'send' })
      const code = await mailedCode(issuer)
      const undo = await owner.get(link)

      await Promise.all([
        owner.submit(undo),
        addOn(issuer, intruder, page, key),
        intruder.submit(sent, { code }),
      ])

      expect(await opens(world, key)).toBe(false)
      const moved = await findUser(issuer.scope, MALLORY)
      // The address moved before: that change has a link of its own, to the owner.
      const mail = (await issuer.mails()).find(({ subject }) => subject.startsWith('The address'))
      if (moved) await press(owner, mail?.link ?? '', { password: ada.password })
      expect((await findUser(issuer.scope, ada.email))?.id).toBe(user.id)
      expect(await idsOf(issuer, user)).toEqual([])
    }
  })

  test('M33: the link does not bypass a second step that existed before', async () => {
    const { issuer, user, app } = await startWithFactors({ store, trustedProxies })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    moveTime(60)
    const browser = createVisitor(issuer)
    const page = await browser.submit(await browser.get('/account/password'), ada)
    const form = await browser.submit(page, { code: codeOf(seed) })
    await browser.submit(form, { current: ada.password, password: 'the thief chose this' })

    const anywhere = createVisitor(issuer)
    await press(anywhere, await undoLink(issuer))
    await choose(issuer, anywhere)
    const { callback, browser: next } = await logIn(
      issuer,
      app,
      { ...ada, password },
      createVisitor(issuer),
    )
    expect(callback.html).toContain('autocomplete="one-time-code"')
    moveTime(60)
    expect(hasCode(await next.submit(callback, { code: codeOf(seed) }))).toBe(true)
  })

  test('M34: the store holds no token of a link, and the proof from before can be guessed five times', async () => {
    const world = await startWithIntruder(store)
    const { issuer, intruder } = world
    await using _ = issuer
    await moveTo(issuer, intruder, MALLORY)
    const link = await undoLink(issuer)
    const token = new URL(link).searchParams.get('token') ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    expect((await issuer.dumpProtocol()).includes(token)).toBe(false)

    const stranger = createVisitor(issuer)
    const page = await stranger.get(link)
    const statuses: number[] = []
    for (let guess = 0; guess < 8; guess++) {
      statuses.push((await stranger.submit(page, { password: `guess ${guess}` })).status)
    }
    expect(statuses.filter((status) => status === 422)).toHaveLength(5)
    expect(statuses.at(-1)).toBe(429)
    expect(await findUser(issuer.scope, MALLORY)).toBeDefined()
  })

  test('after five wrong proofs, the page names a wait of a day and leads back to the link, which works then', async () => {
    const { issuer, user, intruder } = await startWithIntruder(store)
    await using _ = issuer
    await moveTo(issuer, intruder, MALLORY)
    const owner = createVisitor(issuer)
    let page = await owner.get(await undoLink(issuer))
    for (let guess = 0; guess < 5; guess++) {
      page = await owner.submit(page, { password: `guess ${guess}` })
    }
    const refused = await owner.submit(page, { password: ada.password })
    expect(refused.status).toBe(429)
    expect(refused.html).toContain('Try again in 24 hours.')

    const [, back = ''] = /href="(\/undo\?[^"]+)"/.exec(refused.html) ?? []
    moveTime(86_400)
    const done = await press(owner, back.replaceAll('&amp;', '&'), { password: ada.password })
    expect(done.status).toBe(200)
    expect((await findUser(issuer.scope, ada.email))?.id).toBe(user.id)
  })

  test('M35: the owner comes back after an intruder has changed password, address and second step', async () => {
    const world = await startWithIntruder(store)
    const { issuer, app, user, intruder } = world
    await using _ = issuer
    const theirs = 'the thief chose this'
    await changePassword(world, theirs)
    moveTime(5)
    await moveTo(issuer, intruder, MALLORY)
    moveTime(5)
    const page = await intruder.get('/account/security/add?kind=totp_app')
    await intruder.submit(page, { code: codeOf(seedOn(page)) })
    await press(createVisitor(issuer), await undoLink(issuer), { password: ada.password })
    expect((await findUser(issuer.scope, ada.email))?.id).toBe(user.id)
    await choose(issuer, createVisitor(issuer))

    expect(await idsOf(issuer, user)).toEqual(['password'])
    expect(
      hasCode((await logIn(issuer, app, { ...ada, password }, createVisitor(issuer))).callback),
    ).toBe(true)
    for (const guess of [ada.password, theirs]) {
      expect(
        hasCode(
          (await logIn(issuer, app, { ...ada, password: guess }, createVisitor(issuer))).callback,
        ),
      ).toBe(false)
    }
  })

  test('M36: an account that a stranger made with the address from before gives way, and a proven one is named', async () => {
    for (const isProven of [false, true]) {
      const world = await startWithIntruder(store, { allowUnverified: true })
      const { issuer, user, owner, intruder } = world
      await using _ = issuer
      await moveTo(issuer, intruder, MALLORY)
      const link = await undoLink(issuer)
      const squatter = await issuer.addUser({ email: ada.email, emailVerified: isProven })

      const done = await press(owner, link, { password: ada.password })

      expect(done.status).toBe(isProven ? 409 : 200)
      if (isProven) {
        expect(done.html).toContain('Another account has this address now.')
        await issuer.changeUser(squatter, { email: 'spare@example.com' })
        expect((await owner.submit(done, { password: ada.password })).status).toBe(200)
      }
      expect((await findUser(issuer.scope, ada.email))?.id).toBe(user.id)
      expect((await findUser(issuer.scope, 'spare@example.com')) !== undefined).toBe(isProven)
    }
  })

  test('where there are no passwords, the link ends what was added, and the owner logs in by a mailed code', async () => {
    const settings = { allowPasswords: false, allowHardware: true }
    const world = await startWithFactors({ store, trustedProxies, settings })
    const { issuer, app, user } = world
    await using _ = issuer
    async function logInByMail(browser: Browser): Promise<Page> {
      const form = await browser.get((await app.begin()).url)
      const sent = await browser.submit(form, { email: ada.email })
      return browser.submit(sent, { code: await mailedCode(issuer) })
    }
    const intruder = createVisitor(issuer)
    expect(hasCode(await logInByMail(intruder))).toBe(true)
    const key = createVirtualKey()
    const page = await intruder.get('/account/security/add?kind=hardware')
    await addOn(issuer, intruder, page, key)
    moveTime(5)

    const done = await press(createVisitor(issuer), await undoLink(issuer))

    expect(done.html).toContain('Log in again with ada@example.com')
    expect((await idsOf(issuer, user)).filter((id) => id !== 'password')).toEqual([])
    const browser = createVisitor(issuer)
    const opened = await answer(issuer, browser, await browser.get((await app.begin()).url), key)
    expect(hasCode(opened)).toBe(false)
    expect((await intruder.get('/account')).html).toContain('name="email"')
    moveTime(60)
    expect(hasCode(await logInByMail(createVisitor(issuer)))).toBe(true)
  })

  test('the link in the message about wrong codes ends every session, and the guesser’s password', async () => {
    const { issuer, user, app } = await startWithFactors({ store, trustedProxies })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada, createVisitor(issuer))
    for (let guess = 0; guess < 5; guess++) await browser.submit(callback, { code: '000000' })
    const [mail] = await issuer.mails()
    expect(mail?.subject).toBe('Another person knows your password at Acme')

    const anywhere = createVisitor(issuer)
    await press(anywhere, mail?.link ?? '')
    await choose(issuer, anywhere)

    expect((await logIn(issuer, app, ada, createVisitor(issuer))).callback.status).toBe(422)
    moveTime(60)
    const own = await logIn(issuer, app, { ...ada, password }, createVisitor(issuer))
    expect(hasCode(await own.browser.submit(own.callback, { code: codeOf(seed) }))).toBe(true)
  })
})
