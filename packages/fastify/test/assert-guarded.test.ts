import { createAuth, requireUser } from '@latchkey/fastify'
import { assertGuarded } from '@latchkey/testing'
import fastify, { type FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'

const answer = async (): Promise<string> => 'answer'

const login = () =>
  createAuth({
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'secret',
    baseUrl: 'https://app.example.com',
    session: { secret: 'a secret of tests that protects nothing' },
    logger: false,
  })

async function createApp(addRoutes: (app: FastifyInstance) => void): Promise<FastifyInstance> {
  const app = fastify()
  await app.register(login())
  addRoutes(app)
  await app.ready()
  return app
}

test('under Fastify every route without a guard in front is named, also of plugins', async () => {
  const app = await createApp((app) => {
    app.get('/', answer)
    app.get('/account', { onRequest: requireUser() }, answer)
    app.post('/account', answer)
    app.get('/late', { preHandler: [requireUser()] }, answer)
    app.route({ method: ['PUT', 'DELETE'], url: '/books', handler: answer })
    app.register(async (scope) => void scope.get('/me', answer), { prefix: '/v1' })
    app.register(
      async (scope) => {
        scope.get('/before', answer)
        scope.addHook('onRequest', requireUser())
        scope.register(async (inner) => void inner.get('/inner', answer))
      },
      { prefix: '/v2' },
    )
  })

  await expect(assertGuarded(app, { public: ['/'] })).rejects.toThrow(
    [
      'Not every route is guarded. Put requireUser() in front of each, or list it in "public":',
      ...['POST /account', 'PUT /books', 'DELETE /books', 'GET /v1/me'].map(
        (route) => `  - ${route} has no requireUser() in front of it.`,
      ),
    ].join('\n'),
  )
  const open = ['/', 'POST /account', '/books', '/v1/me']
  expect((await assertGuarded(app, { public: open })).guarded).toEqual([
    'GET /account',
    'GET /late',
    'GET /v2/before',
    'GET /v2/inner',
  ])
})

test('under Fastify a handler of HEAD without a guard is named beside a guarded GET', async () => {
  const guarded = { onRequest: requireUser() }
  const app = await createApp((app) => {
    app.head('/account', answer)
    app.get('/account', guarded, answer)
    app.head('/books', async (_request, reply) => reply.header('etag', 'v1').send())
    app.get('/books', guarded, answer)
    app.head('/prices', guarded, answer)
    app.get('/prices', guarded, answer)
    app.get('/authors', guarded, answer)
    app.head('/parts', guarded, async (_request, reply) => reply.send())
    app.get('/parts', guarded, answer)
  })

  await expect(assertGuarded(app)).rejects.toThrow(
    ['HEAD /account', 'HEAD /books']
      .map((route) => `  - ${route} has no requireUser() in front of it.`)
      .join('\n'),
  )
  const gets = ['/account', '/books', '/prices', '/authors'].map((path) => `GET ${path}`)
  // A handler of its own is a route of its own.
  const routes = [...gets, 'HEAD /parts', 'GET /parts']
  const report = await assertGuarded(app, { public: ['HEAD /account', 'HEAD /books'] })
  expect(report.guarded).toEqual(routes)
})

test('under Fastify a guard of the application covers every route', async () => {
  const app = await createApp((app) => {
    app.get('/first', answer)
    app.addHook('onRequest', requireUser())
    app.register(async (scope) => void scope.get('/second', answer))
  })

  expect((await assertGuarded(app)).guarded).toEqual(['GET /first', 'GET /second'])
})

test('under Fastify handlers that respond before the guard, or without a route, are found by a request', async () => {
  const app = await createApp((app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.url === '/leak') await reply.send('leak')
    })
    app.get('/leak', { preHandler: requireUser() }, answer)
    app.get('/account', { onRequest: requireUser() }, answer)
    app.setNotFoundHandler(async () => 'a page of its own')
  })

  await expect(assertGuarded(app)).rejects.toThrow(
    [
      '  - GET /leak has a guard that did not decide: a visitor who asked for GET /leak got 200.',
      '  - USE / answers a visitor who asks for a page that is no route.',
    ].join('\n'),
  )
})

test('under Fastify routes that were added before the login plugin are checked too', async () => {
  const app = fastify()
  app.get('/early', answer)
  await app.register(login())

  await expect(assertGuarded(app)).rejects.toThrow('added before the login')
  await expect(assertGuarded(fastify())).rejects.toThrow('Fastify with createAuth() registered')
})

test('a route whose guard accepts bearer tokens is refused when it is added, without the option "bearer"', async () => {
  const guard = requireUser({ accept: ['session', 'bearer'] })
  const refusal = /"bearer" is not set, but a guard accepts bearer tokens/
  for (const hooks of [
    { onRequest: guard },
    { preParsing: guard as never },
    { preValidation: guard },
    { preHandler: [requireUser(), guard] },
  ]) {
    await expect(createApp((app) => void app.get('/api', hooks, answer))).rejects.toThrow(refusal)
  }
})
