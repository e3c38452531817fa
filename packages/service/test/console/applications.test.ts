import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type StoreName, stores } from '../support/api.ts'
import { type ConsoleService, sendChanges, sendForm, startConsoleOn, textOf } from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

const GOOD = 'https://shop.example/callback'

/** A tenant with an application, and its API. */
async function withApplication({ service }: ConsoleService) {
  const { admin } = service
  const tenant = await admin.createTenant({ domain: 'acme.example', name: 'Acme' })
  const { secret: key } = await admin.createApiKey({ name: 'tests', reach: 'all' })
  const url = `https://acme.example/v1/tenants/${tenant.id}/applications`
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as a client without types does
  const call = async (path = '', body?: object): Promise<any> => {
    const response = await service.fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  const { id } = await call('', { name: 'Shop', redirect_urls: [GOOD] })
  const base = `/console/t/${tenant.id}/applications`
  return { admin, tenant, call, id, base, page: `${base}/${id}` }
}

describe.each(stores.filter((one): one is Exclude<StoreName, 'cluster'> => one !== 'cluster'))(
  'applications in the console, on %s',
  (store) => {
    test('an admin registers an application, and the API answers with it', async () => {
      await using running = await startConsoleOn(store)
      const { base, call, admin } = await withApplication(running)
      const ada = await running.logIn({ role: 'admin' })
      const made = await sendForm(ada, `${base}/new`, {
        name: 'Forum',
        login_url: 'https://forum.example/login',
        redirect_urls: '\r\n  https://forum.example/callback \r\nhttps://forum.example/other\r\n',
        logout_urls: 'https://forum.example/',
      })
      expect(made).toMatchObject({ status: 303, location: expect.stringMatching(/done=created$/) })
      const id = /app_\w+/.exec(made.location ?? '')?.[0]
      expect(await call(`/${id}`)).toMatchObject({
        name: 'Forum',
        login_url: 'https://forum.example/login',
        redirect_urls: ['https://forum.example/callback', 'https://forum.example/other'],
        logout_urls: ['https://forum.example/'],
      })
      expect((await ada.get(base)).html).toContain('Forum')
      const [entry] = await admin.audit({ target: id ?? '' })
      expect(entry).toMatchObject({ action: 'application.create', actor: `operator:${ada.id}` })
    })

    test('every refused line is named beside it, nothing is written, and what was typed is kept', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const ada = await running.logIn({ role: 'admin' })
      const before = await call(`/${id}`)
      const typed = [
        'https://good.example/callback',
        '',
        'javascript:alert(1)',
        'http://plain.example/',
        'https://*.example/callback',
        'https://shop.example/#part',
      ].join('\n')
      const sent = await sendForm(ada, page, {
        name: 'Renamed',
        redirect_urls: typed,
        logout_urls: 'not a URL',
        login_url: 'data:text/html,x',
      })
      expect(sent.status).toBe(422)
      const text = textOf(sent.html)
      expect(text).toContain('Line 3: javascript:alert(1) must begin with https://')
      expect(text).toContain('Line 4: http://plain.example/ must begin with https://')
      expect(text).toContain('Line 5: https://*.example/callback is a wildcard')
      expect(text).toContain('Line 6: https://shop.example/#part must not have a fragment.')
      expect(text).toContain('Line 1: not a URL is not an absolute URL')
      expect(text).toContain('Must begin with https://')
      expect(text).not.toContain('Line 2')
      expect(sent.html).toContain('value="Renamed"')
      expect(sent.html).toContain(`\n${typed}</textarea>`)
      expect(await call(`/${id}`)).toEqual(before)
    })

    test('of too many URLs, those within the limit are checked', async () => {
      await using running = await startConsoleOn(store)
      const { page } = await withApplication(running)
      const ada = await running.logIn({ role: 'admin' })
      const typed = 'not a URL\n'.repeat(2_000)
      const sent = await sendForm(ada, page, { name: 'Shop', redirect_urls: typed })
      expect(sent.status).toBe(422)
      const text = textOf(sent.html)
      expect(text).toContain('Holds 2000 URLs; at most 50 are kept.')
      expect(text.match(/Line \d+:/g)).toHaveLength(50)
    })

    test('metadata is changed by its rows, and a line break of a value stays as it was', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const stored = await call(`/${id}`)
      await call(`/${id}`, { ...stored, metadata: { note: 'a\nb', plan: 'free' } })
      const ada = await running.logIn({ role: 'admin' })
      const { html } = await ada.get(page)
      expect(html).toContain('a\nb</textarea>')
      const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
      const readAt = /name="read_at" value="(\d+)"/.exec(html)?.[1] ?? ''
      const post = (pairs: [string, string][]) => {
        const body = new URLSearchParams({
          csrf,
          read_at: readAt,
          name: 'Shop',
          redirect_urls: GOOD,
        })
        for (const [key, value] of pairs) {
          body.append('metadata_key', key)
          body.append('metadata_value', value)
        }
        return ada.send(page, {
          method: 'POST',
          body: body.toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      }
      const twice = await post([
        ['plan', 'free'],
        ['plan', 'paid'],
      ])
      expect(textOf(twice.html)).toContain('The key "plan" is there twice.')
      const wrong = await post([['latchkey_pkce', 'never']])
      expect(textOf(wrong.html)).toContain('it must be "required", which is the default')
      const saved = await post([
        ['note', 'a\r\nb'],
        ['plan', 'paid'],
        ['', ''],
      ])
      expect(saved.status).toBe(303)
      expect((await call(`/${id}`)).metadata).toEqual({ note: 'a\nb', plan: 'paid' })
    })

    test('each exception of an application is named with its price, and a public one has no secret to show', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const viewer = await running.logIn({ role: 'viewer' })
      const admin = await running.logIn({ role: 'admin' })
      const shown = async (metadata: object) => {
        await call(`/${id}`, { name: 'Shop', redirect_urls: [GOOD], metadata })
        return Promise.all([viewer, admin].map(async (one) => textOf((await one.get(page)).html)))
      }
      for (const text of await shown({})) expect(text).not.toContain('Exceptions')

      const pkce = { latchkey_pkce: 'optional' }
      for (const text of await shown(pkce)) {
        expect(text).toContain('latchkey_pkce: optional')
        expect(text).toContain('unless the client checks the nonce')
      }
      for (const text of await shown({ ...pkce, latchkey_nonce: 'optional' })) {
        expect(text).toContain('latchkey_nonce: optional')
        expect(text).toContain('neither PKCE nor a nonce')
      }
      const open = await shown({ latchkey_client: 'public' })
      for (const text of open) {
        expect(text).toContain('latchkey_client: public')
        expect(text).toContain('can read and keep tokens')
        expect(text).not.toContain('LATCHKEY_CLIENT_SECRET')
      }
      expect(open[1]).not.toContain('Show the secret')
      for (const text of await shown({ latchkey_client: 'native' })) {
        expect(text).toContain('latchkey_client: native')
        expect(text).toContain('users who are logged in confirm each login')
        expect(text).not.toContain('LATCHKEY_CLIENT_SECRET')
      }
    })

    test('the FAPI 2.0 profile of an application is named with its price, and it has no secret to show', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const latchkey_jwks = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] })
      const metadata = { latchkey_profile: 'fapi2', latchkey_jwks }
      await call(`/${id}`, { name: 'Shop', redirect_urls: [GOOD], metadata })
      const admin = await running.logIn({ role: 'admin' })

      const text = textOf((await admin.get(page)).html)

      expect(text).toContain('latchkey_profile: fapi2')
      expect(text).toContain('Each login is two requests to the service instead of one')
      expect(text).not.toContain('Show the secret')
      expect(text).not.toContain('LATCHKEY_CLIENT_SECRET')
    })

    test('the API of an application is shown with the sentences of its scopes, in the language of the operator', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const admin = await running.logIn({ role: 'admin' })
      const show = async (metadata: object, language: string) => {
        await call(`/${id}`, { name: 'Shop', redirect_urls: [GOOD], metadata })
        admin.headers['accept-language'] = language
        return textOf((await admin.get(page)).html)
      }
      const latchkey_api = 'https://notes.example/api'
      const latchkey_api_scopes = '{"notes:read":"Read <b>your</b> notes"}'
      expect(await show({}, 'en')).not.toContain('This application’s API')
      const text = await show({ latchkey_api, latchkey_api_scopes }, 'en')
      expect(text).toMatch(/This application’s API[\s\S]*https:\/\/notes\.example\/api/)
      expect(text).toMatch(/notes:read\s*Read <b>your<\/b> notes/)
      expect(await show({ latchkey_api }, 'de')).toMatch(
        /Die API dieser Anwendung[\s\S]*Sie hat keine Scopes/,
      )
    })

    test('an API that another application offers is named beside the metadata, and what was typed is kept', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const api = 'https://notes.example/api'
      const owner = await call('', { name: 'Notes', metadata: { latchkey_api: api } })
      const before = await call(`/${id}`)
      const ada = await running.logIn({ role: 'admin' })
      const fields = { name: 'Mine', redirect_urls: GOOD, metadata_key: 'latchkey_api' }
      const refused = await sendForm(ada, page, { ...fields, metadata_value: api })
      expect(refused.status).toBe(422)
      expect(refused.html).toContain('id="metadata-wrong"')
      expect(textOf(refused.html)).toContain(`which the application ${owner.id} offers already`)
      expect(refused.html).toContain('value="Mine"')
      expect(refused.html).toContain(`\n${GOOD}</textarea>`)
      expect(refused.html).toContain(`value="${api}"`)
      expect(await call(`/${id}`)).toEqual(before)
      const other = { ...fields, metadata_value: `${api}/2` }
      expect((await sendForm(ada, page, other)).status).toBe(303)
    })

    test('if another operator has changed the application meanwhile, both versions are shown, and saving again keeps one’s own', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const ada = await running.logIn({ role: 'admin' })
      const { html } = await ada.get(page)
      const readAt = /name="read_at" value="(\d+)"/.exec(html)?.[1] ?? ''
      await call(`/${id}`, { ...(await call(`/${id}`)), name: 'Theirs', login_url: GOOD })
      const base = JSON.stringify({ name: 'Shop', login_url: '', redirect_urls: GOOD })
      const fields = { name: 'Mine', redirect_urls: GOOD, login_url: '', base }
      const late = await sendForm(ada, page, { ...fields, read_at: readAt })
      expect(late.status).toBe(409)
      expect(late.html).toContain('Another person changed this a moment ago.')
      expect(late.html).toContain('value="Mine"')
      expect(late.html).toContain(`name="login_url" inputmode="url" value="${GOOD}"`)
      expect(textOf(late.html)).toMatch(/Stored now:\s*Theirs/)
      expect((await call(`/${id}`)).name).toBe('Theirs')
      expect((await sendForm(ada, page, fields)).status).toBe(303)
      expect((await call(`/${id}`)).name).toBe('Mine')
    })

    test('the client secret is shown to an admin who has just logged in, and to no viewer', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      await using running = await startConsoleOn(store)
      const { page, call, id, admin } = await withApplication(running)
      const { secret } = await call(`/${id}`)
      const viewer = await running.logIn({ role: 'viewer' })
      expect((await viewer.get(page)).html).not.toContain(secret)
      expect((await sendForm(viewer, `${page}/secret`, {}, page)).status).toBe(403)

      const ada = await running.logIn({ role: 'admin' })
      expect((await ada.get(page)).html).not.toContain(secret)
      const revealed = await sendForm(ada, `${page}/secret`, {}, page)
      expect(revealed.location).not.toContain(secret)
      const shown = await ada.get(revealed.location ?? '')
      expect(shown.headers.get('cache-control')).toBe('no-store')
      expect(shown.html).toContain(`LATCHKEY_CLIENT_SECRET=${secret}`)
      const [entry] = await admin.audit({ target: id })
      expect(entry).toMatchObject({
        action: 'application.reveal_secret',
        actor: `operator:${ada.id}`,
      })

      vi.setSystemTime(Date.now() + 6 * 60_000)
      const asked = await sendForm(ada, `${page}/secret`, {}, page)
      expect(asked.location).toContain('/console/confirm?to=')
      expect(asked.html).not.toContain(secret)
    })

    test('a rotated secret works beside the earlier one for as long as the operator says', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const before = (await call(`/${id}`)).secret
      const ada = await running.logIn({ role: 'admin' })
      const rotated = await sendForm(ada, `${page}/rotate`, { overlap_hours: '2' }, page)
      expect(rotated.location).toBe(`${page}?done=secret-rotated`)
      const after = (await call(`/${id}`)).secret
      expect(after).not.toBe(before)
      expect((await ada.get(page)).html).toContain('The earlier secret is accepted until')
      const revealed = await sendForm(ada, `${page}/secret`, {}, page)
      const shown = await ada.get(revealed.location ?? '')
      expect(shown.html).toContain(after)
      expect(shown.html).toContain(before)
      await sendForm(ada, `${page}/rotate`, { overlap_hours: '0' }, page)
      expect((await ada.get(page)).html).not.toContain('The earlier secret is accepted until')
      const wrong = await sendForm(ada, `${page}/rotate`, { overlap_hours: '-1' }, page)
      expect(wrong.status).toBe(400)
    })

    test('a second press on the page that makes a secret changes nothing: the first secret is accepted as promised', async () => {
      await using running = await startConsoleOn(store)
      const { page, call, id } = await withApplication(running)
      const before = (await call(`/${id}`)).secret
      const ada = await running.logIn({ role: 'admin' })
      const opened = await ada.get(`${page}/rotate`)
      const press = (hours: string, on = opened) =>
        sendChanges(ada, `${page}/rotate`, { overlap_hours: hours }, { opened: on })
      expect((await press('48')).location).toBe(`${page}?done=secret-rotated`)
      const after = (await call(`/${id}`)).secret
      const second = await press('36')
      expect(second.status).toBe(409)
      expect(textOf(second.html)).toContain('Nothing was done: this was changed after')
      expect(second.html).toMatch(/name="overlap_hours"[^>]* value="36"/)
      expect((await call(`/${id}`)).secret).toBe(after)
      const revealed = await sendForm(ada, `${page}/secret`, {}, page)
      expect((await ada.get(revealed.location ?? '')).html).toContain(before)
      expect((await press('36', second)).location).toBe(`${page}?done=secret-rotated`)
      expect((await call(`/${id}`)).secret).not.toBe(after)
    })

    test('an application is deleted for good', async () => {
      await using running = await startConsoleOn(store)
      const { page, base, call, id } = await withApplication(running)
      const ada = await running.logIn({ role: 'admin' })
      const ask = await ada.get(`${page}/delete`)
      expect(ask.html).toContain('at one redirect URL')
      const wrong = await sendForm(ada, `${page}/delete`, { typed: 'Shops' }, page)
      expect(wrong.status).toBe(422)
      const gone = await sendForm(ada, `${page}/delete`, { typed: 'shop' }, page)
      expect(gone.location).toBe(`${base}?done=removed`)
      expect((await call(`/${id}`)).code).toBe('not_found')
      expect((await ada.get(page)).status).toBe(404)
    })

    test('the list goes on page by page', async () => {
      await using running = await startConsoleOn(store)
      const { base, call } = await withApplication(running)
      for (let i = 0; i < 50; i++) await call('', { name: `Number ${i}` })
      const viewer = await running.logIn({ role: 'viewer' })
      const first = await viewer.get(base)
      expect(first.html).toContain('Number 48')
      expect(first.html).not.toContain('Number 49')
      const next = /href="([^"]+\?after=app_\w+)"/.exec(first.html)?.[1] ?? ''
      expect((await viewer.get(next)).html).toContain('Number 49')
    })
  },
)
