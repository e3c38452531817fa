import {
  type AuthOptions,
  answerErrors,
  createAuthRouter,
  mcpAuth,
  requireScopes,
  requireUser,
} from '@latchkey/express'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express, { type Express } from 'express'
import { z } from 'zod'

/** An MCP server with the notes of each user. */
export function createApp(connection: AuthOptions): Express {
  const notes = new Map<string, string[]>()
  // #region router
  const app = express()
  app.use(
    createAuthRouter({
      ...connection,
      resources: [
        {
          path: '/mcp',
          name: 'Notes',
          scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' },
        },
      ],
      bearer: { impliedScopes: { 'notes:write': ['notes:read'] } },
    }),
  )
  // #endregion

  // #region tools
  function createMcpServer(user: string): McpServer {
    const server = new McpServer({ name: 'Notes', version: '1.0.0' })
    server.registerTool('read_notes', { description: 'Reads the notes' }, () => ({
      content: [{ type: 'text', text: notes.get(user)?.join('\n') ?? 'There are no notes.' }],
    }))
    const inputSchema = { text: z.string() }
    server.registerTool('add_note', { description: 'Adds a note', inputSchema }, ({ text }) => {
      notes.set(user, [...(notes.get(user) ?? []), text])
      return { content: [{ type: 'text', text: 'Added.' }] }
    })
    return server
  }
  // #endregion

  // #region route
  const reads = requireUser({ accept: ['bearer'], scopes: ['notes:read'] })
  app.post('/mcp', reads, express.json(), async (req, res) => {
    // Older clients send several messages in one request.
    const tools = [req.body].flat().map((message) => message?.params?.name)
    if (tools.includes('add_note')) requireScopes(req, ['notes:write'])

    const auth = mcpAuth(req)
    const transport = new StreamableHTTPServerTransport({})
    res.on('close', () => void transport.close())
    await createMcpServer(String(auth.extra.user.sub)).connect(transport as never)
    await transport.handleRequest(Object.assign(req, { auth }), res, req.body)
  })
  app.use(answerErrors())
  // #endregion
  return app
}
