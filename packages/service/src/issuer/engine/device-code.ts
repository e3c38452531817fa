import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace } from './replace.ts'
import type { Session } from './session.ts'

/** The grant of logins on devices. @see RFC 8628 §3.4 */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

type Save = (this: object) => Promise<string>

/**
 * Asks before the code of a new device is stored.
 *
 * @param admit - Throws to refuse it.
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

/** Whether a request is one of a browser in which the login of a device is confirmed. */
export function isOfDevice({ oidc }: KoaContextWithOIDC): boolean {
  return /^(code_verification|device_resume)$/.test(oidc.route)
}

/** Whether a token came from the login of a device. */
export function isFromDevice(token: object): boolean {
  const { kind, gty } = token as { kind?: string; gty?: string }
  return kind === 'DeviceCode' || /^device_code( |$)/.test(gty ?? '')
}

/** The value that the form of the page for codes must send back as `xsrf`. */
export function codeFormSecret({ oidc }: KoaContextWithOIDC): string {
  return (oidc.session?.state as { secret?: string } | undefined)?.secret ?? ''
}

type Authorizations = NonNullable<Session['authorizations']>

/** Keeps what the session of the browser has of the client, before a device gets a grant of its own. */
export function rememberAuthorization({ oidc, state }: KoaContextWithOIDC): void {
  const before = oidc.session?.authorizations?.[oidc.client?.clientId ?? '']
  state.authorizationBefore ??= { ...before }
}

/**
 * Restores in the session what {@link rememberAuthorization} kept, because the device is not one of its applications.
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
 * Leaves a session alone that was never saved, and which oidc-provider has given the secret of a form after an error: it could
 * not save it.
 */
export function leaveUnsaved({ oidc: { session } }: KoaContextWithOIDC): void {
  if (session && session.exp === undefined) Object.assign(session, { touched: false })
}
