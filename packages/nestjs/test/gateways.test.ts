import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import {
  CurrentAuth,
  CurrentData,
  CurrentUser,
  createMemoryStore,
  getUser,
  LatchkeyService,
  Public,
  type RequestAuth,
  RequireUser,
  type SessionData,
  type User,
} from '@latchkey/nestjs'
import { startIdentity } from '@latchkey/testing'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import type { INestApplication } from '@nestjs/common'
import type { AbstractHttpAdapter } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { WsAdapter } from '@nestjs/platform-ws'
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets'
import { describe, expect, test } from 'vitest'
import { connectIo, connectWs, headersOf, listen, type Running } from './support/connections.ts'
import { OPTIONS } from './support/start.ts'

@WebSocketGateway()
class Chat {
  readonly joined: string[] = []

  handleConnection(client: object): void {
    this.joined.push(getUser(client).sub)
  }

  @SubscribeMessage('me')
  me(@CurrentUser() user: User, @CurrentAuth() auth: RequestAuth): object {
    return { event: 'me', data: { email: user.email, isUser: auth.isAuthenticated } }
  }

  @SubscribeMessage('count')
  async count(@CurrentData() data: SessionData): Promise<object> {
    const { messages = 0 } = (await data.get()) as { messages?: number }
    await data.set({ messages: messages + 1 })
    return { event: 'count', data: messages + 1 }
  }

  @RequireUser({ roles: ['staff'] })
  @SubscribeMessage('delete')
  remove(): object {
    return { event: 'deleted', data: {} }
  }

  @SubscribeMessage('leave')
  async leave(@CurrentAuth() auth: RequestAuth): Promise<object> {
    await auth.login()
    return { event: 'left', data: {} }
  }
}

@Public()
@WebSocketGateway()
class Lobby {
  @SubscribeMessage('hello')
  hello(@CurrentAuth() auth: RequestAuth): object {
    return { event: 'hello', data: auth.user?.email ?? 'visitor' }
  }

  @RequireUser()
  @SubscribeMessage('me')
  me(@CurrentUser() user: User): object {
    return { event: 'me', data: user.email }
  }

  @SubscribeMessage('careless')
  careless(@CurrentUser() user: User): object {
    return { event: 'careless', data: user.email }
  }
}

@RequireUser({ roles: ['staff'] })
@WebSocketGateway()
class Staff {
  @SubscribeMessage('list')
  list(): object {
    return { event: 'list', data: [] }
  }
}

@RequireUser({ roles: ['editor'] })
@WebSocketGateway()
class Editors {
  @SubscribeMessage('edit')
  edit(): object {
    return { event: 'edit', data: [] }
  }
}

@Public()
@WebSocketGateway({ namespace: 'open' })
class OpenNamespace {
  @SubscribeMessage('hello')
  hello(): object {
    return { event: 'hello', data: {} }
  }
}

@WebSocketGateway({ namespace: 'closed' })
class ClosedNamespace {
  @SubscribeMessage('hello')
  hello(): object {
    return { event: 'hello', data: {} }
  }
}

@RequireUser({ accept: ['bearer'] })
@WebSocketGateway()
class Machines {
  @SubscribeMessage('me')
  me(@CurrentUser() user: User): object {
    return { event: 'me', data: user.sub }
  }

  @RequireUser({ accept: ['bearer'], scopes: ['write'] })
  @SubscribeMessage('write')
  write(): object {
    return { event: 'written', data: {} }
  }

  @RequireUser({ accept: ['session'] })
  @SubscribeMessage('page')
  page(): object {
    return { event: 'page', data: {} }
  }
}

interface Library {
  readonly name: string
  readonly connect: typeof connectWs
  readonly prepare: (app: INestApplication) => void
}

const LIBRARIES: Library[] = [
  { name: 'Socket.IO', connect: connectIo, prepare: () => {} },
  {
    name: 'Socket.IO over WebSockets alone',
    connect: (running, headers) => connectIo(running, headers, { transports: ['websocket'] }),
    prepare: () => {},
  },
  {
    name: 'ws',
    connect: connectWs,
    prepare: (app) => void app.useWebSocketAdapter(new WsAdapter(app)),
  },
]

const BASE = 'http://localhost:3000'
const FOREIGN = 'https://evil.example'
const rolesFrom = (user: object): string[] => (user as { roles?: string[] }).roles ?? []

describe.each(LIBRARIES)('a gateway with $name', ({ connect, prepare }) => {
  const start = (options: object, ...providers: never[]): Promise<Running> =>
    listen(
      { rolesFrom, ...options },
      {
        adapter: new ExpressAdapter() as AbstractHttpAdapter,
        providers,
        prepare,
      },
    )

  test('has the user, their session and its data in parameters and at the connection', async () => {
    await using identity = await startIdentity()
    const running = await start(identity.clientOptions({ baseUrl: BASE }), Chat as never)
    const user = await identity.createUser({ email: 'ada@example.com' })
    const client = await connect(running, await headersOf(running, user, BASE))
    expect(await client.ask('me')).toEqual({
      event: 'me',
      data: { email: 'ada@example.com', isUser: true },
    })
    expect(await client.ask('count')).toEqual({ event: 'count', data: 1 })
    expect(await client.ask('count')).toEqual({ event: 'count', data: 2 })
    expect(running.app.get(Chat).joined).toEqual([user.id])
    client.close()
    await running.app.close()
  })

  test('refuses the handshake of a visitor', async () => {
    const running = await start({ ...OPTIONS, baseUrl: BASE }, Chat as never)
    await expect(connect(running, { origin: BASE })).rejects.toMatchObject({
      answer: { status: 'error', code: 'LATCHKEY_LOGIN_REQUIRED', loginUrl: '/login' },
    })
    await running.app.close()
  })

  test('refuses the handshake of a page of another site with the user’s cookie, also where visitors are welcome', async () => {
    await using identity = await startIdentity()
    for (const gateway of [Chat, Lobby]) {
      const running = await start(identity.clientOptions({ baseUrl: BASE }), gateway as never)
      const { cookie } = await headersOf(running, await identity.createUser(), BASE)
      for (const headers of [{ cookie, origin: FOREIGN }, { cookie }]) {
        await expect(connect(running, headers as never)).rejects.toMatchObject({
          answer: { code: 'LATCHKEY_REQUEST_FORGED' },
        })
      }
      await running.app.close()
    }
  })

  test('refuses a message that the user may not send, with a stable code, and goes on', async () => {
    await using identity = await startIdentity()
    const running = await start(identity.clientOptions({ baseUrl: BASE }), Chat as never)
    const client = await connect(
      running,
      await headersOf(running, await identity.createUser(), BASE),
    )
    expect(await client.ask('delete')).toEqual({
      event: 'exception',
      data: {
        status: 'error',
        code: 'LATCHKEY_FORBIDDEN',
        message: expect.any(String),
        correlationId: expect.any(String),
        pattern: 'delete',
      },
    })
    expect((await client.ask('me')).event).toBe('me')
    client.close()
    await running.app.close()
  })

  test('looks at the session anew for each message, and closes the connection when it ends', async () => {
    await using identity = await startIdentity()
    const session = { ...OPTIONS.session, store: createMemoryStore() }
    const options = identity.clientOptions({ baseUrl: BASE, session })
    const running = await start(options, Chat as never)
    const elsewhere = await start(options, Chat as never)
    const user = await identity.createUser()
    const client = await connect(running, await headersOf(running, user, BASE))
    expect((await client.ask('me')).event).toBe('me')

    // As in another process: this one hears nothing of it.
    const owner = { issuer: identity.issuer, sub: user.id }
    await elsewhere.app.get(LatchkeyService).sessions.revokeAll(owner)
    expect(await client.ask('me')).toMatchObject({
      event: 'exception',
      data: { code: 'LATCHKEY_LOGIN_REQUIRED', pattern: 'me' },
    })
    client.close()

    const other = await connect(running, await headersOf(running, user, BASE))
    expect((await other.ask('me')).event).toBe('me')
    await running.app.get(LatchkeyService).sessions.revokeAll(owner)
    expect(['io server disconnect', 4401]).toContain(await other.closed)
    await running.app.close()
    await elsewhere.app.close()
  })

  test('asks at the handshake for the requirement of its class, or of another gateway at the same address', async () => {
    await using identity = await startIdentity()
    const options = identity.clientOptions({ baseUrl: BASE })
    const running = await start(options, Staff as never, Editors as never)
    const headersWith = async (...roles: string[]) =>
      headersOf(running, await identity.createUser({ claims: { roles } }), BASE)
    await expect(connect(running, await headersWith('guest'))).rejects.toMatchObject({
      answer: { code: 'LATCHKEY_FORBIDDEN' },
    })
    const editor = await connect(running, await headersWith('editor'))
    expect((await editor.ask('edit')).event).toBe('edit')
    expect(await editor.ask('list')).toMatchObject({ data: { code: 'LATCHKEY_FORBIDDEN' } })
    editor.close()
    await running.app.close()
  })

  test('a message counts as a request for the idle time of the session', async () => {
    await using identity = await startIdentity()
    let time = Math.floor(Date.now() / 1000)
    const session = { ...OPTIONS.session, idleSeconds: 600, store: createMemoryStore() }
    const options = identity.clientOptions({ baseUrl: BASE, session, now: () => time })
    const running = await start(options, Chat as never)
    const client = await connect(
      running,
      await headersOf(running, await identity.createUser(), BASE),
    )
    for (let passed = 0; passed < 3; passed += 1) {
      time += 500
      expect((await client.ask('me')).event).toBe('me')
    }
    time += 700
    expect(await client.ask('me')).toMatchObject({ data: { code: 'LATCHKEY_LOGIN_REQUIRED' } })
    client.close()
    await running.app.close()
  })

  test('has the user of a bearer token, from anywhere, and refuses it once it has expired', async () => {
    await using provider = await startMisbehavingProvider()
    let time = Math.floor(Date.now() / 1000)
    const { issuer, clientId, clientSecret } = provider
    const running = await start(
      {
        ...{ ...OPTIONS, issuer, clientId, clientSecret, baseUrl: BASE },
        bearer: { audience: 'https://api.example' },
        now: () => time,
      },
      Machines as never,
    )
    const token = (claims: object) => provider.accessToken({ sub: 'robot', ...claims })
    const client = await connect(running, {
      authorization: `Bearer ${token({})}`,
      origin: FOREIGN,
    })
    expect(await client.ask('me')).toEqual({ event: 'me', data: 'robot' })
    expect(await client.ask('write')).toMatchObject({ data: { code: 'LATCHKEY_SCOPE_MISSING' } })
    expect(await client.ask('page')).toMatchObject({ data: { code: 'LATCHKEY_LOGIN_REQUIRED' } })
    const writer = await connect(running, {
      authorization: `Bearer ${token({ scope: 'read write' })}`,
    })
    expect((await writer.ask('write')).event).toBe('written')

    time += 700
    expect(await client.ask('me')).toMatchObject({
      event: 'exception',
      data: { code: 'LATCHKEY_BEARER_INVALID', pattern: 'me' },
    })
    for (const authorization of [`Bearer ${token({})}`, 'Bearer abc', '']) {
      await expect(connect(running, { authorization })).rejects.toMatchObject({
        answer: { code: expect.stringMatching(/^LATCHKEY_(BEARER_INVALID|LOGIN_REQUIRED)$/) },
      })
    }
    client.close()
    writer.close()
    await running.app.close()
  })

  test('with sessions in cookies, a message has the user until the session expires', async () => {
    await using identity = await startIdentity()
    let time = Math.floor(Date.now() / 1000)
    const session = { ...OPTIONS.session, store: 'cookie', idleSeconds: 600 }
    const options = identity.clientOptions({ baseUrl: BASE, session, now: () => time } as object)
    const running = await start(options, Chat as never)
    const user = await identity.createUser({ email: 'ada@example.com' })
    const headers = await headersOf(running, user, BASE)
    const client = await connect(running, headers)
    time += 500
    expect(await client.ask('me')).toMatchObject({ data: { email: 'ada@example.com' } })
    // Nothing can be written into a cookie here, so what would be lost is refused.
    expect(await client.ask('count')).toMatchObject({ event: 'exception' })
    time += 200
    expect(await client.ask('me')).toMatchObject({ data: { code: 'LATCHKEY_LOGIN_REQUIRED' } })
    await expect(connect(running, headers)).rejects.toMatchObject({
      answer: { code: 'LATCHKEY_LOGIN_REQUIRED' },
    })
    client.close()
    await running.app.close()
  })

  test('lets visitors in where it is public, and asks for a login where a handler does', async () => {
    await using identity = await startIdentity()
    const running = await start(identity.clientOptions({ baseUrl: BASE }), Lobby as never)
    const visitor = await connect(running, { origin: FOREIGN })
    expect(await visitor.ask('hello')).toEqual({ event: 'hello', data: 'visitor' })
    for (const event of ['me', 'careless']) {
      expect(await visitor.ask(event)).toMatchObject({
        event: 'exception',
        data: { code: 'LATCHKEY_LOGIN_REQUIRED', pattern: event },
      })
    }
    visitor.close()
    const user = await identity.createUser({ email: 'ada@example.com' })
    const client = await connect(running, await headersOf(running, user, BASE))
    expect(await client.ask('hello')).toEqual({ event: 'hello', data: 'ada@example.com' })
    expect(await client.ask('me')).toEqual({ event: 'me', data: 'ada@example.com' })
    client.close()
    await running.app.close()
  })
})

test('namespaces of Socket.IO have a door each, and the server itself asks for a user', async () => {
  const running = await listen(
    { ...OPTIONS, baseUrl: BASE },
    { adapter: new FastifyAdapter() as never, providers: [OpenNamespace, ClosedNamespace] },
  )
  const visitor = await connectIo(running, {}, { path: '/open' })
  expect((await visitor.ask('hello')).event).toBe('hello')
  visitor.close()
  for (const path of ['/closed', '']) {
    await expect(connectIo(running, {}, { path })).rejects.toMatchObject({
      answer: { code: 'LATCHKEY_LOGIN_REQUIRED' },
    })
  }
  await running.app.close()
})

test('a connection that began with long polling ends with its session, when the first request is long gone', async () => {
  await using identity = await startIdentity()
  const running = await listen(identity.clientOptions({ baseUrl: BASE }), {
    adapter: new ExpressAdapter() as never,
    providers: [Chat],
    prepare: (app) => {
      app.getHttpServer().keepAliveTimeout = 1
    },
  })
  const user = await identity.createUser()
  const client = await connectIo(running, await headersOf(running, user, BASE))
  await client.upgraded
  running.app.getHttpServer().closeIdleConnections()
  const owner = { issuer: identity.issuer, sub: user.id }
  await running.app.get(LatchkeyService).sessions.revokeAll(owner)
  expect(await client.next()).toMatchObject({
    event: 'exception',
    data: { code: 'LATCHKEY_SESSION_ENDED' },
  })
  expect(await client.closed).toBe('io server disconnect')
  await running.app.close()
})

test('a connection that is closed is no longer watched by the service', async () => {
  await using identity = await startIdentity()
  const running = await listen(identity.clientOptions({ baseUrl: BASE }), {
    adapter: new ExpressAdapter() as never,
  })
  const user = await identity.createUser()
  const headers = await headersOf(running, user, BASE)
  const request = Object.assign(new IncomingMessage(new Socket()), { url: '/', headers })
  const service = running.app.get(LatchkeyService)
  let close = (): void => {}
  const open = await service.socket(request)
  const closed = await service.socket(request, {}, (stop) => {
    close = stop
  })

  close()
  await service.sessions.revokeAll({ issuer: identity.issuer, sub: user.id })

  const aborted = [open, closed].map((one) => one.isAllowed && one.ended.aborted)
  expect(aborted).toEqual([true, false])
  await running.app.close()
})

test('an adapter whose handshakes cannot be checked is refused at start', async () => {
  class OtherAdapter extends WsAdapter {
    override create(): never {
      return { on() {} } as never
    }
  }
  const started = listen(
    { ...OPTIONS, baseUrl: BASE },
    {
      adapter: new ExpressAdapter() as never,
      providers: [Chat],
      prepare: (app) => void app.useWebSocketAdapter(new OtherAdapter(app)),
    },
  )
  await expect(started).rejects.toThrow('Use IoAdapter of @nestjs/platform-socket.io or WsAdapter')
})
