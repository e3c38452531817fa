import { redirectUriFor } from '@latchkey/core'
import { expect, test } from 'vitest'

test.each([
  [{}, 'https://shop.example/callback/58f6a3a805d133fcd5e6bc0f'],
  [
    { issuer: 'https://LOGIN.acme.example/' },
    'https://shop.example/callback/58f6a3a805d133fcd5e6bc0f',
  ],
  [
    { baseUrl: 'https://shop.example/eu/' },
    'https://shop.example/eu/callback/58f6a3a805d133fcd5e6bc0f',
  ],
  [{ callback: '/auth/back' }, 'https://shop.example/auth/back/58f6a3a805d133fcd5e6bc0f'],
])(
  'the redirect URI of an issuer stays the same, whatever it is written like: %j',
  (changed, uri) => {
    const source = { baseUrl: 'https://shop.example', issuer: 'https://login.acme.example' }

    expect(redirectUriFor({ ...source, ...changed })).toBe(uri)
  },
)

test('another issuer has another redirect URI', () => {
  const baseUrl = 'https://shop.example'
  const issuers = ['https://a.example', 'https://a.example/b', 'https://b.example']

  expect(new Set(issuers.map((issuer) => redirectUriFor({ baseUrl, issuer }))).size).toBe(3)
})
