import { createServer, type ServerResponse } from 'node:http'
import { createAuth, type Visit } from '@latchkey/core'
import { nodePlatform, serveNode } from '@latchkey/core/node'

// The options come from LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID and so on.
const auth = createAuth({}, nodePlatform())

export const server = createServer(async (req, res) => {
  try {
    await serveNode(auth, req, res, (visit) => greet(visit, res))
  } catch (error) {
    res.destroy(error as Error)
  }
})

// Every request that is not for one of the login's own routes.
async function greet(visit: Visit<{ name?: string }, void>, res: ServerResponse): Promise<void> {
  const refusal = await visit.admit()
  if (refusal) return visit.send(refusal)
  res.end(`Hello ${visit.user().name}\n`)
}
