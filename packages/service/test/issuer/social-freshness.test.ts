import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Fault } from '../../../testing/src/misbehaving/faults.ts'
import { codeOf, hasCode, seedOn, TWO_STEP } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { answerOf, noteOf, startWithProvider } from './support/social.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const adaThere = { sub: 'ada-there', email: ada.email, email_verified: true, name: 'Ada L.' }

/** The answers of a provider that keeps its user logged in, and of one that names no time of the login. */
const stale: Fault[] = ['id_token with an old auth_time', 'id_token without auth_time']

describe.each(allStoreKinds)('on %s', (store) => {
  for (const parameters of [{ max_age: '60' }, { max_age: '0' }, { prompt: 'login' }] as const) {
    test(`a login at a provider that is a day old, or of no known age, is no answer to ${JSON.stringify(parameters)}`, async () => {
      await using world = await startWithProvider({ store }, { trustEmail: true })
      const { issuer, provider, app } = world
      provider.user = adaThere
      const first = await world.open()
      expect(hasCode(await world.logInBy(first.browser, first.form))).toBe(true)
      moveTime(61)

      for (const fault of stale) {
        const { browser, form } = await world.open(first.browser, parameters)
        provider.fault = fault
        const ended = await world.logInBy(browser, form)
        provider.fault = undefined

        expect([ended.status, hasCode(ended)]).toEqual([422, false])
        expect(noteOf(ended)).toMatch(/^Example does not say that it asked you to log in just now/)
        expect(ended.html).toContain('name="password"')
        expect(await issuer.actions()).toContain('login.social_stale')
      }
      const again = await world.open(first.browser, parameters)
      const done = await world.logInBy(again.browser, again.form)
      const claims = (await app.redeem(again.begun, done)).claims()
      expect(Math.abs((claims?.auth_time ?? 0) - Date.now() / 1000)).toBeLessThan(30)
    })
  }

  test('how recent a login must be is told to the provider', async () => {
    await using world = await startWithProvider({ store })
    const asked = async (parameters: Record<string, string>) => {
      const { browser, form } = await world.open(undefined, parameters)
      const sent = await browser.submit(form, { connection: world.connection.id })
      const { searchParams } = new URL(sent.location ?? '')
      return [searchParams.get('max_age'), searchParams.get('prompt')]
    }

    expect(await asked({})).toEqual([null, null])
    expect(await asked({ max_age: '60' })).toEqual(['60', 'login'])
    expect(await asked({ prompt: 'login' })).toEqual(['0', 'login'])
    expect(await asked({ prompt: 'login', max_age: '60' })).toEqual(['0', 'login'])
  })

  test('the time of a login at a provider is the one that the provider names, in every token, and none where it names none', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { provider, app } = world
    provider.user = adaThere
    const yesterday = Math.floor(Date.now() / 1000) - 86_400

    for (const fault of stale) {
      provider.fault = fault
      const { browser, begun, form } = await world.open(undefined, {
        scope: 'openid offline_access',
      })
      const tokens = await app.redeem(begun, await world.logInBy(browser, form))
      const { auth_time: at } = tokens.claims() ?? {}
      if (fault === 'id_token without auth_time') expect(at).toBeUndefined()
      else expect(Math.abs(Number(at) - yesterday)).toBeLessThan(30)
      const refreshed = await app.refresh(tokens.refresh_token ?? '')
      expect(refreshed.claims()?.auth_time).toBe(at)
      expect((await app.refresh(refreshed.refresh_token ?? '')).claims()?.auth_time).toBe(at)
      // The login itself is good; it does not count as a recent one.
      expect(hasCode(await browser.get((await app.begin({ prompt: 'none' })).url))).toBe(true)
      const recent = await app.begin({ prompt: 'none', max_age: '3600' })
      expect((await browser.get(recent.url)).location).toContain('error=login_required')
    }
  })

  test('a second step is added only after a login at the provider that is known to be recent', async () => {
    const settings = { allowTotpApp: true, allowUnverified: true }
    await using world = await startWithProvider({ store, settings }, { trustEmail: true })
    const { issuer, provider, app } = world
    provider.user = adaThere
    const made = await world.open()
    expect(hasCode(await world.logInBy(made.browser, made.form))).toBe(true)

    for (const fault of stale) {
      provider.fault = fault
      // The user of the browser has gone; the provider still knows them.
      const { browser, begun, form } = await world.open(undefined, { acr_values: TWO_STEP })
      const done = await world.logInBy(browser, form)
      expect((await app.redeem(begun, done)).claims()).not.toHaveProperty('acr')
      provider.fault = undefined
      const recent = await world.open(undefined, { acr_values: TWO_STEP })
      expect(seedOn(await world.logInBy(recent.browser, recent.form))).toBeTruthy()
    }

    await issuer.changeSettings({}, { latchkey_second_step_from: '2020-01-01' })
    for (const fault of stale) {
      provider.fault = fault
      const { browser, form } = await world.open()
      const again = await world.logInBy(browser, form)
      expect(new URL(again.location ?? '').searchParams.get('max_age')).toBe('300')
      const refused = await browser.get(await answerOf(again))
      expect(refused.status).toBe(422)
      expect(noteOf(refused)).toMatch(/needs a recent login/)
      const asked = await world.logInBy(browser, refused)
      provider.fault = undefined
      const enrol = await browser.get(await answerOf(asked))
      expect(seedOn(enrol)).toBeTruthy()
    }
  })

  test('a user whose account a login at a provider has just made adds a second step, however old that login is', async () => {
    const settings = { allowTotpApp: true }
    await using world = await startWithProvider({ store, settings }, { trustEmail: true })
    await world.issuer.changeSettings({}, { latchkey_second_step_from: '2020-01-01' })
    world.provider.user = adaThere
    world.provider.fault = 'id_token without auth_time'
    const { browser, form } = await world.open()
    const enrol = await world.logInBy(browser, form)
    const codes = await browser.submit(enrol, { code: codeOf(seedOn(enrol)) })
    expect(hasCode(await browser.submit(codes, { step: 'continue' }))).toBe(true)
  })

  test('the account page changes nothing for a login at a provider that is not known to be recent', async () => {
    await using world = await startWithProvider({ store }, { trustEmail: true })
    const { provider } = world
    provider.user = adaThere

    for (const fault of stale) {
      provider.fault = fault
      const { browser, form } = await world.open()
      expect(hasCode(await world.logInBy(browser, form))).toBe(true)
      expect((await browser.get('/account')).html).toContain('/account/profile')
      const asked = await browser.get('/account/security')
      const sent = await browser.submit(asked, { connection: world.connection.id })
      expect(new URL(sent.location ?? '').searchParams.get('max_age')).toBe('300')
      const refused = await browser.get(await answerOf(sent))
      expect(refused.status).toBe(422)
      expect(noteOf(refused)).toMatch(/needs a recent login/)
      provider.fault = undefined
      const shown = await browser.get(
        await answerOf(await browser.submit(refused, { connection: world.connection.id })),
      )
      expect(shown.html).toContain('Your ways to log in')
      moveTime(301)
      expect((await browser.get('/account/security')).html).toContain('name="password"')
    }
  })
})
