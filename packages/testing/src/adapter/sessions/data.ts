import assert from 'node:assert/strict'
import type { TestRoute } from '../application.ts'
import type { Case } from '../bench.ts'

const routes: readonly TestRoute[] = [
  {
    method: 'get',
    path: '/data',
    handle: async ({ data }) => ({ body: JSON.stringify(await data.get()) }),
  },
  {
    method: 'get',
    path: '/dark',
    async handle({ data }) {
      await data.set({ theme: 'dark' })
      return { body: 'set' }
    },
  },
  {
    method: 'get',
    path: '/count',
    async handle({ data }) {
      const { count = 0 } = (await data.get()) as { count?: number }
      await data.set({ count: count + 1 })
      return { body: String(count + 1) }
    },
  },
  {
    method: 'get',
    path: '/both',
    async handle({ data }) {
      await Promise.all([data.set({ theme: 'dark' }), data.set({ cart: 'tea' })])
      return { body: JSON.stringify(await data.get()) }
    },
  },
  {
    method: 'get',
    path: '/clear',
    async handle({ data }) {
      await data.clear()
      return { body: 'cleared' }
    },
  },
  {
    method: 'get',
    path: '/forge',
    async handle({ data }) {
      await Promise.resolve(data.set({ latchkey: { sub: 'root' }, login: { sub: 'root' } })).catch(
        () => {},
      )
      return { body: 'forged' }
    },
  },
]

export const data: readonly Case[] = [
  [
    'data that the application stores is there at the next request, beside the login',
    async ({ open }) => {
      const site = await open({ routes })
      const ada = await site.user()
      await ada.open('/count')
      await ada.open('/dark')
      assert.equal((await ada.open('/count')).text, '2')
      assert.deepEqual(JSON.parse((await ada.open('/data')).text), { count: 2, theme: 'dark' })
      assert.equal((await ada.open('/')).text, 'in as ada')
    },
  ],
  [
    'an anonymous visitor has data too, and a login drops it',
    async ({ open }) => {
      const site = await open({ routes })
      const visitor = site.visitor()
      await visitor.open('/count')
      assert.equal((await visitor.open('/count')).text, '2')
      await visitor.logIn()
      assert.deepEqual(JSON.parse((await visitor.open('/data')).text), {})
    },
  ],
  [
    'two changes of data at the same time are both stored, of a visitor and of a user',
    async ({ open }) => {
      const site = await open({ routes })
      for (const one of [site.visitor(), await site.user()]) {
        for (const path of ['/both', '/data']) {
          const shown = JSON.parse((await one.open(path)).text)
          assert.deepEqual(shown, { theme: 'dark', cart: 'tea' })
        }
      }
    },
  ],
  [
    'a login keeps only the anonymous data that the options name',
    async ({ open }) => {
      const site = await open({ routes, options: { session: { keepAnonymousData: ['theme'] } } })
      const visitor = site.visitor()
      await visitor.open('/dark')
      await visitor.open('/count')
      await visitor.logIn()
      assert.deepEqual(JSON.parse((await visitor.open('/data')).text), { theme: 'dark' })
    },
  ],
  [
    'the same user who logs in again keeps the data, another user does not',
    async ({ open, provider }) => {
      const site = await open({ routes })
      const visitor = await site.user()
      await visitor.open('/dark')
      await visitor.logIn()
      assert.deepEqual(JSON.parse((await visitor.open('/data')).text), { theme: 'dark' })
      provider.user = { sub: 'bob' }
      await visitor.logIn()
      assert.deepEqual(JSON.parse((await visitor.open('/data')).text), {})
    },
  ],
  [
    'data that is cleared is gone, and the login stays',
    async ({ open }) => {
      const site = await open({ routes })
      const ada = await site.user()
      await ada.open('/dark')
      await ada.open('/clear')
      assert.deepEqual(JSON.parse((await ada.open('/data')).text), {})
      assert.equal((await ada.open('/')).text, 'in as ada')
    },
  ],
  [
    'an application cannot log a visitor in by what it stores',
    async ({ open }) => {
      const site = await open({ routes })
      const visitor = site.visitor()
      await visitor.open('/forge')
      assert.equal((await visitor.open('/')).text, 'out')
    },
  ],
]
