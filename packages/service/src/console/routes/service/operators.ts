import { strengthAt } from '../../../domain/operators/command-logins.ts'
import {
  inviteAgain,
  inviteOperator,
  listOperators,
  operatorLogins,
  setOperatorDisabled,
  updateOperator,
} from '../../../domain/operators/operators.ts'
import { operatorRoles, permissions, rolesThatMay } from '../../../domain/operators/roles.ts'
import type { MailRecord } from '../../../domain/operators/support.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { found, refusalIn, ServiceError } from '../../../domain/writes/errors.ts'
import { reason } from '../../../domain/writes/reasons/index.ts'
import { credentialKinds } from '../../../resources/credentials.ts'
import type { OperatorLogins } from '../../../store/ports.ts'
import { messageState } from '../../../store/protocol-store.ts'
import type { CredentialKind, Operator, OperatorRole, Reach } from '../../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../../store/system-tenant.ts'
import { invitationLink } from '../../addresses/invitation-link.ts'
import {
  type Call,
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  secretIn,
  serviceForm,
  servicePage,
} from '../../calls/call.ts'
import { isStale } from '../../forms/concurrent-edits.ts'
import { answerOf, languageIn, mailStates } from '../../forms/mail-form.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import type { NamedTenant } from '../../pages/index.ts'
import { permissionWords } from './permission-words.ts'
import { type Chosen, offerTenants, resolveTenants, sentTenants } from './tenant-choice.ts'
import { tenantNames } from './tenant-names.ts'

const PATH = '/console/operators'

/** The query for the newest messages, among which the invitations are. */
const NEWEST = { userId: undefined, after: undefined, limit: 100 }

/** The choice of tenants for an operator who reaches all of them. */
const ALL: Chosen = { isAll: true, words: [] }

const forOwners = { needs: 'operators', isDangerous: true } as const

export const operatorRoutes: readonly ConsoleRoute[] = [
  servicePage(PATH, (call) => show(call)),
  servicePage(`${PATH}/new`, (call) => showNew(call), { needs: 'operators' }),
  serviceForm(`${PATH}/new`, invite, forOwners),
  serviceForm(`${PATH}/:operator/invite`, again, forOwners),
  serviceForm(`${PATH}/:operator/role`, changeRole, forOwners),
  serviceForm(`${PATH}/:operator/enable`, enable, forOwners),
]

/** The refusal of the form that changes the operator of the path. */
interface Shown extends Refused {
  /**
   * Whether the operator was changed after the form was opened. The form is then shown again with
   * the stored values.
   */
  readonly isOld?: boolean
}

/** Shows the list of operators. */
async function show(call: Call, shown: Shown = {}): Promise<Result> {
  const { scope, operator, support, form, ids } = call
  const { isOld = false, ...refused } = shown
  const link = secretIn(call, 'link')
  const [operators, logins, offer, mails] = await Promise.all([
    listOperators(scope),
    operatorLogins(scope),
    offerTenants(scope, operator.operator.reach),
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
        sent: {
          role: one.operator.role,
          choice: offer(chosenOf(one.operator.reach, named)),
          isRefused: false,
          ...(refused.problem !== undefined &&
            one.operator.id === ids.operator && {
              ...(!isOld && { role: sentRole(form), choice: offer(sentTenants(form)) }),
              isRefused: true,
            }),
        },
      })),
      sendsMail: support.sendsMail,
      self: operator.operator.id,
      domains: offer(ALL).domains,
      ...rolesInWords,
      invited: link === undefined ? undefined : { email: secretIn(call, 'email') ?? '', link },
    },
    commands: [
      'latchkey-service operator list',
      ...(operators.some((one) => one.operator.isUnconfirmed) ? ['latchkey-service confirm'] : []),
    ],
    ...refused,
  }
}

/** All roles, and the roles that have each permission. */
const rolesInWords = {
  roles: operatorRoles,
  permissions: permissions.map((one) => ({
    words: permissionWords[one],
    roles: rolesThatMay(one),
  })),
}

async function showNew(call: Call, refused: Refused = {}): Promise<Result> {
  const { scope, operator, form, support, origin } = call
  const offer = await offerTenants(scope, operator.operator.reach)
  const isSent = form.size > 0
  return {
    kind: 'page',
    name: 'new-operator',
    title: 'Invite an operator',
    data: {
      sendsMail: support.sendsMail,
      ...rolesInWords,
      sent: {
        email: form.get('email') ?? '',
        role: sentRole(form),
        choice: offer(isSent ? sentTenants(form) : ALL),
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
    return await hand(
      call,
      await inviteOperator(call.scope, { email, language, ...(await decided(call)) }),
    )
  } catch (error) {
    return showNew(call, refusedBy(error))
  }
}

/** Makes a new link for an operator who has not accepted the invitation yet. */
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

/** The reach of an operator as a choice of tenants, without those that were deleted. */
function chosenOf(reach: Reach, named: (reach: Reach) => readonly NamedTenant[]): Chosen {
  return { isAll: reach === 'all', words: named(reach).flatMap(({ domain }) => domain ?? []) }
}

/** The role that a form sent; `viewer` if it sent none. */
function sentRole(form: URLSearchParams): OperatorRole {
  return operatorRoles.find((one) => one === form.get('role')) ?? 'viewer'
}

/**
 * The time at which an open invitation expires, and whether it has expired. Empty without an
 * invitation.
 */
function shownInvitation({ invitation }: Operator, now: number) {
  if (!invitation) return {}
  return { invitedUntil: invitation.expiresAt, isExpired: invitation.expiresAt <= now }
}

/** The last message with an invitation, with its state in words. */
function shownMail(mail: MailRecord | undefined) {
  if (!mail) return undefined
  const state = mailStates[messageState(mail)]
  return { at: mail.createdAt, state, answer: answerOf(mail.answer) }
}

async function changeRole(call: Call): Promise<Result> {
  const { scope, ids, form } = call
  try {
    const id = ids.operator ?? ''
    const readAt = Number(form.get('read_at'))
    const { operator, before } = await updateOperator(scope, id, await decided(call), readAt)
    return redirectTo(PATH, operator.updatedAt === before.updatedAt ? 'unchanged' : 'role')
  } catch (error) {
    const refused = refusedBy(error)
    if (refusalIn(error).code !== 'conflict') return show(call, refused)
    const { operator } = found(await scope.context.store.operators.get(ids.operator ?? ''))
    return show(call, isStale(form, operator) ? { ...refused, status: 409, isOld: true } : refused)
  }
}

/**
 * The kinds of an operator's enabled credentials in words, the password first, and the last login.
 */
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

/**
 * The role and the reach that a form sent.
 *
 * @throws ServiceError `invalid_request` for an unknown role or tenant.
 */
async function decided(call: Call): Promise<{ role: OperatorRole; reach: Reach }> {
  const { scope, operator, form } = call
  const role = operatorRoles.find((one) => one === form.get('role'))
  if (!role) {
    throw new ServiceError('invalid_request', reason('role_unknown'))
  }
  // An owner reaches all tenants, also those that are created later.
  const chosen = role === 'owner' ? ALL : sentTenants(form)
  return { role, reach: await resolveTenants(scope, operator.operator.reach, chosen) }
}
