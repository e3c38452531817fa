import type { mcpAuth, User } from '@latchkey/express'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Notes } from './notes.ts'

/** The tools for the user and the agent of a token, as `mcpAuth()` describes them. */
export function createMcpServer(notes: Notes, auth: ReturnType<typeof mcpAuth>): McpServer {
  const { sub } = auth.extra.user as User
  const server = new McpServer({ name: 'Notes', version: '1.0.0' })

  server.registerTool('read_notes', { description: 'Reads the notes of the user.' }, () => ({
    content: [{ type: 'text', text: textOf(notes, sub) }],
  }))

  server.registerTool(
    'add_note',
    {
      description: 'Adds a note, which the user sees on their page.',
      inputSchema: z.object({ text: z.string().trim().min(1).max(200) }),
    },
    ({ text }) => {
      notes.add(sub, text, auth.clientId)
      return { content: [{ type: 'text', text: 'The note was added.' }] }
    },
  )
  return server
}

function textOf(notes: Notes, sub: string): string {
  const texts = notes.of(sub).map(({ text }) => `- ${text}`)
  return texts.join('\n') || 'There are no notes.'
}
