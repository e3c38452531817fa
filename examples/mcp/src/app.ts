import {
  type AuthOptions,
  answerErrors,
  createAuthRouter,
  getUser,
  mcpAuth,
  requireScopes,
  requireUser,
} from '@latchkey/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import express, { type Express } from 'express'
import { createNotes } from './notes.ts'
import { homePage, notesPage } from './pages.ts'
import { createMcpServer } from './tools.ts'

/** The scopes of the MCP server, each with the sentence that users agree to. */
export const SCOPES = { 'notes:read': 'Read your notes', 'notes:write': 'Add notes' }

/** The notes of each user: pages for people, and an MCP server for their agents. */
export function createApp(auth: AuthOptions): Express {
  const notes = createNotes()
  // #region router
  const app = express()
  app.use(
    createAuthRouter({
      ...auth,
      resources: [{ path: '/mcp', name: 'Notes', scopes: SCOPES }],
      bearer: { impliedScopes: { 'notes:write': ['notes:read'] } },
    }),
  )
  // #endregion

  app.get('/', (req, res) => {
    res.send(homePage(req.auth))
  })

  app.get('/notes', requireUser(), (req, res) => {
    res.send(notesPage(getUser(req), notes.of(getUser(req).sub), auth))
  })

  const form = express.urlencoded({ extended: false, limit: '10kb' })
  app.post('/notes', requireUser(), form, (req, res) => {
    notes.add(getUser(req).sub, String(req.body?.text ?? ''), 'you')
    res.redirect(303, '/notes')
  })

  // #region route
  const mcp = toNodeHandler(
    createMcpHandler(({ authInfo }) =>
      createMcpServer(notes, authInfo as ReturnType<typeof mcpAuth>),
    ),
  )
  const reads = requireUser({ accept: ['bearer'], scopes: ['notes:read'] })
  app.all('/mcp', reads, express.json({ limit: '100kb' }), async (req, res) => {
    // Older clients send several messages in one request.
    const tools = [req.body].flat().map((message) => message?.params?.name)
    if (tools.includes('add_note')) requireScopes(req, ['notes:write'])

    await mcp(Object.assign(req, { auth: mcpAuth(req) }), res, req.body)
  })
  app.use(answerErrors())
  // #endregion
  return app
}
