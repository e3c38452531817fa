import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace } from './replace.ts'

/** The APIs and scopes that a login asked for, as its code and its refresh tokens have them. */
export interface GrantedApis {
  readonly resourceIndicators: Pick<ReadonlySet<string | undefined>, 'has' | 'size'>
  readonly scope?: string | undefined
}

type Consume = (this: GrantedApis) => Promise<void>

/**
 * Judges the request for tokens before its authorization code or device code is used up. An error that `judge` throws is
 * the answer, and leaves the code good.
 */
export function judgeBeforeUse(
  provider: Provider,
  judge: (ctx: KoaContextWithOIDC, granted: GrantedApis) => void,
): void {
  for (const name of ['AuthorizationCode', 'DeviceCode'] as const) {
    const consume: Consume = replace(provider, `${name}.prototype.consume`, async function () {
      if (Provider.ctx) judge(Provider.ctx, this)
      return consume.call(this)
    })
  }
}

/** Another request has used up the code or token first. */
export class SpentError extends errors.InvalidGrant {}
