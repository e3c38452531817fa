import { createServer as createHttpServer } from 'node:http'
import { createRequire } from 'node:module'
import Router from '@koa/router'
import { createAuth, createWebhookHandler, getData, getUser, requireUser } from '@latchkey/koa'
import type { AdapterUnderTest, TestAnswer } from '@latchkey/testing/adapter'
import Koa, { type Context, type Middleware } from 'koa'

// Its declarations change the type of every request of node:http, that of Express included.
const require = createRequire(import.meta.url)
const { bodyParser } = require('@koa/bodyparser') as { bodyParser(): Middleware }

/** Translates the application of the contract. */
export const createServer: AdapterUnderTest['createServer'] = (
  options,
  { routes, parser, inFront = [], onError, webhook },
) => {
  const app = new Koa()
  app.silent = true
  if (onError) {
    app.use(async (ctx, next) => {
      try {
        await next()
      } catch (error) {
        send(ctx, onError(error))
      }
    })
  }
  if (parser === 'before') app.use(bodyParser())
  app.use(async (ctx, next) => {
    for (const [name, value] of inFront) ctx.append(name, value)
    await next()
  })
  app.use(createAuth(options))
  if (webhook) {
    const receiver = new Router().post(webhook.path, createWebhookHandler(webhook.options))
    app.use(receiver.routes())
  }
  if (parser === 'after') app.use(bodyParser())
  const router = new Router()
  for (const { method, path, outer, requirement, handle } of routes) {
    const guards = [outer, requirement].flatMap((one) => (one ? [requireUser(one)] : []))
    router[method](path, ...guards, async (ctx) => {
      const { auth } = ctx.state
      const given = { auth, data: getData(ctx), user: () => getUser(ctx), request: ctx }
      send(ctx, await handle({ ...given, body: (ctx.request as { body?: unknown }).body }))
    })
  }
  app.use(router.routes())
  const answer = app.callback()
  return createHttpServer((req, res) => void answer(req, res))
}

function send(ctx: Context, { status = 200, headers = [], body }: TestAnswer): void {
  ctx.status = status
  for (const [name, value] of headers) ctx.append(name, value)
  ctx.body = body
}
