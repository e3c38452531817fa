import type { AuthContext } from '../context.ts'
import type { AuthRequest, AuthResponse } from '../http/request.ts'
import type { StoredSession } from '../session/stored-session.ts'
import { sessionAt } from './guard.ts'

/**
 * Tells a single-page application who is signed in: `{ user, expiresAt }`, or `{ user: null, loginUrl }`.
 * Instants are in seconds since the epoch. There are never tokens in it.
 */
export async function handleSession(
  context: AuthContext,
  request: AuthRequest,
  session: StoredSession,
): Promise<AuthResponse> {
  const read = await session.read()
  const found = read && sessionAt(await context.providers.of(request), read)
  const body = found
    ? { user: found.user, expiresAt: found.expiresAt }
    : { user: null, loginUrl: context.options.routes.login }
  return {
    status: 200,
    headers: [
      ['content-type', 'application/json'],
      ['x-content-type-options', 'nosniff'],
    ],
    body: JSON.stringify(body),
  }
}
