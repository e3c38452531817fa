import type { EventEmitter } from 'node:events'
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Tenant } from '../../../store/records.ts'
import type { IssuerContext } from '../../context.ts'
import { isOnDevice, placeOf, readConsent } from '../consents.ts'
import { createRenderError } from '../render-error.ts'
import { isSelfDescribed } from './self-described.ts'

/**
 * Shows an error page in place of the redirect with an error, if the visitor has not seen a page
 * and has not agreed to the client. Anyone can describe a client, so a link to the issuer could
 * otherwise lead to any website.
 *
 * @see RFC 9700 §4.11.2
 */
export function holdErrors(provider: Provider, context: IssuerContext, tenant: Tenant): void {
  const refused = new WeakMap<KoaContextWithOIDC['req'], errors.OIDCProviderError>()
  const emitter: EventEmitter = provider
  for (const event of ['authorization.error', 'server_error']) {
    emitter.on(event, (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
      refused.set(ctx.req, error)
    })
  }
  const renderError = createRenderError(context)
  provider.use(async (koa, next) => {
    await next()
    const error = refused.get(koa.req)
    const ctx = koa as KoaContextWithOIDC
    if (!error?.allow_redirect || !(await isStrangers(context, tenant, ctx))) return
    const href = ctx.response.get('location')
    const { host } = new URL(placeOf(redirectUriOf(ctx)))
    ctx.remove('location')
    ctx.status = Math.max(error.statusCode, 400)
    const { error: code, error_description } = error
    const link = { href, text: 'continueTo', values: { application: host } } as const
    const out = { error: code, ...(error_description !== undefined && { error_description }) }
    await renderError(ctx, out, error, href ? link : undefined)
  })
}

/**
 * Whether the request is of a client that describes itself, on the web, to which the user of this
 * browser has not agreed. After a page of a login, the request has another route.
 */
async function isStrangers(
  context: IssuerContext,
  tenant: Tenant,
  ctx: KoaContextWithOIDC,
): Promise<boolean> {
  const { route, client, session } = ctx.oidc
  const redirectUri = redirectUriOf(ctx)
  if (route !== 'authorization' || !client || !isSelfDescribed(client)) return false
  if (isOnDevice(redirectUri)) return false
  if (session?.accountId === undefined) return true
  const found = await readConsent({ context, tenant }, session.accountId, client.clientId)
  return found?.value.place !== placeOf(redirectUri)
}

/** The destination of the error. The parameters are not parsed if the request failed before. */
function redirectUriOf({ oidc, query }: KoaContextWithOIDC): unknown {
  return (oidc.params ?? query).redirect_uri
}
