import type { Configuration } from 'oidc-provider'
import { isSelfDescribedId } from '../../../domain/tenants/client-documents.ts'
import { lookUpUser } from '../../../domain/users/users.ts'
import { chooseLanguage } from '../../../pages/index.ts'
import type { IssuerContext } from '../../context.ts'
import { rememberApplication } from '../../requests/application-cookie.ts'
import { factsOf } from '../../requests/request-facts.ts'
import { flowHandle, startPath } from '../flow/flow-path.ts'
import { sendLink } from '../mail/messages.ts'

type InteractionUrl = NonNullable<NonNullable<Configuration['interactions']>['url']>

/**
 * Creates the function that prepares the first step of a login. The function returns the path of
 * the step's page.
 */
export function beginFlow(context: IssuerContext): InteractionUrl {
  return async (ctx, interaction) => {
    const { tenant } = factsOf(ctx.req)
    const applicationId = String(interaction.params.client_id)
    // A self-described client has no start page, and its id could contain attributes of a cookie.
    if (!isSelfDescribedId(applicationId)) rememberApplication(ctx, applicationId)

    const accountId = ctx.oidc.session?.accountId
    if (interaction.prompt.name === 'verify_email' && accountId) {
      const user = await lookUpUser(context.domain, tenant.id, accountId)
      const uiLocales = interaction.params.ui_locales
      const language = chooseLanguage(
        typeof uiLocales === 'string' ? uiLocales : undefined,
        ctx.req.headers['accept-language'],
      )
      const flow = flowHandle(interaction.uid)
      const { browser } = interaction as { browser?: string }
      const mailContext = { facts: factsOf(ctx.req), language, flow, applicationId, browser }
      if (user) await sendLink(context, 'verify', mailContext, user.email, user)
    }
    return startPath(interaction)
  }
}
