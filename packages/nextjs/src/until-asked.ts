import { ConfigError } from '@latchkey/core'

/**
 * Resolves to the headers of the current request. `next build` stops here, because a static
 * page must have nothing about a session, not even the time.
 *
 * @throws {@link ConfigError} in a page that is forced to be static, for which Next.js creates a
 *   request without headers.
 */
export async function untilAsked(): Promise<Headers> {
  const { headers } = await import('next/headers.js')
  const { connection } = await import('next/server.js')
  await connection()
  const sent = await headers()
  if (!sent.has('host')) throw new ConfigError([], STATIC)
  return sent
}

const STATIC =
  'A page or a route handler that asks who is logged in cannot be static: it would be made once, for a visitor, and sent to every user. Remove dynamic = "force-static" from it and from its layouts.'
