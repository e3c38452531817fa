import type { CallbackErrorCode, LogoutErrorCode, SessionInfo, SessionStore } from '@latchkey/core'
import {
  type AuthOptions,
  CallbackError,
  createAuthRouter,
  getUser,
  type RequestAuth,
  type Requirement,
  type RoleOf,
  requireUser,
  type User,
} from '@latchkey/express'
import type { Express, Request, RequestHandler } from 'express'
import type expressSession from 'express-session'
import { expect, expectTypeOf, test } from 'vitest'

// What is written here is checked by the compiler, with everything else.

const options: AuthOptions = {
  issuer: 'https://login.example.com',
  clientId: process.env.LATCHKEY_CLIENT_ID,
  clientSecret: process.env.LATCHKEY_CLIENT_SECRET,
  baseUrl: 'https://app.example.com',
  session: { secret: process.env.LATCHKEY_SESSION_SECRET },
}

type StoreOption = NonNullable<AuthOptions['session']>['store']

test('options accept undefined, as from unset variables, and refuse unknown names', () => {
  expectTypeOf<{ clientSecret: string | undefined }>().toExtend<AuthOptions>()
  // @ts-expect-error The callback cannot be turned off.
  const callback: AuthOptions = { routes: { callback: false } }
  // @ts-expect-error PKCE is no option.
  const pkce: AuthOptions = { pkce: false }
  // @ts-expect-error An algorithm is no way to authenticate.
  const client: AuthOptions = { clientAuth: 'RS256' }
  // @ts-expect-error A cookie that scripts can read is no option.
  const cookie: AuthOptions = { session: { cookie: { httpOnly: false } } }

  for (const wrong of [callback, pkce, client, cookie]) expect(wrong).toBeDefined()
})

test('the check of a guard gets the typed request and has to return a boolean', () => {
  expectTypeOf(requireUser()).toEqualTypeOf<RequestHandler>()
  requireUser({
    roles: { all: ['admin'] },
    claims: { org: (value, req) => value === req.params.org, email_verified: true },
    check: async (user, req) => user.sub === req.params.id,
  })
  // @ts-expect-error A text is no answer, although it is truthy.
  const truthy: Requirement<Request> = { check: () => 'yes' }
  // @ts-expect-error There is no such way to answer.
  const respond: Requirement<Request> = { respond: 'xml' }

  for (const wrong of [truthy, respond]) expect(wrong).toBeDefined()
})

test('the types of roles come from the claims of the user, in guards and in hasRole()', () => {
  type Staff = { sub: string; roles?: ('admin' | 'viewer')[] }
  type Asked = Parameters<RequestAuth<Staff>['has']>[0]
  expectTypeOf<RoleOf<Staff>>().toEqualTypeOf<'admin' | 'viewer'>()
  expectTypeOf<RoleOf<User>>().toBeString()
  expectTypeOf<RoleOf<{ sub: string }>>().toBeString()
  expectTypeOf<{ roles: ['admin'] }>().toExtend<Asked>()
  expectTypeOf<RequestAuth<Staff>>().toExtend<RequestAuth<{ sub: string }>>()
  requireUser<Staff>({ roles: { all: ['admin', 'viewer'] } })
  requireUser({ roles: ['any', 'text'] })
  // @ts-expect-error There is no such role.
  const misspelt: Asked = { roles: ['admn'] }
  // @ts-expect-error There is no such role here either.
  const guard: Requirement<Request, Staff> = { roles: { all: ['admn'] } }
  // @ts-expect-error A promise would pass for true in a template.
  const later: Asked = { check: async (user) => user.sub === 'ada' }
  // @ts-expect-error Only a login can change how strong a login was.
  const stronger: Asked = { acr: 'urn:mfa' }

  for (const wrong of [misspelt, guard, later, stronger]) expect(wrong).toBeDefined()
})

test('the type of a request has the user, and tokens are reached only by methods', () => {
  expectTypeOf<Request['auth']>().toEqualTypeOf<RequestAuth>()
  expectTypeOf<RequestAuth['user']>().toEqualTypeOf<User | undefined>()
  expectTypeOf<Extract<RequestAuth, { isAuthenticated: true }>['user']>().toEqualTypeOf<User>()
  expectTypeOf<RequestAuth['session']>().toEqualTypeOf<SessionInfo | undefined>()
  expectTypeOf<RequestAuth['accessToken']>().returns.resolves.toBeString()
  expectTypeOf<RequestAuth['idToken']>().returns.toEqualTypeOf<string | undefined>()
  expectTypeOf<Extract<keyof RequestAuth, 'tokens' | 'refreshToken'>>().toBeNever()
  expectTypeOf(getUser<{ sub: string; plan: 'gold' }>).returns.toHaveProperty('plan')
})

test('a router is a handler, and has ready() and health()', () => {
  const router = createAuthRouter({
    ...options,
    clientId: 'app',
    clientSecret: 'secret',
    session: { secret: 's'.repeat(32) },
    logger: false,
  })

  expectTypeOf(router).toExtend<RequestHandler>()
  expectTypeOf(router.health().provider).toEqualTypeOf<'unknown' | 'ok' | 'stale' | 'unavailable'>()
  expectTypeOf(router.sessions.revokeAll).returns.resolves.toBeNumber()
  expect(router.health()).toEqual({
    provider: 'unknown',
    discoveredAt: undefined,
    sessions: 'unknown',
  })
})

test("codes are known by name, and every store of express-session's kind fits", () => {
  expectTypeOf(
    new CallbackError('LATCHKEY_LOGIN_DENIED', '').code,
  ).toEqualTypeOf<CallbackErrorCode>()
  expectTypeOf<'LATCHKEY_LOGOUT_FORGED'>().toExtend<LogoutErrorCode>()
  // @ts-expect-error There is no such code.
  const unknown: CallbackErrorCode = 'LATCHKEY_SOMETHING'
  expectTypeOf<expressSession.Store>().toExtend<NonNullable<StoreOption>>()
  expectTypeOf<SessionStore>().toExtend<NonNullable<StoreOption>>()

  expect(unknown).toBeDefined()
})

test('a guard without its parentheses does not compile', () => {
  const mistaken = (app: Express): void => {
    // @ts-expect-error It is requireUser().
    app.get('/account', requireUser, (_req, res) => void res.send('never'))
    app.get('/account', requireUser(), (_req, res) => void res.send('account'))
  }
  expect(mistaken).toBeTypeOf('function')
})
