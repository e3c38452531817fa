import { strengthAt } from '../../domain/operators/command-logins.ts'
import {
  inviteAgain,
  inviteOperator,
  listOperators,
  operatorLogins,
  setOperatorDisabled,
  updateOperator,
} from '../../domain/operators/operators.ts'
import { operatorRoles, permissions, rolesThatMay } from '../../domain/operators/roles.ts'
import type { MailRecord } from '../../domain/operators/support.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import { found, ServiceError } from '../../domain/writes/errors.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import { credentialKinds } from '../../resources/credentials.ts'
import type { OperatorLogins } from '../../store/ports.ts'
import { messageState } from '../../store/protocol-store.ts'
import type { CredentialKind, Operator, OperatorRole, Reach } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
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
import { invitationLink } from '../invitation-link.ts'
import { answerOf, languageIn, mailStates } from '../mail-form.ts'
import { permissionWords } from '../permission-words.ts'
import { type Refused, refusedBy } from '../refused.ts'
import { tenantNames } from '../tenant-names.ts'

const PATH = '/console/operators'

/** The messages among which those of open invitations are looked for. */
const NEWEST = { userId: undefined, after: undefined, limit: 100 }

const forOwners = { needs: 'operators', isDangerous: true } as const

export const operatorRoutes: readonly ConsoleRoute[] = [
  servicePage(PATH, show),
  servicePage(`${PATH}/new`, (call) => showNew(call), { needs: 'operators' }),
  serviceForm(`${PATH}/new`, invite, forOwners),
  serviceForm(`${PATH}/:operator/invite`, again, forOwners),
  serviceForm(`${PATH}/:operator/role`, changeRole, forOwners),
  serviceForm(`${PATH}/:operator/enable`, enable, forOwners),
]

async function show(call: Call): Promise<Result> {
  const { scope, operator, support } = call
  const link = secretIn(call, 'link')
  const [operators, logins, mails] = await Promise.all([
    listOperators(scope),
    operatorLogins(scope),
    support.mails({ ...scope, tenantId: SYSTEM_TENANT_ID }, NEWEST),
  ])
  const named = await tenantNames(
    scope,
    operators.map((one) => one.operator.reach),
  )
  const now = nowMicros(scope.context.clock)
  const invitations = mails.filter(({ kind }) => kind === 'operatorInvite')
  return {
    kind: 'page',
    name: 'operators',
    title: 'Operators',
    ...(may(call, 'operators') && {
      action: { href: `${PATH}/new`, label: 'Invite an operator' },
    }),
    data: {
      operators: operators.map((one) => ({
        ...one,
        reach: named(one.operator.reach),
        ...shownLogins(logins.get(one.operator.id)),
        ...shownInvitation(one.operator, now),
        mail: shownMail(invitations.find(({ userId }) => userId === one.operator.id)),
      })),
      sendsMail: support.sendsMail,
      self: operator.operator.id,
      ...rolesInWords,
      invited: link === undefined ? undefined : { email: secretIn(call, 'email') ?? '', link },
    },
    commands: ['latchkey-service operator list'],
  }
}

/** The roles, and those that have each permission. */
const rolesInWords = {
  roles: operatorRoles,
  permissions: permissions.map((one) => ({
    words: permissionWords[one],
    roles: rolesThatMay(one),
  })),
}

async function showNew(call: Call, refused: Refused = {}): Promise<Result> {
  const { form, support, origin } = call
  const role = operatorRoles.find((one) => one === form.get('role')) ?? 'viewer'
  return {
    kind: 'page',
    name: 'new-operator',
    title: 'Invite an operator',
    data: {
      sendsMail: support.sendsMail,
      ...rolesInWords,
      sent: {
        email: form.get('email') ?? '',
        role,
        tenants: form.get('tenants') ?? '',
        language: languageIn(form) ?? call.language,
      },
    },
    commands: [
      `latchkey-service operator invite --email ada@example.com --role admin --console-url ${origin}`,
    ],
    ...refused,
  }
}

async function invite(call: Call): Promise<Result> {
  const email = (call.form.get('email') ?? '').trim()
  try {
    const language = languageIn(call.form)
    return await hand(call, await inviteOperator(call.scope, { email, language, ...decided(call) }))
  } catch (error) {
    return showNew(call, refusedBy(error))
  }
}

/** Makes a new link for an operator who has not accepted yet. */
async function again(call: Call): Promise<Result> {
  return hand(call, await inviteAgain(call.scope, call.ids.operator ?? ''))
}

/** Sends the link of an invitation by mail, or shows it once. */
async function hand(
  call: Call,
  { operator, token }: { operator: Operator; token: string },
): Promise<Result> {
  const { scope, support, origin, form } = call
  const link = invitationLink(origin, token)
  const { user } = found(await scope.context.store.operators.get(operator.id))
  if (!support.sendsMail || form.get('by') === 'link') {
    return { kind: 'secrets', to: PATH, secrets: { email: user.email, link } }
  }
  const isStepForced = strengthAt(origin).acr !== undefined
  const by = call.operator.user.email
  await support.mailInvitation(scope, { invited: { operator, user }, link, by, isStepForced })
  return redirectTo(PATH, 'invited_operator')
}

/** Until when an invitation is good, or was. */
function shownInvitation({ invitation }: Operator, now: number) {
  if (!invitation) return {}
  return { invitedUntil: invitation.expiresAt, isExpired: invitation.expiresAt <= now }
}

/** The state of the last message with an invitation. */
function shownMail(mail: MailRecord | undefined) {
  if (!mail) return undefined
  const state = mailStates[messageState(mail)]
  return { at: mail.createdAt, state, answer: answerOf(mail.answer) }
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
    ways: found.map((kind) => credentialKinds[kind].label),
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
