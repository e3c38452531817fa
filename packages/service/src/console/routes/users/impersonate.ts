import type { ImpersonationState } from '../../../domain/operators/impersonations.ts'
import { impersonationMode } from '../../../domain/tenants/impersonation-mode.ts'
import { getUser } from '../../../domain/users/users.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import { asIs, type Sentence } from '../../texts/index.ts'

const options = { needs: 'impersonate', isDangerous: true } as const

/** The pages on which an operator logs in as a user. */
export const impersonateRoutes: readonly ConsoleRoute[] = [
  tenantPage('/users/:user/log-in-as', (call) => showQuestion(call), options),
  tenantForm('/users/:user/log-in-as', ask, options),
  tenantForm('/users/:user/log-in-as/begin', begin, options),
  // Needs no recent login: ending a login as the user is harmless and has to work at once.
  tenantForm('/users/:user/log-in-as/end', end, { needs: 'impersonate' }),
]

const userPath = ({ ids }: TenantCall) => `/console/t/${ids.tenant}/users/${ids.user}`
const pathOf = (call: TenantCall) => `${userPath(call)}/log-in-as`
const idOf = ({ ids }: TenantCall) => ids.user ?? ''

/** The states of a login as a user in words, each with the CSS class that colors its badge. */
const states: Readonly<Record<ImpersonationState, { label: Sentence; color: string }>> = {
  waiting: { label: 'waits for the user', color: 'warn' },
  ready: { label: 'can begin', color: 'good' },
  begun: { label: 'logged in now', color: 'warn' },
  ended: { label: 'ended', color: '' },
  declined: { label: 'declined by the user', color: 'bad' },
  missed: { label: 'expired', color: '' },
}

async function showQuestion(call: TenantCall, refused: Refused = {}): Promise<Result> {
  const { scope, support, operator, tenant, form } = call
  const [user, all] = await Promise.all([
    getUser(scope, idOf(call)),
    support.impersonations(scope, idOf(call)),
  ])
  return {
    kind: 'page',
    name: 'log-in-as',
    title: 'Log in as a user',
    data: {
      email: user.email,
      mode: impersonationMode(tenant),
      reason: form.get('reason') ?? '',
      logins: all.map((one) => ({
        ...one,
        shown: states[one.state],
        isOwn: one.operatorId === operator.operator.id,
        endedAt: one.ended?.at ?? one.until,
      })),
      base: pathOf(call),
      back: userPath(call),
    },
    ...refused,
  }
}

async function ask(call: TenantCall): Promise<Result> {
  const { scope, support, operator, form } = call
  try {
    const made = await support.askToImpersonate(
      scope,
      operator,
      idOf(call),
      form.get('reason') ?? '',
    )
    if (made.state === 'ready') return showTicket(call, made.id)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return showQuestion(call, refusedBy(error))
  }
  return redirectTo(pathOf(call), 'asked_user')
}

async function begin(call: TenantCall): Promise<Result> {
  return showTicket(call, call.form.get('login') ?? '')
}

/**
 * Shows the button that takes the browser to the domain of the tenant. The ticket is in the form of
 * the button, so that no URL contains it.
 */
async function showTicket(call: TenantCall, id: string): Promise<Result> {
  const { scope, support, operator } = call
  const { action, ticket, email } = await support.impersonate(scope, operator, idOf(call), id)
  return {
    kind: 'page',
    name: 'log-in-as-ticket',
    title: 'Log in as a user',
    data: { action, ticket, email, host: asIs(new URL(action).host), back: pathOf(call) },
    sendsTo: new URL(action).origin,
  }
}

async function end(call: TenantCall): Promise<Result> {
  await call.support.endImpersonation(call.scope, idOf(call), call.form.get('login') ?? '')
  return redirectTo(pathOf(call), 'ended_login_as')
}
