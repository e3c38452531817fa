import {
  inviteOperator,
  listOperators,
  operatorLogins,
  setOperatorDisabled,
  updateOperator,
} from '../../domain/operators/operators.ts'
import { operatorRoles, permissions, rolesThatMay } from '../../domain/operators/roles.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import type { OperatorLogins } from '../../store/ports.ts'
import type { CredentialKind, OperatorRole, Reach } from '../../store/records.ts'
import {
  type Call,
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  secretIn,
  serviceForm,
  servicePage,
} from '../call.ts'
import { credentialKinds } from '../credential-kinds.ts'
import { invitationLink } from '../invitation-link.ts'
import { permissionWords } from '../permission-words.ts'
import { type Refused, refusedBy } from '../refused.ts'

const PATH = '/console/operators'
const forOwners = { needs: 'operators', isDangerous: true } as const

export const operatorRoutes: readonly ConsoleRoute[] = [
  servicePage(PATH, (call) => show(call)),
  serviceForm(PATH, invite, forOwners),
  serviceForm(`${PATH}/:operator/role`, changeRole, forOwners),
  serviceForm(`${PATH}/:operator/enable`, enable, forOwners),
]

async function show(call: Call, refused: Refused = {}): Promise<Result> {
  const { scope, operator, origin } = call
  const link = secretIn(call, 'link')
  const [operators, logins] = await Promise.all([listOperators(scope), operatorLogins(scope)])
  return {
    kind: 'page',
    name: 'operators',
    title: 'Operators',
    ...(may(call, 'operators') && {
      action: { href: '#new', label: 'Invite an operator' },
    }),
    data: {
      operators: operators.map((one) => ({ ...one, ...shownLogins(logins.get(one.operator.id)) })),
      self: operator.operator.id,
      roles: operatorRoles,
      permissions: permissions.map((one) => ({
        words: permissionWords[one],
        roles: rolesThatMay(one),
      })),
      invited: link && { email: secretIn(call, 'email'), link },
    },
    commands: [
      'latchkey-service operator list',
      `latchkey-service operator invite --email ada@example.com --role admin --console-url ${origin}`,
    ],
    ...refused,
  }
}

async function invite(call: Call): Promise<Result> {
  const email = (call.form.get('email') ?? '').trim()
  try {
    const { token } = await inviteOperator(call.scope, { email, ...decided(call) })
    const link = invitationLink(call.origin, token)
    return { kind: 'secrets', to: PATH, secrets: { email, link } }
  } catch (error) {
    return show(call, refusedBy(error))
  }
}

async function changeRole(call: Call): Promise<Result> {
  const { scope, ids } = call
  const { operator, before } = await updateOperator(scope, ids.operator ?? '', decided(call))
  if (operator.updatedAt === before.updatedAt) return redirectTo(PATH, 'unchanged')
  return redirectTo(PATH, 'role')
}

/** The ways to log in and the last login of an operator. The password comes first. */
function shownLogins(logins: OperatorLogins | undefined) {
  const kinds = Object.keys(credentialKinds) as CredentialKind[]
  const found = kinds.filter((kind) => logins?.kinds.includes(kind))
  return {
    ways: found.map((kind) => credentialKinds[kind]),
    lastLoginAt: logins?.lastLoginAt,
  }
}

async function enable({ scope, ids }: Call): Promise<Result> {
  await setOperatorDisabled(scope, ids.operator ?? '', false)
  return redirectTo(PATH, 'enabled')
}

/** The role and the reach that a form sent; no tenants are all of them. */
function decided({ form }: Call): { role: OperatorRole; reach: Reach } {
  const role = operatorRoles.find((one) => one === form.get('role'))
  if (!role) {
    throw new ServiceError('invalid_request', reason('role_unknown'))
  }
  const ids = (form.get('tenants') ?? '').split(/[\s,]+/).filter((id) => id !== '')
  return { role, reach: ids.length === 0 ? 'all' : ids }
}
