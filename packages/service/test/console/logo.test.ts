import { hash } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Page } from '../issuer/support/browser.ts'
import { pngOf } from '../support/images.ts'
import {
  confirmSettings,
  fieldsOf,
  type OperatorBrowser,
  on,
  press,
  sendChanges,
  sendForm,
  startConsole,
  stores,
  textOf,
} from './support.ts'
import { aTenant } from './tenant.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Sends a file as a browser without JavaScript does. */
async function upload(
  operator: OperatorBrowser,
  path: string,
  image: Buffer | undefined,
  {
    name = 'logo.png',
    type = 'image/png',
    page,
  }: { name?: string; type?: string; page?: Page } = {},
): Promise<Page> {
  const { html } = page ?? (await operator.get(path))
  const form = new FormData()
  for (const [field, value] of fieldsOf(html, path)) {
    if (field !== 'file') form.append(field, value)
  }
  form.append('file', new Blob(image ? [new Uint8Array(image)] : [], { type }), image ? name : '')
  const request = new Request('https://console.example', { method: 'POST', body: form })
  return operator.send(path, {
    method: 'POST',
    body: Buffer.from(await request.arrayBuffer()) as never,
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
  })
}

describe.each(stores)('the logo of a tenant in the console, on %s', (store) => {
  test('is seen on the login page before it is saved, and taken away again', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const admin = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/settings/logo`
    expect((await admin.get(`${tenant.path}/settings`)).html).toContain(`href="${path}"`)
    const image = pngOf(64, 16)
    const digest = hash('sha256', image, 'hex')
    const reviewed = await upload(admin, path, image, {
      name: '../../etc/logo.svg',
      type: 'image/svg+xml',
    })
    expect(reviewed.status).toBe(200)
    expect(textOf(reviewed.html)).toMatch(/Format\s*image\/png\s*Pixels\s*64 × 16/)
    expect(reviewed.html).not.toContain('etc/logo')
    const policy = reviewed.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/; img-src data:(;|$)/)
    expect(reviewed.html.match(/src=&quot;data:image\/png;base64,/g)).toHaveLength(2)
    const logo = `/x/v1/tenants/${tenant.id}/logo`
    expect((await tenant.call('GET', logo)).body).toEqual({ type: 'TenantLogo' })

    const sent = Object.fromEntries(fieldsOf(reviewed.html, `${path}/save`))
    const saved = await press(admin, reviewed, `${path}/save`, sent)
    expect(saved.location).toBe(`${path}?done=saved`)
    expect((await tenant.call('GET', logo)).body).toMatchObject({ sha256: digest, width: 64 })
    const shown = await admin.get(path)
    expect(shown.headers.get('content-security-policy')).toMatch(/; img-src data:(;|$)/)
    expect(shown.html).toContain(image.toString('base64'))
    const look = await sendChanges(admin, `${tenant.path}/settings`, { company_name: 'Acme' })
    const texts = await sendForm(admin, `${tenant.path}/texts`, {
      ...{ language: 'en', mail_reset_subject: 'Hello', login_text: 'Hello', signup_text: 'Hello' },
    })
    // An operator's browser asks no other domain for it.
    for (const [{ html, headers }, frames] of [
      [look, 2],
      [texts, 5],
    ] as const) {
      expect(headers.get('content-security-policy')).toMatch(/; img-src data:(;|$)/)
      expect(html.match(/src=&quot;data:image\/png;base64,/g)).toHaveLength(frames)
      expect(html).not.toMatch(/src=&quot;https?:/)
    }
    const [entry] = await running.service.admin.audit({ target: tenant.id })
    expect(entry).toMatchObject({
      ...{ actor: `operator:${admin.id}`, action: 'tenant.update', fields: ['logo'] },
    })
    const audit = await admin.get(`/console/audit/${entry?.id}`)
    expect(textOf(audit.html)).toContain(
      `image/png, 64 x 16 pixels, ${image.length} bytes, SHA-256 ${digest}`,
    )

    // The form of the review was filled before: another operator's change is not undone by it.
    const late = await press(admin, reviewed, `${path}/save`, sent)
    expect(late.status).toBe(422)
    expect(textOf(late.html)).toContain('Another person changed this a moment ago.')
    const away = Object.fromEntries(fieldsOf(shown.html, `${path}/save`))
    expect((await press(admin, shown, `${path}/save`, away)).location).toBe(`${path}?done=saved`)
    expect((await tenant.call('GET', logo)).body).toEqual({ type: 'TenantLogo' })
  })

  test('at another host is a placeholder in previews, which name its address and ask no host', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const admin = await running.logIn({ role: 'admin' })
    const url = 'https://cdn.example/logo.png'
    const settings = `${tenant.path}/settings`
    const look = await sendChanges(admin, settings, { latchkey_logo_url: url })
    await confirmSettings(admin, settings, look)
    const texts = await sendForm(admin, `${tenant.path}/texts`, {
      ...{ language: 'en', mail_reset_subject: 'Hello', login_text: 'Hello', signup_text: 'Hello' },
    })
    for (const [{ html, headers }, frames] of [
      [look, 2],
      [texts, 5],
    ] as const) {
      expect(textOf(html)).toContain(`The logo is at ${url} and is shown to users.`)
      expect(html.match(/src=&quot;data:image\/svg\+xml,/g)).toHaveLength(frames)
      expect(html).not.toContain(`src=&quot;${url}`)
      expect(headers.get('content-security-policy')).toMatch(/; img-src data:(;|$)/)
    }
  })

  test('is refused with a sentence, whatever its name says, and so is a form without one', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const admin = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/settings/logo`
    const page = await admin.get(path)
    for (const [image, sentence] of [
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'SVG is refused'],
      [Buffer.alloc(200_000, 'x'), 'A logo has at most 131072 bytes.'],
      [pngOf(1, 1, { width: 9_000, height: 1 }), 'The image has 9000 x 1 pixels'],
      [undefined, 'Choose a file with an image.'],
    ] as const) {
      const refused = await upload(admin, path, image, { page })
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain(sentence)
    }
    for (const fields of [{}, { image: '' }, { image: '%%%' }, { remove: 'yes' }]) {
      expect((await press(admin, page, `${path}/save`, fields)).status).toBe(422)
    }
  })

  test('needs a login of the last five minutes, the token of the session and the permission', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const other = await aTenant(running, {}, 'other.example')
    const path = `${tenant.path}/settings/logo`
    const image = pngOf(1, 1)
    const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
    const viewer = await running.logIn({ role: 'viewer' })
    const page = await admin.get(path)
    expect((await viewer.get(path)).status).toBe(403)
    expect((await upload(viewer, path, image, { page: await viewer.get('/console') })).status).toBe(
      403,
    )
    expect((await admin.get(`${other.path}/settings/logo`)).status).toBe(404)
    const forged = {
      ...page,
      html: page.html.replaceAll(/name="csrf" value="[^"]+"/g, 'name="csrf" value="x"'),
    }
    expect((await upload(admin, path, image, { page: forged })).status).toBe(403)
    const fields = { image: image.toString('base64url'), read_at: '1' }
    expect((await press(admin, forged, `${path}/save`, fields)).status).toBe(403)

    vi.setSystemTime(Date.now() + 6 * 60_000)
    for (const late of [
      await admin.peek(path),
      await upload(admin, path, image, { page }),
      await press(admin, page, `${path}/save`, fields),
    ]) {
      expect(late.location).toMatch(/^\/console\/confirm\?to=/)
    }
    expect((await tenant.call('GET', `/x/v1/tenants/${tenant.id}/logo`)).body).toEqual({
      type: 'TenantLogo',
    })
  })
})
