import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { noteApplication } from '../../domain/operators/impersonations.ts'
import type { IssuerContext } from '../context.ts'
import type { Acting, Session } from '../engine/session.ts'
import { ACCOUNT_CLIENT } from '../requests/paths.ts'
import { factsOf, scopeOfRequest } from '../requests/request-facts.ts'
import { isSelfDescribed } from './clients/self-described.ts'

/** Matches the prompts that only the user can answer. */
const OF_USER = /^(login|create|select_account)$/

/**
 * The operator's login as the user in the session of a request; `undefined` if no operator acts in
 * the session, or the operator's login is no longer valid.
 */
export function actingFor({ oidc }: KoaContextWithOIDC): Acting | undefined {
  // A session without an account grants nothing.
  return oidc.account ? (oidc.session as Session | undefined)?.acting : undefined
}

/**
 * Refuses requests for actions that only the user may take while an operator is logged in as the
 * user: to log in again, or to give access to a self-described client. Otherwise returns `false`.
 * For requests that would show a page, see {@link refusePages}.
 *
 * @throws AccessDenied
 */
export function refuseWhileActing(ctx: KoaContextWithOIDC): false {
  const acting = actingFor(ctx)
  if (!acting) return false
  const { client, params, prompts, result } = ctx.oidc
  const { login } = (result ?? {}) as { login?: { acting?: Acting } }
  // This request began the operator's login.
  if (client?.clientId === ACCOUNT_CLIENT && login?.acting?.id === acting.id) return false
  const asksForProof =
    [...prompts].some((one) => OF_USER.test(one)) ||
    params?.max_age !== undefined ||
    params?.acr_values !== undefined
  if (asksForProof || isSelfDescribed(client)) throw refusal()
  return false
}

/**
 * Refuses to show a page for login, consent or confirmation while an operator is logged in as the
 * user.
 *
 * @throws AccessDenied
 */
export function refusePages(ctx: KoaContextWithOIDC): void {
  if (actingFor(ctx)) throw refusal()
}

function refusal(): errors.AccessDenied {
  return new errors.AccessDenied('an operator acts for this user; only the user can do that')
}

/**
 * Records the application that an operator opens as the user. Returns `false`.
 *
 * @throws AccessDenied if the operator's login has ended in the meantime.
 */
export async function noteActing(
  context: IssuerContext,
  ctx: KoaContextWithOIDC,
): Promise<boolean> {
  const acting = actingFor(ctx)
  const { clientId } = ctx.oidc.client ?? {}
  if (!acting || clientId === undefined || clientId === ACCOUNT_CLIENT) return false
  const facts = factsOf(ctx.req)
  const scope = scopeOfRequest(context, facts, {})
  if (await noteApplication({ context, tenant: facts.tenant }, scope, acting.id, clientId)) {
    return false
  }
  throw refusal()
}
