import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { describeLogin, type LoginAppOptions } from '@latchkey/testing/login'
import express, { type Express } from 'express'
import { afterAll, describe, it } from 'vitest'

function createApp(options: LoginAppOptions): Express {
  const app = express()
  app.use(createAuthRouter(options))
  app.get('/account', requireUser(), (req, res) => void res.send(`Hello ${getUser(req).email}`))
  return app
}

describeLogin(createApp, { guardedPath: '/account' }, { describe, it, afterAll })
