import type { Send } from '../request.ts'
import type { Application, ApplicationInput, Grant } from '../types.ts'
import { zeros } from '../zero-values.ts'
import { type CreateOptions, recovery } from './create.ts'
import { readFiltered } from './filtered.ts'
import { restoreGrant } from './grants.ts'
import { createAccess, type Deletable, type Readable, segment } from './resource.ts'

/** The applications of a tenant. */
export interface Applications extends Readable<Application>, Deletable<Application> {
  /** Creates an application. The result has no secret; `get` returns it. */
  create(input: ApplicationInput, options?: CreateOptions<Application>): Promise<Application>
  /**
   * Lists the grants of users who have logged in to an application on a device, the newest first.
   */
  grants(id: string): AsyncGenerator<Grant, void, undefined>
}

export function createApplications(send: Send, tenantId: string): Applications {
  const path = `/v1/tenants/${segment(tenantId)}/applications`
  const { list, page, get, update, ...access } = createAccess<Application>(
    send,
    path,
    zeros.Application,
  )
  return {
    list,
    page,
    get,
    update,
    delete: access.delete,
    async create(input, options) {
      const body = { type: 'Application', ...input }
      const recover = recovery(options)
      const answer = await send({ method: 'POST', path, body, isRepeatable: false, recover })
      return access.restore(answer.body)
    },
    grants: (id) => readFiltered(send, `/x${path}/${segment(id)}/grants`, {}, restoreGrant),
  }
}
