import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type AuthOptions, LatchkeyModule } from '@latchkey/nestjs'
import { logIn } from '@latchkey/testing'
import { type INestApplication, Module, type Provider } from '@nestjs/common'
import type { AbstractHttpAdapter } from '@nestjs/core'
import { Test } from '@nestjs/testing'
import { type Socket as IoClient, io } from 'socket.io-client'
import { WebSocket } from 'ws'

/** An application that listens, with the address of its server. */
export interface Running {
  readonly app: INestApplication
  readonly url: string
}

/** The parts of an application beside its login. */
export interface Parts {
  readonly adapter: AbstractHttpAdapter
  readonly providers?: Provider[]
  readonly imports?: unknown[]
  readonly prepare?: (app: INestApplication) => void
}

/** Starts an application that listens. */
export async function listen(
  options: object,
  { adapter, providers = [], imports = [], prepare = () => {} }: Parts,
): Promise<Running> {
  class RootModule {}
  Module({
    imports: [LatchkeyModule.forRoot(options as AuthOptions), ...(imports as never[])],
    providers,
  })(RootModule)
  const testing = await Test.createTestingModule({ imports: [RootModule] }).compile()
  const app = testing.createNestApplication(adapter, { logger: false })
  prepare(app)
  await app.listen(0, '127.0.0.1')
  const { port } = app.getHttpServer().address() as AddressInfo
  return { app, url: `http://127.0.0.1:${port}` }
}

/** Logs a user in, and returns the headers that their browser sends from a page of the application. */
export async function headersOf(
  { app }: Running,
  user: Parameters<typeof logIn>[1],
  origin: string,
): Promise<{ readonly cookie: string; readonly origin: string }> {
  const browser = await logIn(app.getHttpServer(), user)
  const access = { path: '/', domain: '127.0.0.1', secure: false, script: false }
  const jar = (browser as unknown as { jar: { getCookies(access: object): object } }).jar
  return { cookie: (jar.getCookies(access) as { toValueString(): string }).toValueString(), origin }
}

/** The answer to a message: the event, with its data. */
export interface Answer {
  readonly event: string
  readonly data: unknown
}

/** A client of either library, after its handshake. */
export interface TestClient {
  /** Sends a message, and waits for the next answer. */
  ask(event: string, data?: unknown): Promise<Answer>
  /** The next event that the server sends by itself. */
  next(): Promise<Answer>
  /** The reason or code that the connection is closed with. */
  readonly closed: Promise<unknown>
  /** Resolves when Socket.IO has left long polling. */
  readonly upgraded?: Promise<void>
  close(): void
}

/** A handshake that the server refused. */
export class Refused extends Error {
  readonly answer: unknown

  constructor(answer: unknown) {
    super('The handshake was refused.')
    this.answer = answer
  }
}

/** Connects a client of Socket.IO. */
export async function connectIo(
  { url }: Running,
  headers: Record<string, string>,
  { path = '', ...options }: { path?: string; transports?: string[] } = {},
): Promise<TestClient> {
  const client: IoClient = io(url + path, {
    ...{ extraHeaders: headers, forceNew: true, reconnection: false },
    ...options,
  })
  const answers = queue<Answer>()
  client.onAny((event: string, data: unknown) => answers.push({ event, data }))
  const closed = new Promise((resolve) => client.once('disconnect', resolve))
  const upgraded = new Promise<void>((resolve) => {
    client.io.once('open', () => client.io.engine.once('upgrade', () => resolve()))
  })
  await new Promise<void>((resolve, reject) => {
    client.once('connect', resolve)
    client.once('connect_error', (error) => {
      client.close()
      reject(new Refused((error as { data?: unknown }).data ?? error.message))
    })
  })
  return {
    ask(event, data = {}) {
      client.emit(event, data)
      return answers.next()
    },
    next: () => answers.next(),
    closed,
    upgraded,
    close: () => void client.close(),
  }
}

/** Connects a client of `ws`. */
export async function connectWs(
  { url }: Running,
  headers: Record<string, string>,
  { path = '' }: { path?: string } = {},
): Promise<TestClient> {
  const client = new WebSocket(url.replace('http', 'ws') + path, { headers })
  const answers = queue<Answer>()
  client.on('message', (text) => answers.push(JSON.parse(String(text)) as Answer))
  const closed = new Promise((resolve) => client.once('close', resolve))
  const refused = new Promise<never>((_resolve, reject) => {
    client.once('unexpected-response', (_request, response) => {
      const body: Buffer[] = []
      response.on('data', (chunk: Buffer) => body.push(chunk))
      response.on('end', () => {
        const text = String(Buffer.concat(body))
        const answer = text.startsWith('{') ? JSON.parse(text) : text
        reject(new Refused({ httpStatus: response.statusCode, ...Object(answer) }))
      })
    })
  })
  await Promise.race([once(client, 'open'), refused])
  return {
    ask(event, data = {}) {
      client.send(JSON.stringify({ event, data }))
      return answers.next()
    },
    next: () => answers.next(),
    closed,
    close: () => client.terminate(),
  }
}

function queue<T>(): { push(value: T): void; next(): Promise<T> } {
  const values: T[] = []
  const waiting: ((value: T) => void)[] = []
  return {
    push(value) {
      const first = waiting.shift()
      if (first) first(value)
      else values.push(value)
    },
    next() {
      const value = values.shift()
      if (value !== undefined) return Promise.resolve(value)
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
