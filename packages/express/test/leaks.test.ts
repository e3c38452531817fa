import { randomBytes } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { CallbackError } from '@latchkey/express'
import { beforeEach, expect, test } from 'vitest'
import {
  findLeaks,
  forgetAll,
  overheardAt,
  remember,
  watched,
} from '../../../test/support/leaks.ts'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

// The other tests of the kit are searched for secrets when each file is done. These show that the
// search finds what it should: each leaks on purpose.

const secret = randomBytes(24).toString('base64url')

beforeEach(() => {
  forgetAll()
  remember('token', secret)
})

const start = (): Promise<Site> =>
  startSite((app) => {
    app.get('/page', (_req, res) => {
      res.send(`<p>${secret}</p>`)
    })
    app.get('/location', (_req, res) => {
      res.redirect(`/?token=${secret}`)
    })
    app.get('/cookie', (_req, res) => {
      res.cookie('remember', Buffer.from(`{"token":"${secret}"}`).toString('base64url'))
      res.send('a cookie')
    })
    app.get('/error', () => {
      const cause = Object.assign(new Error('parsing failed'), { data: { raw: `token=${secret}` } })
      throw new CallbackError('LATCHKEY_TOKEN_INVALID', 'The token was refused.', { cause })
    })
    app.get('/on-purpose', (_req, res) => {
      res.locals.showsSecrets = true
      res.send(secret)
    })
    app.use(((error, _req, res, _next) => {
      res.status(500).send(error.code)
    }) as import('express').ErrorRequestHandler)
  })

test.each([
  ['/page', 'page'],
  ['/location', 'location'],
  ['/cookie', 'set-cookie'],
  ['/error', 'error'],
])('a secret in the answer to %s is found', async (path, where) => {
  await using site = await start()
  await createBrowser().send(site.url + path)

  await expect.poll(() => findLeaks().map((leak) => leak.where)).toContain(where)
  forgetAll()
})

test.each<[string, () => void]>([
  // biome-ignore lint/suspicious/noConsole: it is what is searched
  ['console', () => console.log('a token:', { secret })],
  ['output', () => void process.stderr.write(`${new Date().toISOString()} app ${secret}\n`)],
  ['event login.failed', () => diagnostics.channel('latchkey:login.failed').publish({ secret })],
  ['warning', () => process.emitWarning(`used ${secret}`)],
])('a secret in the %s is found', async (where, leak) => {
  leak()

  await expect.poll(() => findLeaks().map((one) => one.where)).toContain(where)
  forgetAll()
})

test('the output of libraries at trace level is searched too', async () => {
  await using site = await start()
  await createBrowser().send(`${site.url}/no-such-page`)

  expect(overheardAt('output').join()).toContain('finalhandler')
})

test('a session cookie is a secret everywhere but where it is set', async () => {
  await using site = await startSite((app) => {
    app.get('/echo', (req, res) => {
      res.send(decodeURIComponent(req.headers.cookie ?? ''))
    })
  })
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  expect(findLeaks()).toEqual([])

  await browser.open(`${site.url}/echo`)

  expect(findLeaks()).toMatchObject([{ where: 'page', kind: 'cookie' }])
  forgetAll()
})

test('values that a test shows on purpose are left out, and everything else of a login is searched', async () => {
  await using site = await start()
  await createBrowser().send(`${site.url}/on-purpose`)
  await createBrowser().open(`${site.url}/login`)
  await site.close()

  expect(findLeaks()).toEqual([])
  expect(watched().secrets).toBeGreaterThan(8)
  expect(watched().characters).toBeGreaterThan(1500)
})
