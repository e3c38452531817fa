import { LatchkeyError, type Refusal, SessionEndedError, type Visit } from '@latchkey/core'
import { type NodeRequest, openSocketVisit } from '@latchkey/core/node'
import { ANY_USER } from './access.ts'
import { handleOf, type LatchkeyService } from './latchkey-service.ts'
import { refusalFrom } from './refusals.ts'

type AnyVisit = Visit<never, unknown>

/** A connected client of a gateway, of Socket.IO or of `ws`. */
export interface Client {
  close?(code: number, reason: string): void
  /** Disconnects a client of Socket.IO. Clients of `ws` lack this method. */
  disconnect?(close: boolean): void
  emit?(event: string, ...data: unknown[]): unknown
  readonly conn?: Client
  once(event: 'close', listener: () => void): unknown
}

/** The close code of a WebSocket whose session has ended. */
const SESSION_ENDED = 4401

/** The open connections of one application: the WebSockets of its gateways and of GraphQL. */
export class Connections {
  readonly #service: LatchkeyService
  /** The callbacks to call when a connection closes, by the request of its handshake. */
  readonly #closers = new WeakMap<NodeRequest, Set<() => void>>()
  readonly #ended = new WeakMap<object, AbortSignal>()

  constructor(service: LatchkeyService) {
    this.#service = service
  }

  /** Opens a visit for the request of a handshake, with the current session. */
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

  /**
   * The refusal of messages on a connection whose session is known to have ended; otherwise
   * `undefined`.
   */
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
 * The refusal of a handshake from a page of another site that uses a logged-in user's session;
 * `undefined` for any other handshake. It protects gateways that are open to visitors.
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
 * Whether a user is logged in. `false` if the session store does not answer. Visitors are then not
 * refused, but a handler that reads the session fails.
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
