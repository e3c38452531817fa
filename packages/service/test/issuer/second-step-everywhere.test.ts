import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createUser } from '../../src/domain/users/users.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { createDevice } from './support/devices.ts'
import { codeOf, hasCode, recoveryCodesOn, seedOn } from './support/factors.ts'
import { allStoreKinds, movesTheClock, type StoreKind } from './support/issuer.ts'
import { answer, createVirtualKey, giveKey } from './support/keys.ts'
import { startWithProvider } from './support/social.ts'
import { moveTime } from './support/token-endpoint.ts'
import { freeLimits, walksToMake } from './support/walks.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const PASSWORD = 'correct horse battery'

/** A login under way: the page that its first step led to, and how it ends. */
interface Walk {
  readonly browser: Browser
  readonly page: Page
  /** What the login needs beside its page, once the second step is proven. */
  readonly begun: Awaited<ReturnType<World['app']['begin']>> | undefined
  /** The tokens of a device; `undefined` while there are none. */
  poll?(): Promise<Readonly<Record<string, unknown>> | undefined>
}

type World = Awaited<ReturnType<typeof start>>

async function start(store: StoreKind, allowHardware = false) {
  const world = await startWithProvider(
    {
      store,
      settings: {
        ...{ allowTotpApp: true, allowHardware, allowUnverified: true },
        ...{ rememberDevice: true, rememberDeviceSeconds: 86_400 },
      },
      ...freeLimits,
    },
    { trustEmail: true },
  )
  const today = new Date(Date.now()).toISOString().slice(0, 10)
  await world.issuer.changeSettings({}, { latchkey_second_step_from: today })
  return Object.assign(world, { device: await createDevice(world.issuer) })
}

let people = 0
const someone = () => `person${++people}@example.com`

/** Every way on which a login begins; each is walked by a new user without a second step. */
const ways: Record<string, (world: World) => Promise<Walk>> = {
  async password({ issuer, open }) {
    const email = someone()
    await issuer.addUser({ email, password: PASSWORD })
    const { browser, begun, form } = await open()
    return { browser, begun, page: await browser.submit(form, { email, password: PASSWORD }) }
  },
  async 'sign-up'({ issuer, open }) {
    const { browser, begun, form } = await open()
    const given = { email: someone(), password: PASSWORD }
    const sent = await browser.submit(await browser.get(form.url.replace('?', '/signup?')), given)
    const phone = createBrowser(issuer)
    await phone.submit(await phone.get(await issuer.lastLink()), { password: PASSWORD })
    return { browser, begun, page: await browser.submit(sent, { step: 'continue' }) }
  },
  async 'an account at a provider'({ provider, open, logInBy }) {
    const email = someone()
    provider.user = { sub: email, email, email_verified: true, name: 'A person' }
    const { browser, begun, form } = await open()
    return { browser, begun, page: await logInBy(browser, form) }
  },
  async invitation({ issuer, open }) {
    const email = someone()
    const user = await createUser(issuer.scope, {
      ...{ email, emailVerified: false, disabled: false, metadata: {}, profile: {} },
    })
    await issuer.support.sendMail(issuer.scope, user.id, { kind: 'invite' })
    const phone = createBrowser(issuer)
    await phone.submit(await phone.get(await issuer.lastLink()), { password: PASSWORD })
    const { browser, begun, form } = await open()
    return { browser, begun, page: await browser.submit(form, { email, password: PASSWORD }) }
  },
  async 'password reset'({ issuer, open }) {
    const email = someone()
    await issuer.addUser({ email, password: PASSWORD })
    const { browser, begun, form } = await open()
    await browser.submit(await browser.get(form.url.replace('?', '/reset?')), { email })
    const link = await browser.get(await issuer.lastLink())
    const login = await browser.submit(link, { password: 'another fine one' })
    const given = { email, password: 'another fine one' }
    return { browser, begun, page: await browser.submit(login, given) }
  },
  async 'a device'({ issuer, device }) {
    const email = someone()
    await issuer.addUser({ email, password: PASSWORD })
    const begun = await device.begin()
    const browser = createBrowser(issuer)
    const form = await browser.submit(await browser.get('/device'), { user_code: begun.user_code })
    const page = await browser.submit(form, { email, password: PASSWORD })
    async function poll() {
      moveTime(6)
      const tokens = await device.poll(begun)
      return typeof tokens === 'string' ? undefined : tokens.claims()
    }
    return { browser, begun: undefined, page, poll }
  },
}

/** What a person does who wants to go round the second step. Each answers with the page that follows. */
const detours: Record<string, (world: World, walk: Walk, page: Page) => Promise<Page>> = {
  later: (_, { browser }, page) => browser.submit(renamed(page, 'step'), { step: 'skip' }),
  go_on: (_, { browser }, page) => browser.submit(renamed(page, 'step'), { step: 'continue' }),
  empty_code: (_, { browser }, page) => browser.submit(page, { code: '' }),
  wrong_code: (_, { browser }, page) => browser.submit(page, { code: '000000' }),
  allow: (_, { browser }, page) => browser.submit(renamed(page, 'answer'), { answer: 'allow' }),
  again: (_, { browser }, page) => browser.get(page.url),
  async silent({ app }, { browser }, page) {
    const answered = await browser.get((await app.begin({ prompt: 'none' })).url)
    expect(hasCode(answered)).toBe(false)
    return page
  },
  async account(_, { browser }, page) {
    const { html } = await browser.get('/account')
    expect(html).not.toContain('href="/account/password"')
    return page
  },
}

/** The form of a page with another field in place of its code. */
function renamed(page: Page, to: string): Page {
  return { ...page, html: page.html.replace('name="code"', `name="${to}"`) }
}

const ENOUGH = ['urn:latchkey:acr:two-step', 'https://refeds.org/profile/mfa', 'phr', 'phrh']

describe.each(allStoreKinds)('on %s, where a second step is required', (store) => {
  test('no way and no detour leads to tokens without one, and each way leads to them with one', async () => {
    await using world = await start(store)
    const { app } = world
    const walks = fc.record({
      way: fc.constantFrom(...Object.keys(ways)),
      detour: fc.array(fc.constantFrom(...Object.keys(detours)), { maxLength: 4 }),
    })
    const examples = Object.keys(ways).map((way): [{ way: string; detour: string[] }] => [
      { way, detour: [] },
    ])
    await fc.assert(
      fc.asyncProperty(walks, async ({ way, detour }) => {
        const walk = await (ways[way] as (world: World) => Promise<Walk>)(world)
        let { page } = walk
        expect(hasCode(page)).toBe(false)
        for (const name of detour) {
          const next = await (detours[name] as (typeof detours)[string])(world, walk, page)
          expect(hasCode(next), name).toBe(false)
          expect(await walk.poll?.(), name).toBeUndefined()
          if (next.html.includes('autocomplete="one-time-code"')) page = next
        }
        moveTime(30)
        const codes = await walk.browser.submit(page, { code: codeOf(seedOn(page)) })
        expect(recoveryCodesOn(codes)).toHaveLength(10)
        const end = await walk.browser.submit(codes, { step: 'continue' })
        if (walk.poll) {
          await walk.browser.submit(end, { answer: 'allow' })
          expect(ENOUGH).toContain((await walk.poll())?.acr)
        } else if (walk.begun) {
          expect(ENOUGH).toContain((await app.redeem(walk.begun, end)).claims()?.acr)
        }
      }),
      { ...walksToMake(12), examples },
    )
    expect(world.issuer.problems).toEqual([])
  })

  test('a passkey is enough alone, and a security key after the password', async () => {
    await using world = await start(store, true)
    const { issuer, app, open } = world
    const [passkey, second] = [createVirtualKey(), createVirtualKey({ verifiesUser: false })]
    const user = await issuer.addUser({ email: someone(), password: PASSWORD })
    await giveKey(issuer, user, passkey)
    const { browser, begun, form } = await open()
    const done = await answer(issuer, browser, form, passkey)
    expect(ENOUGH).toContain((await app.redeem(begun, done)).claims()?.acr)

    const email = someone()
    const other = await issuer.addUser({ email, password: PASSWORD })
    await giveKey(issuer, other, second, 'second')
    const again = await open()
    const asked = await again.browser.submit(again.form, { email, password: PASSWORD })
    expect(hasCode(asked)).toBe(false)
    const end = await answer(issuer, again.browser, asked, second)
    expect(ENOUGH).toContain((await app.redeem(again.begun, end)).claims()?.acr)
  })
})
