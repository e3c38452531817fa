import { auditEntry } from '../../domain/context.ts'
import type { User } from '../../store/records.ts'
import { endSession } from '../end-session.ts'
import { actorOf } from './flow-request.ts'
import type { InteractionRequest } from './interaction.ts'

/** Logs the user in and lets the application's request go on. */
export async function finishLogin(flow: InteractionRequest, user: User): Promise<void> {
  const { context, tenant, provider, request, response } = flow
  await endOtherSession(flow, user)
  const { domain } = context
  const actor = actorOf(flow, user.id)
  await domain.store.audit.append(auditEntry(domain, actor, 'login.succeeded', tenant.id, user.id))
  await provider.interactionFinished(
    request,
    response,
    {
      login: {
        accountId: user.id,
        ts: domain.clock.now() / 1000,
        amr: ['pwd'],
        remember: tenant.settings.rememberLoginSeconds > 0,
      },
    },
    { mergeWithLastSubmission: false },
  )
}

/**
 * When somebody else is logged in in this browser, their session ends here; oidc-provider would ask
 * the browser to run a script.
 */
async function endOtherSession(flow: InteractionRequest, user: User): Promise<void> {
  const { context, provider, interaction, request, response } = flow
  const session = await provider.Session.get(provider.createContext(request, response))
  if (!session.accountId || session.accountId === user.id) return

  await endSession(context, provider, session)
  delete interaction.session
  await interaction.persist()
}
