import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace } from './replace.ts'
import type { Session } from './session.ts'

/** The grant type of logins on devices. @see RFC 8628 §3.4 */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

type Save = (this: object) => Promise<string>

/**
 * Calls `admit` before a new device code is stored.
 *
 * @param admit - Throws to refuse the request.
 */
export function admitDevices(
  provider: Provider,
  admit: (ctx: KoaContextWithOIDC) => Promise<void>,
): void {
  const save: Save = replace(provider, 'DeviceCode.prototype.save', async function () {
    if (Provider.ctx?.oidc.route === 'device_authorization') await admit(Provider.ctx)
    return save.call(this)
  })
}

/** Whether a request comes from a browser in which a user confirms the login of a device. */
export function isOfDevice({ oidc }: KoaContextWithOIDC): boolean {
  return /^(code_verification|device_resume)$/.test(oidc.route)
}

/** Whether a token belongs to the login of a device. */
export function isFromDevice(token: object): boolean {
  const { kind, gty } = token as { kind?: string; gty?: string }
  return kind === 'DeviceCode' || /^device_code( |$)/.test(gty ?? '')
}

/** The value of the field `xsrf` in the form for codes. */
export function codeFormSecret({ oidc }: KoaContextWithOIDC): string {
  return (oidc.session?.state as { secret?: string } | undefined)?.secret ?? ''
}

type Authorizations = NonNullable<Session['authorizations']>

/** Remembers the session's data about the client, before the device gets its own grant. */
export function rememberAuthorization({ oidc, state }: KoaContextWithOIDC): void {
  const before = oidc.session?.authorizations?.[oidc.client?.clientId ?? '']
  state.authorizationBefore ??= { ...before }
}

/**
 * Restores the data of {@link rememberAuthorization} in the session. The device's login must not
 * become a login of the browser.
 */
export function restoreAuthorization({ oidc, state }: KoaContextWithOIDC): void {
  const { session, client } = oidc
  if (!session?.authorizations || !client) return
  const { [client.clientId]: _, ...others } = session.authorizations
  const before = state.authorizationBefore as Authorizations[string]
  const isKnown = Object.keys(before ?? {}).length > 0
  session.authorizations = isKnown ? { ...others, [client.clientId]: before } : others
}

/**
 * Prevents saving a session that was never stored. After an error, oidc-provider puts the secret of
 * a form into such a session, but cannot save it.
 */
export function leaveUnsaved({ oidc: { session } }: KoaContextWithOIDC): void {
  if (session && session.exp === undefined) Object.assign(session, { touched: false })
}
