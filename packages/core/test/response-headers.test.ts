import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createAuth, type Visit } from '@latchkey/core'
import { serveNode } from '@latchkey/core/node'
import { afterEach, expect, test } from 'vitest'

const auth = createAuth({
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl: 'https://app.example.com',
  session: { secret: 'x'.repeat(32) },
  logger: false,
})
const servers: (Server | http2.Http2Server)[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

type Handler = (visit: Visit<unknown, void>, res: ServerResponse) => void | Promise<void>

/** What a browser receives of a handler over node:http. */
async function over(handler: Handler, before?: (res: ServerResponse) => void): Promise<Response> {
  const listener: RequestListener = (req, res) => {
    before?.(res)
    const served = serveNode(auth, req, res, (visit) => handler(visit, res))
    // As an error handler that begins anew: Koa removes every header, and so do others.
    Promise.resolve(served).catch(() => {
      for (const name of res.getHeaderNames()) res.removeHeader(name)
      res.statusCode = 500
      res.end('failed')
    })
  }
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page`, {
    redirect: 'manual',
  })
}

/** What a browser receives of the same over a web `Request`. */
function fetched(next: (visit: Visit<unknown, Response>) => Response | Promise<Response>) {
  return auth.fetch(new Request('https://app.example.com/page'), next)
}

test.each([
  ['public, max-age=60', 'private, no-store'],
  ['max-age=60', 'private, no-store'],
  ['no-cache', 'private, no-store'],
  ['public, private', 'private, no-store'],
  ['private="set-cookie"', 'private, no-store'],
  ['private, max-age=60', 'private, max-age=60'],
  ['no-store', 'no-store'],
])(
  'a page that read the session and sets Cache-Control "%s" is sent with "%s"',
  async (said, sent) => {
    const node = await over((visit, res) => {
      void visit.auth.isAuthenticated
      res.setHeader('cache-control', said)
      res.end()
    })
    const web = await fetched((visit) => {
      void visit.auth.isAuthenticated
      return new Response(null, { headers: { 'cache-control': said } })
    })

    for (const { headers } of [node, web]) expect(headers.get('cache-control')).toBe(sent)
  },
)

test('a page that did not look at the session is left as it is', async () => {
  const said = { 'cache-control': 'public, max-age=60' }
  const node = await over((_visit, res) => void res.writeHead(200, said).end())
  const web = await fetched(() => new Response(null, { headers: said }))

  for (const { headers } of [node, web]) {
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('vary')).toBeNull()
  }
})

const flat = ['Cache-Control', 'public', 'Vary', 'Accept', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']

test.each<[string, (res: ServerResponse) => ServerResponse]>([
  [
    'an object',
    (res) =>
      res.writeHead(200, {
        'Cache-Control': 'public',
        Vary: 'Accept',
        'Set-Cookie': ['a=1', 'b=2'],
      }),
  ],
  ['a flat array, with a reason', (res) => res.writeHead(200, 'Fine', flat)],
])('headers that a handler gives writeHead() as %s do not win', async (_what, write) => {
  const { headers } = await over((visit, res) => {
    void visit.auth.isAuthenticated
    write(res).end()
  })

  expect(headers.get('cache-control')).toBe('private, no-store')
  expect(headers.get('vary')).toBe('Accept, Cookie')
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

test.each(['*', 'cookie, Accept', 'Accept,Cookie'])(
  'Vary "%s" is not changed, because it covers Cookie',
  async (vary) => {
    const { headers } = await over((visit, res) => {
      void visit.auth.isAuthenticated
      res.setHeader('vary', vary)
      res.end()
    })

    expect(headers.get('vary')).toBe(vary)
  },
)

test('an error of the application is private when the session was read before it', async () => {
  const { status, headers } = await over(async (visit) => {
    void visit.auth.isAuthenticated
    throw new Error('database is down')
  })

  expect(status).toBe(500)
  expect(headers.get('cache-control')).toBe('private, no-store')
  expect(headers.get('vary')).toBe('Cookie')
})

test('an error of the kit that a handler throws is answered', async () => {
  const handler = (visit: Visit<unknown, unknown>): never => {
    visit.user()
    throw new Error('not reached')
  }
  const node = await over(async (visit) => handler(visit))
  const web = await fetched((visit) => handler(visit))

  for (const { status, headers } of [node, web]) {
    expect([status, headers.get('cache-control')]).toEqual([401, 'private, no-store'])
  }
})

test('cookies of the application are sent beside those of a logout, one for each name', async () => {
  const own = ['theme=dark; Path=/', '__Host-latchkey=old; Path=/; Secure']
  const node = await over(
    (visit) => visit.auth.logout(),
    (res) => res.setHeader('set-cookie', own),
  )
  const web = await fetched(async (visit) => {
    await visit.auth.logout()
    return new Response(null, { headers: own.map((one) => ['set-cookie', one]) })
  })

  for (const { headers } of [node, web]) {
    const names = headers.getSetCookie().map((one) => one.slice(0, one.indexOf('=')))
    expect(names.sort()).toEqual(['__Host-latchkey', 'theme'])
    expect(headers.getSetCookie().join()).not.toContain('old')
  }
})

test('headers that cannot be changed, as those of a redirect, are copied', async () => {
  const { status, headers } = await fetched((visit) => {
    void visit.auth.isAuthenticated
    return Response.redirect('https://app.example.com/else')
  })

  expect([status, headers.get('location')]).toEqual([302, 'https://app.example.com/else'])
  expect(headers.get('cache-control')).toBe('private, no-store')
})

test('a request over HTTP/2 is served', async () => {
  const server = http2.createServer((req, res) => {
    void serveNode(auth, req, res, async (visit) => {
      const refusal = await visit.admit({ respond: 'json' })
      if (refusal) visit.send(refusal)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const stream = client.request({ ':path': '/page', accept: 'application/json' })
  const headers = await new Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader>(
    (resolve) => stream.on('response', resolve),
  )
  client.close()

  expect(headers[':status']).toBe(401)
  expect(headers['cache-control']).toBe('private, no-store')
})

test('the URL of a web Request has the origin of baseUrl, even if the request names another', async () => {
  const login = await auth.fetch(new Request('http://evil.example/session'), () => new Response())

  expect(await login.json()).toEqual({ user: null, loginUrl: '/login' })
})
