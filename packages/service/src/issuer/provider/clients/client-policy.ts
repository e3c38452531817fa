import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { exceptionKeys } from '../../../domain/applications/application-exceptions.ts'
import { FAPI_2, PROFILE_KEY } from '../../../domain/applications/application-profile.ts'
import { SECOND_STEP_KEY } from '../../../domain/tenants/second-step-rule.ts'
import { DEVICE_GRANT } from '../../engine/device-code.ts'

/** A request that needs another registration of its application. The description says which. */
export class NotRegisteredFor extends errors.InvalidRequest {}

/** A sentence about the metadata that an application needs for a grant. */
export function describeForbiddenGrant(type: string): string {
  switch (type) {
    case 'client_credentials':
      return `register the application with the metadata ${exceptionKeys.programs}: allowed, to get tokens without a user`
    case DEVICE_GRANT:
      return `register the application with the metadata ${exceptionKeys.devices}: allowed, to log users in on devices without a browser`
    default:
      return 'the application has no redirect URL, so it cannot log users in'
  }
}

/**
 * The metadata about an application's exceptions, profile and second step, under the names that its client in
 * oidc-provider has.
 */
export const exceptionProperties: readonly string[] = [
  exceptionKeys.pkce,
  exceptionKeys.nonce,
  exceptionKeys.refreshRepeat,
  PROFILE_KEY,
  SECOND_STEP_KEY,
]

/** Whether a client must follow the FAPI 2.0 Security Profile. */
export function isFapi(client: Client | undefined): boolean {
  return client?.[PROFILE_KEY] === FAPI_2
}

/**
 * Whether a request without PKCE must be refused. An application with `latchkey_pkce: optional` may send a nonce
 * instead, which also binds the code to its login; with `latchkey_nonce: optional`, it may send neither.
 *
 * @throws NotRegisteredFor if it needs PKCE or a nonce.
 * @see RFC 9700 §2.1.1
 */
export function needsPkce(ctx: KoaContextWithOIDC, client: Client): boolean {
  if (isPublic(client)) {
    throw new NotRegisteredFor(
      `send a code_challenge with the method S256 (PKCE), which a public client always needs`,
    )
  }
  if (isFapi(client)) {
    throw new errors.InvalidRequest(
      'send a code_challenge with the method S256 (PKCE), which FAPI 2.0 requires',
    )
  }
  const { [exceptionKeys.pkce]: pkce, [exceptionKeys.nonce]: nonce } = client
  if (pkce !== 'optional') {
    throw new NotRegisteredFor(
      `send a code_challenge with the method S256 (PKCE). For a library without it, register the application with the metadata ${exceptionKeys.pkce}: optional`,
    )
  }
  if (nonce === 'optional' || ctx.oidc.params?.nonce) return false
  throw new NotRegisteredFor(
    `send a nonce, or a code_challenge with the method S256. For a library that has neither, register the application with the metadata ${exceptionKeys.nonce}: optional`,
  )
}

/**
 * Whether scripts of an origin may request tokens for a client. They may if the client is public,
 * not native, and has a redirect URL on this origin.
 *
 * @throws NotRegisteredFor if the client has a secret. Scripts can read this error.
 */
export function mayAskAsScript(_ctx: KoaContextWithOIDC, origin: string, client: Client): boolean {
  // A private-use scheme has the origin "null", which sandboxed pages of any site also send.
  if (client.applicationType === 'native') return false
  const isItsOwn = client.redirectUris?.some((url) => URL.parse(url)?.origin === origin) ?? false
  if (isPublic(client) || !isItsOwn) return isItsOwn
  throw new NotRegisteredFor(
    `this application has a secret, which belongs on a server, and a script asked. Let a backend ask, or register the application with the metadata ${exceptionKeys.client}: public`,
  )
}

function isPublic({ clientAuthMethod }: Client): boolean {
  return clientAuthMethod === 'none'
}
