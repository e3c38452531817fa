import type { ObstacleHelp } from '../../../domain/factors/login-obstacles.ts'
import { sentenceOf } from '../../../domain/factors/obstacle-sentences.ts'
import type { Permission } from '../../../domain/operators/roles.ts'
import { requestedMails } from '../../../domain/operators/support.ts'
import { isRegisteredId, isSelfDescribedId } from '../../../domain/tenants/client-documents.ts'
import { impersonationMode } from '../../../domain/tenants/impersonation-mode.ts'
import { endAllSessions } from '../../../domain/users/accounts.ts'
import { getAccount, setDisabled } from '../../../domain/users/users.ts'
import { confirmByOperator } from '../../../domain/ways/account-changes.ts'
import { listAudit } from '../../../domain/writes/audit.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { reason } from '../../../domain/writes/reasons/index.ts'
import { credentialKinds } from '../../../resources/credentials.ts'
import type { Credential } from '../../../store/records.ts'
import { shownEntries } from '../../audit/shown-entries.ts'
import {
  type ConsoleRoute,
  may,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { languageIn, shownMail } from '../../forms/mail-form.ts'
import type { HelpForm } from '../../pages/index.ts'
import { asIs, type Sentence, type Text } from '../../texts/index.ts'

/**
 * The options of the routes that the role `support` may use. None of them lets anyone but the owner
 * of the mailbox log in, and none changes the data of the user.
 */
const help = { needs: 'help' } as const

/**
 * The routes of the page of a user. They follow those of `users.ts`, because `/users/:user` matches
 * `/users/new` too.
 */
export const userRoutes: readonly ConsoleRoute[] = [
  tenantPage('/users/:user', showUser),
  tenantForm('/users/:user/enable', enable),
  tenantForm('/users/:user/verify', verify, { isDangerous: true }),
  tenantForm('/users/:user/mail', sendMail, help),
  tenantForm('/users/:user/end-session', endSession, help),
  tenantForm('/users/:user/end-sessions', endSessions, help),
  tenantForm('/users/:user/forget-device', forgetDevice, help),
  tenantForm('/users/:user/withdraw-access', withdrawAccess, help),
  tenantForm('/users/:user/let-try-again', letTryAgain, help),
]

const pathOf = ({ ids }: TenantCall) => `/console/t/${ids.tenant}/users/${ids.user}`
const idOf = ({ ids }: TenantCall) => ids.user ?? ''

async function showUser(call: TenantCall): Promise<Result> {
  const { scope, support, tenant } = call
  const id = idOf(call)
  const [{ user, credentials }, audit] = await Promise.all([
    getAccount(scope, id),
    listAudit(scope.context, { tenantId: scope.tenantId, target: id, limit: 20 }),
  ])
  const { sessions, devices, clients, ways, mails, obstacles } = await support.stateOf(
    tenant,
    user,
    credentials,
  )
  return {
    kind: 'page',
    name: 'user',
    title: asIs(user.profile.name || user.email),
    data: {
      user,
      obstacles: obstacles.map((one) => sentenceOf(one, nowMicros(scope.context.clock))),
      help: [...new Set(obstacles.flatMap(({ help }) => help))]
        .map((act) => helpForms[act])
        .filter(({ needs = 'help' }) => may(call, needs)),
      credentials: ways.map((one) => shownCredential(one, credentials.includes(one))),
      sessions: sessions.map((one) => ({ ...one, loggedInAt: one.loggedInAt * 1e6 })),
      devices,
      clients: clients.map((one) => ({
        ...one,
        // For a client that has registered itself, the address that receives its codes says more
        // than its id.
        shown: isRegisteredId(one.clientId) ? `${one.clientId} (${one.place})` : one.clientId,
        // The name of a client that describes itself is its own claim.
        name: isSelfDescribedId(one.clientId) ? undefined : one.name,
        scopes: one.scopes.join(' '),
      })),
      mails: mails.map(shownMail),
      audit: await shownEntries(scope.context, audit),
      offers: offersFor(call, user, ways.length),
      isImpersonationOn: impersonationMode(tenant) !== 'off',
      base: pathOf(call),
      tenantPath: `/console/t/${tenant.id}`,
      profile: Object.entries(user.profile).map(([name, value]) => ({
        label: labelOf(name),
        value,
      })),
    },
    commands: [
      `latchkey users get ${id} --tenant ${tenant.id}`,
      `latchkey users login-trouble ${id} --tenant ${tenant.id}`,
      `latchkey sessions list --user ${id} --tenant ${tenant.id}`,
      `latchkey mails list --user ${id} --tenant ${tenant.id}`,
      `latchkey audit list --user ${id} --tenant ${tenant.id}`,
    ],
  }
}

/** The labels of the standard claims of a profile. */
const claims: Readonly<Record<string, Sentence>> = {
  name: 'Name',
  given_name: 'First name',
  family_name: 'Last name',
  middle_name: 'Middle name',
  nickname: 'Nickname',
  preferred_username: 'Preferred username',
  profile: 'Profile',
  picture: 'Picture',
  website: 'Website',
  gender: 'Gender',
  birthdate: 'Birthdate',
  zoneinfo: 'Zoneinfo',
  locale: 'Locale',
  phone_number: 'Phone number',
}

/** The label of a member of a profile. A program may choose any name, even `constructor`. */
function labelOf(name: string): Text {
  const label = Object.hasOwn(claims, name) ? claims[name] : undefined
  const words = name.replace(/^\w/, (letter) => letter.toUpperCase()).replaceAll('_', ' ')
  return label ?? asIs(words)
}

/**
 * The form for each kind of help with an obstacle. It needs the permission `help`, unless `needs`
 * names another.
 */
const helpForms: Readonly<Record<ObstacleHelp, HelpForm & { needs?: Permission }>> = {
  enable: { path: 'enable', label: 'Enable the user', needs: 'edit' },
  invite: { path: 'mail', label: 'Send an invitation', kind: 'invite' },
  reset: { path: 'mail', label: 'Send a link for a new password', kind: 'reset' },
  verify: { path: 'mail', label: 'Send the verification again', kind: 'verify' },
  let_try_again: { path: 'let-try-again', label: 'Let the user try again now' },
}

/** The messages that are of use to the user now, so that the operator can send them. */
function offersFor(
  { tenant }: TenantCall,
  { disabled, verifiedAt }: { disabled: boolean; verifiedAt: number | undefined },
  ways: number,
): { kind: string; label: Sentence }[] {
  if (disabled) return []
  const { allowPasswords } = tenant.settings
  const offers: { kind: string; label: Sentence; isOf: boolean }[] = [
    {
      kind: 'invite',
      label: 'Invitation, good for 7 days',
      isOf: allowPasswords && ways === 0,
    },
    { kind: 'reset', label: 'Link for a new password, good for an hour', isOf: allowPasswords },
    {
      kind: 'verify',
      label: 'Link that verifies the address, good for a day',
      isOf: verifiedAt === undefined,
    },
  ]
  return offers.filter(({ isOf }) => isOf)
}

/**
 * A way to log in, as the page shows it.
 *
 * @param isStored - Whether it is a credential. Otherwise, it stands for the hash of another system,
 *   which has no time and cannot be removed.
 */
function shownCredential(one: Credential, isStored: boolean) {
  return {
    isStored,
    id: one.id,
    kind: credentialKinds[one.kind].label,
    name: one.kind === 'hardware' ? one.name : one.kind === 'social' ? one.email : '',
    disabled: one.disabled,
    createdAt: isStored ? one.createdAt : undefined,
    usedAt: one.kind === 'password' ? undefined : one.state.usedAt,
  }
}

async function enable(call: TenantCall): Promise<Result> {
  await setDisabled(call.scope, idOf(call), false)
  return redirectTo(pathOf(call), 'enabled')
}

async function verify(call: TenantCall): Promise<Result> {
  await confirmByOperator(call.scope, idOf(call))
  return redirectTo(pathOf(call), 'verified')
}

async function sendMail(call: TenantCall): Promise<Result> {
  const { scope, support, form } = call
  const kind = requestedMails.find((one) => one === form.get('kind'))
  if (!kind) throw new ServiceError('invalid_request', reason('mail_kind'))
  await support.sendMail(scope, idOf(call), { kind, language: languageIn(form) })
  return redirectTo(pathOf(call), 'mailed')
}

async function endSession(call: TenantCall): Promise<Result> {
  await call.support.endSession(call.scope, idOf(call), call.form.get('session') ?? '')
  return redirectTo(pathOf(call), 'ended_one')
}

async function endSessions(call: TenantCall): Promise<Result> {
  await endAllSessions(call.scope, idOf(call))
  return redirectTo(pathOf(call), 'ended')
}

async function forgetDevice(call: TenantCall): Promise<Result> {
  await call.support.forgetDevice(call.scope, idOf(call), call.form.get('device') ?? '')
  return redirectTo(pathOf(call), 'forgotten')
}

async function withdrawAccess(call: TenantCall): Promise<Result> {
  await call.support.withdrawAccess(call.scope, idOf(call), call.form.get('client') ?? '')
  return redirectTo(pathOf(call), 'access_withdrawn')
}

async function letTryAgain(call: TenantCall): Promise<Result> {
  await call.support.letTryAgain(call.scope, idOf(call))
  return redirectTo(pathOf(call), 'forgiven')
}
