import { confirmAddress, endSessionsBefore } from '../../domain/accounts.ts'
import { listAudit } from '../../domain/audit.ts'
import { nowMicros, type Scope } from '../../domain/context.ts'
import { deleteCredential, listCredentials } from '../../domain/credentials.ts'
import { getUser, searchUsers, setDisabled } from '../../domain/users.ts'
import type { SearchCursor } from '../../store/user-search.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  redirectTo,
  tenantForm,
  tenantPage,
} from '../call.ts'

const PAGE = 50

export const userRoutes: readonly ConsoleRoute[] = [
  tenantPage('/users', showUsers),
  tenantPage('/users/:user', showUser),
  tenantForm('/users/:user/disable', (call) => disable(call, true)),
  tenantForm('/users/:user/enable', (call) => disable(call, false)),
  tenantForm('/users/:user/verify', verify),
  tenantForm('/users/:user/end-sessions', endSessions),
  tenantForm('/users/:user/remove-credential', removeCredential, { isDangerous: true }),
]

const pathOf = ({ ids }: Call) => `/console/t/${ids.tenant}/users/${ids.user}`

async function showUsers({ scope, query, ids }: Call<Scope>): Promise<Result> {
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
  const further =
    next && new URLSearchParams({ search, state, key: next.key, id: next.id }).toString()
  return {
    kind: 'page',
    name: 'users',
    title: 'Users',
    tenant: { id: scope.tenantId, name: '' },
    data: { users: items, search, state, further, base: `/console/t/${ids.tenant}/users` },
    commands: [`latchkey users list --tenant ${scope.tenantId}`],
  }
}

function cursorOf(query: URLSearchParams): SearchCursor | undefined {
  const key = query.get('key')
  const id = query.get('id')
  return key === null || id === null ? undefined : { key, id }
}

async function showUser(call: Call<Scope>): Promise<Result> {
  const { scope, ids } = call
  const id = ids.user ?? ''
  const [user, credentials, audit] = await Promise.all([
    getUser(scope, id),
    listCredentials(scope, id, { after: undefined, limit: 100 }),
    listAudit(scope.context, { tenantId: scope.tenantId, target: id, limit: 20 }),
  ])
  return {
    kind: 'page',
    name: 'user',
    title: user.profile.name || user.email,
    tenant: { id: scope.tenantId, name: '' },
    data: {
      user,
      credentials: credentials.items.map((one) => ({
        id: one.id,
        kind: kinds[one.kind],
        name: one.kind === 'hardware' ? one.name : '',
        disabled: one.disabled,
        createdAt: one.createdAt,
        usedAt: one.kind === 'password' ? undefined : one.state.usedAt,
      })),
      audit,
      base: pathOf(call),
    },
    commands: [
      `latchkey users get ${id} --tenant ${scope.tenantId}`,
      `latchkey-service audit --tenant ${scope.tenantId}`,
    ],
  }
}

const kinds = {
  password: 'Password',
  totp_app: 'Authenticator app',
  totp_email: 'Codes by mail',
  recovery_codes: 'Recovery codes',
  hardware: 'Passkey or security key',
  social: 'Account at a provider',
} as const

async function disable(call: Call<Scope>, disabled: boolean): Promise<Result> {
  await setDisabled(call.scope, call.ids.user ?? '', disabled)
  return redirectTo(pathOf(call), disabled ? 'disabled' : 'enabled')
}

async function verify(call: Call<Scope>): Promise<Result> {
  const user = await getUser(call.scope, call.ids.user ?? '')
  await confirmAddress(call.scope, user.id, user.emailKey)
  return redirectTo(pathOf(call), 'verified')
}

async function endSessions(call: Call<Scope>): Promise<Result> {
  const { scope, ids } = call
  await endSessionsBefore(scope, ids.user ?? '', nowMicros(scope.context.clock))
  return redirectTo(pathOf(call), 'ended')
}

async function removeCredential(call: Call<Scope>): Promise<Result> {
  const { scope, ids, form } = call
  await deleteCredential(scope, ids.user ?? '', form.get('credential') ?? '')
  return redirectTo(pathOf(call), 'removed')
}
