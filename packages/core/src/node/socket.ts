import type { Duplex } from 'node:stream'
import type { Auth } from '../auth.ts'
import type { RequestAuth } from '../guard/request-auth.ts'
import type { ByMember, Requirement } from '../guard/requirement.ts'
import type { AppUser } from '../guard/user.ts'
import type { AuthRequest } from '../http/request.ts'
import { sentResponse } from '../visit/sent-response.ts'
import type { Answer, Visit } from '../visit/visit.ts'
import { WebResponse } from '../web/response.ts'
import { type NodeRequest, toAuthRequest } from './request.ts'

/** The decision of a guard about a WebSocket, before its handshake is answered. */
export type AuthSocket<U = AppUser> =
  | {
      readonly isAllowed: true
      readonly user: U
      readonly auth: RequestAuth<U, unknown>
      /**
       * A signal that is aborted when the session ends, as `RequestAuth.ended()` is. Close the
       * connection when it is aborted.
       */
      readonly ended: AbortSignal
    }
  | {
      readonly isAllowed: false
      /** The status of the refusal: 401, 403 or 503. */
      readonly status: number
      /** Answers the handshake with the refusal and closes the connection. */
      refuse(socket: Duplex): void
    }

/** Guards connections that the framework does not see, such as WebSockets. */
export interface SocketHandle<U = AppUser> {
  /**
   * Checks the request of a WebSocket handshake as `requireUser()` does. The request comes from
   * `server.on('upgrade')` of node:http, or is `socket.request` of Socket.IO.
   *
   * @param onClose - Receives a function that stops watching the session, and must call it when the
   *   connection is closed. Default: the `close` event of the TCP connection of an upgrade. For any
   *   other request, such as one of long polling, the session is watched until it ends.
   * @throws an error that a check of the requirement throws, unless it is an error of the kit.
   */
  socket(
    request: NodeRequest,
    requirement?: ByMember<Requirement<NodeRequest, U>>,
    onClose?: (close: () => void) => void,
  ): Promise<AuthSocket<U>>
}

/** Makes the {@link SocketHandle} of a login. */
export function socketHandle<U>(auth: Auth<U>): SocketHandle<U> {
  const socket: SocketHandle<U>['socket'] = (request, requirement = {}, onClose = undefined) =>
    openSocket(auth, request, requirement, onClose)
  // Adapters expose only this function, so `openSocketVisit` finds the login by this function.
  logins.set(socket, auth as Auth<never>)
  return { socket }
}

const logins = new WeakMap<object, Auth<never>>()
/**
 * The kit's request for each handshake, so that the bearer token of a handshake is verified once
 * and its proof is used once.
 */
const handshakes = new WeakMap<NodeRequest, AuthRequest>()

/**
 * Looks up the session of a WebSocket again, for adapters whose guards see each message. No
 * response can be sent, so `auth.login()` is refused.
 *
 * @param handle - The handle of the login, as the adapter returned it.
 * @param onClose - Receives a function, and must call it when the connection is closed. Until then,
 *   `auth.ended()` watches the session.
 * @throws `TypeError` for a handle of another copy of this package.
 */
export async function openSocketVisit<U = AppUser>(
  handle: SocketHandle<U>,
  request: NodeRequest,
  onClose?: (close: () => void) => void,
): Promise<Visit<U, never>> {
  const auth = logins.get(handle.socket)
  if (!auth) throw new TypeError(OTHER_HANDLE)
  let asked = handshakes.get(request)
  if (!asked) {
    asked = asSocket(request, auth)
    handshakes.set(request, asked)
  }
  if (onClose) Object.assign(asked, { onClose })
  const opened = await auth.visit<never>(asked, sentResponse())
  return opened as unknown as Visit<U, never>
}

const OTHER_HANDLE =
  'The login of this handle is not known here. Install one version of @latchkey/core for all packages.'

/**
 * The kit's request for a handshake, marked as the opening of a long-lived connection. Its method
 * and headers may not show that: Socket.IO begins with a `GET` for long polling.
 */
function asSocket(request: NodeRequest, { baseUrl }: Pick<Auth, 'baseUrl'>): AuthRequest {
  return Object.assign(toAuthRequest(request, baseUrl), { opensSocket: true })
}

/**
 * Decides about the request of a WebSocket handshake as a guard does. The request must come from a
 * page of this site or of a trusted origin, or have a bearer token that the requirement accepts.
 */
async function openSocket<U>(
  auth: Auth<U>,
  request: NodeRequest,
  requirement: Requirement<NodeRequest, U>,
  onClose: ((close: () => void) => void) | undefined,
): Promise<AuthSocket<U>> {
  // The visitor may disconnect before the guard has decided. Then there is no other listener for
  // the error.
  request.socket?.once('error', () => {})
  const response = new WebResponse()
  // The WebSocket library answers the handshake, without the kit's headers. A refresh whose cookie
  // is not sent would spend the refresh token of a session in the cookie.
  response.isSent = true
  const asked = asSocket(request, auth)
  // A request of long polling ends, with its TCP connection, long before the connection that it
  // opens.
  const closing = onClose ?? (isUpgrade(request) ? undefined : () => {})
  if (closing) Object.assign(asked, { onClose: closing })
  const visit = await auth.visit(asked, response)
  const refusal = visit.answer ?? (await visit.admit({ ...requirement, respond: 'json' }, request))
  if (!refusal) {
    const { auth: ofUser } = visit
    return { isAllowed: true, user: visit.user(), auth: ofUser, ended: ofUser.ended() }
  }
  return {
    isAllowed: false,
    status: refusal.status,
    refuse: (socket) => refuse(socket, refusal, response),
  }
}

/** Whether the connection of a request becomes that of the WebSocket (RFC 6455 §4.1, RFC 8441 §4). */
function isUpgrade({ method, headers }: NodeRequest): boolean {
  return method === 'CONNECT' || headers.upgrade !== undefined
}

function refuse(socket: Duplex, { status, body = '' }: Answer, response: WebResponse): void {
  const { headers } = response.finish(response.send({ status, body: undefined }))
  const length = Buffer.byteLength(body)
  const head = [...headers, ['content-length', String(length)], ['connection', 'close']]
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${status} \r\n${lines.join('')}\r\n`), Buffer.from(body)]),
  )
}
