import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createBrowser, type Page } from './support/browser.ts'
import { startIssuer } from './support/issuer.ts'

/** The policy of a page, as its directives. */
const policyOf = ({ headers }: Page): string[] =>
  (headers.get('content-security-policy') ?? '').split('; ')

/** What the policy says of the style that is on the page. */
const ownStyle = ({ html }: Page): string =>
  `style-src 'sha256-${hash('sha256', /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '', 'base64')}'`

test('pages and mails are in the color of the tenant, with its image, and the policy allows just these', async () => {
  await using issuer = await startIssuer({ settings: { developerMode: true } })
  await issuer.addUser({ email: 'ada@example.com', password: 'correct horse battery' })
  const browser = createBrowser(issuer)
  const plain = await browser.get('/reset')
  await issuer.changeSettings(
    {},
    {
      latchkey_brand_color: '#7A1F5C',
      latchkey_logo_url: 'https://cdn.example.com/acme/logo.svg?v=2',
    },
  )

  const branded = await browser.get('/reset')
  await browser.submit(branded, { email: 'ada@example.com' })

  expect(plain.html).not.toContain('<img')
  expect(policyOf(plain)).toContain(ownStyle(plain))
  expect(policyOf(plain)).toContain("img-src 'self'")
  expect(branded.html).toContain('--accent: #7a1f5c;')
  expect(branded.html).toContain('src="https://cdn.example.com/acme/logo.svg?v=2"')
  expect(policyOf(branded)).toContain(ownStyle(branded))
  expect(policyOf(branded)).toContain("img-src 'self' https://cdn.example.com/acme/logo.svg")
  expect((await issuer.mails())[0]?.html).toContain('background:#7a1f5c')
})

test('the icon of the pages is the initial of the tenant in its color, and is found without a page, too', async () => {
  await using issuer = await startIssuer({ settings: { companyName: '<Acme' } })
  await issuer.changeSettings({}, { latchkey_brand_color: '#7a1f5c' })
  const browser = createBrowser(issuer)

  const page = await browser.get('/reset')
  const icons = [await browser.get('/favicon.svg'), await browser.get('/favicon.ico')]

  expect(page.html).toContain('<link rel="icon" type="image/svg+xml" href="/favicon.svg">')
  for (const { status, headers, html } of icons) {
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('image/svg+xml')
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expect(html).toContain('fill="#7a1f5c"')
    expect(html).toContain('>&#60;</text>')
  }
  expect(issuer.problems).toEqual([])
})

test.for([
  ['latchkey_brand_color', 'red'],
  ['latchkey_brand_color', '#fff'],
  ['latchkey_brand_color', '#7a1f5c;} body { display: none'],
  ['latchkey_logo_url', 'http://cdn.example.com/logo.svg'],
  ['latchkey_logo_url', "https://cdn.example.com/logo.svg; script-src 'unsafe-inline'"],
  ['latchkey_logo_url', 'https://cdn.example.com/a,b'],
  ['latchkey_logo_url', 'data:image/svg+xml,<svg/>'],
  ['latchkey_account_deletion', 'yes'],
] as const)('metadata %s of a tenant cannot be %s', async ([key, value]) => {
  await using issuer = await startIssuer()
  await expect(issuer.changeSettings({}, { [key]: value })).rejects.toMatchObject({
    code: 'invalid_metadata',
    message: expect.stringContaining(`"metadata.${key}"`),
  })
})
