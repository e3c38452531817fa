import type { RequestContext } from '../context.ts'
import type { AuthResponse } from '../http/request.ts'
import { sessionAt } from '../login/session-strength.ts'

/**
 * Tells a single-page application who is logged in: `{ user, expiresAt }`, or
 * `{ user: null, loginUrl }`. `expiresAt` is in seconds since the epoch. The response never has
 * tokens.
 */
export async function handleSession(asked: RequestContext): Promise<AuthResponse> {
  const read = asked.session.read()
  const found = read && sessionAt(await asked.provider(), read)
  const body = found
    ? { user: found.user, expiresAt: found.expiresAt }
    : { user: null, loginUrl: asked.context.options.routes.login }
  return {
    status: 200,
    headers: [
      ['content-type', 'application/json'],
      ['x-content-type-options', 'nosniff'],
    ],
    body: JSON.stringify(body),
  }
}
