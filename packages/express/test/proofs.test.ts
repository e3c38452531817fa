import { generateKeyPairSync, hash } from 'node:crypto'
import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import type { Express } from 'express'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Site, startSite } from './support/site.ts'

const AUDIENCE = 'https://api.example'
const now = (): number => Math.floor(Date.now() / 1000)

let site: Site
let jwk: JWK
let privateKey: CryptoKey
let token: string

function routes(app: Express): void {
  app.all(
    ['/notes', '/notes/:name'],
    requireUser({ accept: ['session', 'bearer'] }),
    (req, res) => {
      res.json(getUser(req).sub)
    },
  )
}

type CryptoKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

async function makeKey(algorithm: string): Promise<{ jwk: JWK; privateKey: CryptoKey }> {
  const made = await generateKeyPair(algorithm, { extractable: true })
  return { jwk: await exportJWK(made.publicKey), privateKey: made.privateKey }
}

beforeAll(async () => {
  site = await startSite(routes, { bearer: { audience: AUDIENCE } })
  ;({ jwk, privateKey } = await makeKey('ES256'))
  token = site.provider.accessToken({ sub: 'ada', cnf: { jkt: await calculateJwkThumbprint(jwk) } })
})
afterAll(() => site.close())

interface Changes {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  readonly key?: CryptoKey
}

function prove({ claims = {}, header = {}, key = privateKey }: Changes = {}): Promise<string> {
  const ath = hash('sha256', token, 'base64url')
  const usual = { htm: 'GET', htu: `${site.url}/notes`, jti: crypto.randomUUID(), iat: now(), ath }
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(key)
}

function call(headers: Readonly<Record<string, string>>, init: RequestInit = {}) {
  return fetch(`${site.url}/notes`, { ...init, headers, redirect: 'manual' })
}

const bound = (dpop: string) => ({ authorization: `DPoP ${token}`, dpop })

test.each(['ES256', 'PS256', 'EdDSA'])(
  'a token that is bound to a key of %s is accepted with a proof',
  async (algorithm) => {
    const own = await makeKey(algorithm)
    const jkt = await calculateJwkThumbprint(own.jwk)
    const other = site.provider.accessToken({ sub: 'ada', cnf: { jkt } })
    const dpop = await prove({
      key: own.privateKey,
      header: { alg: algorithm, jwk: own.jwk },
      claims: { ath: hash('sha256', other, 'base64url') },
    })
    const response = await call({ authorization: `DPoP ${other}`, dpop })
    expect([response.status, await response.json()]).toEqual([200, 'ada'])
  },
)

test('a key that was proven for the sender’s own token proves no other token', async () => {
  const thief = await makeKey('ES256')
  const own = site.provider.accessToken({
    sub: 'eve',
    cnf: { jkt: await calculateJwkThumbprint(thief.jwk) },
  })
  const provenBy = (of: string) =>
    prove({
      key: thief.privateKey,
      header: { jwk: thief.jwk },
      claims: { ath: hash('sha256', of, 'base64url') },
    })
  const send = async (of: string) =>
    (await call({ authorization: `DPoP ${of}`, dpop: await provenBy(of) })).status
  expect([await send(own), await send(token), await send(own)]).toEqual([200, 401, 200])
})

test('a query of the address is no part of the proof', async () => {
  const headers = bound(await prove({ claims: { htu: `${site.url}/notes?page=1#top` } }))
  expect((await fetch(`${site.url}/notes?page=2`, { headers })).status).toBe(200)
})

test.each([
  ['/notes/a%2fb', '/notes/a%2Fb', 200],
  ['/notes/a', '/notes%2Fa', 401],
  ['/notes/a%2Fb', '/notes/a/b', 401],
])('at %s a proof for %s is answered with %i', async (path, htu, status) => {
  const headers = bound(await prove({ claims: { htu: site.url + htu } }))
  expect((await fetch(site.url + path, { headers, redirect: 'manual' })).status).toBe(status)
})

test('a proof is used once, also by requests at once', async () => {
  const headers = bound(await prove())
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(headers)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401])
})

describe('a stolen token', () => {
  test.each([
    ['as a bearer token', async () => ({ authorization: `Bearer ${token}` }), 'Bearer'],
    [
      'as a bearer token with a proof',
      async () => ({ ...bound(await prove()), authorization: `Bearer ${token}` }),
      'Bearer',
    ],
    ['without a proof', async () => ({ authorization: `DPoP ${token}` }), 'DPoP'],
    ['with text in place of a proof', async () => bound('proof'), 'DPoP'],
    ['with two proofs', async () => bound(`${await prove()}, ${await prove()}`), 'DPoP'],
    [
      'with the proof of another key',
      async () => {
        const thief = await makeKey('ES256')
        return bound(await prove({ key: thief.privateKey, header: { jwk: thief.jwk } }))
      },
      'DPoP',
    ],
    [
      'with a proof that another key signed',
      async () => {
        const thief = await makeKey('ES256')
        return bound(await prove({ key: thief.privateKey }))
      },
      'DPoP',
    ],
    [
      'with a proof for another method',
      async () => bound(await prove({ claims: { htm: 'POST' } })),
      'DPoP',
    ],
    [
      'with a proof for another path',
      async () => bound(await prove({ claims: { htu: `${site.url}/other` } })),
      'DPoP',
    ],
    [
      'with a proof for another site',
      async () => bound(await prove({ claims: { htu: 'https://other.example/notes' } })),
      'DPoP',
    ],
    [
      'with a proof for another token',
      async () => bound(await prove({ claims: { ath: hash('sha256', 'other', 'base64url') } })),
      'DPoP',
    ],
    [
      'with a proof for the token endpoint',
      async () => bound(await prove({ claims: { ath: undefined } })),
      'DPoP',
    ],
    [
      'with a proof of 90 seconds ago',
      async () => bound(await prove({ claims: { iat: now() - 90 } })),
      'DPoP',
    ],
    [
      'with a proof of the future',
      async () => bound(await prove({ claims: { iat: now() + 90 } })),
      'DPoP',
    ],
    [
      'with a proof without jti',
      async () => bound(await prove({ claims: { jti: undefined } })),
      'DPoP',
    ],
    [
      'with a proof that brings its private key',
      async () => bound(await prove({ header: { jwk: await exportJWK(privateKey) } })),
      'DPoP',
    ],
    [
      'with a proof whose key is of an unknown kind',
      async () => bound(await prove({ header: { jwk: { ...jwk, kty: 'constructor' } } })),
      'DPoP',
    ],
    [
      'with a proof of another type',
      async () => bound(await prove({ header: { typ: 'JWT' } })),
      'DPoP',
    ],
  ])('%s is refused', async (_name, headers, scheme) => {
    const response = await call(await headers())
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(
      new RegExp(`^${scheme} realm="[^"]+", error="(invalid_token|invalid_dpop_proof)"`),
    )
  })
})

test('a token that is not bound is refused with the scheme DPoP', async () => {
  const open = site.provider.accessToken({ sub: 'ada' })
  const response = await call({ authorization: `DPoP ${open}`, dpop: await prove() })
  expect(response.status).toBe(401)
})

test('the log says what is wrong with a proof, and holds nothing of it', async () => {
  await using own = await startSite(routes, { bearer: { audience: AUDIENCE } })
  const jkt = await calculateJwkThumbprint(jwk)
  const fresh = own.provider.accessToken({ sub: 'ada', cnf: { jkt } })
  const dpop = await prove({ claims: { htm: 'PUT' } })
  await fetch(`${own.url}/notes`, { headers: { authorization: `DPoP ${fresh}`, dpop } })
  const line = JSON.stringify(own.log)
  expect(line).toContain('is for another method')
  expect(line).not.toContain(dpop.slice(0, 30))
})

test('with profile: fapi2, a provider that lacks parts of the profile is refused with their names', async () => {
  const { privateKey: clientKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await using own = await startSite(() => {}, { profile: 'fapi2', clientKey })
  const response = await fetch(`${own.url}/login`, { redirect: 'manual' })
  expect(response.status).toBe(502)
  expect(JSON.stringify(own.log)).toMatch(
    /LATCHKEY_PROVIDER_INVALID.*lacks what profile: 'fapi2' needs: .*private_key_jwt.*PS256.*ES256.*dpop_signing/,
  )
})

test('with dpop: true, a provider that does not announce ES256 for proofs is refused at the first login', async () => {
  await using own = await startSite(() => {}, { dpop: true })
  const begin = () => fetch(`${own.url}/login`, { redirect: 'manual' })
  expect((await begin()).status).toBe(502)
  expect(JSON.stringify(own.log)).toMatch(
    /LATCHKEY_PROVIDER_INVALID.*lacks what dpop: true needs: .*ES256.*dpop_signing_alg_values_supported/,
  )
})

test.each([
  [{ dpop: 'required' }, /"dpop" must be true or false/],
  [{ bearer: { audience: AUDIENCE, dpop: true } }, /"bearer.dpop" must be "required"/],
  [{ bearer: { dpop: 'required' } }, /"bearer.audience" is not set/],
])('an application does not start with %j', (options, fault) => {
  expect(() => createAuthRouter(options as AuthOptions)).toThrow(fault)
})

describe('profile: fapi2 refuses at start', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const usual = {
    issuer: 'https://login.example',
    clientId: 'app',
    baseUrl: 'https://app.example',
    session: { secret: 'a session secret of the tests, long enough' },
    profile: 'fapi2',
  } as const

  test.each<[name: string, options: AuthOptions, fault: RegExp]>([
    ['no key', {}, /"clientKey" must be an RSA, P-256 or Ed25519 private key/],
    [
      'a client secret',
      { clientKey: ec, clientAuth: 'client_secret_basic' },
      /"clientAuth" must be "private_key_jwt"/,
    ],
    [
      'requests through the browser',
      { clientKey: ec, pushedAuthorizationRequests: false },
      /"pushedAuthorizationRequests" must not be off/,
    ],
    ['tokens without a key', { clientKey: ec, dpop: false }, /"dpop" must not be off/],
    [
      'RS256',
      { clientKey: rsa, clientAssertion: { algorithm: 'RS256' } },
      /"clientAssertion.algorithm" must be "PS256"/,
    ],
    [
      'the token endpoint as audience',
      { clientKey: ec, clientAssertion: { audience: 'token_endpoint' } },
      /"clientAssertion.audience" must be "issuer"/,
    ],
    ['metadata of its own', { clientKey: ec, metadata: {} }, /"metadata" is not allowed/],
    [
      'discovery elsewhere',
      { clientKey: ec, discoveryUrl: 'https://other.example/' },
      /"discoveryUrl" is not allowed/,
    ],
  ])('%s', (_name, options, fault) => {
    expect(() => createAuthRouter({ ...usual, ...options })).toThrow(fault)
  })

  test('nothing, with a key alone', () => {
    expect(() => createAuthRouter({ ...usual, clientKey: rsa })).not.toThrow()
  })
})
