/// <reference path="./support/express-4.d.ts" />
import { createServer as createHttpServer } from 'node:http'
import { type AuthRouterOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import {
  type AdapterUnderTest,
  describeAdapter,
  type TestAnswer,
  type TestApplication,
  type TestData,
} from '@latchkey/testing/adapter'
import express5, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type Response,
} from 'express'
import express4 from 'express-4'
import { afterAll, describe, it } from 'vitest'
import { remember, watchServer } from '../../../test/support/leaks.ts'
import { startRedis, type TestRedis } from '../../session-store/test/support/redis.ts'
import { watchLog } from './support/errors.ts'

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

/** Cases that this adapter fails. */
const PENDING: ReadonlySet<string> = new Set([
  'an application’s own "public, max-age" loses where the session was looked at',
  'an application’s own Vary is kept beside that of the kit',
  'getUser where no user is logged in ends in 401, not in an error of the server',
])

const runner = {
  describe,
  it: (name: string, body: () => Promise<void>) => (PENDING.has(name) ? it.fails : it)(name, body),
  afterAll,
}

let redis: Promise<TestRedis> | undefined
let prefixes = 0

/** Sessions in Redis, under a prefix of their own. */
function onRedis(): Pick<AdapterUnderTest, 'openStore' | 'close'> {
  const prefix = `contract${++prefixes}:`
  const stores: { close(): Promise<void> }[] = []
  return {
    async openStore() {
      redis ??= startRedis()
      const store = createSessionStore({ url: (await redis).url, prefix })
      stores.push(store)
      return store
    },
    close: () => Promise.all(stores.map((store) => store.close())),
  }
}

afterAll(async () => {
  await (await redis)?.[Symbol.asyncDispose]()
})

for (const [name, express] of [
  ['Express 5', express5],
  ['Express 4', express4],
] as const) {
  const createServer: AdapterUnderTest['createServer'] = (options, application) => {
    remember('session secret', ...[options.session?.secret ?? []].flat())
    const watched = { ...options, logger: watchLog() } as AuthRouterOptions
    const server = createHttpServer(createApp(express, watched, application))
    watchServer(server)
    return server
  }
  describeAdapter({ name, createServer }, runner)
  describeAdapter({ name: `${name} on Redis`, createServer, ...onRedis() }, runner)
}
