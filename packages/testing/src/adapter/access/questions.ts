import assert from 'node:assert/strict'
import type { UserRequirement } from '@latchkey/core'
import type { TestRoute } from '../application.ts'
import { assertPrivate, type Case, NO_STORE } from '../bench.ts'

/**
 * Makes a route that answers with the result of `auth.has()`, or with the code and message of its
 * error.
 */
const asking = (path: string, asked: UserRequirement): TestRoute => ({
  method: 'get',
  path,
  handle: async ({ auth }) => {
    try {
      return { body: String(auth.has(asked)) }
    } catch (error) {
      const { code, message } = error as Error & { code?: string }
      return { body: `${code}: ${message}` }
    }
  },
})

const ADMIN: UserRequirement = { roles: ['admin', 'owner'] }

export const questions: readonly Case[] = [
  [
    'auth.has() returns the decision of a guard with the same roles, claims and check',
    async ({ open, provider }) => {
      provider.user = { sub: 'ada', roles: ['admin'], org: 'acme' }
      const site = await open({
        routes: [
          asking('/nothing', {}),
          asking('/any', ADMIN),
          asking('/all', { roles: { all: ['admin', 'owner'] } }),
          asking('/claims', { claims: { org: (value) => value === 'acme', sub: 'ada' } }),
          asking('/other', { claims: { org: 'other' } }),
          asking('/check', { check: ({ sub }) => sub === 'ada' }),
          asking('/truthy', { check: (() => 'yes') as unknown as () => boolean }),
        ],
      })
      const ada = await site.user()
      const answers: Record<string, string> = {}
      for (const path of ['/nothing', '/any', '/all', '/claims', '/other', '/check', '/truthy']) {
        answers[path] = (await ada.open(path)).text
      }
      assert.deepEqual(answers, {
        '/nothing': 'true',
        '/any': 'true',
        '/all': 'false',
        '/claims': 'true',
        '/other': 'false',
        '/check': 'true',
        '/truthy': 'false',
      })
    },
  ],
  [
    'auth.has() answers false to a visitor who is not logged in, and calls no check',
    async ({ open }) => {
      const failing = (): boolean => assert.fail('there is no user to check')
      const site = await open({
        routes: [asking('/nothing', {}), asking('/admin', { ...ADMIN, check: failing })],
      })
      const visitor = site.visitor()
      assert.equal((await visitor.open('/nothing')).text, 'false')
      assert.equal((await visitor.open('/admin')).text, 'false')
    },
  ],
  [
    'no cache may keep a page that asked auth.has()',
    async ({ open }) => {
      const site = await open({ routes: [asking('/admin', ADMIN)] })
      assertPrivate(await site.visitor().open('/admin'))
      assertPrivate(await (await site.user()).open('/admin'))
    },
  ],
  [
    'auth.has() refuses a name that it does not know, whether or not a user is logged in',
    async ({ open }) => {
      const misspelt = { role: ['admin'] } as unknown as UserRequirement
      const site = await open({ routes: [asking('/admin', misspelt)] })
      const said = /^LATCHKEY_CONFIG_INVALID: .*"role" is not an option\. It is "roles" here\./s
      assert.match((await site.visitor().open('/admin')).text, said)
      assert.match((await (await site.user()).open('/admin')).text, said)
    },
  ],
  [
    'auth.has() refuses a check that returns a promise, which would count as true',
    async ({ open }) => {
      const check = (async () => {
        throw new Error('never awaited')
      }) as unknown as () => boolean
      const site = await open({ routes: [asking('/later', { check })] })
      const { text } = await (await site.user()).open('/later')
      assert.match(text, /^LATCHKEY_CONFIG_INVALID: .*"check" must answer at once/s)
    },
  ],
  [
    'auth.has() fails while the store does not answer, and does not take the user for a visitor',
    async ({ open }) => {
      const site = await open({ routes: [asking('/admin', ADMIN)] })
      const ada = await site.user()
      site.store.isDown = true
      assert.match((await ada.open('/admin')).text, /^LATCHKEY_SESSION_UNAVAILABLE/)
    },
    NO_STORE,
  ],
]
