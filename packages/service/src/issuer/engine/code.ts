import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace } from './replace.ts'

/** The APIs and scopes that a login asked for, as stored in its code and refresh tokens. */
export interface GrantedApis {
  readonly resourceIndicators: Pick<ReadonlySet<string | undefined>, 'has' | 'size'>
  readonly scope?: string | undefined
}

type Consume = (this: GrantedApis) => Promise<void>

/**
 * Checks a request for tokens before its authorization code or device code is used up. If `judge`
 * throws, the request is refused with this error, and the code stays valid.
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

/** The error for a code or token that another request has already used. */
export class SpentError extends errors.InvalidGrant {}
