import type { Duplex } from 'node:stream'
import type { Auth } from '../auth.ts'
import type { RequestAuth } from '../guard/request-auth.ts'
import type { ByMember, Requirement } from '../guard/requirement.ts'
import type { AppUser } from '../guard/user.ts'
import type { Answer } from '../visit/visit.ts'
import { WebResponse } from '../web/response.ts'
import { type NodeRequest, toAuthRequest } from './request.ts'

/** A connection that a guard has decided about: a WebSocket, before its handshake is answered. */
export type AuthSocket<U = AppUser> =
  | {
      readonly isAllowed: true
      readonly user: U
      readonly auth: RequestAuth<U, unknown>
      /** Aborted when the session ends, see `RequestAuth.ended`; close the connection then. */
      readonly ended: AbortSignal
    }
  | {
      readonly isAllowed: false
      /** The status of the refusal: 401, 403 or 503. */
      readonly status: number
      /** Answers the handshake, and closes the connection. */
      refuse(socket: Duplex): void
    }

/** The handle that adapters on Node give an application for connections that the framework does not see. */
export interface SocketHandle<U = AppUser> {
  /**
   * Decides about the request of a WebSocket handshake as `requireUser()` does: `server.on('upgrade')`
   * of node:http, and `socket.request` of Socket.IO.
   *
   * @throws what a check of the requirement throws, unless it is an error of the kit.
   */
  socket(
    request: NodeRequest,
    requirement?: ByMember<Requirement<NodeRequest, U>>,
  ): Promise<AuthSocket<U>>
}

/** Makes the handle. */
export function socketHandle<U>(auth: Auth<U>): SocketHandle<U> {
  return { socket: (request, requirement = {}) => openSocket(auth, request, requirement) }
}

/**
 * Decides about the request of a WebSocket handshake as a guard does. It must come from a page of
 * this site or of a trusted origin, or have a bearer token that the requirement accepts.
 */
async function openSocket<U>(
  auth: Auth<U>,
  request: NodeRequest,
  requirement: Requirement<NodeRequest, U>,
): Promise<AuthSocket<U>> {
  // A visitor may be gone before the guard has decided; nothing else listens by then.
  request.socket?.once('error', () => {})
  const response = new WebResponse()
  // The handshake of a library may be anything: Socket.IO begins with a GET of long polling.
  const asked = Object.assign(toAuthRequest(request, auth.baseUrl), { opensSocket: true })
  const visit = await auth.visit(asked, response)
  const refusal = visit.answer ?? (await visit.admit({ ...requirement, respond: 'json' }, request))
  if (!refusal) {
    const { auth: ofUser } = visit
    // The library of sockets answers the handshake, without the headers of the kit.
    response.isSent = true
    return { isAllowed: true, user: visit.user(), auth: ofUser, ended: ofUser.ended() }
  }
  return {
    isAllowed: false,
    status: refusal.status,
    refuse: (socket) => refuse(socket, refusal, response),
  }
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
