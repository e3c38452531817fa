import type express from 'express'
import type { Actor } from '../domain/writes/context.ts'
import type { ApiKey } from '../store/records.ts'
import { type ClientIp, userAgentOf } from '../wire/client.ts'

/** Values that the steps of one request pass on. */
export interface Locals {
  requestId: string
  key?: ApiKey
  /** A key that was revoked or has expired. */
  refusedKey?: ApiKey | undefined
}

/** The sender of the request: the key, whether it is good or not, or a visitor without one. */
export function actorOf(clientIp: ClientIp, req: express.Request, res: express.Response): Actor {
  const { key, refusedKey, requestId } = res.locals as Locals
  const { id } = key ?? refusedKey ?? {}
  return {
    name: id === undefined ? 'visitor' : `key:${id}`,
    requestId,
    address: clientIp(req) || undefined,
    userAgent: userAgentOf(req),
  }
}
