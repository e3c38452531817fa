import type { Json, Send } from '../request.ts'
import type { Grant, Program } from '../types.ts'
import { restoreZeros, zeros } from '../zero-values.ts'
import { readFiltered } from './filtered.ts'
import { restoreGrant } from './grants.ts'
import { segment } from './resource.ts'

/** The programs that are not registered as applications of the tenant, grouped by host. */
export interface Programs {
  /**
   * Lists the blocked programs, then those to which users have granted access within a year, the
   * newest grant first.
   *
   * @param query - `blocked`: `true` lists only blocked programs, `false` only those that are not
   *   blocked.
   */
  list(query?: { blocked?: boolean | undefined }): AsyncGenerator<Program, void, undefined>
  get(host: string): Promise<Program>
  /** Lists the users who have granted access to the programs of a host, the newest grant first. */
  grants(host: string): AsyncGenerator<Grant, void, undefined>
  /** Blocks the programs of a host. They can no longer log in, and their grants are withdrawn. */
  block(host: string): Promise<Program>
  /** Unblocks the programs of a host. Users have to consent again. */
  unblock(host: string): Promise<Program>
}

export function createPrograms(send: Send, tenantId: string): Programs {
  const path = `/x/v1/tenants/${segment(tenantId)}/programs`
  const one = (host: string) => `${path}/${segment(host)}`
  const restore = (program: Json) => restoreZeros<Program>(program, zeros.Program)
  // The request is repeatable: blocking a host twice has the same result as once.
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
