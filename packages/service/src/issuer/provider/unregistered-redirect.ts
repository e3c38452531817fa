import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { checkUrl } from '../../domain/writes/rules.ts'
import type { UnregisteredRedirect } from '../../pages/index.ts'
import type { IssuerContext } from '../context.ts'
import { factsOf } from '../requests/request-facts.ts'

/** Logs a redirect URL that is not registered for the application; answers with what to do about it. */
export function noteUnregisteredRedirect(
  { logger }: IssuerContext,
  ctx: KoaContextWithOIDC,
  error: Error,
): UnregisteredRedirect | undefined {
  const { client } = ctx.oidc
  const received = ctx.query.redirect_uri
  if (!(error instanceof errors.InvalidRedirectUri) || !client) return undefined
  if (typeof received !== 'string') return undefined

  const { tenant } = factsOf(ctx.req)
  const { clientId: applicationId, redirectUris: registered = [] } = client
  logger.warn(
    { tenantId: tenant.id, applicationId, redirectUri: received, registered },
    'A redirect URL is not registered for the application.',
  )
  const setting = `redirect_urls=${JSON.stringify([...registered, received])}`
  const command = `latchkey applications update ${applicationId} --tenant ${tenant.id} --set ${shellQuote(setting)}`
  return { received, registered, command: mayBeRegistered(received) ? command : undefined }
}

/** The command is pasted into a terminal: what does not look as it reads is left out. */
function mayBeRegistered(url: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(url)) return false
  try {
    checkUrl('"redirect_uri"', url, true)
    return true
  } catch {
    return false
  }
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
