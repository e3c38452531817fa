import { requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { type Site, startSite } from './support/site.ts'

/** A site whose provider answers userinfo with a JWT. */
async function start(signed: (site: Site) => string): Promise<Site> {
  const site: Site = await startSite(
    (app) => app.get('/me', requireUser(), (req, res) => void res.json(req.auth.user)),
    {
      userinfo: 'login',
      fetch: async (input, init) =>
        String(input).endsWith('/userinfo')
          ? new Response(signed(site), { headers: { 'content-type': 'application/jwt' } })
          : fetch(input, init),
    },
  )
  site.provider.metadata = { userinfo_signing_alg_values_supported: ['RS256'] }
  return site
}

test('userinfo that the provider signed adds its claims to the user', async () => {
  await using site = await start(({ provider }) =>
    provider.logoutToken({ sub: 'ada', plan: 'gold' }, { typ: 'JWT' }),
  )
  const { text } = await createBrowser().open(`${site.url}/me`)

  expect(JSON.parse(text)).toMatchObject({ sub: 'ada', plan: 'gold' })
})

test.each([null, ''])(
  'signed userinfo whose "iss", "aud" and "exp" are %j is one without them',
  async (nothing) => {
    const claims = { sub: 'ada', plan: 'gold', iss: nothing, aud: nothing, exp: nothing }
    await using site = await start(({ provider }) => provider.logoutToken(claims, { typ: 'JWT' }))
    const { text } = await createBrowser().open(`${site.url}/me`)

    expect(JSON.parse(text)).toMatchObject({ sub: 'ada', plan: 'gold' })
  },
)

test('userinfo that is signed with a key of another party is refused', async () => {
  await using site = await start(({ provider }) => {
    const [header, , signature] = provider.logoutToken({ sub: 'ada' }, { typ: 'JWT' }).split('.')
    const payload = Buffer.from(JSON.stringify({ sub: 'ada', plan: 'gold' })).toString('base64url')
    return `${header}.${payload}.${signature}`
  })
  const { response, text } = await createBrowser().open(`${site.url}/me`)

  expect(response.status).toBeGreaterThanOrEqual(400)
  expect(text).toContain('LATCHKEY_USERINFO_INVALID')
})
