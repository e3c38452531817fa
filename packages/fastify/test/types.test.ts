import {
  type AuthOptions,
  type ClaimsSchema,
  createAuth,
  getAuth,
  getUser,
  type RequestAuth,
  type Requirement,
  requireUser,
  type User,
  type UserOf,
} from '@latchkey/fastify'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { expect, expectTypeOf, test } from 'vitest'

// What is written here is checked by the compiler, with everything else.

interface Member {
  sub: string
  plan: 'free' | 'gold'
}

const claims = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Member }) },
} satisfies ClaimsSchema<Member>

test('the type of a request has the user, and tokens are reached only by methods', () => {
  expectTypeOf<FastifyRequest['auth']>().toEqualTypeOf<RequestAuth<User, FastifyReply>>()
  expectTypeOf<FastifyRequest['auth']['user']>().toEqualTypeOf<User | undefined>()
  expectTypeOf<Extract<keyof FastifyRequest['auth'], 'tokens' | 'refreshToken'>>().toBeNever()
  // @ts-expect-error No user may be logged in.
  const name = (request: FastifyRequest): string => request.auth.user.sub
  // @ts-expect-error What the kit puts on a request is not replaced.
  const replace = (request: FastifyRequest): unknown => (request.auth = {})

  for (const wrong of [name, replace]) expect(wrong).toBeDefined()
})

test('a schema of claims types the user from the options to the handler', () => {
  expectTypeOf<UserOf<typeof claims>>().toEqualTypeOf<Member>()
  expectTypeOf(getUser<UserOf<typeof claims>>).returns.toEqualTypeOf<Member>()
  expectTypeOf(getAuth<UserOf<typeof claims>>).returns.toEqualTypeOf<
    RequestAuth<Member, FastifyReply>
  >()
  const plugin = createAuth({
    ...options,
    claims,
    rolesFrom: (user) => {
      expectTypeOf(user).toEqualTypeOf<Member>()
      return [user.plan]
    },
  })
  // @ts-expect-error The schema has no such claim.
  const unknown: AuthOptions<Member> = { claims, rolesFrom: (user) => [user.plann] }

  expectTypeOf(plugin).toExtend<FastifyPluginAsync>()
  expect(unknown).toBeDefined()
})

test('the check of a guard gets the request of Fastify and has to return a boolean', () => {
  requireUser<Member>({
    check(user, request) {
      expectTypeOf(user).toEqualTypeOf<Member>()
      expectTypeOf(request).toEqualTypeOf<FastifyRequest>()
      return user.plan === 'gold'
    },
  })
  // @ts-expect-error A text is no answer, although it is truthy.
  const truthy: Requirement<FastifyRequest> = { check: () => 'yes' }
  // @ts-expect-error There is no such requirement.
  const misspelt: Requirement<FastifyRequest> = { role: 'admin' }

  for (const wrong of [truthy, misspelt]) expect(wrong).toBeDefined()
})

const options: AuthOptions<Member> = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl: 'https://app.example.com',
  session: { secret: 's'.repeat(32) },
  logger: false,
}

test('a guard without its parentheses does not compile', () => {
  const mistaken = (app: FastifyInstance): void => {
    // @ts-expect-error It is requireUser().
    app.get('/account', { onRequest: requireUser }, async () => 'never')
    app.get('/account', { onRequest: requireUser() }, async () => 'account')
  }
  expect(mistaken).toBeTypeOf('function')
})
