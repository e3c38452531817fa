import type express from 'express'
import type { Caller } from '../domain/keys/api-keys.ts'
import { COMMAND_CLIENT, type CommandLogin } from '../domain/operators/command-logins.ts'
import type { Actor } from '../domain/writes/context.ts'
import type { ApiKey } from '../store/records.ts'
import { type ClientIp, userAgentOf } from '../wire/client.ts'

/** The values that the handlers of one request share. */
export interface Locals {
  requestId: string
  /** The sender, once the API key or the operator's access token is verified. */
  caller?: Caller
  /** The login of the operator, if an operator is the sender. */
  login?: CommandLogin
  /** The refused API key: it is revoked, has expired, or awaits confirmation after a restore. */
  refusedKey?: ApiKey | undefined
}

/** The sender of a request: an operator, an API key (valid or not), or a visitor without a key. */
export function actorOf(clientIp: ClientIp, req: express.Request, res: express.Response): Actor {
  const { caller, login, refusedKey, requestId } = res.locals as Locals
  const { id } = caller ?? refusedKey ?? {}
  const name = id === undefined ? 'visitor' : `${login ? 'operator' : 'key'}:${id}`
  return {
    name,
    ...(login && { applicationId: COMMAND_CLIENT }),
    requestId,
    address: clientIp(req) || undefined,
    userAgent: userAgentOf(req),
  }
}
