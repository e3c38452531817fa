import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace } from './replace.ts'

type Save = (this: object, seconds: number) => Promise<string>

/**
 * Calls `admit` before a pushed request is stored.
 *
 * @param admit - Throws to refuse the request.
 */
export function admitPushes(
  provider: Provider,
  admit: (ctx: KoaContextWithOIDC) => Promise<void>,
): void {
  const save: Save = replace(
    provider,
    'PushedAuthorizationRequest.prototype.save',
    async function (seconds) {
      if (Provider.ctx) await admit(Provider.ctx)
      return save.call(this, seconds)
    },
  )
}
