import assert from 'node:assert/strict'
import type { Fault } from '../misbehaving-provider.ts'
import type { LoginCase } from './bench.ts'

/** The faults of an ID Token, with the name of the case for each. */
const WRONG: readonly [Fault, string][] = [
  ['id_token from another issuer', 'an ID token of another issuer logs no user in'],
  ['id_token for another client', 'an ID token for another application logs no user in'],
  [
    'id_token with the azp of another client',
    'an ID token that another application asked for logs no user in',
  ],
  ['id_token expired', 'an ID token that has expired logs no user in'],
  ['id_token without exp', 'an ID token that never expires logs no user in'],
  ['id_token with another nonce', 'an ID token with the nonce of another login logs no user in'],
  ['id_token without nonce', 'an ID token without a nonce logs no user in'],
  ['id_token with alg none', 'an ID token with "alg": "none" logs no user in'],
  ['id_token with alg HS256', 'an ID token signed with the client secret logs no user in'],
  ['id_token without a signature', 'an ID token without its signature logs no user in'],
  ['id_token signed with an unknown kid', 'an ID token of an unknown key logs no user in'],
  [
    'id_token signed with a foreign key under a known kid',
    'an ID token signed with a foreign key under a known kid logs no user in',
  ],
  ['id_token with a changed payload', 'an ID token that was changed logs no user in'],
  ['id_token without sub', 'an ID token without a user logs no user in'],
  ['token response without id_token', 'an answer without an ID token logs no user in'],
]

export const tokens: readonly LoginCase[] = WRONG.map(([fault, name]) => [
  name,
  async ({ open, provider }) => {
    const visitor = (await open()).visitor()
    provider.fault = fault
    const { status } = await visitor.logIn()
    assert.ok(status >= 400, `the visitor is told, by a status of 400 or more, not ${status}`)
    assert.equal(await visitor.isLoggedIn(), false)
  },
])
