import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter } from '@latchkey/express'
import { createAuth as createFastifyAuth } from '@latchkey/fastify'
import { createAuth as createHonoAuth } from '@latchkey/hono'
import { createAuth as createKoaAuth } from '@latchkey/koa'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { expect, test } from 'vitest'

/** Asks a server once, on a loopback port of its own. */
async function ask(listener: RequestListener): Promise<void> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await new Promise((resolve) => server.close(resolve))
}

/** Each mounts a factory without calling it, and resolves to the error that the framework is left with. */
const mistakes: [framework: string, line: string, make: () => Promise<unknown>][] = [
  [
    'Express',
    'createAuthRouter(), as in app.use(createAuthRouter())',
    async () => {
      const app = express()
      const failed = Promise.withResolvers<unknown>()
      // @ts-expect-error The parentheses are missing.
      app.use(createAuthRouter)
      app.use(((error, _req, res, _next) => {
        failed.resolve(error)
        res.end()
      }) as express.ErrorRequestHandler)
      await ask(app)
      return failed.promise
    },
  ],
  [
    'Fastify',
    'createAuth(), as in await app.register(createAuth())',
    async () => {
      const app = fastify()
      try {
        // As Fastify calls it. An error that a plugin throws at once ends the process.
        return Reflect.apply(createFastifyAuth, app, [app, {}, () => {}] as never)
      } catch (error) {
        return error
      }
    },
  ],
  [
    'Hono',
    'createAuth(), as in app.use(createAuth())',
    async () => {
      const app = new Hono()
      const failed = Promise.withResolvers<unknown>()
      // @ts-expect-error The parentheses are missing.
      app.use(createHonoAuth)
      app.onError((error, c) => {
        failed.resolve(error)
        return c.body(null, 500)
      })
      await app.request('/')
      return failed.promise
    },
  ],
  [
    'Koa',
    'createAuth(), as in app.use(createAuth())',
    async () => {
      const app = new Koa()
      const failed = Promise.withResolvers<unknown>()
      // @ts-expect-error The parentheses are missing.
      app.use(createKoaAuth)
      app.on('error', failed.resolve)
      const answer = app.callback()
      await ask((request, response) => void answer(request, response))
      return failed.promise
    },
  ],
]

test.each(mistakes)(
  'a factory that is mounted without a call says what to write under %s',
  async (_framework, line, make) => {
    expect(await make()).toMatchObject({
      code: 'LATCHKEY_CONFIG_INVALID',
      message: `Parentheses are missing: write ${line}.`,
    })
  },
)
