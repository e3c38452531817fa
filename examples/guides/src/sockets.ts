import { createServer, type Server } from 'node:http'
import { type AuthOptions, createAuthRouter, getAuth, requireUser } from '@latchkey/express'
import express from 'express'
import { WebSocketServer } from 'ws'

/** A WebSocket and an event stream that end with the session. */
export function createSite(connection: AuthOptions): Server {
  // #region ws
  const app = express()
  const login = createAuthRouter(connection)
  app.use(login)

  const server = createServer(app)
  const sockets = new WebSocketServer({ noServer: true })

  server.on('upgrade', (req, socket, head) => {
    const open = async (): Promise<void> => {
      const opened = await login.socket(req)
      if (!opened.isAllowed) return opened.refuse(socket)
      sockets.handleUpgrade(req, socket, head, (client) => {
        opened.ended.addEventListener('abort', () => client.close(4401, 'Your session has ended'))
        client.send(`Hello ${opened.user.sub}`)
      })
    }
    open().catch((error) => socket.destroy(error))
  })
  // #endregion

  // #region events
  app.get('/events', requireUser(), (req, res) => {
    res.type('text/event-stream').write('data: hello\n\n')
    const ended = getAuth(req).ended()
    ended.addEventListener('abort', () => res.end('event: logout\ndata:\n\n'))
  })
  // #endregion
  return server
}
