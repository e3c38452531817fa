import { expect, test } from 'vitest'
import { startApi } from '../support/api.ts'

const hash = 'not to be seen'

test.each([
  ['users', { profile: {} }, '"profile.email" is missing.'],
  ['users', {}, '"profile" is missing.'],
  ['users', { profile: { email: 7 } }, '"profile.email" must be a string, not a number.'],
  ['users', { profile: { email: null } }, '"profile.email" must be a string, not null.'],
  [
    'users',
    { disabled: 'yes', profile: [] },
    '"disabled" must be true or false, not a string. "profile" must be an object, not an array.',
  ],
  [
    'users',
    { profile: { email: 'a@example.com', name: {} } },
    '"profile.name" must be a string, not an object.',
  ],
  [
    'users',
    { metadata: { a: 1 }, profile: { email: 'a@example.com' } },
    '"metadata.a" must be a string, not a number.',
  ],
  [
    'applications',
    { redirect_urls: 'https://a.example/' },
    '"redirect_urls" must be an array, not a string.',
  ],
  [
    'applications',
    { redirect_urls: ['https://a.example/', 7] },
    '"redirect_urls[1]" must be a string, not a number.',
  ],
  [
    '',
    { settings: { domain: 'acme.example', remember_login_seconds: 1.5 } },
    '"settings.remember_login_seconds" is 1.5; it must be a whole number.',
  ],
  [
    '',
    { settings: { domain: 'acme.example', remember_login_seconds: -1 } },
    '"settings.remember_login_seconds" is -1; it must be at least 0.',
  ],
  [
    '',
    { settings: { domain: 'acme.example', remember_login_seconds: 2 ** 31 } },
    '"settings.remember_login_seconds" is 2147483648; it must be at most 2147483647.',
  ],
])('a body for %o with %o is refused with a sentence of ours', async (path, body, sentence) => {
  await using api = await startApi()

  const { headers } = await api.post(path === '' ? api.tenant : `${api.tenant}/${path}`, body)

  expect(headers.get('latchkey-error-detail')).toBe(sentence)
})

test('the sentence about another kind of credential says which one can be made', async () => {
  await using api = await startApi()
  const { id } = await api.createUser()
  const path = `${api.users}/${id}/credentials`

  const body = { type: 'HardwareCredential', password: { alg: 'plain', hash } }
  const { headers } = await api.post(path, body)

  expect(headers.get('latchkey-error-detail')).toBe(
    'Only password credentials can be created here; users enrol the others themselves.',
  )
})
