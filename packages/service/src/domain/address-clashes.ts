import { emailKey } from '../store/email-key.ts'
import type { Tenant, User } from '../store/records.ts'
import type { DomainContext } from './context.ts'

/** A user whose address is another's in another writing, from before such addresses were refused. */
export interface AddressClash {
  tenant: Tenant
  user: User
  /** The user who has the address in its canonical spelling, if there is one. */
  other: User | undefined
}

const PAGE = 1_000

/** The users of all tenants that kept their earlier keys when addresses became canonical. */
export async function* addressClashes({ store }: DomainContext): AsyncGenerator<AddressClash> {
  for await (const tenant of all((page) => store.tenants.list('all', page))) {
    for await (const user of all((page) => store.users.list(tenant.id, page))) {
      const key = emailKey(user.email)
      if (key === user.emailKey) continue
      yield { tenant, user, other: await store.users.findByEmail(tenant.id, key) }
    }
  }
}

type List<T> = (page: {
  after: string | undefined
  limit: number
}) => Promise<{ items: T[]; more: boolean } | undefined>

async function* all<T extends { id: string }>(list: List<T>): AsyncGenerator<T> {
  for (let after: string | undefined; ; ) {
    const page = await list({ after, limit: PAGE })
    yield* page?.items ?? []
    if (!page?.more) return
    after = page.items.at(-1)?.id
  }
}
