import { z } from 'zod'
import { listOfUsers } from '../../../domain/users/user-lists.ts'
import { createUser, listUsers } from '../../../domain/users/users.ts'
import type { User } from '../../../store/records.ts'
import { jsonLines } from '../../../wire/json-lines.ts'
import { decodePlace, encodePlace } from '../../../wire/places.ts'
import { sheetLines, userCells, userColumns } from '../../../wire/tables.ts'
import { formatTimestamp } from '../../../wire/timestamps.ts'
import { serializeUser } from '../../../wire/users.ts'
import { bulkActs } from '../../audit/job-words.ts'
import {
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { noted } from '../../calls/exports.ts'
import { cursorOf } from '../../forms/form-fields.ts'
import { languageIn } from '../../forms/mail-form.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import { filterNames, userFiltersIn, userQueryOf, wayWords } from '../../forms/user-filters.ts'

const PAGE = 50
const EXPORT_PAGE = 1_000

export const usersRoutes: readonly ConsoleRoute[] = [
  tenantPage('/users', showUsers),
  tenantForm('/users/export', exportUsers, { needs: 'export', isDangerous: true }),
  tenantPage('/users/new', (call) => showNew(call), { needs: 'edit' }),
  // A mailed link lets the owner of a verified address log in, so it needs a recent login.
  tenantForm('/users/new', create, { isDangerous: (form) => form.get('verified') === 'yes' }),
]

async function showUsers({ scope, query, ids, operator }: TenantCall): Promise<Result> {
  const given = userFiltersIn(query)
  const { items, next, onlyBeginnings } = await listOfUsers(
    scope,
    { ...userQueryOf(given), order: given.order },
    {
      after: cursorOf(query),
      limit: PAGE,
    },
  )
  const isFiltered = filterNames.some((name) => given[name] !== '')
  // Only the number of all users is stored. A filtered list is not counted.
  const isWhole = !isFiltered && (given.order === 'oldest' || given.order === 'newest')
  const total = isWhole ? (await listUsers(scope, { after: undefined, limit: 1 })).total : undefined
  const base = `/console/t/${ids.tenant}/users`
  const further = next && new URLSearchParams({ ...given, key: next.key, id: next.id }).toString()
  return {
    kind: 'page',
    name: 'users',
    title: 'Users',
    ...(may({ operator }, 'edit') && {
      action: { href: `${base}/new`, label: 'Create a user' },
    }),
    data: {
      ...{ users: items, ...given, further, base, onlyBeginnings, acts: bulkActs },
      ...{ isFiltered, total },
      ways: wayWords,
      filterNames,
      importPath: `${base}/import`,
      exportPath: `${base}/export`,
      exported: { ...given },
    },
    commands: [`latchkey users search --tenant ${scope.tenantId}`],
  }
}

/** Downloads the users that match the filters. */
async function exportUsers(call: TenantCall): Promise<Result> {
  const { scope, form, tenant } = call
  const given = userFiltersIn(form)
  const asked = { ...userQueryOf(given), order: given.order }
  const isCsv = form.get('format') === 'csv'
  return noted(
    call,
    'user',
    { ...given, format: isCsv ? 'csv' : 'ndjson' },
    {
      kind: 'lines',
      fileName: `users-${tenant.id}.${isCsv ? 'csv' : 'ndjson'}`,
      lines: isCsv ? sheetLines(userColumns) : jsonLines,
      async read(after) {
        const [key, id] = decodePlace(after, place) ?? []
        const from = key === undefined || id === undefined ? undefined : { key, id }
        const { items, next } = await listOfUsers(scope, asked, { after: from, limit: EXPORT_PAGE })
        return {
          items: items.map(({ user, lastLoginAt }) =>
            isCsv ? userCells(user, lastLoginAt) : lineOf(user, lastLoginAt),
          ),
          next: next && encodePlace([next.key, next.id]),
        }
      },
    },
  )
}

const place = z.tuple([z.string(), z.string()])

function lineOf(user: User, lastLoginAt: number | undefined): object {
  const last_login_at = lastLoginAt === undefined ? undefined : formatTimestamp(lastLoginAt)
  return { ...serializeUser(user), last_login_at }
}

async function showNew({ tenant, form }: TenantCall, refused: Refused = {}): Promise<Result> {
  return {
    kind: 'page',
    name: 'new-user',
    title: 'Create a user',
    data: {
      base: `/console/t/${tenant.id}/users`,
      email: form.get('email') ?? '',
      name: form.get('name') ?? '',
      isVerified: form.get('verified') === 'yes',
      canInvite: tenant.settings.allowPasswords,
      // A form that was refused shows what the operator chose. A new one proposes an invitation.
      isInvited: refused.problem === undefined || form.get('invite') === 'yes',
      mailLanguage: languageIn(form),
    },
    commands: [
      `latchkey users create --tenant ${tenant.id} --set profile.email=ada@example.com --set profile.name="Ada Lovelace"`,
    ],
    ...refused,
  }
}

async function create(call: TenantCall): Promise<Result> {
  const { scope, support, form } = call
  const text = (field: string) => (form.get(field) ?? '').trim()
  const name = text('name')
  let id: string
  try {
    const user = await createUser(scope, {
      email: text('email'),
      emailVerified: form.get('verified') === 'yes',
      disabled: false,
      metadata: {},
      profile: name === '' ? {} : { name },
    })
    id = user.id
  } catch (error) {
    return showNew(call, refusedBy(error))
  }
  const path = `/console/t/${scope.tenantId}/users/${id}`
  if (form.get('invite') !== 'yes') return redirectTo(path, 'created')
  try {
    await support.sendMail(scope, id, { kind: 'invite', language: languageIn(form) })
  } catch (error) {
    // The user is there: a page that says that nothing was done would be wrong.
    refusedBy(error)
    return redirectTo(path, 'not_invited')
  }
  return redirectTo(path, 'invited')
}
