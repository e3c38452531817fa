import {
  CurrentAuth,
  CurrentUser,
  type RequestAuth,
  RequireUser,
  type User,
} from '@latchkey/nestjs'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import { ApolloDriver } from '@nestjs/apollo'
import type { AbstractHttpAdapter } from '@nestjs/core'
import { GraphQLModule, Query, Resolver } from '@nestjs/graphql'
import { MercuriusDriver } from '@nestjs/mercurius'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { describe, expect, test } from 'vitest'
import { type Browser, createBrowser } from '../../testing/src/login/browser.ts'
import { listen } from './support/connections.ts'
import { OPTIONS } from './support/start.ts'

const BASE = 'http://localhost:3000'
const BOTH = { accept: ['session', 'bearer'] } as const

@Resolver('Query')
class Fields {
  @RequireUser(BOTH)
  @Query()
  me(@CurrentUser() user: User, @CurrentAuth() auth: RequestAuth): string {
    return auth.user?.sub === user.sub ? user.sub : 'two users'
  }

  @RequireUser({ ...BOTH, scopes: ['write'] })
  @Query()
  secret(): string {
    return 'a secret'
  }

  @RequireUser()
  @Query()
  page(@CurrentUser() user: User): string {
    return user.sub
  }
}

const SERVERS: [name: string, create: () => AbstractHttpAdapter, driver: unknown][] = [
  ['Apollo on Express', () => new ExpressAdapter() as never, ApolloDriver],
  ['Apollo on Fastify', () => new FastifyAdapter() as never, ApolloDriver],
  ['Mercurius', () => new FastifyAdapter() as never, MercuriusDriver],
]

describe.each(SERVERS)('GraphQL with %s', (_name, create, driver) => {
  const typeDefs = 'type Query { me: String secret: String page: String }'

  async function start(provider: MisbehavingProvider) {
    const { issuer, clientId, clientSecret } = provider
    const bearer = { audience: 'https://api.example' }
    const graphql = GraphQLModule.forRoot({ driver, typeDefs } as never)
    return listen(
      { ...OPTIONS, ...{ issuer, clientId, clientSecret, baseUrl: BASE, bearer } },
      { adapter: create(), providers: [Fields], imports: [graphql] },
    )
  }

  /** The data of a query with the token of a robot, and the codes of its errors by field. */
  async function ask(provider: MisbehavingProvider, browser: Browser, query: string) {
    const authorization = `Bearer ${provider.accessToken({ sub: 'robot' })}`
    const response = await browser.send(`${BASE}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: BASE, authorization },
      body: JSON.stringify({ query }),
    })
    const { data, errors = [] } = (await response.json()) as {
      data: Record<string, string | null>
      errors?: { path: [string]; extensions: { latchkeyCode: string } }[]
    }
    const codes = errors.map(({ path, extensions }) => [path[0], extensions.latchkeyCode])
    return { ...data, ...Object.fromEntries(codes) }
  }

  test.each([
    '{ me secret }',
    '{ secret me }',
    '{ page me secret }',
    '{ secret me page }',
    '{ me page }',
  ])('a refusal of one resolver takes the bearer token from no other: %s', async (query) => {
    await using provider = await startMisbehavingProvider()
    const { app, url } = await start(provider)
    const decided = {
      me: 'robot',
      ...(query.includes('secret') && { secret: 'LATCHKEY_SCOPE_MISSING' }),
    }

    const withoutCookie = await ask(provider, createBrowser({ [BASE]: url }), query)
    expect(withoutCookie).toEqual({
      ...decided,
      ...(query.includes('page') && { page: 'LATCHKEY_LOGIN_REQUIRED' }),
    })
    const browser = createBrowser({ [BASE]: url })
    await browser.open(`${BASE}/login`)
    const withCookie = await ask(provider, browser, query)
    expect(withCookie).toEqual({ ...decided, ...(query.includes('page') && { page: 'ada' }) })
    await app.close()
  })
})
