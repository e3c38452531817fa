import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decodeJws } from '../src/provider/signed/jwt.ts'
import { parseKeySet } from '../src/provider/signed/signature.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = publicKey.export({ format: 'jwk' })

function token(header: object): string {
  const signed = [header, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(signed), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  })
  return `${signed}.${signature.toString('base64url')}`
}

/** Whether a token with this header is verified by a key with these members. */
function isVerified(header: object, members: object): boolean {
  const jws = decodeJws(token(header))
  const keys = parseKeySet(JSON.stringify({ keys: [{ ...jwk, ...members }] }))
  return jws !== undefined && keys?.verify(jws) === true
}

describe.each([[null], ['']])('a member that is %j is one that is missing', (nothing) => {
  test.each(['kid', 'alg', 'use'])('"%s" of a published key', (name) => {
    expect(isVerified({ alg: 'ES256' }, { [name]: nothing })).toBe(true)
    expect(isVerified({ alg: 'ES256' }, { [name]: 'another' })).toBe(name === 'kid')
  })

  test.each(['kid', 'typ'])('"%s" in the header of a token', (name) => {
    expect(isVerified({ alg: 'ES256', [name]: nothing }, { kid: 'one' })).toBe(true)
    expect(decodeJws(token({ alg: 'ES256', [name]: nothing }))?.header).toEqual({ alg: 'ES256' })
  })

  test('but for "crit" in the header of a token, which is there', () => {
    expect(decodeJws(token({ alg: 'ES256', crit: nothing }))?.header.crit).toBe(nothing)
  })
})
