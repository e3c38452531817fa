import {
  beginImpersonation,
  findConfirmable,
  IMPERSONATION_SECONDS,
} from '../../../domain/operators/impersonations.ts'
import { IMPERSONATION_COOKIE, readHostCookie } from '../../requests/cookies.ts'
import { ACCOUNT_CLIENT } from '../../requests/paths.ts'
import { actingFor } from '../../sessions/acting.ts'
import { showInvalidLink } from '../flow/dead-end.ts'
import { csrfToken } from '../flow/flow-path.ts'
import { type InteractionRequest, scopeOf, show } from '../flow/flow-request.ts'
import { tellOfImpersonation } from '../mail/impersonation-mail.ts'
import { finishActing } from '../progress/finish.ts'

/**
 * The login as a user that the operator in this browser may begin; `undefined` if there is no such
 * login.
 */
async function findOwn({ context, tenant, interaction, request }: InteractionRequest) {
  // Such a login begins only at the account page, from which the operator opens applications.
  if (interaction.params.client_id !== ACCOUNT_CLIENT) return undefined
  const text = readHostCookie(request, IMPERSONATION_COOKIE)
  return text === undefined ? undefined : findConfirmable({ context, tenant }, text)
}

/** Whether the operator in this browser must confirm the login as a user. */
export async function isImpersonating(flow: InteractionRequest): Promise<boolean> {
  return (await findOwn(flow)) !== undefined
}

/**
 * Asks the operator to confirm the login as the user. Otherwise another person could send this
 * browser here with a ticket of their own.
 */
export async function showImpersonate(flow: InteractionRequest): Promise<void> {
  const own = await findOwn(flow)
  if (!own) return showInvalidLink(flow)
  const { email } = own.user
  const { operator } = own.found.value
  show(flow, 200, 'impersonate', {
    csrf: csrfToken(flow.interaction.uid),
    email,
    operator,
    minutes: String(IMPERSONATION_SECONDS / 60),
  })
}

/** Logs the operator in as the user, and notifies the user. */
export async function impersonate(flow: InteractionRequest): Promise<void> {
  const { context, tenant } = flow
  const own = await findOwn(flow)
  const begun = own && (await beginImpersonation(flow, scopeOf(flow).actor, own.found))
  if (!own || begun?.until === undefined || begun.begunAt === undefined) {
    return showInvalidLink(flow)
  }
  await tellOfImpersonation(context, tenant, own.user, begun, 'impersonated')
  const acting = actingFor({ ...begun, until: begun.until })
  await finishActing(flow, own.user, acting, begun.begunAt / 1e6)
}
