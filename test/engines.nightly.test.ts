import type { AddressInfo } from 'node:net'
import { createAuthRouter, requireUser } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import express, { type Express } from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Engine, startWebkit, webkitMissing } from './support/webkit.ts'

const TEXT = 'Dear Ada & <b>Bob</b>'
const closing: (() => unknown)[] = []
let webkit: Engine

/** Serves an application over http, as on a developer's machine; resolves to its address. */
async function serve(routes: (app: Express) => void, keepForms = false): Promise<string> {
  const app = express()
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { issuer, clientId, clientSecret, close } = await startMisbehavingProvider()
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const session = { secret: 'a secret of tests that protects nothing' }
  const registration = { issuer, clientId, clientSecret }
  app.use(createAuthRouter({ ...registration, baseUrl, keepForms, logger: false, session }))
  routes(app)
  closing.push(() => Promise.all([server.close(), server.closeAllConnections(), close()]))
  return baseUrl
}

const missing = webkitMissing()

describe.skipIf(missing)(`in WebKit${missing ? `, which ${missing}` : ''}`, () => {
  beforeAll(async () => {
    webkit = await startWebkit()
  }, 60_000)
  afterAll(async () => {
    await webkit[Symbol.asyncDispose]()
    for (const close of closing) await close()
  })

  test('a visitor logs in, and after the logout Back shows no private page', async () => {
    let views = 0
    const url = await serve((app) => {
      app.get('/', (req, res) => {
        res.send(`<main>${req.auth.isAuthenticated ? 'in' : 'out'}</main>`)
      })
      app.get('/private', requireUser(), (_req, res) => {
        views++
        const form = '<form method="post" action="/logout"><button>Log out</button></form>'
        res.send(`<main>private, view ${views}</main>${form}`)
      })
    })
    const tab = await webkit.newTab()
    await tab.open(`${url}/private`)
    expect(await tab.text('main')).toBe('private, view 1')
    await tab.click('button')
    await tab.open(`${url}/`)
    expect(await tab.text('main')).toBe('out')
    await tab.back()
    await tab.back()
    // The provider has no page of its own, so the visitor is logged in again, by a request.
    await expect.poll(() => tab.text('main')).toBe('private, view 2')
  }, 60_000)

  test('a form that is sent after the session has ended is kept, and sent with one click', async () => {
    const url = await serve((app) => {
      app.use(express.urlencoded({ extended: false }))
      app.get('/write', requireUser(), (_req, res) => {
        res.send(
          '<form method="post"><textarea name="text"></textarea><button>Send</button></form>',
        )
      })
      app.post('/write', requireUser(), (req, res) => {
        res.type('text').send(`arrived: ${req.body.text}`)
      })
    }, true)
    const tab = await webkit.newTab()
    await tab.open(`${url}/write`)
    await tab.type('textarea', TEXT)
    await tab.forgetCookie('latchkey')
    await tab.click('button')
    expect(await tab.text('dd')).toBe(TEXT)
    await tab.click('button')
    await expect.poll(() => tab.text('body')).toBe(`arrived: ${TEXT}`)
  }, 60_000)
})
