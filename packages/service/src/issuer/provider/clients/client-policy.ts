import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { exceptionKeys } from '../../../domain/applications/application-exceptions.ts'
import { FAPI_2, PROFILE_KEY } from '../../../domain/applications/application-profile.ts'
import { SECOND_STEP_KEY } from '../../../domain/tenants/second-step-rule.ts'
import { DEVICE_GRANT } from '../../engine/device-code.ts'

/**
 * The error for a request that does not fit its application's registration. Its description says
 * how to change the request or the registration.
 */
export class NotRegisteredFor extends errors.InvalidRequest {}

/** A description of the metadata or redirect URL that an application lacks for a grant type. */
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
 * The names of the client metadata in oidc-provider for an application's exceptions, profile and
 * second step.
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
 * Checks a request without PKCE and returns `false` if it is allowed. With
 * `latchkey_pkce: optional`, an application may send a nonce instead, which also binds the code to
 * the login. With `latchkey_nonce: optional` in addition, it may send neither.
 *
 * @throws NotRegisteredFor if the application must send PKCE or a nonce, and InvalidRequest if FAPI
 *   2.0 requires PKCE.
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
 * Whether scripts of an origin may request tokens for a client. They may if the client is public
 * and not native, and one of its redirect URLs has this origin.
 *
 * @throws NotRegisteredFor if a client with this origin is not public. Scripts can read this error.
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
