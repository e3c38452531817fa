import { CurrentUser, LatchkeyService, type User } from '@latchkey/nestjs'
import { startIdentity } from '@latchkey/testing'
import { ExpressAdapter } from '@nestjs/platform-express'
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets'
import { io, type Socket } from 'socket.io-client'
import { describe, expect, test } from 'vitest'
import { headersOf, listen } from './support/connections.ts'

class Gateway {
  #server: { emit(event: string, data: string): void } | undefined
  #left = Promise.withResolvers<void>()

  afterInit(server: { emit(event: string, data: string): void }): void {
    this.#server = server
  }

  handleDisconnect(): void {
    this.#left.resolve()
    this.#left = Promise.withResolvers()
  }

  /** Resolves when the server has noticed that a client is gone. */
  get left(): Promise<void> {
    return this.#left.promise
  }

  tell(news: string): void {
    this.#server?.emit('news', news)
  }

  @SubscribeMessage('me')
  me(@CurrentUser() user: User): object {
    return { event: 'me', data: user.email }
  }
}

@WebSocketGateway<object>({ connectionStateRecovery: {} })
class Desk extends Gateway {}

@WebSocketGateway<object>({ namespace: 'desk', connectionStateRecovery: {} })
class NamedDesk extends Gateway {}

const BASE = 'http://localhost:3000'

/** A client of Socket.IO, and every packet that it has received. */
interface Watched {
  readonly client: Socket
  readonly packets: unknown[]
}

function connect(url: string, extraHeaders: Record<string, string>): Watched {
  const client = io(url, {
    ...{ extraHeaders, forceNew: true, reconnection: false, autoConnect: false },
    transports: ['websocket'],
  })
  const packets: unknown[] = []
  client.io.on('packet', (packet) => packets.push(packet.data))
  client.connect()
  return { client, packets }
}

/** The first of some events that a client hears, with its data. */
function heard(client: Socket, ...events: string[]): Promise<unknown> {
  return new Promise((resolve) => {
    for (const event of events) client.once(event, (data) => resolve([event, data]))
  })
}

describe.each([
  { name: 'the server', Gateway: Desk, path: '' },
  { name: 'a namespace', Gateway: NamedDesk, path: '/desk' },
])('a connection to $name that Socket.IO recovers', ({ Gateway, path }) => {
  const start = async (identity: Awaited<ReturnType<typeof startIdentity>>) => {
    const running = await listen(identity.clientOptions({ baseUrl: BASE }), {
      adapter: new ExpressAdapter() as never,
      providers: [Gateway],
    })
    const user = await identity.createUser({ email: 'ada@example.com' })
    const gateway = running.app.get(Gateway)
    const watched = connect(running.url + path, await headersOf(running, user, BASE))
    const { client } = watched
    await heard(client, 'connect')
    const first = heard(client, 'news')
    gateway.tell('first')
    await first
    const { left } = gateway
    client.io.engine.close()
    await left
    const owner = { issuer: identity.issuer, sub: user.id }
    const logOut = () => running.app.get(LatchkeyService).sessions.revokeAll(owner)
    return { ...watched, running, gateway, logOut }
  }

  test('is refused and receives nothing when its session has ended meanwhile', async () => {
    await using identity = await startIdentity()
    const { client, packets, running, gateway, logOut } = await start(identity)
    await logOut()
    gateway.tell('secret')
    packets.length = 0

    const answer = heard(client, 'connect_error', 'connect')
    client.connect()

    const refusal = { message: 'LATCHKEY_LOGIN_REQUIRED' }
    expect(await answer).toMatchObject(['connect_error', refusal])
    expect(JSON.stringify(packets)).not.toContain('secret')
    client.close()
    await running.app.close()
  })

  test('receives what it missed, has its user, and ends with its session', async () => {
    await using identity = await startIdentity()
    const { client, running, gateway, logOut } = await start(identity)
    gateway.tell('second')

    const missed = heard(client, 'news')
    client.connect()
    expect(await missed).toEqual(['news', 'second'])
    expect(client.recovered).toBe(true)
    const answer = heard(client, 'me', 'exception')
    client.emit('me', {})
    expect(await answer).toEqual(['me', 'ada@example.com'])

    const ended = Promise.all([heard(client, 'exception'), heard(client, 'disconnect')])
    await logOut()
    expect(await ended).toMatchObject([
      ['exception', { code: 'LATCHKEY_SESSION_ENDED' }],
      ['disconnect', 'io server disconnect'],
    ])
    await running.app.close()
  })
})
