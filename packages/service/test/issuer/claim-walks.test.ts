import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connectAccount } from '../../src/domain/factors/social.ts'
import type { User } from '../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { logIn } from './support/client.ts'
import { addApp, addMail, allFactors, codeOf, hasCode, mailedCode } from './support/factors.ts'
import { allStoreKinds } from './support/issuer.ts'
import { createVirtualKey, giveKey, optionsOn, type VirtualKey } from './support/keys.ts'
import { giveRogueKey } from './support/rogue-keys.ts'
import { answerOf, startWithProvider } from './support/social.ts'
import { ada } from './support/token-endpoint.ts'
import { freeLimits, walkAtIssuers } from './support/walks.ts'

const ofTheStranger = 'of the stranger who came first'

/** The steps of a stranger who has made an account with the address of another person. */
const strangerMoves = [
  'log in',
  'open the login form',
  'enter the address of the owner at a provider',
  'connect an account at a provider',
  'ask for a link',
  'add a passkey',
  'add a passkey as a second step',
  'add an authenticator app',
  'add codes by mail',
  'open the form of a new passkey',
] as const

/** The ways in which the owner proves the address. */
const claims = [
  'a new password',
  'a provider and a code',
  'the link that confirms the address',
  'a mailed code where passwords are off',
  'the links in messages about changes, and a new password',
] as const

const HOUR = 3_600_000

describe.each(allStoreKinds)('on %s', (store) => {
  test(
    'after the owner of an address has claimed the account, no stranger reaches a token, and the owner does',
    () =>
      walkAtIssuers(10, async (parameters) => {
        const settings = { allowUnverified: true, allowHardware: true, ...allFactors }
        await using world = await startWithProvider({ store, settings, ...freeLimits })
        const { issuer, provider, connection, app } = world
        let round = 0

        async function byProvider(sub: string, email: string, browser?: Browser) {
          provider.user = { sub, email }
          const opened = await world.open(browser)
          return { ...opened, page: await world.logInBy(opened.browser, opened.form) }
        }

        /** Everything in the stranger's hands that a further step may turn into a token. */
        async function wander(user: User, moves: readonly (typeof strangerMoves)[number][]) {
          const sessions: Browser[] = []
          const forms: { browser: Browser; form: Page }[] = []
          const answers: { browser: Browser; answer: string }[] = []
          const keys: VirtualKey[] = []
          const additions: { browser: Browser; form: Page; key: VirtualKey; credential: string }[] =
            []
          const seeds: string[] = []
          const { email } = user
          for (const move of moves) {
            switch (move) {
              case 'log in':
                sessions.push(
                  (await logIn(issuer, app, { email, password: ofTheStranger })).browser,
                )
                break
              case 'open the login form':
                forms.push(await world.open())
                break
              case 'enter the address of the owner at a provider': {
                const { browser, form } = await world.open()
                provider.user = { sub: `stranger-${round}`, email }
                const sent = await browser.submit(form, { connection: connection.id })
                answers.push({ browser, answer: await answerOf(sent) })
                break
              }
              case 'connect an account at a provider':
                await connectAccount(issuer.scope, user, {
                  ...{ connectionId: connection.id, issuer: provider.issuer },
                  ...{ subject: `stranger-${round}`, email: '' },
                })
                break
              case 'ask for a link': {
                const browser = createBrowser(issuer)
                await browser.submit(await browser.get('/reset'), { email })
                break
              }
              case 'add a passkey':
              case 'add a passkey as a second step': {
                const key = createVirtualKey()
                const isRogue = move === 'add a passkey as a second step'
                await (isRogue ? giveRogueKey : giveKey)(issuer, user, key)
                keys.push(key)
                break
              }
              case 'add an authenticator app':
                seeds.push((await addApp(issuer, user)).seed)
                break
              case 'add codes by mail':
                await addMail(issuer, user)
                break
              case 'open the form of a new passkey': {
                const { browser } = await logIn(issuer, app, { email, password: ofTheStranger })
                const form = await browser.get('/account/security/add?kind=hardware')
                // A stranger with second steps is asked for them first.
                if (!form.html.includes('value="passkey"')) break
                const key = createVirtualKey()
                const credential = key.create(optionsOn(form, 'passkey'), issuer.url)
                additions.push({ browser, form, key, credential })
              }
            }
          }
          return async function attack() {
            const pages = [
              (await logIn(issuer, app, { email, password: ofTheStranger })).callback,
              (await byProvider(`stranger-${round}`, email)).page,
            ]
            for (const browser of sessions) {
              pages.push(await browser.get((await app.begin({ prompt: 'none' })).url))
            }
            for (const { browser, form } of forms) {
              pages.push(await browser.submit(form, { email, password: ofTheStranger }))
            }
            for (const { browser, answer } of answers) pages.push(await browser.get(answer))
            for (const { browser, form, key, credential } of additions) {
              await browser.submit(form, { credential, use: 'passkey', name: '' })
              keys.push(key)
            }
            for (const key of keys) {
              const { browser, form } = await world.open()
              pages.push(
                await browser.submit(form, { credential: key.get(optionsOn(form), issuer.url) }),
              )
            }
            for (const seed of seeds) {
              const login = await logIn(issuer, app, { email, password: ofTheStranger })
              if (!login.callback.html.includes('name="code"')) continue
              pages.push(await login.browser.submit(login.callback, { code: codeOf(seed) }))
            }
            return pages.filter(hasCode).length
          }
        }

        async function claim(email: string, way: (typeof claims)[number]): Promise<void> {
          const owner = createBrowser(issuer)
          const mailed = async (path: string) =>
            (await issuer.mails()).flatMap(({ to, link }) =>
              to === email && link?.includes(path) ? [link] : [],
            )
          switch (way) {
            case 'a provider and a code': {
              const { browser, page } = await byProvider(`owner-${round}`, email)
              if (!page.html.includes('value="send"')) break
              const sent = await browser.submit(page, { step: 'send' })
              const done = await browser.submit(sent, { code: await mailedCode(issuer) })
              expect(hasCode(done)).toBe(true)
              return
            }
            case 'the link that confirms the address': {
              await issuer.changeSettings({ allowUnverified: false })
              await logIn(issuer, app, { email, password: ofTheStranger })
              await issuer.changeSettings({ allowUnverified: true })
              // A stranger with second steps is asked for them first.
              const [link] = await mailed('/verify?')
              if (!link) break
              await owner.submit(await owner.get(link), { password: ada.password })
              return
            }
            case 'a mailed code where passwords are off':
              await issuer.changeSettings({ allowPasswords: false })
              expect(await logsInByCode(email)).toBe(true)
              await issuer.changeSettings({ allowPasswords: true })
              break
            case 'the links in messages about changes, and a new password':
              for (const link of (await mailed('/undo?')).toReversed()) {
                const page = await owner.get(link)
                if (page.status === 200) await owner.submit(page)
              }
          }
          await owner.submit(await owner.get('/reset'), { email })
          await owner.submit(await owner.get(await issuer.lastLink()), { password: ada.password })
        }

        async function logsInByCode(email: string): Promise<boolean> {
          const { browser, form } = await world.open()
          const sent = await browser.submit(form, { email })
          return hasCode(await browser.submit(sent, { code: await mailedCode(issuer) }))
        }

        async function reaches(email: string): Promise<boolean> {
          const login = await logIn(issuer, app, { email, password: ada.password })
          // The owner is asked for nothing that the stranger has added.
          return (
            hasCode(login.callback) || hasCode((await byProvider(`owner-${round}`, email)).page)
          )
        }

        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.constantFrom(...strangerMoves), { maxLength: 6 }),
            fc.constantFrom(...claims),
            async (moves, way) => {
              round++
              const email = `owner-${round}@example.com`
              const account = { email, password: ofTheStranger, emailVerified: false }
              const user = await issuer.addUser(account)
              expect(
                hasCode((await logIn(issuer, app, { email, password: ofTheStranger })).callback),
              ).toBe(true)
              const attack = await wander(user, moves)
              await claim(email, way)
              expect(await attack()).toBe(0)
              expect(await reaches(email)).toBe(true)
            },
          ),
          parameters,
        )
        expect(issuer.problems).toEqual([])
      }),
    4 * HOUR,
  )
})
