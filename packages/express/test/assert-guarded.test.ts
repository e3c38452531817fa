/// <reference path="./support/express-4.d.ts" />
import { createAuthRouter, requireUser } from '@latchkey/express'
import { assertGuarded, TestingError } from '@latchkey/testing'
import express, { type Express, type RequestHandler } from 'express'
import express4 from 'express-4'
import { describe, expect, test } from 'vitest'
import { SESSION_SECRET } from './support/app.ts'

const answer: RequestHandler = (_req, res) => void res.send('answer')
const pass: RequestHandler = (_req, _res, next) => next()

/** The lines of the failure without its heading; none when nothing fails. */
function faultsOf(app: object, open: readonly string[] = []): string[] {
  try {
    assertGuarded(app, { public: open })
    return []
  } catch (error) {
    if (error instanceof TestingError) return error.message.split('\n').slice(1)
    throw error
  }
}

const unguarded = (...routes: string[]): string[] =>
  routes.map((route) => `  - ${route} has no requireUser() in front of it.`)

describe.each([
  ['4', express4],
  ['5', express],
])('under Express %s', (version, create) => {
  const wildcard = version === '4' ? '/staff/*' : '/staff/*rest'

  function createApp(): Express {
    const app = create()
    app.use(create.json())
    app.use(
      createAuthRouter({
        issuer: 'https://login.example.com',
        clientId: 'app',
        clientSecret: 'secret',
        baseUrl: 'https://app.example.com',
        session: { secret: SESSION_SECRET },
        logger: false,
      }),
    )
    return app
  }

  test('every route without a guard in front is named, and no route of the kit', () => {
    const app = createApp()
    app.get('/', answer)
    app.get('/account', requireUser(), answer)
    app.post('/account', answer)
    app.route('/books').get(requireUser(), answer).delete(pass, answer)
    app.get('/late', answer, requireUser())
    app.get(['/one', '/two'], answer)

    expect(faultsOf(app)).toEqual(
      unguarded('GET /', 'POST /account', 'DELETE /books', 'GET /late', 'GET /one', 'GET /two'),
    )
  })

  test('a guard covers what comes after it, at its path and under it, and nothing else', () => {
    const app = createApp()
    app.get('/api/early', answer)
    app.use('/api', requireUser())
    app.get('/api', answer)
    app.get('/api/:id', answer)
    app.get('/apis', answer)
    app.all(wildcard, requireUser())
    app.get('/staff/list', answer)
    app.get('/staff', answer)
    app.get('/form', requireUser())
    app.post('/form', answer)
    app.use(requireUser())
    app.get('/after', answer)
    app.get(/^\/regex/, answer)

    expect(faultsOf(app)).toEqual(
      unguarded('GET /api/early', 'GET /apis', 'GET /staff', 'POST /form'),
    )
  })

  test('routers are looked into, with guards in front of them, in them and around them', () => {
    const app = createApp()
    const inner = create.Router()
    inner.get('/books', answer)
    const guarded = create.Router()
    guarded.get('/public', answer)
    guarded.use(requireUser())
    guarded.get('/:id', answer)
    app.use('/v1', requireUser(), inner)
    app.use('/v2/shop', inner)
    app.use('/v3', guarded)
    app.use('/v4/:tenant', create.Router().use('/deep', inner))
    app.use('/v4/:tenant', requireUser(), create.Router().use('/deep/er', inner))

    expect(faultsOf(app)).toEqual(
      unguarded('GET /v2/shop/books', 'GET /v3/public', 'GET /v4/:tenant/deep/books'),
    )
  })

  test('what answers without being a route is named: files, other applications, a function at a path', () => {
    const app = createApp()
    app.use('/api', pass, requireUser(), create.Router().get('/me', answer))
    app.use('/assets', create.static('.'))
    app.use('/admin', create().get('/', answer))
    app.use('/graphql', pass)
    app.use('/secret', requireUser(), create.static('.'))

    expect(faultsOf(app)).toEqual(unguarded('USE /assets', 'USE /admin', 'USE /graphql'))
    expect(faultsOf(app, ['/assets', 'USE /admin', '/graphql'])).toEqual([])
  })

  test('what is public is listed, for all methods or for one, and a name of no route is refused', () => {
    const app = createApp()
    app.get('/', answer)
    app.get('/contact', answer)
    app.post('/contact', answer)

    expect(faultsOf(app, ['/', 'GET /contact'])).toEqual(unguarded('POST /contact'))
    expect(faultsOf(app, ['/', '/contact', '/abuot'])).toEqual([
      '  - "/abuot" in "public" is no route of the application.',
    ])
  })

  test('an application without a route, as it is before they are added, does not pass', () => {
    expect(() => assertGuarded(create())).toThrow(/sees no route in this application/)
    expect(() => assertGuarded(createApp())).toThrow(/sees no route in this application/)
  })

  test('the report names what was guarded, what is public, and the middleware that it cannot look into', () => {
    const app = createApp()
    app.use(function ownPages(_req, _res, next) {
      next()
    })
    app.get('/', answer)
    app.get('/account', requireUser({ roles: ['admin'] }), answer)

    const report = assertGuarded(app, { public: ['/'] })

    expect(report.guarded).toEqual(['GET /account'])
    expect(report.public).toEqual(['GET /'])
    expect(report.middleware).toEqual(expect.arrayContaining(['jsonParser', 'ownPages']))
  })
})

test('a router whose mount path cannot be seen is guarded by what stands in it or in front of everything', () => {
  const app = express()
  app.use('/v1', requireUser(), express.Router().get('/books', answer))
  const { router } = app as unknown as { router: { stack: { rawPath?: unknown }[] } }
  // As Express 5 was before 5.3.
  for (const layer of router.stack) delete layer.rawPath

  expect(faultsOf(app)).toEqual([
    expect.stringMatching(/GET \/‹mount path \d›\/books has no requireUser\(\)/),
  ])
})

test('an application whose routes cannot be seen is refused, and so is an option that is misspelt', () => {
  expect(() => assertGuarded({})).toThrow(/cannot see the routes of this one/)
  expect(() => assertGuarded(() => {})).toThrow(/cannot see the routes of this one/)
  expect(() => assertGuarded(express(), { publik: [] } as never)).toThrow(/Did you mean "public"/)
})
