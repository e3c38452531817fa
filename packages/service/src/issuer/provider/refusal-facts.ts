import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { checkUrl } from '../../domain/writes/rules.ts'
import type { ForDevelopers } from '../../pages/index.ts'
import type { IssuerContext } from '../context.ts'
import { factsOf } from '../requests/request-facts.ts'

/**
 * The `latchkey` command, as it runs without an installation. The npm package `latchkey` is another
 * project.
 */
const COMMAND = 'npx --package @latchkey/management latchkey applications'

/** The maximum number of characters of an id that are shown. Ids of applications have about 30. */
const MAX_ID = 100

/**
 * The facts for developers about a refused authorization request, with the command that helps.
 * `undefined` unless the client is unknown or the redirect URL is not registered. An unregistered
 * redirect URL is also logged.
 */
export function refusalFacts(
  context: IssuerContext,
  ctx: KoaContextWithOIDC,
  error: Error,
): ForDevelopers | undefined {
  if (error instanceof errors.InvalidRedirectUri) return unregisteredRedirect(context, ctx)
  const received = ctx.query.client_id
  if (!(error instanceof errors.InvalidClient) || typeof received !== 'string') return undefined
  return {
    found: [{ text: 'clientReceived', values: [received.slice(0, MAX_ID)] }],
    remedy: {
      text: 'clientList',
      command: `${COMMAND} list --tenant ${factsOf(ctx.req).tenant.id}`,
    },
  }
}

function unregisteredRedirect(
  { logger }: IssuerContext,
  ctx: KoaContextWithOIDC,
): ForDevelopers | undefined {
  const { client } = ctx.oidc
  const received = ctx.query.redirect_uri
  if (!client || typeof received !== 'string') return undefined

  const { tenant } = factsOf(ctx.req)
  const { clientId: applicationId, redirectUris: registered = [] } = client
  logger.warn(
    { tenantId: tenant.id, applicationId, redirectUri: received, registered },
    'A redirect URL is not registered for the application.',
  )
  const setting = `redirect_urls=${JSON.stringify([...registered, received])}`
  const command = `${COMMAND} update ${applicationId} --tenant ${tenant.id} --set ${shellQuote(setting)}`
  return {
    found: [
      { text: 'redirectReceived', values: [received] },
      ...(registered.length > 0
        ? [{ text: 'redirectRegistered', values: registered } as const]
        : []),
    ],
    remedy: mayBeRegistered(received) ? { text: 'redirectRegister', command } : undefined,
  }
}

/**
 * Whether the shown command may contain this URL. The command is pasted into a terminal, so a URL
 * with misleading characters is left out.
 */
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
