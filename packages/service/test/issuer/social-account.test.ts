import { afterEach, describe, expect, test, vi } from 'vitest'
import { createConnection, updateConnection } from '../../src/domain/connections/connections.ts'
import { deleteCredential } from '../../src/domain/users/credentials.ts'
import { findUser } from '../../src/domain/users/users.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { hasCode } from './support/factors.ts'
import { movesTheClock, storeKinds } from './support/issuer.ts'
import { answerOf, noteOf, startWithProvider } from './support/social.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const SECURITY = '/account/security'

type World = Awaited<ReturnType<typeof startWithProvider>>

/** Opens the page of the ways to log in, of a user who logs in for it with a password. */
async function open(
  { issuer }: World,
  credentials = ada,
): Promise<{ browser: Browser; page: Page }> {
  const browser = createBrowser(issuer)
  return { browser, page: await browser.submit(await browser.get(SECURITY), credentials) }
}

async function socialOf({ issuer }: World, email = ada.email) {
  const user = await findUser(issuer.scope, email)
  const page = { after: undefined, limit: 100 }
  const { credentials } = issuer.domain.store
  const listed = await credentials.list(issuer.tenant.id, user?.id ?? '', page)
  return listed?.items.filter(({ kind }) => kind === 'social') ?? []
}

describe.each(storeKinds)('on %s', (store) => {
  test('a user connects an account at a provider, is told of it, logs in by it, and removes it', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider, connection } = world
    await issuer.addUser(ada)
    // Another address, which the provider has not verified: the user is logged in.
    provider.user = { sub: 'ada-there', email: 'countess@example.com' }
    const { browser, page } = await open(world)

    const connected = await world.logInBy(browser, page)
    expect(connected.html).toContain('countess@example.com')
    expect(connected.html).not.toContain('Connect Example')
    expect((await issuer.mails())[0]).toMatchObject({ to: ada.email })
    expect((await issuer.mails())[0]?.text).toContain('your account at Example')
    const login = await world.open()
    const done = await world.logInBy(login.browser, login.form)
    const claims = (await world.app.redeem(login.begun, done)).claims()
    expect(claims).toMatchObject({ email: ada.email, amr: ['fed'] })

    const [social] = await socialOf(world)
    const removed = await browser.submit(connected, { remove: social?.id ?? '' })
    expect(removed.html).toContain('Connect Example')
    expect(await socialOf(world)).toEqual([])
    expect((await login.browser.get('/account')).html).toContain('name="password"')
    expect(connection.id).toMatch(/^con_/)
  })

  test('M13: an account is connected only after a recent login, and only in the session that asked for it', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider, connection } = world
    await issuer.addUser(ada)
    const grace = { ...ada, email: 'grace@example.com' }
    await issuer.addUser(grace)
    provider.user = { sub: 'mallory' }
    const mine = await open(world)
    const theirs = await open(world, grace)

    const sent = await mine.browser.submitOnly(mine.page, { connection: connection.id })
    const answer = await answerOf(sent)
    expect((await theirs.browser.get(answer)).html).toContain('You are logged in already')
    expect(await socialOf(world, grace.email)).toEqual([])

    moveTime(301)
    const late = await mine.browser.get(answer)
    expect(late.html).toContain('name="password"')
    expect(await socialOf(world)).toEqual([])
    const stale = await mine.browser.submit(mine.page, { connection: connection.id })
    expect(stale.html).toContain('name="password"')
  })

  test('M12: an account at a provider that is another user’s is not connected, and stays theirs', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider } = world
    await issuer.addUser(ada)
    const grace = { ...ada, email: 'grace@example.com' }
    await issuer.addUser(grace)
    provider.user = { sub: 'shared' }
    const first = await open(world)
    await world.logInBy(first.browser, first.page)
    const [social] = await socialOf(world)
    const second = await open(world, grace)

    const refused = await world.logInBy(second.browser, second.page)
    expect(refused.status).toBe(422)
    expect(noteOf(refused)).toBe(
      'This account at Example is connected with another account already.',
    )
    await second.browser.submit(refused, { connection: world.connection.id }).catch(() => {})
    const csrf = /name="csrf" value="([^"]+)"/.exec(second.page.html)?.[1] ?? ''
    const body = new URLSearchParams({ remove: social?.id ?? '', csrf })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    await second.browser.send(SECURITY, { method: 'POST', body: `${body}`, headers })

    expect(await socialOf(world)).toHaveLength(1)
    expect(await socialOf(world, grace.email)).toEqual([])
  })

  test('the last way to log in is not removed, and another one is once there are two', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider, connection } = world
    provider.user = { sub: 'ada-there', email: ada.email, email_verified: true }
    const second = await createConnection(issuer.scope, {
      recipe: 'oidc',
      name: 'Second',
      issuer: provider.issuer,
      clientId: provider.clientId,
      secret: provider.clientSecret,
    })
    const browser = createBrowser(issuer)
    const page = await world.logInBy(browser, await browser.get(SECURITY))
    const [only] = await socialOf(world)

    const refused = await browser.submit(page, { remove: only?.id ?? '' })
    expect(refused.status).toBe(422)
    expect(noteOf(refused)).toBe('This is your only way to log in. Add another one first.')
    const both = await world.logInBy(browser, refused, second)
    expect(await socialOf(world)).toHaveLength(2)
    await updateConnection(issuer.scope, second.id, { enabled: false })
    // A way that is switched off is none.
    const again = await browser.submit(both, { remove: only?.id ?? '' })
    expect(again.status).toBe(422)
    await updateConnection(issuer.scope, second.id, { enabled: true })
    await browser.submit(again, { remove: only?.id ?? '' })

    expect((await socialOf(world)).map((one) => 'connectionId' in one && one.connectionId)).toEqual(
      [second.id],
    )
    expect(connection.id).not.toBe(second.id)
  })

  test('the page says how the login at the provider ended, and nothing is connected', async () => {
    await using world = await startWithProvider({ store })
    const { issuer, provider, connection } = world
    await issuer.addUser(ada)
    const { browser, page } = await open(world)

    for (const [fault, said] of [
      ['access_denied', 'Example did not log you in, or you cancelled.'],
      ['id_token with another nonce', 'The login at Example did not work.'],
      ['token: down', 'We could not reach Example.'],
    ] as const) {
      const sent = await browser.submitOnly(page, { connection: connection.id })
      provider.fault = fault
      const shown = await browser.get(await answerOf(sent))
      provider.fault = undefined
      expect(shown.status).toBe(422)
      expect(noteOf(shown)).toContain(said)
    }
    expect(await socialOf(world)).toEqual([])
    await issuer.changeSettings({ allowSocial: false })
    expect((await browser.get(SECURITY)).html).not.toContain('Connect Example')
  })

  test('a user who has no password changes the account after a login by the provider', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { issuer, provider } = world
    provider.user = { sub: 'ada-there', email: ada.email, email_verified: true }
    const browser = createBrowser(issuer)
    const page = await world.logInBy(browser, await browser.get('/account/profile'))
    moveTime(301)

    const again = await browser.submit(page, { name: 'Ada King', given_name: '', family_name: '' })
    const sent = await browser.submitOnly(again, { connection: world.connection.id })
    expect(new URL(sent.location ?? '').searchParams.get('prompt')).toBe('login')
    const shown = await browser.get(await answerOf(sent))
    const saved = await browser.submit(shown, { name: 'Ada King' })

    expect(saved.html).toContain('Ada King')
    const user = await findUser(issuer.scope, ada.email)
    if (!user) throw new Error('There is no user.')
    const [social] = await socialOf(world)
    await deleteCredential(issuer.scope, user.id, social?.id ?? '')
    const login = await world.open()
    expect(hasCode(await world.logInBy(login.browser, login.form))).toBe(true)
  })
})
