import { type AuthOptions, createAuth } from '@latchkey/fastify'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'

test('a factory that is registered without a call says what to write', () => {
  const app = fastify()
  // As Fastify calls it. An error that a plugin throws at once ends the process.
  const register = () => Reflect.apply(createAuth, app, [app, {}, () => {}] as never)
  expect(register).toThrow(
    expect.objectContaining({
      code: 'LATCHKEY_CONFIG_INVALID',
      message:
        'Parentheses are missing: write createAuth(), as in await app.register(createAuth()).',
    }),
  )
})

/** Registers a login with the prefix `/auth`. */
async function registered(options: AuthOptions = {}): Promise<void> {
  const app = fastify()
  const login = createAuth({
    issuer: 'https://login.example',
    ...{ clientId: 'app', clientSecret: 'secret', baseUrl: 'https://app.example' },
    session: { secret: 'a secret of tests that protects nothing' },
    logger: false,
    ...options,
  })
  await app.register(login, { prefix: '/auth' })
  await app.close()
}

test('a login that is registered with a prefix that its routes do not have is refused with what to write', async () => {
  await expect(registered()).rejects.toThrow(
    'Write await app.register(createAuth(…)) without "prefix".',
  )
})

const ROUTES: NonNullable<AuthOptions['routes']> = {
  ...{ login: '/auth/login', callback: '/auth/callback', logout: '/auth/logout' },
  session: false,
  backchannelLogout: '/auth/backchannel-logout',
}

test.each<AuthOptions>([{ baseUrl: 'https://app.example/auth' }, { routes: ROUTES }])(
  'a prefix that the options %j of the login have is not refused',
  async (options) => {
    await expect(registered(options)).resolves.toBeUndefined()
  },
)
