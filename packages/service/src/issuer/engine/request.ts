import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { answerWith, replace } from './replace.ts'

/** Sets the `acr` in the response of the current request, instead of the session's own. */
export function answerWithAcr(ctx: KoaContextWithOIDC, acr: string | undefined): void {
  answerWith(ctx.oidc, 'OIDCContext.prototype.acr', acr)
}

/**
 * Treats a request for offline access like a request with `prompt=consent`, because oidc-provider
 * would otherwise drop the scope. The applications belong to the tenant, so they need no consent of
 * the user.
 *
 * @see OpenID Connect Core 1.0 §11
 */
export function allowOfflineAccess(provider: Provider): void {
  replace(provider, 'OIDCContext.prototype.prompts', function (this: KoaContextWithOIDC['oidc']) {
    const { prompt, scope } = this.params ?? {}
    const prompts = new Set(typeof prompt === 'string' ? prompt.split(' ') : [])
    const asks = typeof scope === 'string' && scope.split(' ').includes('offline_access')
    return asks && !prompts.has('none') ? prompts.add('consent') : prompts
  })
}

/** The data for the page that asks whether to log out. */
export function logoutQuestion(ctx: KoaContextWithOIDC): {
  /** The user in the ID Token that the application has sent as a hint. */
  hintedSub: string | undefined
  /** The value of the field `xsrf` in the form. */
  xsrf: string
} {
  const hint = ctx.oidc.entities.IdTokenHint as { payload: { sub?: string } } | undefined
  const state = ctx.oidc.session?.state as { secret: string } | undefined
  return { hintedSub: hint?.payload.sub, xsrf: state?.secret ?? '' }
}

/** The data that oidc-provider keeps in the session while the user is asked about a logout. */
interface LogoutState {
  clientId?: string | undefined
  /** Our own member: the application that the request has named. */
  namedClient?: string | undefined
}

/**
 * Removes the application from the question about a logout, and keeps its id for
 * {@link clientOfLogout}. If the user stays, oidc-provider would end the login at that application,
 * but without a proof, a stranger may have named it.
 */
export function setClientApart({ oidc: { session } }: KoaContextWithOIDC): void {
  const state = session?.state as LogoutState | undefined
  if (state) Object.assign(state, { clientId: undefined, namedClient: state.clientId })
}

/** The id of the application that a logout request has named. */
export function clientOfLogout({ oidc }: KoaContextWithOIDC): string | undefined {
  const state = oidc.session?.state as LogoutState | undefined
  return oidc.client?.clientId ?? state?.namedClient
}
