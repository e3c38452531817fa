import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import { createAuth, getData, getUser, requireUser } from '@latchkey/hono'
import type { AdapterUnderTest, TestAnswer } from '@latchkey/testing/adapter'
import { Hono } from 'hono'

/** Translates the application of the contract. */
export const createServer: AdapterUnderTest['createServer'] = (
  options,
  { routes, parser, onError },
) => {
  const app = new Hono()
  app.onError((error) =>
    onError ? toResponse(onError(error)) : new Response('broken', { status: 500 }),
  )
  // Hono has no body parser; a middleware that looks at the body comes closest.
  if (parser === 'before') {
    app.use(async (c, next) => {
      await c.req.parseBody()
      await next()
    })
  }
  const authenticated = app.use(createAuth(options))
  for (const { method, path, requirement, handle } of routes) {
    if (requirement) app.on(method, path, requireUser(requirement))
    authenticated[method](path, async (c) => {
      const type = c.req.header('content-type') ?? ''
      const body = type.includes('json') ? await c.req.json() : await c.req.parseBody()
      return toResponse(
        await handle({ auth: c.var.auth, data: getData(c), user: () => getUser(c), body }),
      )
    })
  }
  return createAdaptorServer(app) as Server
}

function toResponse({ status = 200, headers = [], body }: TestAnswer): Response {
  const content = typeof body === 'string' ? body : Readable.toWeb(body)
  return new Response(content as ReadableStream, {
    status,
    headers: headers.map(([...pair]) => pair),
  })
}
