import {
  type AuthOptions,
  type ClaimsSchema,
  createAuth,
  getAuth,
  getUser,
  type KoaContext,
  type RequestAuth,
  type Requirement,
  requireUser,
  type UserOf,
} from '@latchkey/koa'
import Koa from 'koa'
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

test('an application that types its state has the user of the schema in ctx.state', () => {
  const app = new Koa<{ auth: RequestAuth<UserOf<typeof claims>> }>()
  app.use(createAuth({ ...options, claims, rolesFrom: (user) => [user.plan] }))
  app.use(requireUser())
  app.use((ctx) => {
    expectTypeOf(ctx.state.auth).toEqualTypeOf<RequestAuth<Member>>()
    // @ts-expect-error No user may be logged in.
    ctx.state.auth.user.plan
    expectTypeOf(getUser<Member>(ctx)).toEqualTypeOf<Member>()
  })
  // @ts-expect-error The schema has no such claim.
  const unknown: AuthOptions<Member> = { claims, rolesFrom: (user) => [user.plann] }

  for (const made of [app, unknown]) expect(made).toBeDefined()
})

test('getAuth() and getUser() have a type without the state', () => {
  expectTypeOf(getAuth<Member>).returns.toEqualTypeOf<RequestAuth<Member>>()
  expectTypeOf(getUser<UserOf<typeof claims>>).returns.toEqualTypeOf<Member>()
  // @ts-expect-error The schema has no such claim.
  const unknown = (ctx: KoaContext): unknown => getUser<Member>(ctx).plann

  expect(unknown).toBeDefined()
})

test('the check of a guard gets the context of Koa and has to return a boolean', () => {
  requireUser<Member, Koa.Context>({
    check(user, ctx) {
      expectTypeOf(user).toEqualTypeOf<Member>()
      expectTypeOf(ctx).toEqualTypeOf<Koa.Context>()
      return user.plan === 'gold'
    },
  })
  // @ts-expect-error A text is no answer, although it is truthy.
  const truthy: Requirement<Koa.Context> = { check: () => 'yes' }
  // @ts-expect-error There is no such requirement.
  const misspelt: Requirement<Koa.Context> = { role: 'admin' }

  for (const wrong of [truthy, misspelt]) expect(wrong).toBeDefined()
})

test('a guard without its parentheses does not compile', () => {
  const mistaken = (app: Koa): void => {
    // @ts-expect-error It is requireUser().
    app.use(requireUser)
    app.use(requireUser())
  }
  expect(mistaken).toBeTypeOf('function')
})
