import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import {
  type ActingBanner,
  type PageLink,
  type Pages,
  renderPage,
  type TextKey,
} from '../../pages/index.ts'
import { StoreError } from '../../store/errors.ts'
import type { IssuerContext } from '../context.ts'
import { bannerOf } from '../interaction/flow/acting-banner.ts'
import { lastApplication } from '../requests/application-cookie.ts'
import { brandingFor, wayToApplication } from '../requests/branding.ts'
import { factsOf } from '../requests/request-facts.ts'
import { actingOf } from '../sessions/acting.ts'
import { ClientRefused, ClientUnavailable } from './clients/self-described.ts'
import { refusalFacts } from './refusal-facts.ts'

type RenderError = NonNullable<Configuration['renderError']>

/**
 * Creates the function that shows an error page to a visitor whom the issuer cannot redirect back
 * to the application.
 *
 * @returns The function. `onwards` is the link on the page. Default: the application's login.
 */
export function createRenderError(
  context: IssuerContext,
): (...given: [...Parameters<RenderError>, onwards?: PageLink]) => Promise<void> {
  return async (ctx, out, error, onwards) => {
    const { tenant } = factsOf(ctx.req)
    const branding = brandingFor(tenant, ctx.req, ctx.query.ui_locales)
    const applicationId = ctx.oidc.client?.clientId ?? lastApplication(ctx.req)
    const link = onwards ?? (await wayToApplication(context, tenant, applicationId, 'startAgain'))
    const facts = refusalFacts(context, ctx, error)
    const page: Pages['message'] = { ...wordsFor(ctx, error), link }
    if (tenant.settings.developerMode) page.forDevelopers = facts
    const refused = [error, error.cause].find(
      (one) => one instanceof ClientRefused || one instanceof ClientUnavailable,
    )
    if (refused) Object.assign(page, { text: 'errorText', detail: refused.error_description })
    // This text of oidc-provider may contain parts of the request. The page escapes them.
    else if (page.text === 'errorText') page.detail = out.error_description ?? out.error
    const banner = await bannerFor(context, ctx)
    const { html, headers } = renderPage('message', branding, page, banner)
    ctx.set(headers)
    ctx.body = html
  }
}

/**
 * The banner while an operator acts for a user. If the store has failed, `undefined`, so that the
 * error page can still be shown.
 */
async function bannerFor(
  context: IssuerContext,
  ctx: KoaContextWithOIDC,
): Promise<ActingBanner | undefined> {
  try {
    return bannerOf(await actingOf(context, factsOf(ctx.req).tenant, ctx))
  } catch (err) {
    if (!(err instanceof StoreError)) throw err
    return undefined
  }
}

function wordsFor(ctx: KoaContextWithOIDC, error: Error): { title: TextKey; text: TextKey } {
  const { client } = ctx.oidc
  if (error instanceof errors.SessionNotFound) {
    return { title: 'expiredTitle', text: 'expiredText' }
  }
  if (client && client.redirectUris?.length === 0) {
    return { title: 'errorTitle', text: 'errorNoRedirect' }
  }
  if (error instanceof errors.InvalidRedirectUri) {
    return { title: 'errorTitle', text: 'errorRedirect' }
  }
  if (error instanceof errors.InvalidClient) return { title: 'errorTitle', text: 'errorClient' }
  const isOurs = !(error instanceof errors.OIDCProviderError) || error.statusCode >= 500
  return { title: 'errorTitle', text: isOurs ? 'errorServer' : 'errorText' }
}
