import { createAuth, requireUser } from '@latchkey/hono'
import { assertGuarded } from '@latchkey/testing'
import { type Context, Hono } from 'hono'
import { expect, test } from 'vitest'

const answer = (c: Context): Response => c.text('answer')

function createApp(): Hono {
  const app = new Hono()
  app.use(
    createAuth({
      issuer: 'https://login.example.com',
      clientId: 'app',
      clientSecret: 'secret',
      baseUrl: 'https://app.example.com',
      session: { secret: 'a secret of tests that protects nothing' },
      logger: false,
    }) as never,
  )
  return app
}

test('under Hono every route without a guard in front is named, also of applications that are mounted', async () => {
  const app = createApp()
  const inner = new Hono().get('/books', answer)
  const guarded = new Hono().use(requireUser() as never).get('/books', answer)
  const own = new Hono().get('/books', requireUser() as never, answer)
  own.onError((_error, c) => c.text('failed'))
  app.get('/', answer)
  app.get('/account', requireUser() as never, answer)
  app.post('/account', answer)
  app.use('/api/*', requireUser() as never)
  app.get('/api/me', answer)
  app.route('/v1', inner)
  app.route('/v2', guarded)
  app.route('/v3', own)

  await expect(assertGuarded(app, { public: ['/'] })).rejects.toThrow(
    [
      'Not every route is guarded. Put requireUser() in front of each, or list it in "public":',
      '  - POST /account has no requireUser() in front of it.',
      '  - GET /v1/books has no requireUser() in front of it.',
    ].join('\n'),
  )
  const open = ['/', 'POST /account', '/v1/books']
  expect((await assertGuarded(app, { public: open })).guarded).toEqual([
    'GET /account',
    'GET /api/me',
    'GET /v2/books',
    'GET /v3/books',
  ])
})

test('under Hono a guard after the handler comes too late', async () => {
  const app = createApp()
  app.get('/account', requireUser() as never, answer)
  app.get('/', answer, requireUser() as never)

  await expect(assertGuarded(app)).rejects.toThrow('  - GET / has no requireUser() in front of it.')
})

test('under Hono handlers that respond before the guard, or without a route, are found by a request', async () => {
  const app = createApp()
  app.get(
    '/leak',
    (c, next) => (c.req.query('no') ? next() : answer(c)),
    requireUser() as never,
    answer,
  )
  app.get('/account', requireUser() as never, answer)
  app.notFound(answer)

  await expect(assertGuarded(app)).rejects.toThrow(
    [
      '  - GET /leak has a guard that did not decide: a visitor who asked for GET /leak got 200.',
      '  - USE / answers a visitor who asks for a page that is no route.',
    ].join('\n'),
  )
})
