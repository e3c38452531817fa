import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { lifetimes, loginSeconds } from '../../domain/writes/lifetimes.ts'
import { factsOf } from '../requests/request-facts.ts'

type Grant = InstanceType<Provider['Grant']>

/**
 * The user's consent to what the application asks for. All applications are the tenant's own, so it
 * is implied: the session's grant is extended by the missing scopes.
 *
 * One grant serves all logins of an application within a session, so that a second tab does not
 * revoke the tokens of the first.
 */
export async function loadImpliedGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, account, provider } = ctx.oidc
  if (!client || !session || !account) return undefined

  const known = session.grantIdFor(client.clientId)
  const stored = known === undefined ? undefined : await provider.Grant.find(known)
  const grant =
    stored?.accountId === account.accountId
      ? stored
      : new provider.Grant({ accountId: account.accountId, clientId: client.clientId })

  const asked = [...ctx.oidc.requestParamOIDCScopes]
  const granted = new Set(grant.getOIDCScope().split(' '))
  const missing = asked.filter((scope) => !granted.has(scope))
  const expiresAt = Math.floor(Date.now() / 1000) + grantSeconds(ctx, asked)
  if (missing.length === 0 && (grant.exp ?? 0) >= expiresAt - EXTEND_AFTER_SECONDS) return grant

  grant.addOIDCScope(missing)
  grant.exp = Math.max(grant.exp ?? 0, expiresAt)
  await grant.save()
  return grant
}

/** A stored grant is written again only when it would gain at least this much. */
const EXTEND_AFTER_SECONDS = 3600

/** A grant outlives the session and the tokens that depend on it. */
function grantSeconds(ctx: KoaContextWithOIDC, scopes: string[]): number {
  if (scopes.includes('offline_access')) return lifetimes.offlineGrantSeconds
  return loginSeconds(factsOf(ctx.req).tenant) + lifetimes.accessTokenSeconds + EXTEND_AFTER_SECONDS
}
