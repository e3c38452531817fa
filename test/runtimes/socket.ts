import { type AuthEnv, requireUser } from '@latchkey/hono'
import type { Context, MiddlewareHandler } from 'hono'
import type { UpgradeWebSocket } from 'hono/ws'
import { createApplication } from './application.ts'

/**
 * The `fetch` of the application with `/socket`, a WebSocket that is closed when the session of its
 * user ends.
 */
export function fetchWithSocket(
  upgrade: UpgradeWebSocket,
): ReturnType<typeof createApplication>['fetch'] {
  const answer = upgrade((c: Context<AuthEnv>) => {
    const ended = c.var.auth.ended()
    return {
      onOpen(_event, socket) {
        ended.addEventListener('abort', () => socket.close(4401))
        socket.send('hello')
      },
    }
  }) as MiddlewareHandler
  return createApplication().get('/socket', requireUser(), answer).fetch
}
