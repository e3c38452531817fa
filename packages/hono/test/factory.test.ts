import { type AuthOptions, createAuth } from '@latchkey/hono'
import { Hono } from 'hono'
import { expect, test } from 'vitest'

test('a factory that is mounted without a call says what to write', async () => {
  const app = new Hono()
  const failed = Promise.withResolvers<unknown>()
  // @ts-expect-error The parentheses are missing.
  app.use(createAuth)
  app.onError((error, c) => {
    failed.resolve(error)
    return c.body(null, 500)
  })
  await app.request('/')
  expect(await failed.promise).toMatchObject({
    code: 'LATCHKEY_CONFIG_INVALID',
    message: 'Parentheses are missing: write createAuth(), as in app.use(createAuth()).',
  })
})

/** An application with a login under `/auth/*`. */
function mounted(options: AuthOptions = {}): Hono {
  const app = new Hono()
  const issuer = 'https://login.example'
  const login = createAuth({
    ...{ issuer, clientId: 'app', clientSecret: 'secret', baseUrl: 'https://app.example' },
    session: { secret: 'a secret of tests that protects nothing' },
    logger: false,
    ...options,
  })
  app.use('/auth/*', login)
  app.get('/auth/session', (c) => c.text('a page of the application'))
  return app
}

test('a login under a path that its routes are not under says what to write', async () => {
  const failed = Promise.withResolvers<string>()
  const error = (_facts: unknown, message: string): void => failed.resolve(message)
  const app = mounted({ logger: { info() {}, warn() {}, error } })

  const answer = await app.request('/auth/login')
  const own = await app.request('/auth/session')
  const other = await app.request('/auth/nothing')

  expect([answer.status, own.status, other.status]).toEqual([500, 200, 404])
  expect(await failed.promise).toContain('set "routes.login" to "/auth/login"')
})

test.each<AuthOptions>([
  { baseUrl: 'https://app.example/auth' },
  { routes: { logout: '/auth/logout', login: '/auth/login', callback: '/auth/callback' } },
])('a login under a path that its options %j have is not refused', async (options) => {
  const app = mounted(options)

  const answer = await app.request('/auth/logout')

  // The provider cannot be reached, and a visitor needs none to log out.
  expect(answer.status).toBeLessThan(500)
  expect(answer.status).not.toBe(404)
})
