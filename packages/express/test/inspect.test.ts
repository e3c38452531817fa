import { inspect } from 'node:util'
import { requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { SESSION_SECRET } from './support/app.ts'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

test('a request that is printed to any depth, as error reporters do, shows no secret', async () => {
  let printed = ''
  let tokens: (string | undefined)[] = []
  await using site = await startSite((app) => {
    app.get('/', requireUser(), async (req, res) => {
      ;(req.session as unknown as { cart?: number }).cart = 1
      tokens = [await req.auth.accessToken(), req.auth.idToken()]
      printed = inspect(req, { depth: 12, showHidden: true, maxStringLength: null })
      printed += inspect(res, { depth: 12, showHidden: true, maxStringLength: null })
      res.send('home')
    })
  })

  await createBrowser().open(site.url)

  expect(printed.length).toBeGreaterThan(10_000)
  for (const secret of [SESSION_SECRET, site.provider.clientSecret, ...tokens]) {
    expect(secret?.length).toBeGreaterThan(8)
    expect(printed.includes(secret as string), secret?.slice(0, 8)).toBe(false)
  }
})
