import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createAuth } from '@latchkey/core'
import { nodePlatform, toAuthRequest, writeResponse } from '@latchkey/core/node'

// The options come from LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID and so on.
const auth = createAuth({}, nodePlatform())

export const server = createServer((req, res) => {
  answer(req, res).catch((error) => res.destroy(error))
})

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const request = toAuthRequest(req, auth.options.baseUrl.href)
  const session = await auth.storedSessions.open(req.headers.cookie)
  // One of the login's own routes; for every other, whether the visitor may go on.
  const response = (await auth.handle(request, session)) ?? (await auth.authorize(request, session))
  if (response) await writeResponse(res, response, session.setCookies)
  else res.end(`Hello ${session.current?.user.name}\n`)
}
