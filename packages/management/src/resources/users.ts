import type { Send } from '../request.ts'
import type { User, UserInput } from '../types.ts'
import { zeros } from '../zero-values.ts'
import { type CreateOptions, recovery } from './create.ts'
import { createAccess, type Deletable, type Readable, segment } from './resource.ts'

/** The users of a tenant. */
export interface Users extends Readable<User>, Deletable<User> {
  /** Creates a user without credentials. */
  create(input: UserInput, options?: CreateOptions<User>): Promise<User>
}

export function createUsers(send: Send, tenantId: string): Users {
  const path = `/v1/tenants/${segment(tenantId)}/users`
  const { list, page, get, update, ...access } = createAccess<User>(send, path, zeros.User)
  return {
    list,
    page,
    get,
    update,
    delete: access.delete,
    async create(input, options) {
      const body = { type: 'User', ...input }
      const recover = recovery(options)
      const answer = await send({ method: 'POST', path, body, isRepeatable: false, recover })
      return access.restore(answer.body)
    },
  }
}
