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

  test('warns of no more than there is to warn of', async () => {
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

  test('names login methods that are not built', async () => {
    const settings = { allow_passwords: true, allow_social: true }
    expect(await warningsOf(settings)).toBe(
      'These settings have no effect, as their login methods are not built: allow_social.',
    )
  })

  test('has every warning, when there are several', async () => {
    const warnings = await warningsOf({ allow_social: true, developer_mode: true })
    expect(warnings).toContain('Users cannot log in')
    expect(warnings).toContain('not built: allow_social.')
    expect(warnings).toContain('"developer_mode" opens no private network')
  })
})
