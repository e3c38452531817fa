import type { Configuration } from 'oidc-provider'
import { pageHeaders, renderPage } from '../pages/index.ts'

/** The page for a visitor whom the issuer cannot send back to the application. */
export const renderError: NonNullable<Configuration['renderError']> = (ctx, out) => {
  ctx.set(pageHeaders)
  ctx.body = renderPage('error', { error: out.error, description: out.error_description ?? '' })
}
