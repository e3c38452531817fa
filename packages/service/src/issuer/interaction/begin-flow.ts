import type { Configuration } from 'oidc-provider'
import { chooseLanguage } from '../../pages/index.ts'
import type { IssuerContext } from '../context.ts'
import {
  APPLICATION_COOKIE_SECONDS,
  applicationCookieName,
} from '../requests/application-cookie.ts'
import { factsOf } from '../requests/request-facts.ts'
import { flowHandle, flowPath } from './flow-path.ts'
import { sendLink } from './messages.ts'

type InteractionUrl = NonNullable<NonNullable<Configuration['interactions']>['url']>

/** Prepares what a visitor is about to be asked, and says at which page. */
export function beginFlow(context: IssuerContext): InteractionUrl {
  return async (ctx, interaction) => {
    const { tenant, issuer } = factsOf(ctx.req)
    const isSecure = issuer.startsWith('https:')
    const applicationId = String(interaction.params.client_id)
    ctx.cookies.set(applicationCookieName(isSecure), applicationId, {
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure,
      path: '/',
      maxAge: APPLICATION_COOKIE_SECONDS * 1000,
    })

    const accountId = ctx.oidc.session?.accountId
    if (interaction.prompt.name === 'verify_email' && accountId) {
      const user = await context.domain.store.users.get(tenant.id, accountId)
      const uiLocales = interaction.params.ui_locales
      const language = chooseLanguage(
        typeof uiLocales === 'string' ? uiLocales : undefined,
        ctx.req.headers['accept-language'],
      )
      const flow = flowHandle(interaction.uid)
      const occasion = { facts: factsOf(ctx.req), language, flow, applicationId }
      if (user) await sendLink(context, 'verify', occasion, user.email, user)
    }
    return flowPath(interaction)
  }
}
