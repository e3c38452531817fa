import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkLogo, MAX_LOGO_BYTES } from '../../src/domain/tenants/logo-image.ts'
import { composeMail } from '../../src/mail/compose.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import { type Api, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'
import { jpegOf, pngOf, webpOf } from '../support/images.ts'

const pathOf = (api: Api) => `/x${api.tenant}/logo`
const upload = (api: Api, image: Buffer) =>
  api.call('POST', pathOf(api), { image: image.toString('base64') })
const at = (api: Api, path: string, init: RequestInit = {}) =>
  api.service.fetch(`https://acme.example${path}`, init)
const digest = (image: Buffer) => hash('sha256', image, 'hex')

describe.each(stores)('on %s', (store) => {
  test('an uploaded logo is served at the domain of its tenant alone, for ever, as an image and nothing else', async () => {
    await using api = await startApi(store)
    expect((await api.get(pathOf(api))).body).toEqual({ type: 'TenantLogo' })
    const image = pngOf(220, 60)
    const url = `https://acme.example/logo/${digest(image)}`
    const logo = {
      ...{ type: 'TenantLogo', url, sha256: digest(image), content_type: 'image/png' },
      ...{ width: 220, height: 60, bytes: image.length },
    }
    expect((await upload(api, image)).body).toEqual(logo)
    expect((await api.get(pathOf(api))).body).toEqual(logo)

    const served = await at(api, new URL(url).pathname)
    expect(served.status).toBe(200)
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(image.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    expect(served.headers.getSetCookie()).toEqual([])
    expect(Buffer.from(await served.arrayBuffer())).toEqual(image)
    const head = await at(api, new URL(url).pathname, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await at(api, new URL(url).pathname, { method: 'POST' })).status).toBe(405)

    await api.service.admin.createTenant({ domain: 'other.example' })
    const elsewhere = await api.service.fetch(`https://other.example/logo/${digest(image)}`)
    expect(elsewhere.status).toBe(404)
    for (const path of ['..%2f..%2fetc%2fpasswd', '../favicon.svg/x', '%00', digest(pngOf(1, 1))]) {
      expect([path, (await at(api, `/logo/${path}`)).status]).toEqual([path, 404])
    }
  })

  test('another logo takes the place of the one before, whose bytes are gone; an update of the tenant leaves it', async () => {
    await using api = await startApi(store)
    const [first, second] = [pngOf(10, 10), jpegOf(20, 10)]
    await upload(api, first)
    const { body: tenant } = await api.get(api.tenant)
    expect(JSON.stringify(tenant)).not.toContain(digest(first))
    await upload(api, second)
    expect((await at(api, `/logo/${digest(first)}`)).status).toBe(404)
    const { updated_at: _, ...unchanged } = tenant
    await api.call('POST', api.tenant, { ...unchanged, name: 'Other' })
    const served = await at(api, `/logo/${digest(second)}`)
    expect(served.headers.get('content-type')).toBe('image/jpeg')

    const { body } = await api.get(`/x${api.tenant}/audit?action=tenant.update`)
    const fields = body.data.map((entry: { fields: string[] }) => entry.fields)
    expect(fields.filter(([field]: string[]) => field === 'logo')).toHaveLength(2)
    const [entry] = await api.service.admin.audit({ tenantId: api.tenantId, limit: 10 })
    expect(entry?.actor).toMatch(/^key:|^api/)

    expect((await api.call('POST', pathOf(api), { image: null })).body).toEqual({
      type: 'TenantLogo',
    })
    expect((await at(api, `/logo/${digest(second)}`)).status).toBe(404)
  })

  test('of uploads at the same time, one stays, whole', async () => {
    await using api = await startApi(store)
    const images = [1, 2, 3, 4, 5].map((width) => pngOf(width, 1))
    const answers = await Promise.all(images.map((image) => upload(api, image)))
    expect(answers.map(({ status }) => status)).toEqual(images.map(() => 200))
    const { sha256 } = (await api.get(pathOf(api))).body
    const served = await Promise.all(images.map((image) => at(api, `/logo/${digest(image)}`)))
    expect(served.map(({ status }) => status)).toEqual(
      images.map((image) => (digest(image) === sha256 ? 200 : 404)),
    )
  })
})

test('pages and messages of the tenant show the uploaded logo, also before one by its address', async () => {
  await using api = await startApi('memory')
  const { body: tenant } = await api.get(api.tenant)
  const metadata = { latchkey_logo_url: 'https://cdn.example/logo.png' }
  await api.call('POST', api.tenant, { ...tenant, metadata })
  const image = pngOf(8, 8)
  await upload(api, image)
  const path = `/logo/${digest(image)}`
  const browser = createBrowser({ url: 'https://acme.example', fetch: api.service.fetch as never })
  const page = await browser.get('/reset')
  expect(page.html).toContain(`<img src="${path}"`)
  expect(page.headers.get('content-security-policy')).toMatch(/img-src 'self'(;|$)/)
  const stored = await api.service.admin.findTenant('acme.example')
  const { html } = composeMail('reset', stored as never, undefined, { language: 'en' })
  expect(html).toContain(`src="https://acme.example${path}"`)
  await api.call('POST', pathOf(api), {})
  expect((await browser.get('/reset')).html).toContain('src="https://cdn.example/logo.png"')
})

test('the bytes of a logo say what it is, and how large', () => {
  expect(checkLogo(pngOf(3, 4))).toMatchObject({ type: 'image/png', width: 3, height: 4 })
  // Metadata is skipped by its length, whatever it says, and it stays.
  const photo = jpegOf(640, 480, '\xff\xc0\0\x0b\x08\xff\xff\xff\xff')
  expect(checkLogo(photo)).toMatchObject({ type: 'image/jpeg', width: 640, height: 480 })
  for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const) {
    const size = { type: 'image/webp', width: 300, height: 200 }
    expect(checkLogo(webpOf(kind, 300, 200))).toMatchObject(size)
  }
})

const gif = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0', 'latin1')
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const NO_FORMAT = 'A logo is a PNG, JPEG or WebP image'
const NO_MARKUP = 'SVG is refused: it is a document'
const CUT = 'The header of the image is cut short'

test.each([
  ['a GIF', gif, NO_FORMAT],
  ['a script', Buffer.from('/*\x89PNG*/alert(1)', 'latin1'), NO_FORMAT],
  ['a page in front of an image', Buffer.from(`<script>1</script>${pngOf(1, 1)}`), NO_MARKUP],
  ['an SVG image', Buffer.from(svg), NO_MARKUP],
  [
    'an SVG image behind a byte-order mark',
    Buffer.from(`\ufeff\n <?xml version="1.0"?>${svg}`),
    NO_MARKUP,
  ],
  ['a compressed SVG image', Buffer.from([0x1f, 0x8b, 8, 0]), NO_MARKUP],
  ['a PNG without its header', pngOf(1, 1).subarray(0, 20), CUT],
  [
    'a PNG whose first chunk is another',
    Buffer.concat([pngOf(1, 1).subarray(0, 12), Buffer.from('tEXt'), pngOf(1, 1).subarray(16)]),
    CUT,
  ],
  ['a PNG without a side', pngOf(1, 1, { width: 0, height: 1 }), CUT],
  ['a JPEG of its first bytes', jpegOf(9, 9).subarray(0, 6), CUT],
  [
    'a JPEG whose segments lead out of it',
    Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0, 0, 0, 0, 0, 0]),
    CUT,
  ],
  ['a JPEG of fill bytes alone', Buffer.alloc(60, 0xff).fill(0xd8, 1, 2), CUT],
  [
    'a JPEG whose scan comes first',
    Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 8, 0, 0, 0, 0, 0, 0]),
    CUT,
  ],
  ['a WebP that is cut', webpOf('VP8X', 9, 9).subarray(0, 25), CUT],
  ['a RIFF file of another kind', Buffer.from(`RIFF\0\0\0\0WAVE${'x'.repeat(40)}`), NO_FORMAT],
  [
    'a bomb: few bytes, many pixels',
    pngOf(1, 1, { width: 60_000, height: 60_000 }),
    '60000 x 60000',
  ],
  ['a wide JPEG', jpegOf(2_049, 1), '2049 x 1'],
  ['a wide WebP', webpOf('VP8X', 16_000_000, 1), '16000000 x 1'],
  [
    'too many bytes',
    Buffer.concat([pngOf(1, 1), Buffer.alloc(MAX_LOGO_BYTES)]),
    `at most ${MAX_LOGO_BYTES} bytes`,
  ],
])('refused as a logo: %s', async (_, image, sentence) => {
  await using api = await startApi()
  const answer = await upload(api, image)
  expectError(answer, 400, 'invalid_request')
  expect(answer.headers.get('latchkey-error-detail')).toContain(sentence)
  expect((await api.get(pathOf(api))).body).toEqual({ type: 'TenantLogo' })
})

test('an image with a page behind it is served as the image that it begins with', async () => {
  await using api = await startApi()
  const polyglot = Buffer.concat([pngOf(1, 1), Buffer.from(`<html>${svg}</html>`)])
  expect((await upload(api, polyglot)).status).toBe(200)
  const served = await at(api, `/logo/${digest(polyglot)}`, { headers: { accept: 'text/html' } })
  expect(served.headers.get('content-type')).toBe('image/png')
  expect(served.headers.get('x-content-type-options')).toBe('nosniff')
  expect(served.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
})

test('the largest logo fits into a request, and one by a damaged text or other members is refused', async () => {
  await using api = await startApi()
  const start = pngOf(1, 1)
  const largest = Buffer.concat([start, Buffer.alloc(MAX_LOGO_BYTES - start.length)])
  expect((await upload(api, largest)).body.bytes).toBe(MAX_LOGO_BYTES)
  for (const image of [
    'not base64!',
    `${start.toString('base64')}\n`,
    'data:image/png;base64,AA==',
    5,
  ]) {
    expectError(await api.call('POST', pathOf(api), { image }), 400, 'invalid_request')
  }
  // An answer that is sent back would take the logo away.
  const { body } = await api.get(pathOf(api))
  expectError(await api.call('POST', pathOf(api), body), 400, 'invalid_request')
  expect((await api.get(pathOf(api))).body).toEqual(body)
})
