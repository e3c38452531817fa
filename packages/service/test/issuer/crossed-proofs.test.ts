import { expect, test } from 'vitest'
import type { Limits } from '../../src/domain/limits/limits.ts'
import type { Browser, Page } from './support/browser.ts'
import { createBrowser } from './support/browser.ts'
import { logIn } from './support/client.ts'
import {
  addApp,
  addMail,
  codeOf,
  hasCode,
  mailedCode,
  seedOn,
  startWithFactors,
  TWO_STEP,
} from './support/factors.ts'
import { allStoreKinds } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

const free = { free: 1e6, baseSeconds: 1, maxSeconds: 1, forgetSeconds: 1 }
const limits: Partial<Limits> = {
  factorPerUser: free,
  factorPerLogin: free,
  factorAnywhere: free,
  mailPerAddress: free,
}

/** Where something can be proven: what is right there, and how it is entered. */
interface Door {
  right: string
  enter(text: string): Promise<Page>
  isOpen(page: Page): boolean
}

test.each(allStoreKinds)(
  'on %s, a code, token or link that is presented for another purpose is refused, and still works for its own',
  async (store) => {
    const { issuer, user, app } = await startWithFactors({ store, limits })
    await using _ = issuer
    const cy = { ...ada, email: 'cy@example.com' }
    const bob = { ...ada, email: 'bob@example.com' }
    const { seed, codes } = await addApp(issuer, user)
    await addMail(issuer, user)
    await addMail(issuer, await issuer.addUser(cy))
    await issuer.addUser(bob)
    const asked = { acr_values: TWO_STEP }

    /** A form in which a code is entered. */
    function codeDoor(browser: Browser, form: Page, right: string): Door {
      const isAdded = (page: Page) => /<code>[0-9A-Z-]{19}<\/code>/.test(page.html)
      return {
        right,
        enter: (code) => browser.submit(form, { code }),
        isOpen: (page) => hasCode(page) || isAdded(page),
      }
    }

    async function mailDoor(who: typeof ada): Promise<Door> {
      const { browser, callback } = await logIn(issuer, app, who)
      const choice = await browser.get(`${callback.url}&kind=totp_email`)
      const form = await browser.submit(choice, { step: 'send' })
      return codeDoor(browser, form, await mailedCode(issuer))
    }

    async function factorDoor(kind: string, right: string): Promise<Door> {
      const { browser, callback } = await logIn(issuer, app, ada)
      return codeDoor(browser, await browser.get(`${callback.url}&kind=${kind}`), right)
    }

    async function enrolDoor(kind: 'totp_app' | 'totp_email'): Promise<Door> {
      const { browser, callback } = await logIn(issuer, app, bob, undefined, asked)
      const page = await browser.get(`${callback.url}&kind=${kind}`)
      if (kind === 'totp_app') return codeDoor(browser, page, codeOf(seedOn(page)))
      const form = await browser.submit(page, { step: 'send' })
      return codeDoor(browser, form, await mailedCode(issuer))
    }

    async function resetDoor(): Promise<Door> {
      const browser = createBrowser(issuer)
      await browser.submit(await browser.get('/reset'), { email: cy.email })
      const link = new URL(await issuer.lastLink())
      return {
        right: link.searchParams.get('token') ?? '',
        enter: (token) => browser.get(`/reset?${new URLSearchParams({ token })}`),
        isOpen: ({ html }) => html.includes('name="password"'),
      }
    }

    const doors: Record<string, Door> = {
      'a mailed code of one login': await mailDoor(ada),
      'a mailed code of another login of the same user': await mailDoor(ada),
      'a mailed code of another user': await mailDoor(cy),
      'an authenticator app': await factorDoor('totp_app', codeOf(seed)),
      'a recovery code': await factorDoor('recovery_codes', codes[0] ?? ''),
      'the enrolment of an app': await enrolDoor('totp_app'),
      'the enrolment of mail': await enrolDoor('totp_email'),
      'a link to a new password': await resetDoor(),
    }
    for (const [place, door] of Object.entries(doors)) {
      for (const [name, { right }] of Object.entries(doors)) {
        if (name === place) continue
        const page = await door.enter(right)
        expect([name, place, door.isOpen(page)]).toEqual([name, place, false])
        expect(page.status).toBeLessThan(500)
      }
    }
    for (const [name, { right, enter, isOpen }] of Object.entries(doors)) {
      // One user adds one second step first; the other enrolment is over then.
      if (name === 'the enrolment of mail') continue
      expect([name, isOpen(await enter(right))]).toEqual([name, true])
    }
    expect(issuer.problems).toEqual([])
  },
)
