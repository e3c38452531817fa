import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace } from './replace.ts'

type Consume = (this: { readonly resourceIndicators: ReadonlySet<string> }) => Promise<void>

/**
 * Judges the request for tokens before its authorization code is used up. An error that `judge` throws is the
 * answer, and leaves the code good.
 */
export function judgeBeforeUse(
  provider: Provider,
  judge: (ctx: KoaContextWithOIDC, granted: ReadonlySet<string>) => void,
): void {
  const consume: Consume = replace(
    provider,
    'AuthorizationCode.prototype.consume',
    async function () {
      if (Provider.ctx) judge(Provider.ctx, this.resourceIndicators)
      return consume.call(this)
    },
  )
}

/** Another request has used up the code or token first. */
export class SpentError extends errors.InvalidGrant {}
