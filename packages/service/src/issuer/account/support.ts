import { lookUpApplication } from '../../domain/applications/applications.ts'
import {
  answerImpersonation,
  type FoundImpersonation,
  type Impersonation,
  impersonationState,
  impersonationsOf,
} from '../../domain/operators/impersonations.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import type { Pages } from '../../pages/index.ts'
import type { Micros } from '../../store/records.ts'
import { type FlowRequest, languageOf, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { type Form, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import { endActing } from '../sessions/acting.ts'
import type { Visit } from './entry.ts'

/** Shows which operators ask to log in as the user, or have logged in. */
export async function showSupport(flow: FlowRequest, { user, csrf }: Visit): Promise<void> {
  const found = await impersonationsOf(flow, user.id)
  show(flow, 200, 'support', {
    csrf,
    isDone: flow.url.searchParams.has('done'),
    logins: await Promise.all(found.map(({ value }) => shown(flow, value))),
  })
}

type Shown = Pages['support']['logins'][number]

async function shown(flow: FlowRequest, one: Impersonation): Promise<Shown> {
  const { context, tenant } = flow
  const format = new Intl.DateTimeFormat(languageOf(flow), {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const at = (time: Micros | undefined) => (time === undefined ? '' : format.format(time / 1_000))
  const names = await Promise.all(
    one.applications.map(async (id) => {
      const application = await lookUpApplication(context.domain, tenant.id, id)
      return application?.name || id
    }),
  )
  return {
    id: one.id,
    operator: one.operator,
    reason: one.reason,
    asked: at(one.askedAt),
    begun: at(one.begunAt),
    ended: at(one.ended?.at ?? one.until),
    state: impersonationState(one, nowMicros(context.domain.clock)),
    applications: new Intl.ListFormat(languageOf(flow)).format(names),
  }
}

/**
 * Whether a form only takes access away from an operator. Such a form needs no recent login. A form
 * that also agrees needs one.
 */
export function isWithdrawal(form: Form): boolean {
  return !form.has('agree') && (form.has('end') || form.has('decline'))
}

/** Accepts, declines or ends an operator's login as the user. */
export async function answerSupport(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const { context, tenant, provider } = flow
  const { user } = visit
  const scope = scopeOf(flow, user.id)
  const find = async (name: string): Promise<FoundImpersonation | undefined> =>
    (await impersonationsOf(flow, user.id)).find(({ value }) => value.id === form.get(name))
  const holder = { context, tenant }
  const [agreed, declined, ended] = [await find('agree'), await find('decline'), await find('end')]
  if (agreed) await answerImpersonation(holder, scope, agreed.value, true)
  else if (declined) await answerImpersonation(holder, scope, declined.value, false)
  else if (ended) {
    await endActing({ context, tenant, provider }, scope.actor, ended.value.id, 'user')
  }
  redirect(flow.response, `${accountPaths.support}?done=1`)
}
