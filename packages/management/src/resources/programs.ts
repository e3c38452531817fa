import type { Json, Send } from '../request.ts'
import type { Grant, Program } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { restoreGrant } from './grants.ts'
import { segment } from './resource.ts'

/** Programs that are no applications of the tenant, by their hosts. */
export interface Programs {
  /**
   * Those that are blocked, then the others to which users have granted something within a year, the newest grant first.
   *
   * @param query - `blocked`: those that are blocked alone, or the others.
   */
  list(query?: { blocked?: boolean | undefined }): AsyncGenerator<Program, void, undefined>
  get(host: string): Promise<Program>
  /** The users who have granted something to the programs of a host, the newest grant first. */
  grants(host: string): AsyncGenerator<Grant, void, undefined>
  /** Blocks the programs of a host: they cannot log in, and their grants have ended. */
  block(host: string): Promise<Program>
  /** Unblocks the programs of a host; their users are asked again. */
  unblock(host: string): Promise<Program>
}

export function createPrograms(send: Send, tenantId: string): Programs {
  const path = `/x/v1/tenants/${segment(tenantId)}/programs`
  const one = (host: string) => `${path}/${segment(host)}`
  const restore = (program: Json) => restoreZeros<Program>(program, zeros.Program)
  // Blocking twice is the same as blocking once.
  const post = async (to: string) =>
    restore((await send({ method: 'POST', path: to, body: {}, isRepeatable: true })).body)
  return {
    list: (query = {}) => readFiltered(send, path, { ...query }, restore),
    get: async (host) =>
      restore((await send({ method: 'GET', path: one(host), isRepeatable: true })).body),
    grants: (host) => readFiltered(send, `${one(host)}/grants`, {}, restoreGrant),
    block: (host) => post(`${one(host)}/block`),
    unblock: (host) => post(`${one(host)}/unblock`),
  }
}
