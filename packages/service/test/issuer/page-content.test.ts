import { expect, test } from 'vitest'
import { askForReset, createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

test('pages are never cached, framed or a source of referrers', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const page = await createBrowser(issuer).get((await app.begin()).url)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('form-action')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
})

test('a page with a password has two scripts of its own; a page without one has none, and allows none', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const [withPassword, without] = [
    await browser.get((await app.begin()).url),
    await browser.get('/reset'),
  ]
  const scripts = [...withPassword.html.matchAll(/<script src="([^"]+)" defer><\/script>/g)]
  expect(scripts.map(([, path]) => path)).toEqual([
    expect.stringMatching(/^\/assets\/show-password-[0-9a-f]{16}\.js$/),
    expect.stringMatching(/^\/assets\/brought-back-[0-9a-f]{16}\.js$/),
  ])
  expect(withPassword.html.match(/<script/g)).toHaveLength(2)
  expect(withPassword.headers.get('content-security-policy')).toContain("; script-src 'self'")
  expect(without.html).not.toContain('<script')
  expect(without.headers.get('content-security-policy')).not.toContain('script')

  const script = await browser.get(scripts[0]?.[1] ?? '')
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect((await browser.get('/assets/show-password-0000000000000000.js')).status).toBe(404)
})

test('pages name the company, its logo text and its support address, and messages the company', async () => {
  const names = { companyName: 'Acme Garden Supplies', logoImageText: 'AGS' }
  await using issuer = await startIssuer({
    settings: { ...names, supportEmail: 'help@acme.example' },
  })
  await issuer.addUser(ada)
  const { browser, answer } = await askForReset(issuer)
  const link = await browser.get(await issuer.lastLink())
  for (const { html } of [answer, link]) {
    expect(html).toContain('AGS</span>')
    expect(html).toContain('Acme Garden Supplies</title>')
    expect(html).toContain('href="mailto:help@acme.example"')
  }
  const [mail] = await issuer.mails()
  expect(mail).toMatchObject({ fromName: names.companyName, replyTo: 'help@acme.example' })
})

test('a tenant without any name asks whether to log out of its domain', async () => {
  await using issuer = await startIssuer({ settings: { companyName: '', logoImageText: '' } })
  await issuer.addUser(ada)
  const { browser } = await logIn(issuer, await createClient(issuer), ada)
  const question = await browser.get('/oidc/logout')
  expect(question.html).toContain(`log out of ${issuer.tenant.settings.domain}?`)
})

test('text that a visitor or a customer enters is never interpreted as HTML', async () => {
  const evil = '"><img src=x onerror=alert(1)>'
  await using issuer = await startIssuer({
    settings: { companyName: evil, logoImageText: evil, developerMode: true },
  })
  await issuer.addUser({ ...ada, profile: { name: evil, given_name: evil } })
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const form = await browser.get((await app.begin({ login_hint: evil, ui_locales: evil })).url)
  const refused = await browser.submit(form, { email: evil, password: evil })
  await askForReset(issuer)
  const outbox = await browser.get('/x/outbox')
  const link = await browser.get(`/reset?token=${encodeURIComponent(evil)}&application=${evil}`)
  const error = await browser.get((await app.begin({ redirect_uri: evil, client_id: evil })).url)
  const unknownScope = await browser.get((await app.begin({ prompt: evil })).url)
  for (const page of [form, refused, outbox, link, error, unknownScope]) {
    expect(page.html).not.toContain('<img')
  }
  for (const { html } of await issuer.mails()) expect(html).not.toContain('<img')
})

test('only the id of an application gets from a request into a message and the audit log', async () => {
  await using issuer = await startIssuer()
  const { id } = await issuer.addApplication()
  const text = 'You have won: https://evil.example'
  async function ask(named: string, query: string, cookie: string) {
    // Each has another address, because only a few messages are sent to one.
    const { email } = await issuer.addUser({ ...ada, email: `${crypto.randomUUID()}@example.com` })
    await createBrowser(issuer).send(`/reset?application=${encodeURIComponent(query)}`, {
      method: 'POST',
      body: new URLSearchParams({ email, application: named }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `latchkey-application=${encodeURIComponent(cookie)}`,
      },
    })
    const [mail] = await issuer.mails()
    expect(mail?.to).toBe(email)
    return new URL(await issuer.lastLink()).searchParams.get('application')
  }

  expect(await ask(text, '', '')).toBeNull()
  expect(await ask('', text, '')).toBeNull()
  expect(await ask('', '', text)).toBeNull()
  expect(await ask(id, text, text)).toBe(id)
  expect(await ask(text, id, text)).toBe(id)
  expect(await ask(text, text, id)).toBe(id)
  expect(JSON.stringify(await issuer.audit())).not.toContain('evil')
})

test('the language is what the application asks for, then what the browser asks for', async () => {
  await using issuer = await startIssuer()
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  browser.headers['accept-language'] = 'fr;q=0.9, de-AT;q=0.8, en;q=0.5'
  expect((await browser.get((await app.begin()).url)).html).toContain('lang="de"')
  const english = await browser.get((await app.begin({ ui_locales: 'fr en' })).url)
  expect(english.html).toContain('lang="en"')
  browser.headers['accept-language'] = 'fr'
  expect((await browser.get((await app.begin()).url)).html).toContain('lang="en"')
})

test('outside developer mode there is no page with captured mail', async () => {
  await using issuer = await startIssuer()
  expect((await createBrowser(issuer).get('/x/outbox')).status).toBe(404)
})
