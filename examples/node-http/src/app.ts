import { createServer } from 'node:http'
import { createAuth } from '@latchkey/core'
import { nodePlatform, toAuthRequest, writeResponse } from '@latchkey/core/node'

// The options come from LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID and so on.
const auth = createAuth({}, nodePlatform())

export const server = createServer(async (req, res) => {
  const request = toAuthRequest(req, auth.options.baseUrl.origin)
  const session = await auth.storedSessions.open(req.headers.cookie)
  // One of the login's own routes; for every other, whether the visitor may go on.
  const answer = (await auth.handle(request, session)) ?? (await auth.authorize(request, session))
  if (answer) await writeResponse(res, answer, session.setCookies)
  else res.end(`Hello ${session.current?.user.name}\n`)
})
