import {
  type AuthOptions,
  type ClaimsSchema,
  createAuth,
  getUser,
  type RequestAuth,
  type Requirement,
  requireUser,
  type User,
  type UserOf,
} from '@latchkey/hono'
import { type Context, Hono } from 'hono'
import { expect, expectTypeOf, test } from 'vitest'

// What is written here is checked by the compiler, with everything else.

interface Member {
  sub: string
  plan: 'free' | 'gold'
}

const claims = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Member }) },
} satisfies ClaimsSchema<Member>

const options = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl: 'https://app.example.com',
  session: { secret: 's'.repeat(32) },
  logger: false,
} as const

test('c.var.auth has the user that the schema of claims makes', () => {
  const app = new Hono()
    .use(createAuth({ ...options, claims, rolesFrom: (user) => [user.plan] }))
    .get('/', (c) => {
      expectTypeOf(c.var.auth).toEqualTypeOf<RequestAuth<Member, Response>>()
      // @ts-expect-error No user may be logged in.
      c.var.auth.user.plan
      if (!c.var.auth.isAuthenticated) return c.text('nobody')
      expectTypeOf(c.var.auth.user.plan).toEqualTypeOf<'free' | 'gold'>()
      // @ts-expect-error The schema has no such claim.
      return c.text(c.var.auth.user.plann)
    })
  // @ts-expect-error The schema has no such claim.
  const unknown: AuthOptions<Member> = { claims, rolesFrom: (user) => [user.plann] }

  for (const made of [app, unknown]) expect(made).toBeDefined()
})

test('without a schema c.var.auth has the user of the kit, and without createAuth() nothing', () => {
  new Hono().use(createAuth(options)).get('/', (c) => {
    expectTypeOf(c.var.auth.user).toEqualTypeOf<User | undefined>()
    expectTypeOf<Extract<keyof typeof c.var.auth, 'tokens' | 'refreshToken'>>().toBeNever()
    return c.text('')
  })
  new Hono().get('/', (c) => {
    // @ts-expect-error No middleware has set it.
    return c.text(c.var.auth)
  })

  expectTypeOf<UserOf<typeof claims>>().toEqualTypeOf<Member>()
  expectTypeOf(getUser<UserOf<typeof claims>>).returns.toEqualTypeOf<Member>()
})

test('the check of a guard gets the context of Hono and has to return a boolean', () => {
  requireUser<Member>({
    check(user, c) {
      expectTypeOf(user).toEqualTypeOf<Member>()
      expectTypeOf(c).toEqualTypeOf<Context>()
      return user.plan === 'gold'
    },
  })
  // @ts-expect-error A text is no answer, although it is truthy.
  const truthy: Requirement<Context> = { check: () => 'yes' }
  // @ts-expect-error There is no such requirement.
  const misspelt: Requirement<Context> = { role: 'admin' }

  for (const wrong of [truthy, misspelt]) expect(wrong).toBeDefined()
})

test('a guard without its parentheses does not compile', () => {
  const mistaken = (app: Hono): void => {
    // @ts-expect-error It is requireUser().
    app.get('/account', requireUser, (c) => c.text('never'))
    app.get('/account', requireUser() as never, (c) => c.text('account'))
  }
  expect(mistaken).toBeTypeOf('function')
})
