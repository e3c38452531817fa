import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { checkUrl } from '../../domain/writes/rules.ts'
import type { ForDevelopers } from '../../pages/index.ts'
import type { IssuerContext } from '../context.ts'
import { factsOf } from '../requests/request-facts.ts'

/**
 * The command as it runs without an installation. The package `latchkey` itself is another project.
 */
const COMMAND = 'npx --package @latchkey/management latchkey applications'

/** How many characters of an id are shown; ids of applications have about 30. */
const MAX_ID = 100

/**
 * Facts about a refused authorization request for developers, with the command that helps. For an unregistered redirect
 * URL, the URL is logged, too.
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

/** The command is pasted into a terminal, so a value with misleading characters is left out. */
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
