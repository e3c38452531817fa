import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createAuth } from '@latchkey/core'
import { nodePlatform, serveNode } from '@latchkey/core/node'

// The options come from LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID and so on.
const auth = createAuth({}, nodePlatform())

export const server = createServer((req, res) => {
  answer(req, res).catch((error) => res.destroy(error))
})

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  // Answers the login's own routes; every other request is a visit.
  await serveNode(auth, req, res, async (visit) => {
    const refusal = await visit.admit()
    if (refusal) return visit.send(refusal)
    res.end(`Hello ${visit.user().name}\n`)
  })
}
