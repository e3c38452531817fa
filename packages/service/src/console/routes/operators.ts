import {
  inviteOperator,
  listOperators,
  removeOperator,
  setOperatorDisabled,
  updateOperator,
} from '../../domain/operators/operators.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import type { OperatorRole, Reach } from '../../store/records.ts'
import {
  type Call,
  type ConsoleRoute,
  type Result,
  redirectTo,
  serviceForm,
  servicePage,
} from '../call.ts'
import { invitationLink } from '../invitation-link.ts'

const PATH = '/console/operators'
const forOwners = { role: 'owner', isDangerous: true } as const

export const operatorRoutes: readonly ConsoleRoute[] = [
  servicePage(PATH, (call) => show(call)),
  serviceForm(PATH, invite, forOwners),
  serviceForm(`${PATH}/:operator/role`, changeRole, forOwners),
  serviceForm(`${PATH}/:operator/disable`, (call) => setDisabled(call, true), forOwners),
  serviceForm(`${PATH}/:operator/enable`, (call) => setDisabled(call, false), forOwners),
  serviceForm(`${PATH}/:operator/remove`, remove, forOwners),
]

async function show(
  { scope, operator, origin }: Call,
  more: { invited?: { email: string; link: string }; problem?: string; status?: number } = {},
): Promise<Result> {
  const { invited, ...outcome } = more
  return {
    kind: 'page',
    name: 'operators',
    title: 'Operators',
    ...(operator.operator.role === 'owner' && {
      action: { href: '#new', label: 'Invite an operator' },
    }),
    data: { operators: await listOperators(scope), self: operator.operator.id, invited },
    commands: [
      'latchkey-service operator list',
      `latchkey-service operator invite --email ada@example.com --role admin --console-url ${origin}`,
    ],
    ...outcome,
  }
}

async function invite(call: Call): Promise<Result> {
  const email = (call.form.get('email') ?? '').trim()
  try {
    const { token } = await inviteOperator(call.scope, { email, ...decided(call) })
    return await show(call, { invited: { email, link: invitationLink(call.origin, token) } })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.statusCode >= 500) throw error
    return show(call, { problem: error.message, status: 422 })
  }
}

async function changeRole(call: Call): Promise<Result> {
  await updateOperator(call.scope, call.ids.operator ?? '', decided(call))
  return redirectTo(PATH, 'saved')
}

async function setDisabled({ scope, ids }: Call, disabled: boolean): Promise<Result> {
  await setOperatorDisabled(scope, ids.operator ?? '', disabled)
  return redirectTo(PATH, disabled ? 'disabled' : 'enabled')
}

async function remove({ scope, ids }: Call): Promise<Result> {
  await removeOperator(scope, ids.operator ?? '')
  return redirectTo(PATH, 'removed')
}

/** The role and the reach that a form sent; no tenants are all of them. */
function decided({ form }: Call): { role: OperatorRole; reach: Reach } {
  const role = form.get('role') ?? ''
  if (role !== 'owner' && role !== 'admin' && role !== 'viewer') {
    throw new ServiceError('invalid_request', 'Choose a role: owner, admin or viewer.')
  }
  const ids = (form.get('tenants') ?? '').split(/[\s,]+/).filter((id) => id !== '')
  return { role, reach: ids.length === 0 ? 'all' : ids }
}
