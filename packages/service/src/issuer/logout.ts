import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { pageHeaders, renderPage } from '../pages/index.ts'
import type { IssuerContext } from './context.ts'
import { endSession } from './end-session.ts'

type LogoutFeature = NonNullable<NonNullable<Configuration['features']>['rpInitiatedLogout']>

/**
 * Logout that an application asks for.
 *
 * With an ID Token of the user who is logged in, it is done at once; without, the user is asked,
 * because anybody can send a browser here.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2
 */
export function createLogout(context: IssuerContext): LogoutFeature {
  return {
    enabled: true,

    async logoutSource(ctx) {
      const { session, provider, entities } = ctx.oidc
      const hint = entities.IdTokenHint as { payload: { sub?: string } } | undefined
      if (session && hint && hint.payload.sub === session.accountId) {
        await endSession(context, provider, session)
        ctx.oidc.cookies.set(provider.cookieName('session'), null, { httpOnly: true })
        return leave(ctx)
      }
      const state = session?.state as { secret: string } | undefined
      send(ctx, 'confirmLogout', {
        action: ctx.oidc.urlFor('end_session_confirm'),
        xsrf: state?.secret ?? '',
      })
    },

    async postLogoutSuccessSource(ctx) {
      send(ctx, 'loggedOut', {})
    },
  }
}

/** Whoever is not logged in has nothing to confirm; oidc-provider would answer with a script. */
export function skipNeedlessConfirmation(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next()
    const context = ctx as unknown as KoaContextWithOIDC
    const isAnswered = context.oidc?.route === 'end_session' && ctx.status === 200
    if (isAnswered && context.oidc.session && !context.oidc.session.accountId) leave(context)
  })
}

/** Sends the browser back to where the application asked, or to our own page. */
function leave(ctx: KoaContextWithOIDC): void {
  const params = ctx.oidc.params as { post_logout_redirect_uri?: string; state?: string }
  const target = new URL(params.post_logout_redirect_uri ?? ctx.oidc.urlFor('end_session_success'))
  const isApplication = params.post_logout_redirect_uri !== undefined
  if (isApplication && params.state !== undefined) target.searchParams.set('state', params.state)
  ctx.status = 303
  ctx.redirect(target.href)
  ctx.body = ''
}

function send(ctx: KoaContextWithOIDC, page: 'confirmLogout' | 'loggedOut', data: object): void {
  ctx.set(pageHeaders)
  ctx.body = renderPage(page, data)
}
