import { describe, expect, test, vi } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { applicationUrl, startIssuer, storeKinds } from './support/issuer.ts'

const received = "http://localhost:3000/other?a='b'&c=<i>"

/** Asks for an answer at an address that is not registered. */
async function refuse(options: Parameters<typeof startIssuer>[0], address = received) {
  const lines: object[] = []
  const logger = {
    debug: () => {},
    warn: (facts: object, message: string) => void lines.push({ ...facts, message }),
    error: () => {},
  }
  await using issuer = await startIssuer({ ...options, logger })
  const app = await createClient(issuer)
  const { url } = await app.begin({ redirect_uri: address })
  const { status, html } = await createBrowser(issuer).get(url)
  expect(status).toBe(400)
  return { html, lines, tenantId: issuer.tenant.id, applicationId: issuer.application.id }
}

describe.each(storeKinds)('on %s', (store) => {
  test('in developer mode, the page for an unregistered redirect URL names it, the registered ones, and the command that registers it', async () => {
    const { html, tenantId, applicationId } = await refuse({
      store,
      settings: { developerMode: true },
    })
    const text = html
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
    expect(text).toContain(`<pre>${received}</pre>`)
    expect(text).toContain(`<pre>${applicationUrl}/callback</pre>`)
    expect(text).toContain(
      `npx --package @latchkey/management latchkey applications update ${applicationId} --tenant ${tenantId} --set ` +
        `'redirect_urls=["${applicationUrl}/callback","http://localhost:3000/other?a='\\''b'\\''&c=<i>"]'`,
    )
    expect(text).toContain('LATCHKEY_URL')
    expect(html).not.toContain('<i>')
  })

  test('in developer mode, the page for an unknown client id names it, and the command that lists the applications', async () => {
    for (const developerMode of [true, false]) {
      await using issuer = await startIssuer({ store, settings: { developerMode } })
      const app = await createClient(issuer)
      const { url } = await app.begin({ client_id: 'app_<b>' })
      const { status, html } = await createBrowser(issuer).get(url)
      expect(status).toBe(400)
      expect(html).toContain('The application is not known here.')
      expect(html.includes('<pre>app_&lt;b&gt;</pre>')).toBe(developerMode)
      const command = `npx --package @latchkey/management latchkey applications list --tenant ${issuer.tenant.id}`
      expect(html.includes(command)).toBe(developerMode)
    }
  })

  test('outside developer mode the page says neither, and the log says both', async () => {
    const { html, lines, tenantId, applicationId } = await refuse({ store })
    expect(html).not.toContain('/other')
    expect(html).not.toContain(`${applicationUrl}/callback`)
    expect(lines).toContainEqual({
      tenantId,
      applicationId,
      redirectUri: received,
      registered: [`${applicationUrl}/callback`],
      message: 'A redirect URL is not registered for the application.',
    })
  })
})

test.each([
  ['query', 'a nonce', 'openid scope must be requested when using the nonce parameter'],
  ['form_post', 'a nonce', 'openid scope must be requested when using the nonce parameter'],
  ['query', 'no nonce', 'add openid to the scope of the request'],
  ['form_post', 'no nonce', 'add openid to the scope of the request'],
])(
  'a request that is neither a login nor for an API is refused in words that say so, to the application by %s and in the log, with %s',
  async (responseMode, nonce, sentence) => {
    const warn = vi.fn()
    await using issuer = await startIssuer({ logger: { debug() {}, warn, error() {} } })
    const app = await createClient(issuer)
    const url = new URL((await app.begin({ scope: 'email', response_mode: responseMode })).url)
    if (nonce === 'no nonce') url.searchParams.delete('nonce')
    const { location, html } = await createBrowser(issuer).get(url.href)
    if (responseMode === 'form_post') expect(html).toContain(sentence)
    else {
      const answered = new URL(location ?? '').searchParams
      expect(answered.get('error')).toBe('invalid_request')
      expect(answered.get('error_description')).toContain(sentence)
      expect(answered.get('iss')).toBe(issuer.url)
    }
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'invalid_request', applicationId: issuer.application.id }),
      expect.stringContaining(sentence),
    )
    for (const text of [location, html, ...warn.mock.calls.map(String)]) {
      expect(text ?? '').not.toContain('require_auth_time')
    }
  },
)

test.each(['ftp://shop.example/', 'http://localhost:3000/\u202ecallback', 'nonsense'])(
  'the page gives no command that registers %j',
  async (address) => {
    const { html } = await refuse({ settings: { developerMode: true } }, address)
    expect(html).toContain('not registered for it')
    expect(html).not.toContain('latchkey applications update')
  },
)
