import { describe, expect, test } from 'vitest'
import { startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

describe.each(stores)('on %s', (store) => {
  test('the texts of a tenant are replaced as a whole, and outlive an update of the tenant', async () => {
    await using api = await startApi(store)
    const texts = `/x${api.tenant}/texts`
    expect((await api.get(texts)).body).toEqual({ type: 'TenantTexts' })
    const en = { login_title: 'Welcome to {company}', login_text: 'For members.' }
    const written = await api.call('POST', texts, { en, de: { login_title: 'Willkommen' } })
    expect(written.body).toEqual({ type: 'TenantTexts', en, de: { login_title: 'Willkommen' } })
    const tenant = (await api.get(api.tenant)).body
    await api.call('POST', api.tenant, { ...tenant, name: 'Other' })
    expect((await api.get(texts)).body.en).toEqual(en)
    expect((await api.call('POST', texts, { en: { ...en, login_text: null } })).body).toEqual({
      type: 'TenantTexts',
      en: { login_title: 'Welcome to {company}' },
    })
    expect((await api.call('POST', texts, { en: null })).body).toEqual({ type: 'TenantTexts' })

    const { body } = await api.get(`/x${api.tenant}/audit?action=tenant.update`)
    // Entries of several processes within a few milliseconds are in the order of their clocks.
    const fields = body.data.map((entry: { fields: string[] }) => entry.fields)
    const found = store === 'cluster' ? fields : [fields[1]]
    expect(found).toContainEqual(['texts.de.login_title', 'texts.en.login_text'])
  })
})

test.each([
  [{ fr: {} }, '"fr" is not the name of a text'],
  [{ EN: {} }, 'Did you mean "en"?'],
  [{ en: { login_titel: 'x' } }, '"en.login_titel" is not the name of a text. Did you mean'],
  [{ en: { login_title: 'Go to evil.example' } }, 'which leads elsewhere'],
  [{ en: { login_title: 5 } }, 'must be'],
  [{ en: [] }, 'must be'],
])('texts are refused: %j', async (body, reason) => {
  await using api = await startApi()
  const answer = await api.call('POST', `/x${api.tenant}/texts`, body)
  expectError(answer, 400, 'invalid_request')
  expect(answer.headers.get('latchkey-error-detail')).toContain(reason)
})
