import { afterEach, describe, expect, test, vi } from 'vitest'
import { updateCredential } from '../../src/domain/users/credentials.ts'
import { createBrowser } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addApp, addMail, codeOf, hasCode, MFA, startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

describe.each(allStoreKinds)('on %s', (store) => {
  test('on a trusted device the second step is skipped until the tenant’s time is over', async () => {
    const days = 30
    const { issuer, user, app } = await startWithFactors({
      store,
      settings: { rememberDevice: true, rememberDeviceSeconds: days * 86_400 },
    })
    await using _ = issuer
    const bob = { ...ada, email: 'bob@example.com' }
    const other = await issuer.addUser(bob)
    const { seed } = await addApp(issuer, user)
    await addApp(issuer, other)
    const browser = createBrowser(issuer)
    const { callback } = await logIn(issuer, app, ada, browser)
    expect(callback.html).toContain('for 30 days')
    await browser.submit(callback, { code: codeOf(seed), trust: 'yes' })

    for (const later of [1, 14, 14]) {
      moveTime(later * 86_400)
      const { begun, callback: done } = await logIn(issuer, app, ada, browser, { prompt: 'login' })
      expect((await app.redeem(begun, done)).claims()).toMatchObject({ amr: ['pwd'] })
    }
    const asked = await logIn(issuer, app, bob, browser, { prompt: 'login' })
    expect(hasCode(asked.callback)).toBe(false)
    const stranger = await logIn(issuer, app, ada)
    expect(hasCode(stranger.callback)).toBe(false)
    moveTime(2 * 86_400)
    const over = await logIn(issuer, app, ada, browser, { prompt: 'login' })
    expect(hasCode(over.callback)).toBe(false)
  })

  test('the question whether to trust a device names the tenant’s time in words', async () => {
    const { issuer, user, app } = await startWithFactors({ store })
    await using _ = issuer
    await addApp(issuer, user)
    const times = { '1 hour': 3_600, '90 minutes': 5_400, '25 hours': 90_000, '1 day': 86_400 }
    for (const [words, rememberDeviceSeconds] of Object.entries(times)) {
      await issuer.changeSettings({ rememberDevice: true, rememberDeviceSeconds })
      const { callback } = await logIn(issuer, app, ada)
      expect(callback.html).toContain(`Do not ask again on this device for ${words}<`)
    }
  })

  test.each<[string, (world: Awaited<ReturnType<typeof startWithFactors>>) => Promise<unknown>]>([
    ['the setting is off', ({ issuer }) => issuer.changeSettings({ rememberDevice: false })],
    [
      'the setting is shorter than it was',
      async ({ issuer }) => {
        moveTime(7_200)
        await issuer.changeSettings({ rememberDeviceSeconds: 3_600 })
      },
    ],
    [
      'a factor was changed',
      ({ issuer, user }) =>
        updateCredential(issuer.scope, user.id, 'totp_app', { disabled: false, metadata: {} }),
    ],
    ['another factor was added', ({ issuer, user }) => addMail(issuer, user)],
    [
      'the sessions of the user were ended',
      async ({ issuer, user }) => {
        await issuer.changeUser(user, { disabled: true })
        await issuer.changeUser(user, { disabled: false })
      },
    ],
  ])('a trusted device is asked again after %s', async (_name, change) => {
    const settings = { rememberDevice: true, rememberDeviceSeconds: 86_400 }
    const world = await startWithFactors({ store, settings })
    const { issuer, user, app } = world
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    await browser.submit(callback, { code: codeOf(seed), trust: 'yes' })
    const before = await logIn(issuer, app, ada, browser, { prompt: 'login' })
    expect(hasCode(before.callback)).toBe(true)

    await change(world)

    const after = await logIn(issuer, app, ada, browser, { prompt: 'login' })
    expect(hasCode(after.callback)).toBe(false)
  })

  test('a trusted device does not make a login strong for an application that asks for it', async () => {
    const settings = { rememberDevice: true, rememberDeviceSeconds: 86_400 }
    const { issuer, user, app } = await startWithFactors({ store, settings })
    await using _ = issuer
    const { seed } = await addApp(issuer, user)
    const { browser, callback } = await logIn(issuer, app, ada)
    await browser.submit(callback, { code: codeOf(seed), trust: 'yes' })

    const asked = await logIn(issuer, app, ada, browser, { prompt: 'login', acr_values: MFA })

    expect(hasCode(asked.callback)).toBe(false)
    moveTime(30)
    const done = await browser.submit(asked.callback, { code: codeOf(seed) })
    expect((await app.redeem(asked.begun, done)).claims()).toMatchObject({ acr: MFA })
  })
})
