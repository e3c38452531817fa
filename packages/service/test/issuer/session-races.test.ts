import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/store/errors.ts'
import type { Change, ProtocolStore } from '../../src/store/protocol-store.ts'
import { claimsOf } from './support/apis.ts'
import type { Page } from './support/browser.ts'
import { createBrowser } from './support/browser.ts'
import { type Client, createClient, logIn } from './support/client.ts'
import { createDevice, enterCode } from './support/devices.ts'
import { allStoreKinds, applicationUrl, startIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

const putsSession = (changes: readonly Change[]) =>
  changes.some((one) => one.kind === 'put' && one.entry.kind === 'Session')
const endsSession = (changes: readonly Change[]) =>
  changes.some((one) => one.kind === 'delete' && one.name.kind === 'Session') &&
  !putsSession(changes)

/**
 * Holds writes of sessions: requests that have read the session, and wait at the door of the store.
 */
function createGate() {
  const waiting: (() => void)[] = []
  let places = 0
  let isHeld = putsSession
  let told: (() => void) | undefined
  return {
    wrap: (store: ProtocolStore): ProtocolStore => ({
      ...store,
      async write(changes) {
        if (places > 0 && isHeld(changes)) {
          places--
          const held = new Promise<void>((resolve) => waiting.push(resolve))
          if (places === 0) told?.()
          await held
        }
        return store.write(changes)
      },
    }),
    /** Holds the next writes; resolves when all of them wait. */
    hold(count: number, which = putsSession): Promise<void> {
      places = count
      isHeld = which
      return new Promise((resolve) => {
        told = resolve
      })
    },
    /** Lets the held writes go on, in the order in which they came. */
    open() {
      for (const goOn of waiting.splice(0)) goOn()
    },
  }
}

/** Takes logout tokens of several applications, and says whose they were. */
async function startReceiver() {
  const told: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const [, claims = ''] = (new URLSearchParams(body).get('logout_token') ?? '').split('.')
      told.push(JSON.parse(atob(claims)).aud)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    told,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function startShops(store: (typeof allStoreKinds)[number]) {
  const gate = createGate()
  const issuer = await startIssuer({ store, wrap: gate.wrap })
  const receiver = await startReceiver()
  const user = await issuer.addUser(ada)
  const metadata = { backchannel_logout_uri: receiver.url }
  const [shop, blog, wiki] = await Promise.all(
    ['Shop', 'Blog', 'Wiki'].map(async (name) =>
      createClient(issuer, await issuer.addApplication({ name, metadata })),
    ),
  )
  if (!shop || !blog || !wiki) throw new Error('An application is missing.')
  const { begun, callback, browser } = await logIn(issuer, shop, ada)
  const tokens = await shop.redeem(begun, callback)
  const sessions = () => issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)
  return {
    ...{ gate, issuer, receiver, user, shop, blog, wiki, browser, tokens, sessions },
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

type Shops = Awaited<ReturnType<typeof startShops>>

async function logOut({ shop, tokens, browser }: Shops): Promise<void> {
  const logout = client.buildEndSessionUrl(shop.config, {
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
    id_token_hint: tokens.id_token ?? '',
  })
  expect((await browser.get(logout.href)).location).toContain('/logged-out')
}

async function confirmLogout({ browser }: Shops): Promise<void> {
  await browser.submit(await browser.get('/oidc/logout'), { logout: 'yes' })
}

async function endFromAccount({ issuer }: Shops): Promise<void> {
  const other = createBrowser(issuer)
  const page = await other.submit(await other.get('/account/sessions'), ada)
  const ids = [...page.html.matchAll(/name="end" value="([^"]+)"/g)].map(([, id]) => id ?? '')
  expect(ids).toHaveLength(1)
  await other.submit(page, { end: ids[0] ?? '' })
}

async function endAsOperator({ issuer, user }: Shops): Promise<void> {
  const [one] = await issuer.support.sessions(issuer.scope, user.id)
  await issuer.support.endSession(issuer.scope, user.id, one?.id ?? '')
}

async function blockUser({ issuer, user }: Shops): Promise<void> {
  await issuer.changeUser(user, { disabled: true })
  await issuer.idle()
}

describe.each(allStoreKinds)('on %s', (store) => {
  test.each([
    ['by a logout in the same browser', logOut],
    ['by a logout that the user confirmed', confirmLogout],
    ['by the user in another browser', endFromAccount],
    ['by an operator', endAsOperator],
    ['because the user was blocked', blockUser],
  ])('a session that ended %s stays ended, also when a login was under way', async (_, end) => {
    await using shops = await startShops(store)
    const { gate, blog, browser, sessions } = shops
    const before = await sessions()
    const begun = await blog.begin()

    const held = gate.hold(1)
    const answered = browser.get(begun.url)
    await held
    await end(shops)
    gate.open()
    const answer = await answered

    expect(answer.location).toBeUndefined()
    expect(answer.html).toContain('name="password"')
    const keys = before.map(({ key }) => key)
    expect((await sessions()).filter(({ key }) => keys.includes(key))).toEqual([])
    const silent = await browser.get((await blog.begin({ prompt: 'none' })).url)
    expect(silent.location).toContain('error=login_required')
  })

  test('a login that asked for the password again is not finished in a session that has ended', async () => {
    await using shops = await startShops(store)
    const { gate, blog, browser, sessions } = shops
    const form = await browser.get((await blog.begin({ prompt: 'login' })).url)

    const held = gate.hold(1)
    const answered = browser.submit(form, ada)
    await held
    await endAsOperator(shops)
    gate.open()

    expect((await answered).location).toBeUndefined()
    expect(await sessions()).toEqual([])
  })

  test('a session to which a login gives a new id while its user is blocked ends, too', async () => {
    await using shops = await startShops(store)
    const { gate, issuer, user, blog, browser, sessions } = shops
    const form = await browser.get((await blog.begin({ prompt: 'login' })).url)

    const held = gate.hold(1)
    const answered = browser.submit(form, ada)
    await held
    const ends = gate.hold(1, endsSession)
    const ending = blockUser(shops)
    await ends
    gate.open()
    await Promise.all([answered, ending])
    expect(await sessions()).toEqual([])

    await issuer.changeUser(user, { disabled: false })
    const silent = await browser.get((await blog.begin({ prompt: 'none' })).url)
    expect(silent.location).toContain('error=login_required')
  })

  test('two applications that are opened at once in one browser both get their tokens and their logout', async () => {
    await using shops = await startShops(store)
    const { gate, issuer, receiver, shop, blog, wiki, browser } = shops
    const apps = [blog, wiki]
    const begun = await Promise.all(apps.map((app) => app.begin()))

    const held = gate.hold(2)
    const answers = begun.map(({ url }) => browser.get(url))
    await held
    gate.open()
    const subs = await Promise.all(
      apps.map(async (app, at) => redeemed(app, begun[at], await answers[at])),
    )
    expect(subs).toEqual([shops.user.id, shops.user.id])

    await logOut(shops)
    await issuer.idle()
    const ids = [shop, ...apps].map((app) => app.config.clientMetadata().client_id)
    expect(receiver.told.toSorted()).toEqual(ids.toSorted())
  })

  test('one application that is opened in two tabs at once gets tokens for both', async () => {
    await using shops = await startShops(store)
    const { gate, blog, browser } = shops
    const begun = [await blog.begin(), await blog.begin()]

    const held = gate.hold(2)
    const answers = begun.map(({ url }) => browser.get(url))
    await held
    gate.open()
    for (const [at, one] of begun.entries()) {
      expect(await redeemed(blog, one, await answers[at])).toBe(shops.user.id)
    }
  })

  test('an application that is opened while another one asks for the password gets its tokens', async () => {
    await using shops = await startShops(store)
    const { gate, blog, wiki, browser, sessions } = shops
    const [again, beside] = [await blog.begin({ prompt: 'login' }), await wiki.begin()]
    const form = await browser.get(again.url)

    const held = gate.hold(2)
    const answers = [browser.submit(form, ada), browser.get(beside.url)]
    await held
    gate.open()
    expect(await redeemed(blog, again, await answers[0])).toBe(shops.user.id)
    expect(await redeemed(wiki, beside, await answers[1])).toBe(shops.user.id)
    expect(await sessions()).toHaveLength(1)
  })

  test.each([
    ['logs in', {}, 'an operator ends it', endAsOperator],
    ['asks for the password', { prompt: 'login' }, 'an operator ends it', endAsOperator],
    ['logs in', {}, 'another one logs out', logOut],
    ['asks for the password', { prompt: 'login' }, 'another one logs out', logOut],
    ['logs in', {}, 'the user confirms a logout', confirmLogout],
  ] as const)(
    'an application that %s (%o) in a session just before %s is told',
    async (_, parameters, _by, end) => {
      await using shops = await startShops(store)
      const { gate, issuer, receiver, shop, blog, browser, sessions } = shops
      const begun = await blog.begin(parameters)
      const form = 'prompt' in parameters ? await browser.get(begun.url) : undefined

      const held = gate.hold(1, endsSession)
      const ending = end(shops)
      await held
      const answer = await (form ? browser.submit(form, ada) : browser.get(begun.url))
      expect(await redeemed(blog, begun, answer)).toBe(shops.user.id)
      gate.open()
      await ending
      await issuer.idle()

      expect(await sessions()).toEqual([])
      const ids = [shop, blog].map((app) => app.config.clientMetadata().client_id)
      expect(receiver.told.toSorted()).toEqual(ids.toSorted())
    },
  )

  test('an application that has pushed its request gets its tokens beside another one', async () => {
    await using shops = await startShops(store)
    const { gate, user, blog, wiki, browser } = shops
    const begun = await blog.begin()
    const { searchParams } = new URL(begun.url)
    const pushed = await client.buildAuthorizationUrlWithPAR(blog.config, searchParams)

    const held = gate.hold(1)
    const answered = browser.get(pushed.href)
    await held
    await browser.get((await wiki.begin()).url)
    gate.open()
    expect(await redeemed(blog, begun, await answered)).toBe(user.id)
    expect((await browser.get(pushed.href)).location ?? '').not.toContain('code=')
  })

  test('a device is logged in beside an application, and not by a session that has ended', async () => {
    await using shops = await startShops(store)
    const { gate, issuer, user, blog, browser } = shops
    const device = await createDevice(issuer)
    const meanwhile = [
      async () => browser.get((await blog.begin()).url),
      () => endAsOperator(shops),
    ]
    const polled = []
    for (const act of meanwhile) {
      const begun = await device.begin()
      const question = await enterCode(issuer, begun.user_code, browser)
      const held = gate.hold(1)
      const answered = browser.submit(question, { answer: 'allow' })
      await held
      await act()
      gate.open()
      await answered
      polled.push(await device.poll(begun))
    }
    expect(polled).toEqual([expect.anything(), 'invalid_request'])
    expect((polled[0] as client.TokenEndpointResponse).access_token).toEqual(expect.any(String))
    expect(await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)).toEqual([])
  })

  test('of two users who confirm a device at once, the one who is told so has logged it in', async () => {
    await using shops = await startShops(store)
    const { gate, issuer, browser } = shops
    const bob = { email: 'bob@example.com', password: ada.password }
    const { id } = await issuer.addUser(bob)
    const device = await createDevice(issuer)
    const begun = await device.begin()
    const other = createBrowser(issuer)
    const first = await enterCode(issuer, begun.user_code, browser)
    const second = await enterCode(issuer, begun.user_code, other, bob)

    const held = gate.hold(1)
    const answered = browser.submit(first, { answer: 'allow' })
    await held
    const told = await other.submit(second, { answer: 'allow' })
    gate.open()

    expect(told.html).toContain('is logged in')
    const late = await answered
    expect([late.status, late.html]).toEqual([422, expect.stringContaining('was used already')])
    const polled = (await device.poll(begun)) as client.TokenEndpointResponse
    expect(claimsOf(polled.id_token ?? '')).toMatchObject({ sub: id })
  })

  test('the other sessions are ended, and this one is kept, while an application logs in with it', async () => {
    await using shops = await startShops(store)
    const { gate, issuer, user, blog, browser, sessions } = shops
    await logIn(issuer, blog, ada)
    const page = await browser.get('/account/sessions')
    const begun = await blog.begin()

    const held = gate.hold(1)
    const ending = browser.submit(page, { step: 'others' })
    await held
    expect(await redeemed(blog, begun, await browser.get(begun.url))).toBe(user.id)
    gate.open()
    await ending
    await issuer.idle()

    expect(await sessions()).toHaveLength(1)
    const silent = await browser.get((await blog.begin({ prompt: 'none' })).url)
    expect(silent.location).toContain('code=')
  })
})

async function redeemed(
  app: Client,
  begun: Parameters<Client['redeem']>[0] | undefined,
  callback: Page | undefined,
): Promise<string | undefined> {
  if (!begun || !callback) throw new Error('There is no answer.')
  return (await app.redeem(begun, callback)).claims()?.sub
}

test('a logout that cannot store the notice of each application is not done, and tells all of them when it is repeated', async () => {
  let places = Number.POSITIVE_INFINITY
  const wrap = (store: ProtocolStore): ProtocolStore => ({
    ...store,
    notices: {
      ...store.notices,
      async add(notice) {
        if (places-- <= 0) throw new StoreError('the disk is full')
        return store.notices.add(notice)
      },
    },
  })
  await using issuer = await startIssuer({ wrap })
  await using receiver = await startReceiver()
  const user = await issuer.addUser(ada)
  const browser = createBrowser(issuer)
  const ids: string[] = []
  for (const name of ['Shop', 'Blog']) {
    const metadata = { backchannel_logout_uri: receiver.url }
    const application = await issuer.addApplication({ name, metadata })
    const app = await createClient(issuer, application)
    const page = await browser.get((await app.begin()).url)
    if (page.location === undefined) await browser.submit(page, ada)
    ids.push(application.id)
  }
  const question = await browser.get('/oidc/logout')

  places = 1
  expect((await browser.submit(question, { logout: 'yes' })).status).toBe(503)
  const sessions = () => issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)
  expect(await sessions()).toHaveLength(1)
  expect(await issuer.actions()).not.toContain('logout.succeeded')

  places = Number.POSITIVE_INFINITY
  await browser.submit(question, { logout: 'yes' })
  await issuer.idle()
  expect(await sessions()).toEqual([])
  expect([...new Set(receiver.told)].toSorted()).toEqual(ids.toSorted())
})
