import type { Provider } from 'oidc-provider'

/** The description by oidc-provider, which names a setting that no developer has made. */
const UNCLEAR = 'openid scope must be requested for clients with require_auth_time'

const CLEAR = 'add openid to the scope of the request, as each login is one of OpenID Connect'

/** The description of a refusal, where necessary in words that say what to do. */
export function clearDescription(description: string): string {
  return description === UNCLEAR ? CLEAR : description
}

/** Whether a request was refused because its scope does not have `openid`. */
export function isOpenidMissing(description: string): boolean {
  return description === UNCLEAR
}

/**
 * Tells applications that `openid` is missing in the scope.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export function explainMissingOpenid(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next()
    const target = URL.parse(ctx.response.get('location'))
    const described = target?.searchParams.get('error_description')
    if (target && described && isOpenidMissing(described)) {
      target.searchParams.set('error_description', CLEAR)
      ctx.redirect(target.href)
    }
    const { body } = ctx
    // A form that posts the answer, or the answer to a pushed request.
    if (typeof body === 'string') ctx.body = body.replaceAll(UNCLEAR, CLEAR)
    else if (isOpenidMissing(Object(body).error_description)) {
      ctx.body = { ...Object(body), error_description: CLEAR }
    }
  })
}
