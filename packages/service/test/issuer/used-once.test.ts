import { describe, expect, test } from 'vitest'
import { findPassword } from '../../src/domain/users/passwords.ts'
import { findUser } from '../../src/domain/users/users.ts'
import { type Browser, createVisitor, type Page, trustedProxies } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addMail, hasCode, mailedCode, startWithFactors } from './support/factors.ts'
import { allStoreKinds, type StoreKind, type TestIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'
import { freeLimits } from './support/walks.ts'

/** How many try the same at the same moment. */
const AT_ONCE = 10

const start = (store: StoreKind, settings = {}, limits: object = freeLimits) =>
  startWithFactors({ store, trustedProxies, settings, ...limits })

/** Does the same in several browsers at once. */
function atOnce<T>(issuer: TestIssuer, act: (browser: Browser, n: number) => Promise<T>) {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, n) => act(createVisitor(issuer), n)))
}

const succeeded = (pages: readonly Page[]) => pages.filter(({ status }) => status < 400)

describe.each(allStoreKinds)('on %s', (store) => {
  test('of several who follow one link for a new password at once, one sets it', async () => {
    const { issuer, app } = await start(store)
    await using _ = issuer
    const asking = createVisitor(issuer)
    await asking.submit(await asking.get('/reset'), { email: ada.email })
    const page = await asking.get(await issuer.lastLink())

    const pages = await atOnce(issuer, (browser, n) =>
      browser.submitOnly(page, { password: `the choice of visitor ${n}` }),
    )

    expect(succeeded(pages)).toHaveLength(1)
    const winner = pages.findIndex(({ status }) => status < 400)
    const logins = await atOnce(issuer, (browser, n) =>
      logIn(issuer, app, { ...ada, password: `the choice of visitor ${n}` }, browser),
    )
    expect(logins.map(({ callback }) => hasCode(callback)).indexOf(true)).toBe(winner)
    expect(logins.filter(({ callback }) => hasCode(callback))).toHaveLength(1)
  })

  test('of several who follow the link of one sign-up at once, one makes the account', async () => {
    const { issuer, app } = await start(store)
    await using _ = issuer
    const email = 'new@example.com'
    const visitor = createVisitor(issuer)
    const login = await visitor.get((await app.begin()).url)
    const form = await visitor.get(login.url.replace('?', '/signup?'))
    await visitor.submit(form, { email, password: ada.password })
    const link = await issuer.lastLink()
    const page = await createVisitor(issuer).get(link)

    const pages = await atOnce(issuer, (browser, n) =>
      browser.submitOnly(page, { password: `the choice of visitor ${n}` }),
    )

    expect(succeeded(pages)).toHaveLength(1)
    const user = await findUser(issuer.scope, email)
    expect(user && (await findPassword(issuer.scope, user.id))).toBeDefined()
  })

  test('of several tries with one mailed code at once, one goes on', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    await addMail(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada, createVisitor(issuer))
    const sent = await browser.submit(callback, { step: 'send' })
    const code = await mailedCode(issuer)
    const before = (await issuer.actions()).filter((action) => action === 'login.succeeded').length

    await atOnce(issuer, () => browser.submitOnly(sent, { code }))

    const actions = await issuer.actions()
    expect(actions.filter((action) => action === 'login.succeeded')).toHaveLength(before + 1)
  })

  test('of codes that are asked for at once, the newest one alone works', async () => {
    const { issuer, app } = await start(store, { allowPasswords: false })
    await using _ = issuer
    const browser = createVisitor(issuer)
    const form = await browser.get((await app.begin()).url)
    const page = await browser.submit(form, { email: ada.email })
    await Promise.all([1, 2, 3, 4].map(() => browser.submitOnly(page, { step: 'send' })))
    const codes = (await issuer.mails()).flatMap(({ text }) => /\b\d{8}\b/.exec(text)?.[0] ?? [])
    expect(new Set(codes).size).toBe(5)

    const statuses: number[] = []
    for (const code of codes.toReversed()) {
      const { status } = await browser.submitOnly(page, { code })
      statuses.push(status)
      if (status < 400) break
    }

    // The first message came before: of the others, the one that was written last counts.
    expect(statuses.length).toBeGreaterThan(1)
    expect(statuses.filter((status) => status < 400)).toHaveLength(1)
  })

  test('of links for a new password that are asked for at once, the newest one alone works', async () => {
    const { issuer } = await start(store)
    await using _ = issuer
    const asked = await atOnce(issuer, async (browser) =>
      browser.submit(await browser.get('/reset'), { email: ada.email }),
    )
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
    const links = (await issuer.mails()).flatMap(({ link }) => link ?? [])
    expect(new Set(links).size).toBe(AT_ONCE)

    const pages = await Promise.all(links.map((link) => createVisitor(issuer).get(link)))

    expect(succeeded(pages)).toHaveLength(1)
  })

  test('of several redemptions of one authorization code at once, one gets tokens', async () => {
    const { issuer, app } = await start(store)
    await using _ = issuer
    const { begun, callback } = await logIn(issuer, app, ada, createVisitor(issuer))
    const answers = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, () => app.redeem(begun, callback)),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('of many guesses at the password from before a change, made at once, five are judged', async () => {
    const { issuer, user } = await start(store, {}, {})
    await using _ = issuer
    const owner = createVisitor(issuer)
    await owner.submit(await owner.get('/account'), ada)
    const form = await owner.get('/account/email')
    const sent = await owner.submit(form, { email: 'moved@example.com', step: 'send' })
    await owner.submit(sent, { code: await mailedCode(issuer) })
    const mails = await issuer.mails()
    const link = mails.find((mail) => mail.to === ada.email && mail.link?.includes('/undo?'))?.link
    const page = await createVisitor(issuer).get(link ?? '')

    const pages = await atOnce(issuer, (browser, n) =>
      browser.submitOnly(page, { password: `guess ${n}` }),
    )

    expect(pages.filter(({ status }) => status === 422)).toHaveLength(5)
    expect((await findUser(issuer.scope, 'moved@example.com'))?.id).toBe(user.id)
  })
})
