import { createUser, searchUsers } from '../../domain/users/users.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../call.ts'
import { cursorOf } from '../form-fields.ts'
import { languageIn } from '../mail-form.ts'

const PAGE = 50

export const usersRoutes: readonly ConsoleRoute[] = [
  tenantPage('/users', showUsers),
  tenantPage('/users/new', (call) => showNew(call), { role: 'admin' }),
  tenantForm('/users/new', create),
]

async function showUsers({ scope, query, ids, operator }: TenantCall): Promise<Result> {
  const search = (query.get('search') ?? '').trim().slice(0, 254)
  const state = query.get('state') ?? ''
  const { items, next } = await searchUsers(
    scope,
    {
      search: search || undefined,
      disabled: state === 'disabled' ? true : undefined,
      verified: state === 'unverified' ? false : undefined,
    },
    { after: cursorOf(query), limit: PAGE },
  )
  const base = `/console/t/${ids.tenant}/users`
  const further =
    next && new URLSearchParams({ search, state, key: next.key, id: next.id }).toString()
  return {
    kind: 'page',
    name: 'users',
    title: 'Users',
    ...(operator.operator.role !== 'viewer' && {
      action: { href: `${base}/new`, label: 'Create a user' },
    }),
    data: { users: items, search, state, further, base },
    commands: [`latchkey users search --tenant ${scope.tenantId}`],
  }
}

async function showNew(
  { tenant, form }: TenantCall,
  more: { problem?: string; status?: number } = {},
): Promise<Result> {
  return {
    kind: 'page',
    name: 'new-user',
    title: 'Create a user',
    data: {
      base: `/console/t/${tenant.id}/users`,
      email: form.get('email') ?? '',
      name: form.get('name') ?? '',
      canInvite: tenant.settings.allowPasswords,
    },
    commands: [
      `latchkey users create --tenant ${tenant.id} --set profile.email=ada@example.com --set profile.name="Ada Lovelace"`,
    ],
    ...more,
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
    if (!(error instanceof ServiceError) || error.statusCode >= 500) throw error
    return showNew(call, { problem: error.message, status: 422 })
  }
  const path = `/console/t/${scope.tenantId}/users/${id}`
  if (form.get('invite') !== 'yes') return redirectTo(path, 'created')
  await support.sendMail(scope, id, { kind: 'invite', language: languageIn(form) })
  return redirectTo(path, 'invited')
}
