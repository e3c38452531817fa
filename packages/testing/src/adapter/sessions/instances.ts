import assert from 'node:assert/strict'
import { setImmediate as nextTick } from 'node:timers/promises'
import { type Case, cookieOf, NO_COMMON_LOGOUT, type Visitor, withCookie } from '../bench.ts'

const USERS = 200

export const instances: readonly Case[] = [
  [
    'two processes on one store serve the same sessions, and a logout in one takes effect in the other',
    async ({ open }) => {
      const one = await open()
      const two = await open({ sessionsOf: one })
      const ada = one.visitor()
      const cookie = `latchkey=${cookieOf(await ada.logIn())}`
      assert.equal((await withCookie(two, '/', cookie)).text, 'in as ada')
      await ada.post('/logout')
      assert.equal((await withCookie(two, '/', cookie)).text, 'out')
    },
    NO_COMMON_LOGOUT,
  ],
  [
    'a login that begins in one process ends in another',
    async ({ open }) => {
      const one = await open()
      const two = await open({ sessionsOf: one })
      const begun = await one.visitor().open('/login?returnTo=/plain')
      const pairs = (begun.headers['set-cookie'] as unknown as string[]).map(
        (line) => line.split(';')[0],
      )
      const answer = await withCookie(two, await one.authorize(begun), pairs.join('; '))
      const cookie = `latchkey=${cookieOf(answer)}`
      assert.equal((await withCookie(one, '/', cookie)).text, 'in as ada')
    },
  ],
  [
    'two applications in one process share nothing',
    async ({ open }) => {
      const one = await open()
      const two = await open({
        options: {
          session: {
            secret: 'the secret of the second application',
            cookie: { name: 'second' },
          },
          routes: { login: '/second/login' },
        },
      })
      const ada = await one.user()
      assert.equal((await ada.open('/')).text, 'in as ada')
      const other = two.visitor()
      assert.equal((await other.open('/')).text, 'out')
      const session = cookieOf(await other.logIn('/second/login'), 'second')
      assert.equal((await withCookie(two, '/', `second=${session}`)).text, 'in as ada')
      assert.equal((await withCookie(one, '/', `second=${session}`)).text, 'out')
      assert.equal((await withCookie(one, '/', `latchkey=${session}`)).text, 'out')
    },
  ],
  [
    `of ${USERS} users at the same time over two processes each one sees themselves`,
    async ({ open, provider }) => {
      const setup = {
        routes: [
          {
            method: 'get' as const,
            path: '/me',
            requirement: {},
            async handle({
              auth,
              user,
            }: Parameters<import('../application.ts').TestRoute['handle']>[0]) {
              const before = user().sub
              await nextTick()
              return { body: `${before} ${auth.user?.sub}` }
            },
          },
        ],
      }
      const one = await open(setup)
      const two = await open({ ...setup, sessionsOf: one })
      const begun = await Promise.all(
        Array.from({ length: USERS }, async (_, n) => {
          const visitor = one.visitor()
          return { name: `user-${n}`, visitor, answer: await visitor.open('/login') }
        }),
      )
      const logins: { name: string; visitor: Visitor; path: string }[] = []
      for (const { name, visitor, answer } of begun) {
        // The provider logs in the user that was set last.
        provider.user = { sub: name }
        logins.push({ name, visitor, path: await one.authorize(answer) })
      }
      const seen = await Promise.all(
        logins.map(async ({ name, visitor, path }) => {
          const cookie = `latchkey=${cookieOf(await visitor.open(path))}`
          const answers = await Promise.all([
            visitor.open('/me'),
            withCookie(two, '/me', cookie),
            withCookie(two, '/', cookie),
          ])
          const expected = [`${name} ${name}`, `${name} ${name}`, `in as ${name}`]
          return expected.every((text, at) => answers[at]?.text === text)
        }),
      )
      assert.equal(seen.filter(Boolean).length, USERS)
    },
  ],
]
