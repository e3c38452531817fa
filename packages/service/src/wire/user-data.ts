import { z } from 'zod'
import { lookUpApplication } from '../domain/applications/applications.ts'
import type { Support } from '../domain/operators/support.ts'
import { getTenant } from '../domain/tenants/tenants.ts'
import { lastLoginOf } from '../domain/users/user-lists.ts'
import { getAccount } from '../domain/users/users.ts'
import type { Scope } from '../domain/writes/context.ts'
import type { Account } from '../store/ports.ts'
import type { Credential } from '../store/records.ts'
import { serializeCredential } from './credentials.ts'
import type { Part } from './json-lines.ts'
import { decodePlace, encodePlace } from './places.ts'
import {
  serializeDevice,
  serializeGrant,
  serializeMail,
  serializeOperatorLogin,
  serializeSession,
} from './support.ts'
import { formatTimestamp } from './timestamps.ts'
import { serializeUser } from './users.ts'

/** The sources of a user's data: the store of the tenant, and the data for support. */
interface Source {
  readonly scope: Scope
  readonly support: Support
}

/** The sections of a user's data, in the order of the export. */
const sections = ['account', 'access', 'mails', 'operators'] as const

/**
 * The schema of a position in the data of a user. `from`: the number of objects of the section
 * before it. In the section `mails`, `from` and `id` are the time and the id of the last mail
 * before it.
 */
const place = z.object({
  section: z.enum(sections),
  from: z.int().nonnegative(),
  id: z.string().max(200).optional(),
})

type Section = (typeof sections)[number]

/**
 * Reads a part of all data about a user: the user, credentials, sessions, trusted devices, grants,
 * mails and logins of operators, without hashes and secrets. Each object has a `type`.
 *
 * @param page - `after`: the `next` of the previous part. `limit`: the maximum number of objects. A
 *   part may be short, or even empty, although `next` is set.
 * @throws ServiceError `not_found` if the user does not exist, and `invalid_request` for an invalid
 *   `after`.
 */
export async function readUserData(
  source: Source,
  userId: string,
  page: { after: string | undefined; limit: number },
): Promise<Part> {
  const { section = 'account', from = 0, id } = decodePlace(page.after, place) ?? {}
  const account = await getAccount(source.scope, userId)
  const { limit } = page
  if (section === 'mails') {
    const after = id === undefined ? undefined : { createdAt: from, id }
    const mails = await source.support.mails(source.scope, { userId, after, limit: limit + 1 })
    const items = mails.slice(0, limit)
    const last = mails.length > limit ? items.at(-1) : undefined
    const next = last && encodePlace({ section, from: last.createdAt, id: last.id })
    return { items: items.map(serializeMail), next: next ?? behind(section) }
  }
  const all = await read[section](source, account)
  const end = from + limit
  return {
    items: all.slice(from, end),
    next: end < all.length ? encodePlace({ section, from: end }) : behind(section),
  }
}

/** The position at the beginning of the next section; `undefined` after the last section. */
function behind(section: Section): string | undefined {
  const next = sections[sections.indexOf(section) + 1]
  return next && encodePlace({ section: next, from: 0 })
}

const read: Readonly<
  Record<Exclude<Section, 'mails'>, (source: Source, account: Account) => Promise<object[]>>
> = {
  async account({ scope }, { user, credentials }) {
    const lastLoginAt = await lastLoginOf(scope, user.id)
    return [
      {
        ...serializeUser(user),
        ...(lastLoginAt !== undefined && { last_login_at: formatTimestamp(lastLoginAt) }),
      },
      ...credentials.map(withoutSecret).sort((a, b) => (a.id < b.id ? -1 : 1)),
    ]
  },
  async access({ scope, support }, { user, credentials }) {
    const { sessions, devices, clients } = await support.stateOf(
      await getTenant(scope),
      user,
      credentials,
    )
    return [
      ...sessions.map((one) => ({ ...serializeSession(one), address: one.address })),
      ...devices.map(serializeDevice),
      ...clients.map(serializeGrant),
    ]
  },
  async operators({ scope, support }, { user }) {
    const named = async (id: string) => ({
      id,
      name: (await lookUpApplication(scope.context, scope.tenantId, id))?.name ?? '',
    })
    const logins = await support.impersonations(scope, user.id)
    return Promise.all(
      logins.map(async (one) =>
        serializeOperatorLogin(one, await Promise.all(one.applications.map(named))),
      ),
    )
  },
}

/** Makes the object for a credential, without the hash of a password. */
function withoutSecret(credential: Credential): { id: string } {
  const line = serializeCredential(credential) as { id: string }
  if (credential.kind !== 'password') return line
  const { alg, cost } = credential.password
  return { ...line, password: { alg, cost } } as { id: string }
}
