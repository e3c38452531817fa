import { createServer } from 'node:http'
import { createAuth } from '@latchkey/core'
import { nodePlatform, serveNode } from '@latchkey/core/node'

const auth = createAuth({}, nodePlatform())

const server = createServer((req, res) => {
  // Answers /login, /callback and /logout; every other request arrives with its visit.
  const served = serveNode(auth, req, res, async (visit) => {
    const [path] = (req.url ?? '/').split('?')
    if (path === '/') {
      res.setHeader('content-type', 'text/html')
      res.end(
        visit.auth.isAuthenticated
          ? '<form method="post" action="/logout"><button>Log out</button></form>'
          : '<a href="/login">Log in</a>',
      )
    } else if (path === '/account') {
      // Visitors who aren't logged in are sent to log in, then returned to this page.
      const refusal = await visit.admit({})
      if (refusal) visit.send(refusal)
      else res.end(`Logged in as ${visit.user().email}`)
    } else {
      res.writeHead(404).end('Not found')
    }
  })
  Promise.resolve(served).catch((error) => {
    console.error(error)
    if (res.headersSent) res.destroy()
    else res.writeHead(500).end('Something went wrong')
  })
})

server.listen(3000, () => console.log('Listening on http://localhost:3000'))
