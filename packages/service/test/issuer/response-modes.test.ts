import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

test.each(storeKinds)(
  'response_mode=fragment is refused in the query, and discovery does not name it, on %s',
  async (store) => {
    await using issuer = await startIssuer({ store })
    const app = await createClient(issuer)
    const { url } = await app.begin({ response_mode: 'fragment' })
    const answer = new URL((await createBrowser(issuer).get(url)).location ?? '')
    expect(answer.hash).toBe('')
    expect(answer.searchParams.get('error')).toBe('unsupported_response_mode')
    expect(app.config.serverMetadata().response_modes_supported).toEqual(['form_post', 'query'])
  },
)

test.each(storeKinds)(
  'response_mode=form_post answers with a form to the redirect URL, whose code is good, on %s',
  async (store) => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const parameters = { response_mode: 'form_post' }
    const { begun, callback } = await logIn(issuer, app, ada, createBrowser(issuer), parameters)

    const { html } = callback
    expect(callback.location).toBeUndefined()
    expect(/<form method="post" action="([^"]*)"/.exec(html)?.[1]).toBe(app.redirectUri)
    const fields = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
    const answer = new URLSearchParams(
      [...fields].map(([, name = '', value = '']) => [name, value] as [string, string]),
    )
    expect([...answer.keys()].sort()).toEqual(['code', 'iss', 'state'])
    const location = `${app.redirectUri}?${answer}`
    const tokens = await app.redeem(begun, { ...callback, location })
    expect(tokens.claims()?.email).toBe(ada.email)
  },
)
