import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AuthOptions } from '@latchkey/core'
import { accountPage, homePage } from '@latchkey/example-shared'
import { createListener, type Exchange, type Handler, requireUser } from './adapter.ts'

const site = 'node:http'

const routes: Readonly<Record<string, Handler>> = {
  '/': async ({ auth }, { res }) => sendPage(res, homePage(site, auth.user)),
  // Visitors who aren't logged in are sent to log in, then returned here.
  '/account': requireUser({}, async (visit, { res }) =>
    sendPage(res, accountPage(site, visit.user(), visit.auth.session)),
  ),
}

/** The application, as a server that does not listen yet. */
export function createApp(options: AuthOptions<{ sub: string; name?: string }, Exchange>): Server {
  const answer = createListener(options, async (visit, exchange) => {
    const [path = '/'] = (exchange.req.url ?? '/').split('?')
    const handle = routes[path]
    if (handle) await handle(visit, exchange)
    else exchange.res.writeHead(404).end('Not found')
  })
  return createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      console.error(error)
      if (res.headersSent) res.destroy()
      else res.writeHead(500).end('Something went wrong')
    })
  })
}

function sendPage(res: ServerResponse, html: string): void {
  res.setHeader('content-type', 'text/html; charset=utf-8').end(html)
}
