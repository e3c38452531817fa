import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { AuthOptions } from '@latchkey/core'
import type { TestRoute } from '../application.ts'
import {
  type Case,
  cookieOf,
  cookiesOf,
  locationOf,
  NO_ADOPTION,
  PAGE,
  type Site,
  type Visitor,
} from '../bench.ts'

type AdoptOptions = NonNullable<NonNullable<AuthOptions['session']>['adopt']>

/**
 * The options to adopt an old session, its cookie (`old`), and a list of the cookies that were
 * read. The old session began a minute ago, unless `more` says otherwise.
 */
function adopting(more: Partial<AdoptOptions> = {}): {
  options: AuthOptions
  old: string
  read: string[]
} {
  const read: string[] = []
  const good = randomBytes(16).toString('hex')
  const adopt: AdoptOptions = {
    cookie: 'oldSession',
    read(cookie) {
      read.push(cookie)
      if (cookie !== good) return undefined
      return { user: { sub: 'ada', name: 'Ada' }, startedAt: Math.floor(Date.now() / 1000) - 60 }
    },
    ...more,
  }
  return { options: { session: { adopt } }, old: `oldSession=${good}`, read }
}

/** A browser with the cookie of an old session. */
function withOld(site: Site, cookie: string): Visitor {
  const visitor = site.visitor()
  for (const one of cookie.split('; ')) visitor.agent.jar.setCookie(one, '127.0.0.1', '/')
  return visitor
}

const STEP_UP: TestRoute = {
  method: 'get',
  path: '/recent',
  requirement: { maxAge: 3600 },
  handle: async () => ({ body: 'recent' }),
}

const adopted: readonly Case[] = [
  [
    'a visitor with the session cookie of another kit stays logged in, and that cookie is removed',
    async ({ open }) => {
      const { options, old } = adopting()
      const site = await open({ options })
      const ada = withOld(site, old)
      const first = await ada.open('/private')
      assert.equal(first.text, 'private to ada')
      assert.ok(cookieOf(first), 'there is a session of this kit')
      assert.ok(cookiesOf(first).some((line) => /^oldSession=;.*Max-Age=0/.test(line)))
      const own = cookieOf(first)
      const next = await site
        .request(site.server)
        .get('/private')
        .set(PAGE)
        .set('cookie', `latchkey=${own}`)
      assert.equal(next.text, 'private to ada')
    },
  ],
  [
    'an old cookie in pieces is read as one',
    async ({ open }) => {
      const { options, old, read } = adopting()
      const site = await open({ options })
      const good = old.slice('oldSession='.length)
      const pieces = `oldSession.1=${good.slice(9)}; oldSession.0=${good.slice(0, 9)}`
      const ada = withOld(site, `${pieces}; oldSessions=other`)
      const answer = await ada.open('/private')
      assert.equal(answer.text, 'private to ada')
      assert.deepEqual(read, [good])
      const removed = cookiesOf(answer).filter((line) => line.includes('Max-Age=0'))
      const names = removed.map((line) => line.split('=')[0]).sort()
      assert.equal(names.join(), 'oldSession.0,oldSession.1')
    },
  ],
  [
    'a logout is not undone by an old cookie that is still there',
    async ({ open }) => {
      const { options, old } = adopting()
      const site = await open({ options })
      const ada = withOld(site, old)
      await ada.open('/private')
      await ada.post('/logout')
      const copy = withOld(site, old)
      for (const browser of [ada, copy]) {
        browser.agent.jar.setCookie(old, '127.0.0.1', '/')
        assert.equal((await browser.open('/')).text, 'out')
      }
    },
  ],
  [
    'after a logout from this kit’s session, the old session is not adopted',
    async ({ open }) => {
      const { options, old } = adopting()
      const site = await open({ options })
      const ada = await site.user()
      ada.agent.jar.setCookie(old, '127.0.0.1', '/')
      const answer = await ada.post('/logout')
      assert.ok(cookiesOf(answer).some((line) => line.startsWith('oldSession=;')))
      assert.equal((await withOld(site, old).open('/')).text, 'out')
    },
  ],
  [
    'parallel requests with an old cookie adopt it into one session',
    async ({ open }) => {
      const { options, old } = adopting()
      const site = await open({ options })
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => withOld(site, old).open('/private')),
      )
      assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['private to ada']))
      // With sessions in cookies, only the first response sets one.
      const cookies = answers.flatMap((answer) => cookieOf(answer) ?? [])
      assert.equal(new Set(cookies).size, 1)
    },
  ],
  [
    'an adopted session says so, and does not satisfy a guard that asks for a recent login',
    async ({ open }) => {
      const facts: TestRoute = {
        method: 'get',
        path: '/facts',
        handle: async ({ auth }) => ({ body: JSON.stringify(auth.session) }),
      }
      const { options, old } = adopting()
      const site = await open({ options, routes: [STEP_UP, facts] })
      const ada = withOld(site, old)
      const session = JSON.parse((await ada.open('/facts')).text)
      assert.equal(session.adopted, true)
      assert.deepEqual(
        [session.authTime, session.acr, session.amr],
        [undefined, undefined, undefined],
      )
      const asked = await ada.open('/recent')
      assert.equal(locationOf(asked).searchParams.get('max_age'), '3600')
    },
  ],
  [
    'the absolute time of an adopted session counts from the old login',
    async ({ open }) => {
      let now = 2_000_000_000
      const { options, old } = adopting({
        read: () => ({ user: { sub: 'ada' }, startedAt: 2_000_000_000 - 1000 }),
      })
      const site = await open({
        options: { now: () => now, session: { ...options.session, absoluteSeconds: 1600 } },
      })
      const ada = withOld(site, old)
      assert.equal((await ada.open('/')).text, 'in as ada')
      now += 601
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
  [
    'an old cookie without a session, or that cannot be read, logs no user in',
    async ({ open }) => {
      const { options } = adopting({
        read(cookie) {
          if (cookie === 'broken') throw new Error('no such key')
          if (cookie === 'nameless') return { user: {} as { sub: string } }
          if (cookie === 'foreign') return { user: { sub: 'ada', iss: 'https://other.example' } }
          return undefined
        },
      })
      const site = await open({ options })
      for (const cookie of ['expired', 'broken', 'nameless', 'foreign']) {
        const answer = await withOld(site, `oldSession=${cookie}`).open('/')
        assert.equal(answer.text, 'out', cookie)
        assert.deepEqual(cookiesOf(answer), [], cookie)
      }
    },
  ],
  [
    'for logged-in users, and visitors without the old cookie, the reader of old sessions is not called',
    async ({ open }) => {
      const { options, old, read } = adopting()
      const site = await open({ options })
      assert.equal((await site.visitor().open('/')).text, 'out')
      const ada = await site.user()
      ada.agent.jar.setCookie(old, '127.0.0.1', '/')
      assert.equal((await ada.open('/')).text, 'in as ada')
      assert.deepEqual(read, [])
      assert.equal(site.store.calls.filter((name) => name === 'isConsumed').length, 0)
    },
  ],
  [
    'if two old cookies have the same name, as another host of the site may have set one, neither is adopted',
    async ({ open }) => {
      const { options, old, read } = adopting()
      const site = await open({ options })
      for (const cookie of [
        `${old}; oldSession=planted`,
        `oldSession=planted; ${old}`,
        `${old}; ${old}`,
      ]) {
        const answer = await site
          .request(site.server)
          .get('/private')
          .set(PAGE)
          .set('cookie', cookie)
        assert.equal(answer.status, 302)
      }
      assert.deepEqual(read, [])
    },
  ],
]

export const adoptions: readonly Case[] = adopted.map(([name, run]) => [name, run, NO_ADOPTION])
