import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { serveNodeWebhook } from '@latchkey/core/node'
import { createWebhookHandler } from '@latchkey/core/webhooks'
import type { AdapterUnderTest, TestAnswer } from '@latchkey/testing/adapter'
import { createListener, type Handler, requireUser } from '../../src/adapter.ts'

// #region contract
export const createServer: AdapterUnderTest['createServer'] = (
  options,
  { routes, parser, inFront = [], onError, webhook },
) => {
  const receiver = webhook && createWebhookHandler(webhook.options)
  const bodies = new WeakMap<IncomingMessage, unknown>()
  const handlers = new Map<string, Handler>()
  for (const { method, path, requirement, outer, handle } of routes) {
    const answer: Handler = async (visit, exchange) => {
      const { req, res } = exchange
      if (parser === 'after') bodies.set(req, await parse(req))
      const { auth, data } = visit
      const given = { auth, data, user: () => visit.user(), request: exchange }
      send(res, await handle({ ...given, body: bodies.get(req) }))
    }
    let guarded = answer
    for (const one of [requirement, outer]) if (one) guarded = requireUser(one, guarded)
    handlers.set(`${method} ${path}`, guarded)
  }

  const listener = createListener(options, async (visit, exchange) => {
    const { method = 'GET', url = '/' } = exchange.req
    if (receiver && url === webhook.path)
      return serveNodeWebhook(receiver, exchange.req, exchange.res)
    const key = `${(method === 'HEAD' ? 'GET' : method).toLowerCase()} ${url.split('?')[0]}`
    const handle = handlers.get(key)
    if (handle) await handle(visit, exchange)
    else send(exchange.res, { status: 404, body: 'Not found' })
  })

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    for (const [name, value] of inFront) res.appendHeader(name, value)
    if (parser === 'before') bodies.set(req, await parse(req))
    await listener(req, res, bodies.get(req))
  }
  return createHttpServer((req, res) => {
    serve(req, res).catch((error: unknown) => {
      send(res, onError ? onError(error) : { status: 500, body: 'Something went wrong' })
    })
  })
}

function send(res: ServerResponse, { status = 200, headers = [], body }: TestAnswer): void {
  res.statusCode = status
  for (const [name, value] of headers) res.appendHeader(name, value)
  if (typeof body === 'string') res.end(body)
  else body.pipe(res)
}
// #endregion

/** The body, as a parser of forms and JSON leaves it. */
async function parse(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  if (text === '') return {}
  const type = req.headers['content-type']
  return type?.includes('json') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
}
