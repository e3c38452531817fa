import { afterEach, describe, expect, test, vi } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import { on, press, startConsole, stores, textOf } from './support.ts'
import { aTenant, PASSWORD } from './tenant.ts'

const NOTHING = 'Nothing keeps this user from logging in.'

afterEach(() => {
  vi.useRealTimers()
})

describe.each(stores)('on %s, the page of a user', (store) => {
  test('says how long the user has to wait, from where, and lets the user try again now', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const browser = createBrowser({
      url: `https://${tenant.domain}`,
      fetch: running.service.fetch as never,
    })
    const tryLogin = async (password: string) =>
      browser.submit(await browser.get('/account'), { email: ada.email, password })
    for (const pause of [1, 1, 1, 1, 2, 4, 8, 16, 32, 0]) {
      await tryLogin('a guess')
      vi.setSystemTime(Date.now() + pause * 1_000)
    }
    const refused = await tryLogin(PASSWORD)
    expect(refused.status).toBe(429)

    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/${ada.id}`
    const page = await operator.get(path)
    expect(textOf(page.html)).not.toContain(NOTHING)
    expect(textOf(page.html)).toMatch(/with the password for another 6\d seconds/)
    await press(operator, page, `${path}/let-try-again`)
    expect((await operator.get(path)).html).toContain(NOTHING)
    expect((await tryLogin(PASSWORD)).html).toContain(ada.email)
  })
})
