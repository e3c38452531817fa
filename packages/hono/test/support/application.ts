import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import { createAuth, createWebhookHandler, getData, getUser, requireUser } from '@latchkey/hono'
import type { AdapterUnderTest, TestAnswer } from '@latchkey/testing/adapter'
import { type Context, Hono } from 'hono'

/** Translates the application of the contract. */
export const createServer: AdapterUnderTest['createServer'] = (
  options,
  { routes, parser, inFront = [], onError, webhook },
) => {
  const app = new Hono()
  app.onError((error, c) =>
    toResponse(c, onError ? onError(error) : { status: 500, body: 'broken' }),
  )
  // Hono has no body parser; a middleware that looks at the body comes closest.
  if (parser === 'before') {
    app.use(async (c, next) => {
      await c.req.parseBody()
      await next()
    })
  }
  app.use(async (c, next) => {
    for (const [name, value] of inFront) c.header(name, value, { append: true })
    await next()
  })
  const authenticated = app.use(createAuth(options))
  if (webhook) app.post(webhook.path, createWebhookHandler(webhook.options))
  for (const { method, path, outer, requirement, handle } of routes) {
    if (outer) app.on(method, path, requireUser(outer))
    if (requirement) app.on(method, path, requireUser(requirement))
    authenticated[method](path, async (c) => {
      const type = c.req.header('content-type') ?? ''
      const body = type.includes('json') ? await c.req.json() : await c.req.parseBody()
      const given = { auth: c.var.auth, data: getData(c), user: () => getUser(c) }
      return toResponse(c, await handle({ ...given, request: c, body }))
    })
  }
  return createAdaptorServer(app) as Server
}

function toResponse(c: Context, { status = 200, headers = [], body }: TestAnswer): Response {
  const content = typeof body === 'string' ? body : Readable.toWeb(body)
  for (const [name, value] of headers) c.header(name, value, { append: name === 'set-cookie' })
  return c.body(content as ReadableStream, status as 200)
}
