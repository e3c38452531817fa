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
async function faultsOf(
  app: object,
  open: readonly string[] = [],
  examples: Record<string, string> = {},
): Promise<string[]> {
  try {
    await assertGuarded(app, { public: open, examples })
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

  test('every route without a guard in front is named, and no route of the kit', async () => {
    const app = createApp()
    app.get('/', answer)
    app.get('/account', requireUser(), answer)
    app.post('/account', answer)
    app.route('/books').get(requireUser(), answer).delete(pass, answer)
    app.get('/late', answer, requireUser())
    app.get(['/one', '/two'], answer)

    expect(await faultsOf(app)).toEqual(
      unguarded('GET /', 'POST /account', 'DELETE /books', 'GET /late', 'GET /one', 'GET /two'),
    )
  })

  test('a guard covers what comes after it, at its path and under it, and nothing else', async () => {
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

    const regex = 'GET /‹/^\\/regex/›'
    expect(await faultsOf(app, [], { [regex]: '/regex/1' })).toEqual(
      unguarded('GET /api/early', 'GET /apis', 'GET /staff', 'POST /form'),
    )
    expect((await faultsOf(app)).at(-1)).toBe(
      `  - ${regex} has a guard that was not tried: no address can be made of this path. Name one in "examples".`,
    )
  })

  test('guards in front of routers, in them and around them are found', async () => {
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

    expect(await faultsOf(app)).toEqual(
      unguarded('GET /v2/shop/books', 'GET /v3/public', 'GET /v4/:tenant/deep/books'),
    )
  })

  test('handlers that are not routes are named: files, other applications, a function at a path', async () => {
    const app = createApp()
    app.use('/api', pass, requireUser(), create.Router().get('/me', answer))
    app.use('/assets', create.static('.'))
    app.use('/admin', create().get('/', answer))
    app.use('/graphql', pass)
    app.use('/secret', requireUser(), create.static('.'))

    expect(await faultsOf(app)).toEqual(unguarded('USE /assets', 'USE /admin', 'USE /graphql'))
    expect(await faultsOf(app, ['/assets', 'USE /admin', '/graphql'])).toEqual([])
  })

  test('public routes are listed, for all methods or for one, and a name of no route is refused', async () => {
    const app = createApp()
    app.get('/', answer)
    app.get('/contact', answer)
    app.post('/contact', answer)

    expect(await faultsOf(app, ['/', 'GET /contact'])).toEqual(unguarded('POST /contact'))
    expect(await faultsOf(app, ['/', '/contact', '/abuot'])).toEqual([
      '  - "/abuot" in "public" or "examples" is no route of the application.',
    ])
  })

  test('a handler that responds before the guard, or skips it, is found by a request', async () => {
    const app = createApp()
    const leak: RequestHandler = (_req, res) => void res.send('leak')
    const maybe: RequestHandler = (req, res, next) => (req.query.no ? next() : leak(req, res, next))
    app.get('/early', maybe, requireUser(), answer)
    app.get('/skipped', (_req, _res, next) => next('route'), requireUser(), answer)
    app.get('/skipped', requireUser(), answer)
    app.get('/passed', (_req, _res, next) => next('route'), requireUser(), answer)
    app.use('/passed', leak)
    app.get(
      '/books/:isbn',
      (req, res, next) => (req.params.isbn === '9' ? next() : leak(req, res, next)),
      requireUser(),
      answer,
    )

    expect(await faultsOf(app, ['USE /passed'], { 'GET /books/:isbn': '/books/9' })).toEqual([
      '  - GET /early has a guard that did not decide: a visitor who asked for GET /early got 200.',
      '  - GET /passed has a guard that did not decide: a visitor who asked for GET /passed got 200.',
    ])
  })

  test('middleware that answers requests without a route is found by a request, also below a path', async () => {
    const app = createApp()
    const page: RequestHandler = (_req, res) => void res.send('a page of its own')
    app.get('/account', requireUser(), answer)
    app.use('/docs', (req, res, next) => (req.path === '/private' ? next() : page(req, res, next)))
    app.get('/docs/private', requireUser(), answer)
    const said = (path: string): string =>
      `  - USE ${path} answers a visitor who asks for a page that is no route.`

    expect(await faultsOf(app)).toEqual([said('/docs')])
    expect(await faultsOf(app, ['USE /docs'])).toEqual([])
    app.use(page)
    expect(await faultsOf(app, ['USE /docs'])).toEqual([said('/')])
    expect(await faultsOf(app, ['USE /docs', 'USE /'])).toEqual([])
  })

  test('an application without a route, as it is before they are added, does not pass', async () => {
    await expect(assertGuarded(create())).rejects.toThrow(/sees no route in this application/)
    await expect(assertGuarded(createApp())).rejects.toThrow(/sees no route in this application/)
  })

  test('the report names what was guarded, what is public, and the middleware that it cannot look into', async () => {
    const app = createApp()
    app.use(function ownPages(_req, _res, next) {
      next()
    })
    app.get('/', answer)
    app.get('/account', requireUser({ roles: ['admin'] }), answer)

    const report = await assertGuarded(app, { public: ['/'] })

    expect(report.guarded).toEqual(['GET /account'])
    expect(report.public).toEqual(['GET /'])
    expect(report.middleware).toEqual(expect.arrayContaining(['jsonParser', 'ownPages']))
  })
})

test('a router whose mount path cannot be seen is guarded by what stands in it or in front of everything', async () => {
  const app = express()
  app.use('/v1', requireUser(), express.Router().get('/books', answer))
  const { router } = app as unknown as { router: { stack: { rawPath?: unknown }[] } }
  // As Express 5 was before 5.3.
  for (const layer of router.stack) delete layer.rawPath

  expect(await faultsOf(app)).toEqual([
    expect.stringMatching(/GET \/‹mount path \d›\/books has no requireUser\(\)/),
  ])
})

test('an application whose routes cannot be seen is refused, and so is an option that is misspelt', async () => {
  await expect(assertGuarded({})).rejects.toThrow(/cannot see the routes of this one/)
  await expect(assertGuarded(() => {})).rejects.toThrow(/cannot see the routes of this one/)
  await expect(assertGuarded(express(), { publik: [] } as never)).rejects.toThrow(
    /Did you mean "public"/,
  )
})
