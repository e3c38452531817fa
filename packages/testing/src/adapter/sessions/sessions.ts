import assert from 'node:assert/strict'
import { type Case, cookieOf, cookiesOf, NO_LIST, withCookie } from '../bench.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'

export const sessions: readonly Case[] = [
  [
    'a session of another client of the same provider does not count, and its user is asked to log in',
    async ({ open }) => {
      const one = await open()
      const two = await open({ sessionsOf: one, options: { clientId: 'another-client' } })
      const cookie = `latchkey=${cookieOf(await one.visitor().logIn())}`
      assert.equal((await withCookie(one, '/', cookie)).text, 'in as ada')
      assert.equal((await withCookie(two, '/', cookie)).text, 'out')
      assert.equal((await withCookie(two, '/private', cookie)).status, 401)
    },
  ],
  [
    'every login has a new session id, and the previous id is not valid',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      const first = cookieOf(await visitor.logIn())
      const second = cookieOf(await visitor.logIn())
      assert.ok(first && second && first !== second)
      assert.equal((await withCookie(site, '/', `latchkey=${first}`)).text, 'out')
      assert.equal((await withCookie(site, '/', `latchkey=${second}`)).text, 'in as ada')
    },
  ],
  [
    'a session id that was planted before the login is not valid after it',
    async ({ open }) => {
      const site = await open()
      const planted = cookieOf(await (await site.user()).logIn())
      const victim = site.visitor()
      victim.agent.jar.setCookie(`latchkey=${planted}`, '127.0.0.1', '/')
      const own = cookieOf(await victim.logIn())
      assert.ok(own && own !== planted)
      assert.equal((await withCookie(site, '/', `latchkey=${planted}`)).text, 'out')
    },
  ],
  [
    'the session cookie is HttpOnly, SameSite=Lax and for the whole site',
    async ({ open }) => {
      const site = await open()
      const lines = cookiesOf(await site.visitor().logIn())
      const line = lines.find((one) => one.startsWith('latchkey=')) ?? ''
      for (const attribute of [/; path=\/(;|$)/i, /; httponly/i, /; samesite=lax/i]) {
        assert.match(line, attribute)
      }
      assert.doesNotMatch(line, /domain=/i)
    },
  ],
  [
    'a session says which browser and system logged in, and a new one calls onNewDevice once',
    async ({ open }) => {
      const devices: unknown[] = []
      const onNewDevice = ({ device }: { device: string | undefined }): undefined => {
        devices.push(device)
      }
      const site = await open({
        options: { hooks: { onNewDevice } },
        routes: [
          {
            method: 'get',
            path: '/device',
            handle: async ({ auth }) => ({ body: String(auth.session?.device) }),
          },
        ],
      })
      const visitor = site.visitor()
      visitor.agent.set('user-agent', FIREFOX)
      await visitor.logIn()
      await visitor.logIn()
      assert.equal((await visitor.open('/device')).text, 'Firefox on Windows')
      assert.deepEqual(devices, ['Firefox on Windows'])
    },
    NO_LIST,
  ],
  [
    'on https the cookies are Secure and have the prefix __Host-',
    async ({ open }) => {
      const site = await open({ options: { baseUrl: 'https://app.example.com' } })
      const lines = cookiesOf(await site.visitor().open('/login'))
      assert.ok(lines.length > 0)
      for (const line of lines) assert.match(line, /^__Host-[^;]+;.*; secure/i)
    },
  ],
  [
    'after a login its transaction cookie is removed',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      await visitor.logIn()
      await visitor.logIn()
      const access = { domain: '127.0.0.1', path: '/', secure: false, script: false }
      const left = visitor.agent.jar.getCookies(access as never)
      assert.deepEqual(
        left.map(({ name }) => name),
        ['latchkey'],
      )
    },
  ],
  [
    'an application can give the session a new id: the old one is not valid, login and data stay',
    async ({ open }) => {
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/promote',
            requirement: {},
            async handle({ auth, data }) {
              await data.set({ before: 1 })
              await auth.renewSession()
              await data.set({ after: 2 })
              return { body: 'promoted' }
            },
          },
          {
            method: 'get',
            path: '/kept',
            handle: async ({ data }) => ({ body: JSON.stringify(await data.get()) }),
          },
        ],
      })
      const visitor = site.visitor()
      const old = `latchkey=${cookieOf(await visitor.logIn())}`
      const answer = await visitor.open('/promote')
      assert.equal(answer.text, 'promoted')
      const fresh = `latchkey=${cookieOf(answer)}`
      assert.notEqual(fresh, old)
      assert.equal((await visitor.open('/')).text, 'in as ada')
      assert.deepEqual(JSON.parse((await visitor.open('/kept')).text), { before: 1, after: 2 })
      assert.equal((await withCookie(site, '/', fresh)).text, 'in as ada')
      assert.equal((await withCookie(site, '/', old)).text, 'out')
    },
  ],
  [
    'data that is set while the session gets a new id is kept, and so is the login',
    async ({ open }) => {
      let turns = 0
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/promote',
            requirement: {},
            async handle({ auth, data }) {
              const renewed = auth.renewSession()
              for (let turn = 0; turn < turns; turn++) await undefined
              await Promise.all([renewed, data.set({ turns })])
              return { body: 'promoted' }
            },
          },
          {
            method: 'get',
            path: '/kept',
            requirement: {},
            handle: async ({ data }) => ({ body: JSON.stringify(await data.get()) }),
          },
        ],
      })
      const visitor = await site.user()
      for (; turns < 20; turns++) {
        assert.equal((await visitor.open('/promote')).text, 'promoted')
        assert.equal((await visitor.open('/kept')).text, JSON.stringify({ turns }))
      }
    },
  ],
  [
    'an id that the kit did not sign is no session',
    async ({ open }) => {
      const site = await open()
      const value = decodeURIComponent(String(cookieOf(await site.visitor().logIn())))
      const dot = value.lastIndexOf('.')
      const [id, signature] = [value.slice(0, dot), value.slice(dot + 1)]
      const others = [`${id.slice(1)}.${signature}`, `.${signature}`, 'j:{}', `S:${value}`]
      const ends = ['.', '.AAAA', `.${signature.slice(1)}`, `.${signature}${signature}`]
      for (const forged of [id, `s:${id}`, ...ends.map((end) => id + end), ...others]) {
        const cookie = `latchkey=${encodeURIComponent(forged)}`
        assert.equal((await withCookie(site, '/', cookie)).text, 'out', forged)
      }
    },
  ],
  [
    'a session of an application with another secret is no session',
    async ({ open }) => {
      const site = await open()
      const other = await open({
        sessionsOf: site,
        options: { session: { secret: 'another secret that protects nothing' } },
      })
      const cookie = cookieOf(await other.visitor().logIn())
      assert.equal((await withCookie(site, '/', `latchkey=${cookie}`)).text, 'out')
    },
  ],
  [
    'a session cookie with a changed signature is no session, also after the genuine one was seen',
    async ({ open }) => {
      const site = await open()
      const cookie = cookieOf(await site.visitor().logIn()) ?? ''
      assert.equal((await withCookie(site, '/', `latchkey=${cookie}`)).text, 'in as ada')
      const changed = cookie.slice(0, -2) + (cookie.at(-2) === 'A' ? 'B' : 'A') + cookie.slice(-1)
      assert.equal((await withCookie(site, '/', `latchkey=${changed}`)).text, 'out')
    },
  ],
  [
    'a secret that was changed still opens the sessions of the one before',
    async ({ open }) => {
      const secrets = [
        'an older secret that protects nothing',
        'a newer secret that protects nothing',
      ]
      const site = await open({ options: { session: { secret: secrets[0] as string } } })
      const later = await open({
        sessionsOf: site,
        options: { session: { secret: secrets.toReversed() } },
      })
      const cookie = cookieOf(await site.visitor().logIn())
      assert.equal((await withCookie(later, '/', `latchkey=${cookie}`)).text, 'in as ada')
    },
  ],
  [
    'anonymous visits set no session cookie and write nothing to the store',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      for (const path of ['/', '/plain', '/nowhere']) {
        assert.deepEqual(cookiesOf(await visitor.open(path)), [], path)
      }
      await visitor.open('/private')
      await visitor.open('/session')
      const writes = site.store.calls.filter((name) =>
        /^(set|replace|update|touch|add)$/.test(name),
      )
      assert.deepEqual(writes, [])
    },
  ],
  [
    'a session ends at its absolute time, however busy it is',
    async ({ open }) => {
      let ahead = 0
      const now = (): number => Math.floor(Date.now() / 1000) + ahead
      const site = await open({
        options: { now, session: { idleSeconds: 600, absoluteSeconds: 1800 } },
      })
      const ada = await site.user()
      // A store may touch after the response, so the next request may come earlier.
      for (ahead = 0; ahead < 1800; ahead += 250) {
        assert.equal((await ada.open('/')).text, 'in as ada', `after ${ahead} s`)
      }
      ahead = 1801
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
  [
    'a session in which another person acts for the user ends with the ID token, however long others last',
    async ({ open, provider }) => {
      let ahead = 0
      const now = (): number => Math.floor(Date.now() / 1000) + ahead
      const site = await open({ options: { now } })
      const { user } = provider
      provider.user = { ...user, act: { sub: 'operator:usr_1' } }
      const eve = await site.user()
      provider.user = user
      const ada = await site.user()
      ahead = 590
      assert.equal((await eve.open('/')).text, 'in as ada')
      ahead = 601
      assert.equal((await eve.open('/')).text, 'out')
      assert.equal((await ada.open('/')).text, 'in as ada')
    },
  ],
  [
    'another user of the same browser gets no data of the previous user',
    async ({ open, provider }) => {
      const site = await open()
      const visitor = await site.user()
      provider.user = { sub: 'bob' }
      await visitor.logIn()
      assert.equal((await visitor.open('/')).text, 'in as bob')
    },
  ],
  [
    'the session that the application sees contains no token',
    async ({ open }) => {
      const site = await open({
        routes: [
          {
            method: 'get',
            path: '/auth',
            handle: async ({ auth }) => ({ body: JSON.stringify(auth) }),
          },
        ],
      })
      const { text } = await (await site.user()).open('/auth')
      assert.match(text, /"sub":"ada"/)
      assert.doesNotMatch(text, /access-|refresh-|eyJ[\w-]*\./)
    },
  ],
]
