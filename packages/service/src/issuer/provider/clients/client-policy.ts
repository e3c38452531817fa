import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { exceptionKeys } from '../../../domain/applications/application-exceptions.ts'
import { FAPI_2, PROFILE_KEY } from '../../../domain/applications/application-profile.ts'
import { SECOND_STEP_KEY } from '../../../domain/tenants/second-step-rule.ts'
import { DEVICE_GRANT } from '../../engine/device-code.ts'

/** A request that the registration of its application does not allow; the description says what to register. */
export class NotRegisteredFor extends errors.InvalidRequest {}

/** The metadata that an application needs to use a grant that it may not use, as a sentence. */
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

/** The names of an application's exceptions, profile and second step, as oidc-provider keeps them with its client. */
export const exceptionProperties: readonly string[] = [
  exceptionKeys.pkce,
  exceptionKeys.nonce,
  exceptionKeys.refreshRepeat,
  PROFILE_KEY,
  SECOND_STEP_KEY,
]

/** Whether the logins of a client follow the FAPI 2.0 Security Profile. */
export function isFapi(client: Client | undefined): boolean {
  return client?.[PROFILE_KEY] === FAPI_2
}

/**
 * Whether a request needs PKCE, which it does not have. An application with `latchkey_pkce: optional` may send a
 * nonce instead, which binds the code to its login as well; with `latchkey_nonce: optional` it may send neither.
 *
 * @throws NotRegisteredFor when it needs PKCE or a nonce.
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
 * Whether scripts of an origin may request tokens of a client. They may if the client is public and
 * not native, and has a redirect URL on this origin. For a client with a secret they are refused,
 * with an error that they can read.
 *
 * @throws NotRegisteredFor when the application has a secret.
 */
export function mayAskAsScript(_ctx: KoaContextWithOIDC, origin: string, client: Client): boolean {
  // A private-use scheme has the origin "null", which sandboxed pages of any site send as theirs.
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
