import { LatchkeyError, type Refusal, SessionEndedError, type Visit } from '@latchkey/core'
import { type NodeRequest, openSocketVisit } from '@latchkey/core/node'
import { ANY_USER } from './access.ts'
import { handleOf, type LatchkeyService } from './latchkey-service.ts'
import { refusalFrom } from './refusals.ts'

type AnyVisit = Visit<never, unknown>

/** A client of Socket.IO or of `ws`. */
export interface Client {
  close?(code: number, reason: string): void
  /** Only clients of Socket.IO have it. */
  disconnect?(close: boolean): void
  emit?(event: string, ...data: unknown[]): unknown
  readonly conn?: Client
  once(event: 'close', listener: () => void): unknown
}

/** The code that a WebSocket is closed with when its session has ended. */
const SESSION_ENDED = 4401

/** The open connections of one application: WebSockets of gateways and of GraphQL. */
export class Connections {
  readonly #service: LatchkeyService
  /** The callbacks for the end of each connection. */
  readonly #closers = new WeakMap<NodeRequest, Set<() => void>>()
  readonly #ended = new WeakMap<object, AbortSignal>()

  constructor(service: LatchkeyService) {
    this.#service = service
  }

  /** Looks up the session of a handshake now. */
  async open(request: NodeRequest): Promise<AnyVisit> {
    const closers = this.#closersOf(request)
    return (await openSocketVisit(handleOf(this.#service), request, (close) =>
      closers.add(close),
    )) as unknown as AnyVisit
  }

  /** Closes a connection when the session of its user ends. */
  watch(client: object, request: NodeRequest, visit: AnyVisit): void {
    if (this.#ended.has(client) || !isUser(visit)) return
    const socket = client as Client
    const closers = this.#closersOf(request)
    const connection = socket.conn ?? socket
    connection.once('close', () => {
      for (const close of closers) close()
      closers.clear()
    })
    const ended = visit.auth.ended()
    this.#ended.set(client, ended)
    if (ended.aborted) end(socket)
    else ended.addEventListener('abort', () => end(socket))
  }

  /** The refusal of a connection whose session has ended, as far as it is known. */
  endedRefusal(client: object): Refusal | undefined {
    return this.#ended.get(client)?.aborted ? sessionEnded() : undefined
  }

  #closersOf(request: NodeRequest): Set<() => void> {
    const closers = this.#closers.get(request) ?? new Set()
    this.#closers.set(request, closers)
    return closers
  }
}

/**
 * The refusal of a handshake from a page of another site, with the session of its user; `undefined` for any other.
 * Where visitors may connect, no other handshake is refused.
 */
export async function forgedRefusal(
  visit: AnyVisit,
  request: NodeRequest,
): Promise<Refusal | undefined> {
  if (!isUser(visit)) return undefined
  const refusal = await visit.refusal(ANY_USER, request)
  return refusal?.error.code === 'LATCHKEY_REQUEST_FORGED' ? refusal : undefined
}

/**
 * Whether a user is logged in. `false` if the store does not answer: then a handler that reads the session fails, but a
 * visitor is not refused.
 */
function isUser(visit: AnyVisit): boolean {
  try {
    return visit.auth.isAuthenticated
  } catch (error) {
    if (error instanceof LatchkeyError) return false
    throw error
  }
}

function end(client: Client): void {
  if (!client.disconnect) {
    client.close?.(SESSION_ENDED, 'Your session has ended')
    return
  }
  const { error, title } = sessionEnded()
  client.emit?.('exception', { status: 'error', code: error.code, message: title })
  client.disconnect(true)
}

function sessionEnded(): Refusal {
  return refusalFrom(new SessionEndedError('The session behind this connection has ended.'))
}
