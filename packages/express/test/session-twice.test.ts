import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import express5, { type ErrorRequestHandler, type Express } from 'express'
import express4 from 'express-4'
import expressSession from 'express-session'
import { expect, test } from 'vitest'
import { SESSION_SECRET } from './support/app.ts'
import { createBrowser } from './support/browser.ts'

const ownSession = () =>
  expressSession({ secret: 'of the application', resave: false, saveUninitialized: false })

/** Starts an application that mounts the router and an express-session of its own. */
async function start(express: typeof express5, order: 'before' | 'after') {
  const app: Express = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { issuer, clientId, clientSecret, close } = await startMisbehavingProvider()
  const session = { secret: SESSION_SECRET }
  const options = { issuer, clientId, clientSecret, baseUrl: url, session }
  const router = createAuthRouter({ ...options, logger: false })
  for (const one of order === 'before' ? [ownSession(), router] : [router, ownSession()]) {
    app.use(one)
  }
  app.get('/', requireUser(), (req, res) => {
    const data = req.session as unknown as { count?: number }
    data.count = (data.count ?? 0) + 1
    res.send(`${getUser(req).sub} ${data.count}`)
  })
  app.use(((error, _req, res, _next) => {
    res.status(500).send(`${error.code}: ${error.message}`)
  }) satisfies ErrorRequestHandler)
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await close()
    },
  }
}

const versions = [
  ['Express 5', express5],
  ['Express 4', express4],
] as const

test.each(versions)(
  "an application's own express-session in front of the router is refused under %s",
  async (_name, express) => {
    await using site = await start(express, 'before')

    for (const path of ['/', '/login']) {
      const { text } = await createBrowser().open(site.url + path)
      expect(text).toMatch(/^LATCHKEY_SESSION_TWICE: .*pass its store as "session\.store"/)
    }
  },
)

test.each(versions)(
  "an application's own express-session behind the router steps aside under %s",
  async (_name, express) => {
    await using site = await start(express, 'after')
    const browser = createBrowser()

    expect((await browser.open(site.url)).text).toBe('ada 1')
    expect((await browser.open(site.url)).text).toBe('ada 2')
    expect([...browser.cookies.keys()].join()).not.toContain('connect.sid')
  },
)

test('two routers of the kit in one application are no session twice', async () => {
  await using outer = await start(express5, 'after')
  const { issuer, clientId, clientSecret, close } = await startMisbehavingProvider()
  const app = express5()
  const options = { issuer, clientId, clientSecret, baseUrl: outer.url, logger: false as const }
  for (const name of ['one', 'two']) {
    app.use(createAuthRouter({ ...options, session: { secret: SESSION_SECRET, cookie: { name } } }))
  }
  app.get('/', (req, res) => void res.send(String(req.auth.isAuthenticated)))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  expect((await createBrowser().open(url)).text).toBe('false')

  server.closeAllConnections()
  server.close()
  await close()
})
