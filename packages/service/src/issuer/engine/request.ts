import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { answerWith, replace } from './replace.ts'

/** Answers the request that is under way with another `acr` than the session's own. */
export function answerWithAcr(ctx: KoaContextWithOIDC, acr: string | undefined): void {
  answerWith(ctx.oidc, 'OIDCContext.prototype.acr', acr)
}

/**
 * Takes a request for offline access as one with `prompt=consent`, without which oidc-provider drops the scope.
 * Applications are the tenant's own, so it needs no consent of the user.
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

/** The facts on the page that asks whether to log out. */
export function logoutQuestion(ctx: KoaContextWithOIDC): {
  /** The user whom the application's ID Token names. */
  hintedSub: string | undefined
  /** The value that the form must send back as `xsrf`. */
  xsrf: string
} {
  const hint = ctx.oidc.entities.IdTokenHint as { payload: { sub?: string } } | undefined
  const state = ctx.oidc.session?.state as { secret: string } | undefined
  return { hintedSub: hint?.payload.sub, xsrf: state?.secret ?? '' }
}
