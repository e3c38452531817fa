import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, createAuth, type KoaMiddleware } from '@latchkey/koa'
import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'

test('a factory that is mounted without a call says what to write', async () => {
  const app = new Koa()
  const failed = Promise.withResolvers<unknown>()
  // @ts-expect-error The parentheses are missing.
  app.use(createAuth)
  app.on('error', failed.resolve)
  await fetch(await listen(app))
  expect(await failed.promise).toMatchObject({
    code: 'LATCHKEY_CONFIG_INVALID',
    message: 'Parentheses are missing: write createAuth(), as in app.use(createAuth()).',
  })
})

/** Serves an application on a loopback port. */
async function listen(app: Koa): Promise<string> {
  const answer = app.callback()
  const server = createServer((request, response) => void answer(request, response))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Mounts a middleware as koa-mount does: without the path in the URL that the middleware sees. */
function mount(prefix: string, middleware: KoaMiddleware): Koa.Middleware {
  return async (ctx, next) => {
    const { path } = ctx
    if (path !== prefix && !path.startsWith(`${prefix}/`)) return next()
    const inside = path.slice(prefix.length) || '/'
    ctx.mountPath = prefix
    ctx.path = inside
    await middleware(ctx as never, async () => {
      ctx.path = path
      await next()
      ctx.path = inside
    })
    ctx.path = path
  }
}

function login(options: AuthOptions = {}): KoaMiddleware {
  return createAuth({
    issuer: 'https://login.example',
    ...{ clientId: 'app', clientSecret: 'secret', baseUrl: 'https://app.example' },
    session: { secret: 'a secret of tests that protects nothing' },
    logger: false,
    ...options,
  })
}

/** The status of the response to a request for a path, and the error of the application. */
async function ask(app: Koa, path: string): Promise<[status: number, message: string]> {
  let message = ''
  app.on('error', (error: Error) => {
    message = error.message
  })
  const { status } = await fetch((await listen(app)) + path)
  return [status, message]
}

test.each(['/auth/login', '/auth?query', '/auth/page'])(
  'a login that is mounted under a path that its baseUrl does not have is refused, also for %s',
  async (path) => {
    const app = new Koa()
    app.use(mount('/auth', login()))

    const [status, message] = await ask(app, path)

    expect(status).toBe(500)
    expect(message).toContain('put "/auth" at the end of "baseUrl"')
  },
)

test.each([
  [
    'mounted under the path of its baseUrl',
    mount('/auth', login({ baseUrl: 'https://app.example/auth' })),
  ],
  [
    'mounted under the end of the path of its baseUrl, in two steps',
    mount(
      '/shop',
      mount('/auth', login({ baseUrl: 'https://app.example/shop/auth' })) as KoaMiddleware,
    ),
  ],
  ['behind an application that is mounted', login()],
])('a login %s is not refused', async (_where, middleware) => {
  const app = new Koa()
  app.use(mount('/auth', (_ctx, next) => next() as Promise<void>))
  app.use(middleware as Koa.Middleware)
  app.use((ctx) => {
    ctx.body = 'page'
  })

  expect(await ask(app, '/auth/page')).toEqual([200, ''])
  expect(await ask(app, '/shop/auth/page')).toEqual([200, ''])
})
