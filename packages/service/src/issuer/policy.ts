import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { loginSeconds } from './lifetimes.ts'
import { factsOf } from './request-facts.ts'

const { base, Check } = interactionPolicy

/**
 * What a visitor must do before the application gets its answer: log in.
 *
 * The consent prompt stays registered, because requests with `prompt=consent` must be accepted and
 * `offline_access` depends on it, but it never asks: see `grants.ts`.
 */
export function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base()
  policy.get('consent')?.checks.clear()
  policy
    .get('login')
    ?.checks.add(
      new Check('login_void', 'End-User authentication is required', 'login_required', isLoginVoid),
    )
  return policy
}

/** The session is that of a user who may not go on with it, or it is older than the tenant allows. */
function isLoginVoid(ctx: KoaContextWithOIDC): boolean {
  const { session, account } = ctx.oidc
  if (!session?.accountId) return false
  if (!account) return true
  const age = Date.now() / 1000 - (session.loginTs ?? 0)
  return age >= loginSeconds(factsOf(ctx.req).tenant)
}
