import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

const VENDOR = 'https://login.vendor.example'

test('the providers of an issuer function are reached by the fetch of the options', async () => {
  let site: Site | undefined
  const reached: string[] = []
  await using started = await startSite(
    (app) =>
      app.get('/', (req, res) => {
        res.send(req.auth.isAuthenticated ? `in as ${req.auth.user.sub}` : 'out')
      }),
    {
      issuer: () => {
        const { clientId, clientSecret } = (site as Site).provider
        return { issuer: VENDOR, clientId, clientSecret }
      },
      fetch: (input, init) => {
        reached.push(new URL(input instanceof Request ? input.url : input).pathname)
        return (site as Site).provider.fetch(input, init)
      },
    },
    undefined,
    { issuer: VENDOR },
  )
  site = started
  const browser = createBrowser({ [VENDOR]: site.provider.url })
  await browser.open(`${site.url}/login`)

  expect((await browser.open(site.url)).text).toBe('in as ada')
  expect(reached).toEqual(['/.well-known/openid-configuration', '/token', '/jwks'])
})
