import Router from '@koa/router'
import { createAuth, requireUser } from '@latchkey/koa'
import { assertGuarded } from '@latchkey/testing'
import Koa from 'koa'
import { expect, test } from 'vitest'

const answer = (ctx: { body?: unknown }): void => {
  ctx.body = 'answer'
}

function createApp(...routers: Router[]): Koa {
  const app = new Koa()
  app.use(
    createAuth({
      issuer: 'https://login.example.com',
      clientId: 'app',
      clientSecret: 'secret',
      baseUrl: 'https://app.example.com',
      session: { secret: 'a secret of tests that protects nothing' },
      logger: false,
    }),
  )
  for (const router of routers) app.use(router.routes()).use(router.allowedMethods())
  return app
}

const unguarded = (...routes: string[]): string =>
  [
    'Not every route is guarded. Put requireUser() in front of each, or list it in "public":',
    ...routes.map((route) => `  - ${route} has no requireUser() in front of it.`),
  ].join('\n')

test('under Koa every route without a guard in front is named, also of routers that are nested', async () => {
  const inner = new Router().get('/books', answer)
  const guarded = new Router({ prefix: '/v2' }).use(requireUser()).get('/books', answer)
  const router = new Router()
  router.get('/', answer)
  router.get('/account', requireUser(), answer)
  router.post('/account', answer)
  router.all('/any', answer)
  router.get(/^\/regex/, answer)
  router.use('/v1', inner.routes())
  router.use('/v3', requireUser() as never, inner.routes())
  const app = createApp(router, guarded)

  await expect(assertGuarded(app, { public: ['/'] })).rejects.toThrow(
    unguarded('POST /account', 'ALL /any', 'GET /‹/^\\/regex/›', 'GET /v1/books'),
  )
  const { guarded: found } = await assertGuarded(app, {
    public: ['/', 'POST /account', 'ALL /any', '/‹/^\\/regex/›', '/v1/books'],
  })
  expect(found).toEqual(['GET /account', 'GET /v3/books', 'GET /v2/books'])
})

test('under Koa a guard covers what comes after it, and the rest of its router', async () => {
  const router = new Router({ prefix: '/api' })
  router.get('/early', answer)
  router.use(requireUser())
  router.get('/', answer)
  router.get('/me', answer)
  const late = new Router().get('/late', answer, requireUser() as never)

  await expect(assertGuarded(createApp(router, late))).rejects.toThrow(
    unguarded('GET /api/early', 'GET /late'),
  )
})

test('under Koa a guard of the application covers every route after it', async () => {
  const first = new Router().get('/first', answer)
  const app = createApp(first)
  app.use(requireUser()).use(new Router().get('/second', answer).routes())

  expect(await assertGuarded(app, { public: ['/first'] })).toEqual({
    guarded: ['GET /second'],
    public: ['GET /first'],
    middleware: ['anonymous'],
  })
})

test('under Koa a guard in one router does not count for the next, where a visitor gets through', async () => {
  const guarded = new Router().use(requireUser()).get('/account', answer)
  const open = new Router().get('/books', answer)

  await expect(assertGuarded(createApp(guarded, open))).rejects.toThrow(unguarded('GET /books'))
})

test('under Koa handlers that respond before the guard are found by a request, in the route and before it', async () => {
  const router = new Router()
  router.get('/leak', (ctx, next) => (ctx.query.no ? next() : answer(ctx)), requireUser(), answer)
  router.get('/account', requireUser(), answer)
  const app = createApp(router)
  app.use((ctx, next) => (ctx.path === '/' ? next() : answer(ctx)))

  await expect(assertGuarded(app)).rejects.toThrow(
    [
      '  - GET /leak has a guard that did not decide: a visitor who asked for GET /leak got 200.',
      '  - USE / answers a visitor who asks for a page that is no route.',
    ].join('\n'),
  )
})
