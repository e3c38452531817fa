import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Clock } from '../../clock.ts'
import { replace } from './replace.ts'

type Save = (this: object, seconds: number) => Promise<string>

/** The lifetime of a pushed request, in seconds, as in oidc-provider. */
const PUSHED_SECONDS = 60

/**
 * Stores the parameters of a login as a new pushed request. The application's own is used only once
 * and expires soon, so a login that starts again needs another.
 *
 * @returns The `request_uri`.
 * @see RFC 9126 §2.2
 */
export async function pushAgain(
  provider: Provider,
  {
    params,
    trusted,
  }: {
    readonly params: Readonly<Record<string, unknown>>
    readonly trusted?: string[] | undefined
  },
  clock: Clock,
): Promise<string> {
  const { client_id: iss, dpop_jkt: dpopJkt } = params
  // As in oidc-provider, this is a JWT without a signature. Only the service can store one.
  const now = Math.floor(clock.now() / 1000)
  const times = { iat: now, nbf: now, exp: now + PUSHED_SECONDS }
  const parts = [{ alg: 'none' }, { ...params, iss, aud: provider.issuer, ...times }]
  const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const pushed = new provider.PushedAuthorizationRequest({
    request: `${encoded.join('.')}.`,
    ...(typeof dpopJkt === 'string' && { dpopJkt }),
    ...(trusted?.length && { trusted }),
  })
  return `urn:ietf:params:oauth:request_uri:${await pushed.save(PUSHED_SECONDS)}`
}

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
