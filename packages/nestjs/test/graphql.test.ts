import {
  ConfigError,
  CurrentAuth,
  CurrentUser,
  LatchkeyService,
  Public,
  type RequestAuth,
  RequireUser,
  type User,
} from '@latchkey/nestjs'
import { logIn, startIdentity } from '@latchkey/testing'
import { ApolloDriver } from '@nestjs/apollo'
import type { AbstractHttpAdapter } from '@nestjs/core'
import {
  GraphQLModule,
  Mutation,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql'
import { MercuriusDriver } from '@nestjs/mercurius'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { createClient } from 'graphql-ws'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { headersOf, listen, type Running } from './support/connections.ts'
import { OPTIONS } from './support/start.ts'

const typeDefs = /* GraphQL */ `
  type Article { title: String! draft: String }
  type Query { me: String! hello: String! careless: String! article: Article! openArticle: Article! }
  type Mutation { publish: String! }
  type Subscription { ticks: Int! }
`

@Resolver('Article')
class Articles {
  @Query()
  me(@CurrentUser() user: User, @CurrentAuth() auth: RequestAuth): string {
    return `${user.email} ${auth.isAuthenticated}`
  }

  @Public()
  @Query()
  hello(@CurrentAuth() auth: RequestAuth): string {
    return auth.user?.email ?? 'visitor'
  }

  @Public()
  @Query()
  careless(@CurrentUser() user: User): string {
    return user.sub
  }

  @Public()
  @Query()
  openArticle(): object {
    return { title: 'On guards' }
  }

  @RequireUser({ roles: ['staff'] })
  @Mutation()
  publish(): string {
    return 'published'
  }

  @RequireUser({ roles: ['staff'] })
  @ResolveField()
  draft(@CurrentUser() user: User): string {
    return `of ${user.email}`
  }

  @Subscription()
  ticks(): AsyncIterableIterator<object> {
    return ticking()
  }
}

async function* ticking(): AsyncIterableIterator<object> {
  yield { ticks: 1 }
  // The next one would come after the test.
  await new Promise(() => {})
}

interface Server {
  readonly name: string
  readonly create: () => AbstractHttpAdapter
  readonly driver: unknown
}

const SERVERS: Server[] = [
  { name: 'Apollo on Express', create: () => new ExpressAdapter() as never, driver: ApolloDriver },
  { name: 'Apollo on Fastify', create: () => new FastifyAdapter() as never, driver: ApolloDriver },
  { name: 'Mercurius', create: () => new FastifyAdapter() as never, driver: MercuriusDriver },
]

const BASE = 'http://localhost:3000'
const rolesFrom = (user: object): string[] => (user as { roles?: string[] }).roles ?? []
const GUARDED = { fieldResolverEnhancers: ['guards'] }

function start(server: Server, options: object, more: object = GUARDED): Promise<Running> {
  const { driver } = server
  const graphql = GraphQLModule.forRoot({ driver, typeDefs, ...more } as never)
  return listen(
    { rolesFrom, ...options },
    { adapter: server.create(), providers: [Articles], imports: [graphql] },
  )
}

describe.each(SERVERS)('GraphQL with $name', (server) => {
  test('a resolver asks for a login, and answers a visitor with an error of GraphQL and no redirect', async () => {
    const { app } = await start(server, { ...OPTIONS, baseUrl: BASE })
    const visitor = request(app.getHttpServer())
    const answer = await visitor
      .post('/graphql')
      .set('accept', 'text/html, */*')
      .send({ query: '{ me }' })
    expect([301, 302, 303]).not.toContain(answer.status)
    expect(answer.body.errors).toHaveLength(1)
    expect(answer.body.errors[0]).toMatchObject({
      path: ['me'],
      extensions: {
        code: 'UNAUTHENTICATED',
        latchkeyCode: 'LATCHKEY_LOGIN_REQUIRED',
        correlationId: expect.any(String),
        loginUrl: '/login',
      },
    })
    expect(answer.headers['cache-control']).toContain('no-store')
    const hello = await visitor.post('/graphql').send({ query: '{ hello }' })
    expect(hello.body.data).toEqual({ hello: 'visitor' })
    const careless = await visitor.post('/graphql').send({ query: '{ careless }' })
    expect(careless.body.errors[0].extensions).toMatchObject({
      code: 'UNAUTHENTICATED',
      latchkeyCode: 'LATCHKEY_LOGIN_REQUIRED',
    })
    await app.close()
  })

  test('queries, mutations and fields have the user, and refuse one without the role', async () => {
    await using identity = await startIdentity()
    const running = await start(server, identity.clientOptions({ baseUrl: BASE }))
    const ask = async (roles: string[], query: string) => {
      const user = await identity.createUser({ claims: { roles } })
      const browser = await logIn(running.app.getHttpServer(), user)
      const { body } = await browser.post('/graphql').set('origin', BASE).send({ query })
      return { body, email: user.email }
    }
    const me = await ask([], '{ me }')
    expect(me.body).toEqual({ data: { me: `${me.email} true` } })
    const refused = await ask([], 'mutation { publish }')
    expect(refused.body.errors[0].extensions).toMatchObject({
      code: 'FORBIDDEN',
      latchkeyCode: 'LATCHKEY_FORBIDDEN',
    })
    expect((await ask(['staff'], 'mutation { publish }')).body.data.publish).toBe('published')
    const field = await ask(['staff'], '{ openArticle { title draft } }')
    expect(field.body.data.openArticle).toEqual({ title: 'On guards', draft: `of ${field.email}` })
    const half = await ask([], '{ openArticle { title draft } }')
    expect(half.body.data.openArticle).toEqual({ title: 'On guards', draft: null })
    expect(half.body.errors[0]).toMatchObject({
      path: ['openArticle', 'draft'],
      extensions: { code: 'FORBIDDEN' },
    })
    await running.app.close()
  })

  test('a page of another site is refused with the user’s cookie', async () => {
    await using identity = await startIdentity()
    const { app } = await start(server, identity.clientOptions({ baseUrl: BASE }))
    const browser = await logIn(app.getHttpServer(), await identity.createUser())
    const answer = await browser
      .post('/graphql')
      .set({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
      .send({ query: '{ me }' })
    expect(answer.body.errors[0].extensions).toMatchObject({
      code: 'FORBIDDEN',
      latchkeyCode: 'LATCHKEY_REQUEST_FORGED',
    })
    await app.close()
  })

  test('fields whose guards Nest would skip are refused at start', async () => {
    const started = start(server, { ...OPTIONS, baseUrl: BASE }, {})
    await expect(started).rejects.toThrow(ConfigError)
    await expect(started).rejects.toThrow(
      "Articles.draft()\" resolves a field, and Nest skips the guards of fields. Write fieldResolverEnhancers: ['guards']",
    )
  })
})

describe('subscriptions over graphql-ws', () => {
  const [express] = SERVERS as [Server]
  const open = (options: object): Promise<Running> =>
    start(express, options, { ...GUARDED, subscriptions: { 'graphql-ws': true } })

  function subscribe({ url }: Running, headers: object, query: string) {
    class WithHeaders extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { headers: headers as never })
      }
    }
    const client = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WithHeaders,
      retryAttempts: 0,
    })
    return client.iterate({ query })
  }

  test('have the user of the handshake, and end when the session does', async () => {
    await using identity = await startIdentity()
    const running = await open(identity.clientOptions({ baseUrl: BASE }))
    const user = await identity.createUser({ email: 'ada@example.com' })
    const headers = await headersOf(running, user, BASE)
    const me = subscribe(running, headers, '{ me hello }')
    expect((await me.next()).value).toEqual({
      data: { me: 'ada@example.com true', hello: 'ada@example.com' },
    })
    const ticks = subscribe(running, headers, 'subscription { ticks }')
    expect((await ticks.next()).value).toEqual({ data: { ticks: 1 } })
    const next = ticks.next()
    const { sessions } = running.app.get(LatchkeyService)
    await sessions.revokeAll({ issuer: identity.issuer, sub: user.id })
    await expect(next).rejects.toMatchObject({ code: 4401 })
    await running.app.close()
  })

  test('refuse visitors, and pages of another site', async () => {
    await using identity = await startIdentity()
    const running = await open(identity.clientOptions({ baseUrl: BASE }))
    const codeOf = async (headers: object, query: string) => {
      const { value } = await subscribe(running, headers, query).next()
      return value?.errors?.[0]?.extensions?.latchkeyCode
    }
    const { cookie } = await headersOf(running, await identity.createUser(), BASE)
    const foreign = { cookie, origin: 'https://evil.example' }
    expect(await codeOf({}, 'subscription { ticks }')).toBe('LATCHKEY_LOGIN_REQUIRED')
    expect(await codeOf(foreign, 'subscription { ticks }')).toBe('LATCHKEY_REQUEST_FORGED')
    expect(await codeOf(foreign, '{ hello }')).toBe('LATCHKEY_REQUEST_FORGED')
    await running.app.close()
  })
})

test('a context without the request is refused, and names the remedy', async () => {
  const context = () => ({ req: {} })
  const { app } = await start(
    SERVERS[0] as Server,
    { ...OPTIONS, baseUrl: BASE },
    { ...GUARDED, context },
  )
  const answer = await request(app.getHttpServer()).post('/graphql').send({ query: '{ me }' })
  expect(answer.body.errors[0].extensions).toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
    latchkeyCode: 'LATCHKEY_ROUTER_NOT_MOUNTED',
  })
  await app.close()
})
