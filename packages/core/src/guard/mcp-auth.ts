import { AccessError } from '../errors/errors.ts'
import type { AuthRequest } from '../http/request.ts'
import type { BearerLogin } from './bearer-token.ts'

/**
 * The access token of a request in the shape that the SDK of the Model Context Protocol gives to
 * tools (`AuthInfo`). `token` is left out of logs and JSON. The token is for this application only:
 * do not send it to another service.
 */
export interface McpAuth {
  readonly token: string
  /** The client that the token was issued to. An empty text if the token does not name one. */
  clientId: string
  /** The scopes of the token, and the scopes that these imply (`bearer.impliedScopes`). */
  scopes: string[]
  /** The expiry of the token, in seconds since the epoch. */
  expiresAt: number
  /**
   * The identifier of the entry of `resources` that the token is for. Absent if the request is
   * outside of all entries.
   */
  resource?: URL
  /** The user, as `getUser()` returns it. */
  extra: { user: Record<string, unknown> }
}

/**
 * Describes the bearer token that a guard has accepted.
 *
 * @throws {@link AccessError} with `LATCHKEY_LOGIN_REQUIRED` if no guard has accepted a bearer
 *   token.
 */
export function mcpAuthOf({ headers }: AuthRequest, bearer: BearerLogin | undefined): McpAuth {
  const [, token] = /^\S+ +(\S+)/.exec(headers.get('authorization') ?? '') ?? []
  if (!bearer || token === undefined) {
    const message = `No guard has let a bearer token in. Put requireUser({ accept: ['bearer'] }) in front.`
    throw new AccessError('LATCHKEY_LOGIN_REQUIRED', message)
  }
  const { clientId = '', scopes, login, resource } = bearer
  const auth = {
    clientId,
    scopes: [...scopes],
    expiresAt: login.expiresAt,
    ...(resource && { resource: new URL(resource.identifier) }),
    extra: { user: login.user },
  }
  // Not enumerable, so that a log line of the object has no token.
  return Object.defineProperty(auth, 'token', { value: token }) as McpAuth
}
