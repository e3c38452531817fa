/// <reference path="./support/express-4.d.ts" />
import { createServer } from 'node:http'
import {
  type AuthRouterOptions,
  answerErrors,
  createAuthRouter,
  getUser,
  requireUser,
} from '@latchkey/express'
import type { TestAnswer, TestApplication, TestData } from '@latchkey/testing/adapter'
import express5, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type Response,
} from 'express'
import express4 from 'express-4'
import { runContract } from '../../../test/support/adapter-contract.ts'

/** Translates the application of the contract to Express. */
function createApp(
  express: typeof express5,
  options: AuthRouterOptions,
  { routes, parser, onError }: TestApplication,
): Express {
  const app = express()
  app.set('env', 'test')
  const parsers = [express.json(), express.urlencoded({ extended: false })]
  if (parser === 'before') app.use(parsers)
  app.use(createAuthRouter(options))
  if (parser === 'after') app.use(parsers)
  for (const { method, path, requirement, handle } of routes) {
    const guards = requirement ? [requireUser(requirement)] : []
    app[method](path, guards, (req: Request, res: Response, next: NextFunction) => {
      handle({ auth: req.auth, user: () => getUser(req), data: dataOf(req), body: req.body }).then(
        (answer) => send(res, answer),
        next,
      )
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

runContract('Express 5', (options, application) =>
  createServer(createApp(express5, options as AuthRouterOptions, application)),
)
runContract('Express 4', (options, application) =>
  createServer(createApp(express4, options as AuthRouterOptions, application)),
)
