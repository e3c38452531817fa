import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'

describe.each(stores)('on %s, the answer to the update of a tenant', (store) => {
  /** The warnings about a tenant with these settings. */
  async function warningsOf(settings: object): Promise<string | null> {
    await using api = await startApi(store)
    const body = { settings: { domain: 'acme.example', ...settings } }
    const answer = await api.post(api.tenant, body)
    expect(answer.status).toBe(200)
    expect(answer.body.settings).toEqual({ domain: 'acme.example', ...settings })
    return answer.headers.get('latchkey-warning')
  }

  test('contains only the warnings that apply', async () => {
    const settings = {
      allow_passwords: true,
      allow_signups: true,
      allow_totp_app: true,
      allow_totp_email: true,
      allow_hardware: true,
    }
    expect(await warningsOf(settings)).toBeNull()
  })

  test('warns that users cannot log in', async () => {
    expect(await warningsOf({ allow_signups: true })).toBe(
      'Users cannot log in: "allow_passwords" is off, and no other setting allows a way to log in.',
    )
  })

  test('warns that users cannot log in at a provider without a connection', async () => {
    const settings = { allow_passwords: true, allow_social: true }
    expect(await warningsOf(settings)).toBe(
      '"allow_social" has no effect: no connection is enabled. Add one: latchkey-service connection add',
    )
  })

  test('has every warning, when there are several', async () => {
    const warnings = await warningsOf({ allow_social: true, developer_mode: true })
    expect(warnings).toContain('Users cannot log in')
    expect(warnings).toContain('"allow_social" has no effect')
    expect(warnings).toContain('"developer_mode" opens no private network')
  })
})

describe.each(stores)('on %s, the answer to the update of an application', (store) => {
  test('warns that it has lost its redirect URLs, once', async () => {
    await using api = await startApi(store)
    const { id } = await api.create(api.applications, {
      name: 'Shop',
      redirect_urls: ['https://shop.example/callback', 'https://shop.example/other'],
    })
    const update = async (body: object) =>
      (await api.post(`${api.applications}/${id}`, body)).headers.get('latchkey-warning')

    expect(await update({ name: 'Shop', redirect_urls: ['https://shop.example/other'] })).toBeNull()
    const warning = await update({ name: 'Blog' })
    expect(warning).toContain('"redirect_urls" is empty now')
    expect(warning).toContain('https://shop.example/other')
    expect(await update({ name: 'Forum' })).toBeNull()
  })
})
