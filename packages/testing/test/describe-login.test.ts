import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import {
  type CreateLoginApp,
  type DescribeLoginOptions,
  describeLogin,
  type LoginAppOptions,
} from '@latchkey/testing/login'
import express, { type Express } from 'express'
import request from 'supertest'
import { afterAll, describe, expect, it, test, vi } from 'vitest'
import { limit } from '../../../test/support/limits.ts'
import { toTestable } from '../src/app.ts'
import { pageSeconds, patienceSeconds } from '../src/login/patience.ts'
import { createNaiveApp } from './support/naive-login.ts'

function createApp(options: LoginAppOptions): Express {
  const app = express()
  app.use(createAuthRouter(options))
  app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).email}`))
  return app
}

// With the limit of Vitest, which grows with the load of the machine.
describeLogin(createApp, {}, { describe, it: (name, body) => it(name, body), afterAll })

/** A test that runs all cases, one after the other. */
const testOfAll = (name: string, body: () => Promise<void>): void => test(name, body, limit(600))

/**
 * Runs all cases, or those of one group. Resolves to the names of those that pass and that fail,
 * with their messages, and to the table.
 */
async function runAll(
  create: CreateLoginApp,
  options: DescribeLoginOptions = {},
  onlyGroup?: string,
) {
  const cases: [string, () => Promise<void>][] = []
  const afters: (() => Promise<void>)[] = []
  describeLogin(create, options, {
    describe: (name, body) => {
      if (onlyGroup === undefined || ['The login', onlyGroup].includes(name)) body()
    },
    it: (name, body) => cases.push([name, body]),
    after: (body) => afters.push(body),
  })
  const held: string[] = []
  const failed: string[] = []
  const messages = new Set<string>()
  for (const [name, body] of cases) {
    try {
      await body()
      held.push(name)
    } catch (error) {
      failed.push(name)
      messages.add((error as Error).message)
    }
  }
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    for (const body of afters) await body()
    return { held, failed, messages: [...messages], table: String(write.mock.lastCall?.[0]) }
  } finally {
    write.mockRestore()
  }
}

testOfAll(
  'an application without a guard fails all of guarding, and the message says what to do',
  async () => {
    const { held, messages, table } = await runAll((options) => {
      const app = express()
      app.use(createAuthRouter(options))
      app.get('/account', (_req, res) => void res.send('the list of members'))
      return app
    })
    expect(table).toMatch(/guards +0 of 7 +✗/)
    expect(messages).toContain(
      'GET /account answers 200 to a visitor who is not logged in, so it cannot show who is. Put ' +
        'requireUser() in front of it, or pass another page as "guardedPath".',
    )
    expect(held).not.toContain('an ID token that has expired logs no user in')
  },
)

testOfAll('an application fails the cases of what it does wrong, and no other', async () => {
  const log = vi.spyOn(console, 'info').mockReturnValue()
  const { failed } = await runAll((options) => {
    const app = express()
    app.use(createAuthRouter(options))
    const guard = requireUser()
    // By the text of the path, so that /account/ and HEAD pass.
    app.use((req, res, next) =>
      req.method === 'GET' && req.url === '/account' ? guard(req, res, next) : next(),
    )
    app.get('/account', async (req, res) => {
      // biome-ignore lint/suspicious/noConsole: it is a fault of this application
      if (req.auth.isAuthenticated) console.info('the token is', await req.auth.accessToken())
      res.send('the list of members')
    })
    app.use((req, res) => void res.status(404).send(`No ${decodeURIComponent(req.url)} here`))
    return app
  })
  log.mockRestore()
  expect(failed).toEqual([
    'the guarded page is refused to visitors with HEAD, too',
    'the guarded page is not shown with other methods or other spellings of its path',
    'no log line has a token or the client secret',
    'no page repeats markup of its address or of the provider’s errors',
  ])
})

testOfAll('a hand-written login passes the cases that its author thought of', async () => {
  const log = vi.spyOn(console, 'info').mockReturnValue()
  const { held } = await runAll(createNaiveApp, { backchannelLogoutPath: false })
  log.mockRestore()
  expect(held).toEqual([
    'a made-up code logs no user in',
    'a login that the provider refuses logs no user in',
    'an answer without an ID token logs no user in',
    'a token endpoint that is down logs no user in, and the visitor hears of it in time',
    'a token endpoint that is silent logs no user in, and the visitor hears of it in time',
    'a token endpoint that is endlessly slow logs no user in, and the visitor hears of it in time',
    'a token endpoint that is answering with a web page logs no user in, and the visitor hears of it in time',
    'a token endpoint that is sending without end logs no user in, and the visitor hears of it in time',
    'keys that the provider has changed are fetched automatically',
    'while the provider is down users stay logged in',
    'a place to return to with control characters does not lead to another site',
    'a session cookie with a changed value is no session',
    'the guarded page is refused to visitors, as a page and to scripts',
    'the guarded page is refused to visitors with HEAD, too',
    'the guarded page is not shown with other methods or other spellings of its path',
    'a write of another site is not made in the name of the user',
    'a page of another site cannot read the guarded page',
    'a hostile Host header, forwarded or not, changes no address of a login',
    'no page, address, header or cookie shows a token or the client secret',
    'a logout ends the session, also for a copy of its cookie',
    'a logout ends the session while the provider is down',
    'a logout leads to no other site than the provider',
  ])
})

testOfAll(
  'attacks that could not be tried do not count as passed, and the table says why',
  async () => {
    const { table } = await runAll(createApp)

    expect(table).toMatch(/guards +6 of 7, 1 not tried\n/)
    expect(table).toContain(
      'not tried of guards: a write of another site is not made in the name of the user (POST /account of this very site is answered 404, too)',
    )
  },
)

testOfAll(
  'places to return to are tried where the login leads elsewhere on the site first',
  async () => {
    const { failed } = await runAll(
      (options) => {
        const app = express()
        app.get('/start', (req, res) =>
          res.redirect(`/open?to=${encodeURIComponent(String(req.query.returnTo))}`),
        )
        app.get('/open', (req, res) => res.redirect(String(req.query.to)))
        app.use(createAuthRouter(options))
        app.get('/account', requireUser(), (req, res) => void res.send(getUser(req).email))
        return app
      },
      { loginPath: '/start' },
    )

    expect(failed).toContain(
      'a place to return to with an absolute address does not lead to another site',
    )
  },
)

/** An application whose users are those of a list. */
function createClosedApp(emails: readonly string[]): CreateLoginApp {
  return (options) => {
    const app = express()
    app.use(createAuthRouter(options))
    app.get('/account', requireUser(), (req, res) => {
      const { email } = getUser(req)
      res.status(emails.includes(String(email)) ? 200 : 403).send(`Hello ${email}`)
    })
    return app
  }
}

const SECOND = 'a second user of a browser sees nothing of the first'

test('the second user is one of the application, as the options say', async () => {
  const user = { sub: 'u1', email: 'joan@acme.example' }
  const secondUser = { sub: 'u2', email: 'kim@acme.example' }
  const create = createClosedApp([user.email, secondUser.email])
  for (const group of ['logins', 'logout notices']) {
    expect(await runAll(create, { user, secondUser }, group)).toMatchObject({ failed: [] })
  }
  const { failed } = await runAll(create, { user }, 'logins')
  expect(failed).toEqual([SECOND])
})

test('the second user is derived from the first one, at the same domain', async () => {
  const seen = new Set<unknown>()
  const user = { sub: 'bob', email: 'bob@acme.example', roles: ['member'] }
  const { failed } = await runAll(
    (options) => {
      const app = express()
      app.use(createAuthRouter(options))
      app.get('/account', requireUser(), (req, res) => {
        const { sub, email, roles } = getUser(req)
        seen.add(`${sub} ${email} ${roles}`)
        res.send(`Hello ${email}`)
      })
      return app
    },
    { user },
    'logins',
  )
  expect(failed).toEqual([])
  expect([...seen]).toEqual([
    'bob bob@acme.example member',
    expect.stringMatching(/^second-[0-9a-f]{16} bob\.second@acme\.example member$/),
  ])
})

test('an application whose provider tells no addresses shows the second user as another one', async () => {
  const create = (options: AuthOptions) => {
    const app = express()
    app.use(createAuthRouter(options))
    app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).sub}`))
    return app
  }
  const user = { sub: 'bob', email: undefined }
  expect(await runAll(create, { user }, 'logins')).toMatchObject({ failed: [] })
})

test('a second user that cannot be told from the first is refused', () => {
  const runner = { describe, it, afterAll }
  for (const secondUser of [{ sub: 'ada' }, { email: 'ada@example.com' }]) {
    expect(() => describeLogin(createApp, { secondUser }, runner)).toThrow(
      '"secondUser" must have another "sub" and another "email" than the first user',
    )
  }
})

test('the application waits for the provider longer while the machine is busy', async () => {
  expect(patienceSeconds(0, 2)).toBe(1)
  expect(patienceSeconds(2.5, 4)).toBe(1)
  expect(patienceSeconds(15, 2)).toBe(8)
  expect(patienceSeconds(10_000, 1)).toBe(30)
})

test('the browser waits for a page much longer than the application waits for the provider', () => {
  expect(pageSeconds(0, 2)).toBe(20)
  for (const load of [0, 4, 20, 10_000]) {
    expect(pageSeconds(load, 2)).toBeGreaterThanOrEqual(4 * patienceSeconds(load, 2))
  }
})

test('a failure of an application without node:http shows no message in its answer', async () => {
  const log: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    log.push(String(text))
    return true
  })
  const fails = (_request: Request): Response => {
    throw new Error('the password of the database is swordfish')
  }
  const answer = await request(await toTestable(fails)).get('/')
  write.mockRestore()
  expect([answer.status, answer.text]).toEqual([500, 'The application failed; see its log.'])
  expect(log.join('')).toContain('swordfish')
})

test('logout notices are about the user of the options, whatever their id', async () => {
  for (const sub of ['usr_1', 'bob']) {
    const { failed, table } = await runAll(createApp, { user: { sub } }, 'logout notices')
    expect(failed).toEqual([])
    expect(table).toMatch(/logout notices +3 of 3\n/)
  }
})

test('an application that obeys forged logout notices fails their case for every user', async () => {
  const { failed } = await runAll(
    (options) => {
      const ended = new Set<unknown>()
      const app = express()
      // Refuses each notice, but has logged its user out by then.
      app.post('/backchannel-logout', express.urlencoded(), (req, res) => {
        const [, claims = ''] = String(req.body.logout_token).split('.')
        try {
          ended.add(JSON.parse(Buffer.from(claims, 'base64url').toString()).sub)
        } catch {}
        res.sendStatus(400)
      })
      app.use(createAuthRouter(options))
      app.get('/account', requireUser(), (req, res) => {
        const { sub, email } = getUser(req)
        res.status(ended.has(sub) ? 401 : 200).send(`Hello ${email}`)
      })
      return app
    },
    { user: { sub: 'usr_1' } },
    'logout notices',
  )
  expect(failed).toContain('a forged logout notice ends nothing')
})
