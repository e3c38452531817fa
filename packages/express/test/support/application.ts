import { createServer as createHttpServer } from 'node:http'
import {
  type AuthOptions,
  answerErrors,
  createAuthRouter,
  createWebhookHandler,
  getUser,
  requireUser,
} from '@latchkey/express'
import type {
  AdapterUnderTest,
  TestAnswer,
  TestApplication,
  TestData,
} from '@latchkey/testing/adapter'
import type { ErrorRequestHandler, Express, NextFunction, Request, Response } from 'express'
import express from 'express'

/** Makes servers of Express 5. */
export const createServer: AdapterUnderTest['createServer'] = (options, application) =>
  serverOf(express)(options, application)

/** Makes servers of a version of Express. */
export function serverOf(framework: typeof express): AdapterUnderTest['createServer'] {
  return (options, application) =>
    createHttpServer(createApp(framework, options as AuthOptions, application))
}

/** Translates the application of the contract to Express. */
function createApp(
  framework: typeof express,
  options: AuthOptions,
  { routes, parser, inFront = [], onError, webhook }: TestApplication,
): Express {
  const app = framework()
  app.set('env', 'test')
  const parsers = [framework.json(), framework.urlencoded({ extended: false })]
  if (parser === 'before') app.use(parsers)
  app.use((_req: Request, res: Response, next: NextFunction) => {
    for (const [name, value] of inFront) res.append(name, value)
    next()
  })
  app.use(createAuthRouter(options))
  if (webhook) app.post(webhook.path, createWebhookHandler(webhook.options))
  if (parser === 'after') app.use(parsers)
  for (const { method, path, outer, requirement, handle } of routes) {
    const guards = [outer, requirement].flatMap((one) => (one ? [requireUser(one)] : []))
    app[method](path, guards, (req: Request, res: Response, next: NextFunction) => {
      const given = { auth: req.auth, user: () => getUser(req), data: dataOf(req) }
      handle({ ...given, request: req, body: req.body }).then((answer) => send(res, answer), next)
    })
  }
  app.use(answerErrors())
  if (onError) {
    app.use(((error, _req, res, _next) => send(res, onError(error))) as ErrorRequestHandler)
  }
  return app
}

function send(res: Response, { status = 200, headers = [], body }: TestAnswer): void {
  res.status(status)
  for (const [name, value] of headers) {
    if (name === 'set-cookie') res.append(name, value)
    else res.set(name, value)
  }
  if (typeof body === 'string') res.send(body)
  else body.pipe(res)
}

/** The data in `req.session`, which is not touched before it is asked for. */
function dataOf(req: Request): TestData {
  const own = (): Record<string, unknown> => {
    const { cookie: _, ...data } = req.session
    return data
  }
  const save = (): Promise<void> =>
    new Promise((resolve, reject) => {
      req.session.save((error) => (error ? reject(error) : resolve()))
    })
  return {
    get: own,
    set(values) {
      Object.assign(req.session, values)
      return save()
    },
    clear() {
      for (const name of Object.keys(own())) delete req.session[name as never]
      return save()
    },
  }
}
