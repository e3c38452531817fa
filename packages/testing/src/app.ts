import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { Readable } from 'node:stream'
import { inspect } from 'node:util'

/** A function that answers a `Request`, as in Hono, Bun and Deno. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/** An application of NestJS on Express or Fastify. */
export interface NestApp {
  init(): PromiseLike<unknown>
  getHttpAdapter(): { getInstance(): unknown }
}

/**
 * An application under test. It can be one of a framework with an adapter of the kit, a server or
 * request listener of node:http, a function that takes a `Request`, or the URL of a running
 * application.
 */
export type TestableApp =
  | RequestListener
  | Server
  | string
  | URL
  | FetchHandler
  | { readonly fetch: FetchHandler }
  | { callback(): RequestListener }
  | NestApp
  | { ready(): PromiseLike<unknown>; readonly server: unknown }

/**
 * Makes a server, request listener or URL for supertest. A function with one parameter is called
 * with a `Request`.
 */
export async function toTestable(given: TestableApp): Promise<RequestListener | Server | string> {
  const app = (await platformOf(given)) as Exclude<TestableApp, NestApp>
  if (app instanceof URL) return app.origin
  if (typeof app === 'string') return app
  if (typeof app === 'function') {
    return app.length === 1 ? serve(app as FetchHandler) : (app as RequestListener)
  }
  if ('callback' in app) return app.callback()
  if ('ready' in app) {
    await app.ready()
    return app.server as Server
  }
  return 'fetch' in app ? serve((request) => app.fetch(request)) : app
}

/**
 * The Express or Fastify application under a NestJS application, which is initialized for this. Any
 * other application is returned as it is.
 */
export async function platformOf(app: unknown): Promise<unknown> {
  if (!(app instanceof Object && 'getHttpAdapter' in app)) return app
  const nest = app as NestApp
  await nest.init()
  return nest.getHttpAdapter().getInstance()
}

/** Serves a function that takes a `Request` over node:http. */
function serve(fetch: FetchHandler): Server {
  return createServer((req, res) => {
    answer(req, fetch)
      .then(async (response) => {
        res.statusCode = response.status
        for (const [name, value] of response.headers) res.appendHeader(name, value)
        res.end(Buffer.from(await response.arrayBuffer()))
      })
      .catch((error: unknown) => {
        process.stderr.write(`${inspect(error)}\n`)
        res.statusCode = 500
        res.end('The application failed; see its log.')
      })
  })
}

/** Answers 400 to what no `Request` can say, such as the method `TRACE` and the target `*`. */
async function answer(req: IncomingMessage, fetch: FetchHandler): Promise<Response> {
  let request: Request
  try {
    request = toRequest(req)
  } catch {
    return new Response('A Request cannot have this method or target.', { status: 400 })
  }
  return await fetch(request)
}

function toRequest(req: IncomingMessage): Request {
  const { method = 'GET', headersDistinct, headers, url = '/' } = req
  const list = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  // A target in absolute form takes the place of `Host` (RFC 9112 §3.2.2).
  const address = /^https?:\/\//i.test(url) ? url : `http://${headers.host}${url}`
  return new Request(address, {
    method,
    headers: list,
    ...(hasBody && { body: Readable.toWeb(req), duplex: 'half' }),
  } as RequestInit)
}
