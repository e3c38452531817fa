import assert from 'node:assert/strict'
import type { MisbehavingProvider } from '../../misbehaving-provider.ts'
import type { TestRoute } from '../application.ts'
import type { Bench, Case, Setup, Site } from '../bench.ts'
import { createProver } from './prover.ts'

const AUDIENCE = 'https://api.example'
const API: TestRoute = {
  method: 'get',
  path: '/api',
  requirement: { accept: ['bearer'] },
  handle: async ({ user }) => ({ body: user().sub }),
}
const GUARDED_TWICE: TestRoute = {
  ...API,
  outer: { accept: ['session', 'bearer'] },
  requirement: { accept: ['bearer'], check: (user) => user.sub === 'ada' },
}
const setup = { routes: [API], options: { bearer: { audience: AUDIENCE } } }
const prover = createProver()

type Headers = Readonly<Record<string, string>>

/** Sends a GET request. Resolves to the status and the challenge, which may be empty. */
async function ask(site: Site, headers: Headers, path = '/api'): Promise<[number, string]> {
  const answer = await site.request(site.server).get(path).set(headers)
  return [answer.status, String(answer.headers['www-authenticate'] ?? '')]
}

function bound(provider: MisbehavingProvider, claims: object = {}): string {
  return provider.accessToken({ sub: 'ada', cnf: prover.cnf(), ...claims })
}

/** Opens a site that introspects opaque tokens. The provider answers with these claims. */
function openIntrospecting(
  { open, provider }: Bench,
  answer: () => Readonly<Record<string, unknown>>,
): Promise<Site> {
  provider.metadata = { introspection_endpoint: `${provider.issuer}/introspect` }
  const options: Setup['options'] = {
    bearer: { audience: AUDIENCE, introspection: true },
    fetch: async (url, init) =>
      String(url).endsWith('/introspect')
        ? Response.json({ active: true, sub: 'ada', aud: AUDIENCE, ...answer() })
        : fetch(url, init),
  }
  return open({ routes: [API], options: { ...options, clientAuth: 'client_secret_post' } })
}

export const proofs: readonly Case[] = [
  [
    'behind two guards a proof is verified once, and counts for that request alone',
    async ({ open, provider }) => {
      const site = await open({ ...setup, routes: [GUARDED_TWICE] })
      const headers = prover.headers(bound(provider))
      assert.deepEqual(await ask(site, headers), [200, ''])
      assert.equal((await ask(site, headers))[0], 401)
      const mallory = prover.headers(bound(provider, { sub: 'mallory' }))
      assert.equal((await ask(site, mallory))[0], 403)
    },
  ],
  [
    'a token that is bound to a key is accepted with the proof of that key, once',
    async ({ open, provider }) => {
      const site = await open(setup)
      const token = bound(provider)
      const headers = prover.headers(token)
      assert.deepEqual(await ask(site, headers), [200, ''])
      const [status, challenge] = await ask(site, headers)
      assert.equal(status, 401)
      assert.match(challenge, /^DPoP .*error="invalid_dpop_proof"/)
      assert.equal((await ask(site, { authorization: `Bearer ${token}` }))[0], 401)
    },
  ],
  [
    'a token is refused unless each binding that it claims is proven: certificates and unknown ones never are',
    async ({ open, provider }) => {
      const site = await open(setup)
      for (const more of [
        { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' },
        { jwk: { kty: 'EC' } },
        { kid: 'one' },
        { later: true },
        { 'x5t#S256': null },
      ]) {
        const both = bound(provider, { cnf: { ...prover.cnf(), ...more } })
        const [status, challenge] = await ask(site, prover.headers(both))
        assert.equal(status, 401, JSON.stringify(more))
        assert.match(challenge, /error="invalid_token"/)
        const alone = provider.accessToken({ sub: 'ada', cnf: more })
        for (const headers of [{ authorization: `Bearer ${alone}` }, prover.headers(alone)]) {
          assert.equal((await ask(site, headers))[0], 401, JSON.stringify(more))
        }
      }
      for (const cnf of [{}, [], 'key', { jkt: 7 }]) {
        const token = provider.accessToken({ sub: 'ada', cnf })
        assert.equal((await ask(site, { authorization: `Bearer ${token}` }))[0], 401)
        assert.equal((await ask(site, prover.headers(token)))[0], 401)
      }
      assert.deepEqual(site.handled, [])
      // A claim that is null counts as absent.
      const unbound = provider.accessToken({ sub: 'ada', cnf: null })
      assert.equal((await ask(site, { authorization: `Bearer ${unbound}` }))[0], 200)
    },
  ],
  [
    'a token that the provider calls DPoP, or of an unknown type, is no bearer token',
    async (bench) => {
      let answer: Readonly<Record<string, unknown>> = {}
      const site = await openIntrospecting(bench, () => answer)
      const bearer = { authorization: 'Bearer opaque' }
      for (const [type, status] of [
        ['Bearer', 200],
        ['bearer', 200],
        [undefined, 200],
        ['DPoP', 401],
        ['dpop', 401],
        ['mac', 401],
        [['Bearer'], 401],
        [null, 200],
      ] as const) {
        answer = { token_type: type }
        assert.equal((await ask(site, bearer))[0], status, `${type}`)
      }
      answer = { token_type: 'dpop', cnf: prover.cnf() }
      assert.equal((await ask(site, bearer))[0], 401)
      assert.equal((await ask(site, prover.headers('opaque')))[0], 200)
    },
  ],
  [
    'a proof is accepted with the algorithms that the challenge lists, and with no other',
    async ({ open, provider }) => {
      const site = await open(setup)
      for (const alg of ['ES256', 'PS256', 'RS256', 'RS512', 'ES384'] as const) {
        const token = provider.accessToken({ sub: 'ada', cnf: prover.cnf(alg) })
        const [status, challenge] = await ask(site, prover.headers(token, { alg }))
        if (status === 200) continue
        assert.equal(status, 401)
        const [, listed = ''] = /algs="([^"]*)"/.exec(challenge) ?? []
        assert.deepEqual(listed.split(' '), ['PS256', 'ES256', 'EdDSA', 'Ed25519'])
        assert.equal(listed.includes(alg), false, `${alg} is listed and refused`)
      }
      assert.equal(site.handled.length, 2)
    },
  ],
  [
    'a proof that is dated ahead is refused the second time at every moment at which it could pass',
    async ({ open, provider }) => {
      const begun = Math.floor(Date.now() / 1000)
      let now = begun
      const site = await open({ ...setup, options: { ...setup.options, now: () => now } })
      const headers = prover.headers(bound(provider), { claims: { iat: begun + 60 } })
      assert.equal((await ask(site, headers))[0], 200)
      for (const passed of [0, 60, 119, 120, 121]) {
        now = begun + passed
        assert.equal((await ask(site, headers))[0], 401, `after ${passed} s`)
      }
    },
  ],
  [
    'the address of a proof may be written in every equivalent form, and in no other',
    async ({ open, provider }) => {
      const site = await open({
        ...setup,
        routes: [{ ...API, path: '/~ada' }],
        options: { ...setup.options, baseUrl: 'https://shop.example' },
      })
      for (const [address, status] of [
        ['https://shop.example/~ada', 200],
        ['HTTPS://Shop.Example:443/%7Eada', 200],
        ['https://shop.example/x/../%7eada', 200],
        ['https://shop.example/./~%61da', 200],
        ['https://shop.example/%257Eada', 401],
        ['https://shop.example/~ada/', 401],
        ['https://shop.example/~ada%2F', 401],
        ['https://shop.example/x%2F..%2F~ada', 401],
        ['https://shop.example/~Ada', 401],
        ['https://shop.example:8443/~ada', 401],
        ['http://shop.example/~ada', 401],
      ] as const) {
        const headers = prover.headers(bound(provider), { claims: { htu: address } })
        assert.equal((await ask(site, headers, '/~ada'))[0], status, address)
      }
    },
  ],
  [
    'where guards require bound tokens, others are refused, and the challenge asks for a proof',
    async ({ open, provider }) => {
      const bearer = { audience: AUDIENCE, dpop: 'required' } as const
      const site = await open({ ...setup, options: { bearer } })
      const unbound = provider.accessToken({ sub: 'ada' })
      for (const headers of [
        { authorization: `Bearer ${unbound}` },
        prover.headers(unbound),
        { authorization: `Bearer ${bound(provider)}` },
        {},
      ]) {
        const [status, challenge] = await ask(site, headers)
        assert.equal(status, 401)
        assert.match(challenge, /^DPoP realm="[^"]+", .*="[^"]*ES256/)
      }
      assert.deepEqual(await ask(site, prover.headers(bound(provider))), [200, ''])
    },
  ],
]
