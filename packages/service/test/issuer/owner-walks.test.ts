import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { connectAccount } from '../../src/domain/factors/social.ts'
import { findUser } from '../../src/domain/users/users.ts'
import { type Browser, createVisitor, type Page, trustedProxies } from './support/browser.ts'
import { addApp, allFactors, codeOf, hasCode, mailedCode, seedOn } from './support/factors.ts'
import { allStoreKinds, movesTheClock } from './support/issuer.ts'
import { addOn, createVirtualKey, giveKey } from './support/keys.ts'
import { type Person, tryAll } from './support/person.ts'
import { enrolPasskeyOf } from './support/rogue-keys.ts'
import { answerOf, startWithProvider } from './support/social.ts'
import { moveTime } from './support/token-endpoint.ts'
import { freeLimits, walkAtIssuers } from './support/walks.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

/** The steps of an intruder who has come in once. */
const theirs = [
  'the intruder logs in on another device',
  'the intruder changes the password',
  'the intruder changes the address',
  'the intruder makes an account with the address of the owner',
  'the intruder adds a passkey',
  'the intruder adds a second step',
  'the intruder adds an authenticator app',
  'the intruder adds codes by mail',
  'the intruder removes what can be removed',
  'the intruder connects an account',
  'the intruder presses a link in the own mailbox',
  'the intruder asks for a new password',
] as const

/** The steps of the owner, who notices nothing yet. */
const hers = [
  'the owner logs in',
  'the owner changes the password',
  'the owner asks for a new password',
  'the owner takes the newest change back',
] as const

type Move = (typeof theirs)[number] | (typeof hers)[number]

/** Ways of the owner besides the password. */
const extras = ['a passkey', 'an authenticator app', 'an account at a provider'] as const

const PHISHED = 'a phished and long one'

describe.each(allStoreKinds)('on %s', (store) => {
  test('from every state that an intruder can make, the owner regains the account by mail, and the intruder has no access left', () =>
    walkAtIssuers(6, async (parameters) => {
      const settings = {
        ...allFactors,
        allowHardware: true,
        allowUnverified: true,
        rememberDevice: true,
      }
      await using world = await startWithProvider({
        store,
        settings,
        trustedProxies,
        ...freeLimits,
      })
      const { issuer, app, provider, connection } = world
      let round = 0

      const openApp = (browser: Browser) =>
        app.begin({ prompt: 'login' }).then(({ url }) => browser.get(url))
      const openSilently = (browser: Browser) =>
        app.begin({ prompt: 'none' }).then(({ url }) => browser.get(url))
      const links = async (to: string, path: string) =>
        (await issuer.mails()).flatMap((mail) =>
          mail.to === to && mail.link?.includes(path) ? [mail.link] : [],
        )

      async function walk(own: readonly (typeof extras)[number][], moves: readonly Move[]) {
        round++
        const email = `owner-${round}@example.com`
        const moved = `intruder-${round}@example.com`
        const user = await issuer.addUser({ email, password: PHISHED })
        const owner: Person = {
          ...{ browser: createVisitor(issuer), addresses: [email], passwords: [PHISHED] },
          ...{ keys: [], seeds: [], subjects: [] },
        }
        const intruder: Person = {
          ...{ browser: createVisitor(issuer), addresses: [moved], passwords: [PHISHED] },
          ...{ keys: [], seeds: [], subjects: [] },
        }
        const sessions = [intruder.browser]
        const known = [email, moved]
        let chosen = 0
        /** A page of the account that one of the addresses finds, for a person who has just logged in. */
        const enter = async (
          person: Person,
          path: string,
          addresses: readonly string[] = known,
        ): Promise<Page | undefined> => {
          moveTime(5)
          const page = await tryAll(world, person, (browser) => browser.get(path), addresses)
          return page?.status === 200 ? page : undefined
        }

        async function give(extra: (typeof extras)[number]): Promise<void> {
          if (extra === 'a passkey') {
            const key = createVirtualKey()
            await giveKey(issuer, user, key)
            owner.keys.push(key)
          } else if (extra === 'an authenticator app') {
            owner.seeds.push((await addApp(issuer, user)).seed)
          } else {
            owner.subjects.push(`owner-${round}`)
            await connectAccount(issuer.scope, user, {
              ...{ connectionId: connection.id, issuer: provider.issuer },
              ...{ subject: `owner-${round}`, email: '' },
            })
          }
        }

        async function changePassword(person: Person): Promise<void> {
          const page = await enter(person, '/account/password')
          if (!page?.html.includes('name="password"')) return
          const password = `chosen in step ${++chosen}`
          for (const current of page.html.includes('name="current"') ? person.passwords : ['']) {
            const form = { password, ...(current && { current }) }
            const done = await person.browser.submit(page, form)
            if (done.status >= 400) continue
            person.passwords.push(password)
            return
          }
        }

        async function reset(person: Person): Promise<boolean> {
          moveTime(5)
          for (const to of person.addresses) {
            const before = await links(to, '/reset?')
            const browser = createVisitor(issuer)
            await browser.submit(await browser.get('/reset'), { email: to })
            const [link] = await links(to, '/reset?')
            if (!link || before.includes(link)) continue
            const password = `chosen in step ${++chosen}`
            moveTime(1)
            await browser.submit(await browser.get(link), { password })
            person.passwords.push(password)
            return true
          }
          return false
        }

        /** Presses the button of a link, with the proof that it asks for. */
        async function undo(person: Person, link: string): Promise<boolean> {
          moveTime(5)
          const page = await person.browser.get(link)
          if (page.status !== 200) return false
          const tries = page.html.includes('name="password"') ? person.passwords.slice(0, 4) : ['']
          for (const password of tries) {
            const done = await person.browser.submit(page, password ? { password } : {})
            if (done.status === 200) return true
            if (done.status !== 409) continue
            await makeRoom(person)
            return (await person.browser.submit(page, password ? { password } : {})).status === 200
          }
          return false
        }

        /** Gives another address to the account that has the person's by now, as the page says. */
        async function makeRoom(person: Person): Promise<void> {
          const other = { ...person, browser: createVisitor(issuer) }
          const open = () => enter(other, '/account/email', person.addresses)
          const page = (await open()) ?? ((await reset(other)) ? await open() : undefined)
          const spare = { email: `spare-${round}@example.com`, step: 'send' }
          const sent = await other.browser.submit(page as Page, spare)
          await other.browser.submit(sent, { code: await mailedCode(issuer) })
        }

        async function act(move: Move): Promise<void> {
          moveTime(5)
          const { browser } = intruder
          switch (move) {
            case 'the intruder logs in on another device': {
              const other = { ...intruder, browser: createVisitor(issuer) }
              sessions.push(other.browser)
              await tryAll(world, other, openApp, known)
              return
            }
            case 'the intruder changes the password':
              return changePassword(intruder)
            case 'the intruder changes the address': {
              const page = await enter(intruder, '/account/email')
              if (!page?.html.includes('name="email"')) return
              const sent = await browser.submit(page, { email: moved, step: 'send' })
              if (sent.html.includes('name="code"')) {
                await browser.submit(sent, { code: await mailedCode(issuer) })
              }
              return
            }
            case 'the intruder makes an account with the address of the owner':
              if (await findUser(issuer.scope, email)) return
              await issuer.addUser({ email, password: 'of a squatter', emailVerified: false })
              return
            case 'the intruder adds a passkey':
            case 'the intruder adds a second step': {
              const page = await enter(intruder, '/account/security/add?kind=hardware')
              if (!page?.html.includes('data-options')) return
              const key = createVirtualKey()
              if (move === 'the intruder adds a passkey') await addOn(issuer, browser, page, key)
              else await enrolPasskeyOf(issuer, browser, key)
              intruder.keys.push(key)
              return
            }
            case 'the intruder adds an authenticator app': {
              const page = await enter(intruder, '/account/security/add?kind=totp_app')
              if (!page?.html.includes('<code>')) return
              const seed = seedOn(page)
              await browser.submit(page, { code: codeOf(seed) })
              intruder.seeds.push(seed)
              return
            }
            case 'the intruder adds codes by mail': {
              const page = await enter(intruder, '/account/security/add?kind=totp_email')
              if (!page?.html.includes('value="send"')) return
              const sent = await browser.submit(page, { step: 'send' })
              const [mail] = await issuer.mails()
              if (mail?.to === moved) await browser.submit(sent, { code: await mailedCode(issuer) })
              return
            }
            case 'the intruder removes what can be removed': {
              const page = await enter(intruder, '/account/security')
              for (const [, id = ''] of page?.html.matchAll(/name="remove" value="([^"]+)"/g) ??
                []) {
                const here = await enter(intruder, '/account/security')
                if (here?.html.includes(`value="${id}"`)) await browser.submit(here, { remove: id })
              }
              return
            }
            case 'the intruder connects an account': {
              const page = await enter(intruder, '/account/security')
              if (!page?.html.includes('name="connection"')) return
              provider.user = { sub: `intruder-${round}`, email: '' }
              const sent = await browser.submit(page, { connection: connection.id })
              await browser.get(await answerOf(sent))
              intruder.subjects.push(`intruder-${round}`)
              return
            }
            case 'the intruder presses a link in the own mailbox':
              for (const link of await links(moved, '/undo?')) await undo(intruder, link)
              return
            case 'the intruder asks for a new password':
              await reset(intruder)
              return
            case 'the owner logs in':
              await tryAll(world, owner, openApp, known)
              return
            case 'the owner changes the password':
              return changePassword(owner)
            case 'the owner asks for a new password':
              await reset(owner)
              return
            case 'the owner takes the newest change back': {
              const [link] = await links(email, '/undo?')
              if (link) await undo(owner, link)
            }
          }
        }

        moveTime(60)
        expect(hasCode((await tryAll(world, owner, openApp)) as Page)).toBe(true)
        for (const extra of own) await give(extra)
        moveTime(60)
        // Phished with the second step, once.
        const stolen = { ...owner, browser: intruder.browser }
        expect(hasCode((await tryAll(world, stolen, openApp)) as Page)).toBe(true)

        for (const move of moves) await act(move)

        // The owner reads the mail, the oldest first, and needs nobody's help.
        moveTime(60)
        for (const link of (await links(email, '/undo?')).toReversed()) {
          if (await undo(owner, link)) break
        }
        await reset(owner)
        moveTime(60)
        const back = await tryAll(world, owner, openApp)
        expect(back && hasCode(back)).toBe(true)
        expect((await findUser(issuer.scope, email))?.id).toBe(user.id)

        for (const browser of sessions) {
          expect(hasCode(await openSilently(browser))).toBe(false)
          const page = await tryAll(world, { ...intruder, browser }, openApp, known)
          expect(page && hasCode(page)).not.toBe(true)
        }
      }

      const displaced = [
        'the intruder changes the address',
        'the intruder makes an account with the address of the owner',
        'the owner asks for a new password',
      ] as const
      await walk([], displaced)
      await walk([], [...displaced, 'the owner takes the newest change back'])
      await walk([], [...theirs])
      await fc.assert(
        fc.asyncProperty(
          fc.subarray([...extras]),
          fc.array(fc.constantFrom<Move>(...theirs, ...theirs, ...hers), { maxLength: 8 }),
          walk,
        ),
        parameters,
      )
      expect(issuer.problems).toEqual([])
    }))
})
