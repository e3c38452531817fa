import { lookUpApplication } from '../../../domain/applications/applications.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import type { User } from '../../../store/records.ts'
import { redirect } from '../../requests/http.ts'
import { csrfToken, flowPath } from '../flow/flow-path.ts'
import { type InteractionRequest, show } from '../flow/flow-request.ts'
import { finishInteraction } from '../progress/finish.ts'

/** The policy's reason to ask the user to confirm a login to a native application. */
export const NATIVE_UNCONFIRMED = 'native_unconfirmed'

/** Asks a logged-in user whether to continue, or to log in with another account. */
export async function showSelectAccount(flow: InteractionRequest): Promise<void> {
  const { interaction, url } = flow
  const otherPath = flowPath(interaction, '/other')
  // The visitor comes from a link in a message, which was requested to log in with another account.
  const done = url.searchParams.get('done')
  if (done !== null) {
    return redirect(flow.response, `${otherPath}&${new URLSearchParams({ done })}`)
  }
  const user = await currentUser(flow)
  if (!user) return redirect(flow.response, otherPath)
  show(flow, 200, 'selectAccount', {
    csrf: csrfToken(interaction.uid),
    email: user.email,
    otherPath,
    native: await nativeName(flow),
  })
}

/** The name of a native application; `undefined` if the user need not confirm its login. */
async function nativeName(flow: InteractionRequest): Promise<string | undefined> {
  const { context, tenant, interaction, applicationId } = flow
  if (!interaction.prompt.reasons.includes(NATIVE_UNCONFIRMED) || !applicationId) return undefined
  const application = await lookUpApplication(context.domain, tenant.id, applicationId)
  return application && (application.name || application.id)
}

/** Continues as the logged-in user, with the results of earlier steps. */
export async function selectAccount(flow: InteractionRequest): Promise<void> {
  await finishInteraction(flow, { ...flow.interaction.lastSubmission, select_account: {} })
}

/** The user who was logged in in this browser when the interaction began, if any. */
export async function currentUser(flow: InteractionRequest): Promise<User | undefined> {
  const { context, tenant, interaction } = flow
  const accountId = interaction.session?.accountId
  return accountId === undefined ? undefined : lookUpUser(context.domain, tenant.id, accountId)
}
