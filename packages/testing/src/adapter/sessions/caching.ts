import assert from 'node:assert/strict'
import type { TestAnswer, TestRequest } from '../application.ts'
import { assertPrivate, type Case, cookieOf, cookiesOf } from '../bench.ts'

const page =
  (headers: TestAnswer['headers'] = []) =>
  async ({ auth }: TestRequest): Promise<TestAnswer> => ({
    headers,
    body: auth.isAuthenticated ? 'in' : 'out',
  })

const get = 'get' as const

export const caching: readonly Case[] = [
  [
    'no cache may store a response of the kit’s routes',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      for (const path of ['/login', '/callback', '/logout', '/session']) {
        assertPrivate(await ada.open(path))
      }
    },
  ],
  [
    'no cache may keep the answer that sets the session cookie',
    async ({ open }) => {
      const site = await open()
      const answer = await site.visitor().logIn()
      assert.ok(cookieOf(answer))
      assertPrivate(answer)
    },
  ],
  [
    'no cache may store a page that read the session, of a visitor or of a user',
    async ({ open }) => {
      const site = await open({ routes: [{ method: get, path: '/page', handle: page() }] })
      assertPrivate(await site.visitor().open('/page'))
      assertPrivate(await (await site.user()).open('/page'))
    },
  ],
  [
    'no cache may keep a page that looked at the application’s own data',
    async ({ open }) => {
      const handle = async ({ data }: TestRequest): Promise<TestAnswer> => ({
        body: JSON.stringify(await data.get()),
      })
      const site = await open({ routes: [{ method: get, path: '/data', handle }] })
      assertPrivate(await (await site.user()).open('/data'))
    },
  ],
  [
    'no cache may keep a guarded page, although its handler never looks at the user',
    async ({ open }) => {
      const site = await open({
        routes: [
          { method: get, path: '/blind', requirement: {}, handle: async () => ({ body: 'blind' }) },
        ],
      })
      assertPrivate(await (await site.user()).open('/blind'))
    },
  ],
  [
    'a page that does not look at the session may be cached, for users too',
    async ({ open }) => {
      const site = await open({
        routes: [
          {
            method: get,
            path: '/news',
            handle: async () => ({
              headers: [['cache-control', 'public, max-age=60']],
              body: 'news',
            }),
          },
        ],
      })
      const ada = await site.user()
      const answer = await ada.open('/news')
      assert.equal(answer.headers['cache-control'], 'public, max-age=60')
      assert.deepEqual(cookiesOf(answer), [])
      assert.equal((await ada.open('/plain')).headers['cache-control'], undefined)
    },
  ],
  [
    'an application’s own "public, max-age" loses where the session was looked at',
    async ({ open }) => {
      const headers = [['cache-control', 'public, max-age=3600']] as const
      const site = await open({
        routes: [
          { method: get, path: '/page', handle: page(headers) },
          { method: get, path: '/guarded', requirement: {}, handle: page(headers) },
        ],
      })
      const ada = await site.user()
      assertPrivate(await ada.open('/page'))
      assertPrivate(await ada.open('/guarded'))
    },
  ],
  [
    'an application’s own Vary is kept beside that of the kit',
    async ({ open }) => {
      const headers = [['vary', 'Accept-Language']] as const
      const site = await open({
        routes: [{ method: get, path: '/page', requirement: {}, handle: page(headers) }],
      })
      const answer = await (await site.user()).open('/page')
      assert.match(answer.headers.vary as string, /accept-language/i)
      assertPrivate(answer)
    },
  ],
  [
    'the cookies that an application sets are kept, several of them',
    async ({ open }) => {
      const headers = [
        ['set-cookie', 'theme=dark; Path=/'],
        ['set-cookie', 'font=large; Path=/'],
      ] as const
      const site = await open({
        routes: [{ method: get, path: '/page', requirement: {}, handle: page(headers) }],
      })
      const lines = cookiesOf(await (await site.user()).open('/page'))
      assert.ok(lines.some((line) => line.startsWith('theme=dark')))
      assert.ok(lines.some((line) => line.startsWith('font=large')))
    },
  ],
  [
    'the answer of a login sets the session cookie and removes its own, each on a line of its own',
    async ({ open }) => {
      const site = await open()
      const lines = cookiesOf(await site.visitor().logIn())
      assert.equal(lines.length, 2)
      assert.equal(new Set(lines.map((line) => line.split('=')[0])).size, 2)
    },
  ],
  [
    'no cache may keep an error page after the session was looked at',
    async ({ open }) => {
      const handle = async ({ auth }: TestRequest): Promise<TestAnswer> => {
        throw new Error(`no page for ${auth.isAuthenticated}`)
      }
      const site = await open({
        routes: [{ method: get, path: '/broken', handle }],
        onError: () => ({ status: 404, body: 'own error page' }),
      })
      const answer = await (await site.user()).open('/broken')
      assert.equal(answer.text, 'own error page')
      assertPrivate(answer)
    },
  ],
  [
    'no cache may keep the framework’s own error page of a guarded route',
    async ({ open }) => {
      const handle = (): Promise<TestAnswer> => Promise.reject(new Error('broken'))
      const site = await open({
        routes: [{ method: get, path: '/broken', requirement: {}, handle }],
      })
      const answer = await (await site.user()).open('/broken')
      assert.equal(answer.status, 500)
      assertPrivate(answer)
    },
  ],
]
