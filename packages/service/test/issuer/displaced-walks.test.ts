import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { endAllSessions } from '../../src/domain/users/accounts.ts'
import { updatePassword } from '../../src/domain/users/credentials.ts'
import { getUser, setDisabled } from '../../src/domain/users/users.ts'
import { createVisitor, trustedProxies } from './support/browser.ts'
import { hasCode, startWithFactors } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { linkTo, moveTo, press } from './support/take-back.ts'
import { moveTime } from './support/token-endpoint.ts'
import { freeLimits, walkAtIssuers } from './support/walks.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

const steps = [
  'the owner logs in on a new device',
  'the owner changes the password',
  'the owner moves to another mailbox',
  'the owner asks for a link and leaves it',
  'the thief presses the links in the mailboxes that were left',
  'the thief asks for a new password there',
  'the operator sets the password',
  'the operator sets the address',
  'the operator ends the sessions',
] as const

type Step = (typeof steps)[number]

describe.each(allStoreKinds)('on %s', (store) => {
  test('whoever proved the account last, or the operator, is never displaced without being told and being able to contest', () =>
    // Those of a night are ten thousand on SQLite.
    walkAtIssuers(store === 'sqlite' ? 100 : 4, async (parameters) => {
      const { issuer, app } = await startWithFactors({
        store,
        trustedProxies,
        ...freeLimits,
      })
      await using _ = issuer
      const { scope } = issuer
      let round = 0
      let disputes = 0

      async function walk(moves: readonly Step[]): Promise<void> {
        round++
        const base = `owner-${round}`
        const mailboxes = [`${base}@a.example`]
        let password = 'the first password of all'
        const earlier: string[] = []
        const user = await issuer.addUser({ email: mailboxes[0] ?? '', password })
        let isRuled = false
        let chosen = 0
        const current = () => mailboxes.at(-1) ?? ''
        /** The mailboxes that the owner has left. A thief reads them, and has the browser of before. */
        const left = () => [...new Set(mailboxes.slice(0, -1))].filter((one) => one !== current())
        let browser = createVisitor(issuer)

        async function enter(path: string) {
          moveTime(5)
          const page = await browser.get(path)
          if (!page.html.includes('name="email"') || !page.html.includes('name="password"')) {
            return page
          }
          return browser.submit(page, { email: current(), password })
        }

        function choose(next: string): void {
          earlier.push(password)
          password = next
        }

        async function links(path: string): Promise<string[]> {
          const read = left()
          return (await issuer.mails()).flatMap(({ to = '', link }) =>
            read.includes(to) && link?.includes(path) ? [link] : [],
          )
        }

        /** Whether the owner was displaced: then the owner was told, contests, and the operator decides. */
        async function settle(before: Awaited<ReturnType<typeof getUser>>): Promise<void> {
          const after = await getUser(scope, user.id)
          if (after.email === current()) {
            // No step of the thief has changed anything.
            expect(after).toEqual(before)
            return
          }
          disputes++
          expect(isRuled).toBe(false)
          await press(createVisitor(issuer), await linkTo(issuer, current(), '/contest?'))
          expect((await getUser(scope, user.id)).disabled).toBe(true)
          for (const email of new Set(mailboxes)) {
            for (const guess of [password, ...earlier]) {
              const visitor = createVisitor(issuer)
              const form = await visitor.get((await app.begin()).url)
              expect(hasCode(await visitor.submit(form, { email, password: guess }))).toBe(false)
            }
          }
          await issuer.changeUser(user, { email: current() })
          await issuer.changeUser(user, { emailVerified: true })
          await setDisabled(scope, user.id, false)
          choose(`chosen after ${++chosen} disputes`)
          await issuer.setPassword(user, 'plain', password)
          isRuled = true
        }

        async function act(step: Step): Promise<void> {
          switch (step) {
            case 'the owner logs in on a new device':
              browser = createVisitor(issuer)
              await enter('/account')
              return
            case 'the owner changes the password': {
              const next = `chosen in step ${++chosen}`
              const form = await enter('/account/password')
              const done = await browser.submit(form, { current: password, password: next })
              expect(done.status).toBeLessThan(400)
              return choose(next)
            }
            case 'the owner moves to another mailbox': {
              await enter('/account/email')
              // Now and then back to the first one.
              const isBack = chosen % 3 === 2 && current() !== mailboxes[0]
              const next = isBack ? (mailboxes[0] ?? '') : `${base}@${mailboxes.length}.example`
              await moveTo(issuer, browser, next)
              expect((await getUser(scope, user.id)).email).toBe(next)
              mailboxes.push(next)
              isRuled = false
              return
            }
            case 'the owner asks for a link and leaves it': {
              const visitor = createVisitor(issuer)
              await visitor.submit(await visitor.get('/reset'), { email: current() })
              return
            }
            case 'the thief presses the links in the mailboxes that were left':
            case 'the thief asks for a new password there': {
              const before = await getUser(scope, user.id)
              const visitor = createVisitor(issuer)
              if (step === 'the thief asks for a new password there') {
                for (const email of left()) {
                  await visitor.submit(await visitor.get('/reset'), { email })
                }
              }
              for (const link of await links('/reset?')) {
                const page = await visitor.get(link)
                if (page.status === 200) await visitor.submit(page, { password: 'of the thief' })
              }
              if (step === 'the thief asks for a new password there') return settle(before)
              for (const link of await links('/undo?')) {
                const page = await browser.get(link)
                if (page.status !== 200) continue
                for (const guess of page.html.includes('name="password"') ? earlier : ['']) {
                  await browser.submit(page, guess ? { password: guess } : {})
                }
              }
              return settle(before)
            }
            case 'the operator sets the password': {
              const next = `set in step ${++chosen}`
              const input = { alg: 'plain', hash: next, disabled: false, metadata: {} }
              await updatePassword(scope, user.id, input)
              isRuled = true
              return choose(next)
            }
            case 'the operator sets the address': {
              const email = `${base}@set-${mailboxes.length}.example`
              await issuer.changeUser(user, { email })
              await issuer.changeUser(user, { emailVerified: true })
              mailboxes.push(email)
              isRuled = true
              return
            }
            case 'the operator ends the sessions':
              await endAllSessions(scope, user.id)
              isRuled = true
          }
        }

        await enter('/account')
        for (const step of moves) {
          moveTime(5)
          await act(step)
        }
      }

      await walk([
        'the owner logs in on a new device',
        'the owner changes the password',
        'the owner moves to another mailbox',
        'the thief presses the links in the mailboxes that were left',
        'the thief presses the links in the mailboxes that were left',
      ])
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom<Step>(...steps), { maxLength: 8 }), walk),
        parameters,
      )
      // Without any, the property would hold for nothing.
      expect(disputes).toBeGreaterThan(0)
      expect(issuer.problems).toEqual([])
    }))
})
