import type { LatchkeyError } from '@latchkey/core'
import { type AuthRouterOptions, requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { type Browser, createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

/** Providers that people use deviate from the specifications in these ways. */

interface WatchedSite extends Site {
  /** Every error that was answered. */
  readonly errors: LatchkeyError[]
}

async function start(options: AuthRouterOptions = {}): Promise<WatchedSite> {
  const errors: LatchkeyError[] = []
  const onError = (error: LatchkeyError): undefined => void errors.push(error)
  const site = await startSite(
    (app) => {
      app.get('/refresh', requireUser(), async (req, res, next) => {
        await req.auth.accessToken({ force: true }).then(
          () => res.send('refreshed'),
          (error) => {
            errors.push(error)
            next(error)
          },
        )
      })
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
      })
    },
    { ...options, hooks: { onError, ...options.hooks } },
  )
  return { ...site, errors }
}

async function logIn(site: Site): Promise<Browser> {
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  return browser
}

const home = async (site: Site, browser: Browser): Promise<string> =>
  (await browser.open(site.url)).text

test('a refresh token refused with a WWW-Authenticate challenge ends the session', async () => {
  await using site = await start()
  const browser = await logIn(site)
  site.provider.fault = 'invalid_grant with WWW-Authenticate'

  await browser.open(`${site.url}/refresh`)

  expect(site.errors).toMatchObject([{ code: 'LATCHKEY_REFRESH_REJECTED' }])
  expect(await home(site, browser)).toBe('out')
})

test('a wrong client secret is a fault of the registration, and the message says what to check', async () => {
  await using site = await start({ clientSecret: 'not-the-secret-of-this-client' })

  const visit = await createBrowser().open(`${site.url}/login`)

  expect(visit.response.status).toBe(500)
  expect(site.errors).toMatchObject([
    { code: 'LATCHKEY_CODE_REFUSED', providerError: 'invalid_client' },
  ])
  expect(site.errors[0]?.message).toMatch(/check "clientSecret"/i)
  expect(site.errors[0]?.message).toContain("clientAuth: 'client_secret_post'")
})

test('a provider that does not decode Basic credentials accepts a secret of letters, digits, "-", "_" and "."', async () => {
  await using site = await start()
  site.provider.fault = 'Basic credentials are not decoded'

  expect(await home(site, await logIn(site))).toBe('in as ada')
})
