import { generateKeyPairSync, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { futureCallbackPath } from '../../src/domain/connections/connections.ts'
import { findUser } from '../../src/domain/users/users.ts'
import { appleSecret } from '../../src/issuer/social/apple-secret.ts'
import { createBrowser } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { hasCode } from './support/factors.ts'
import { instantPasswords } from './support/instant-passwords.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'
import { connect } from './support/social.ts'
import { ada } from './support/token-endpoint.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe.each(storeKinds)('on %s', (store) => {
  test('users log in at another service of the same kind', async () => {
    await using upstream = await startIssuer({ store, passwords: instantPasswords })
    const settings = { allowSocial: true }
    await using issuer = await startIssuer({ store, settings, passwords: instantPasswords })
    await upstream.addUser(ada)
    const application = await upstream.addApplication({
      redirectUrls: [redirectUriOf(issuer, upstream.url)],
    })
    const provider = {
      issuer: upstream.url,
      clientId: application.id,
      clientSecret: upstream.secretOf(application),
    }
    const { id } = await connect(issuer, provider, { trustEmail: true })
    const app = await createClient(issuer)
    const begun = await app.begin()
    const browser = createBrowser(issuer)
    const there = createBrowser(upstream)

    const sent = await browser.submit(await browser.get(begun.url), { connection: id })
    const back = await there.submit(await there.get(sent.location ?? ''), ada)
    const done = await browser.get(back.location ?? '')

    const claims = (await app.redeem(begun, done)).claims()
    expect(claims).toMatchObject({
      email: ada.email,
      email_verified: true,
      name: 'Ada Lovelace',
      amr: ['fed'],
    })
    expect(upstream.problems).toEqual([])
  })

  test('users log in at a bare oidc-provider, which tells the address in its userinfo alone', async () => {
    const settings = { allowSocial: true }
    await using issuer = await startIssuer({ store, settings, passwords: instantPasswords })
    await using upstream = await startBare((there) => redirectUriOf(issuer, there))
    const { id } = await connect(issuer, upstream, { trustEmail: true, name: 'Bare' })
    const app = await createClient(issuer)
    const begun = await app.begin()
    const browser = createBrowser(issuer)
    const there = createBrowser({ url: upstream.issuer, fetch: issuer.fetch })

    const sent = await browser.submit(await browser.get(begun.url), { connection: id })
    const login = await there.get(sent.location ?? '')
    const consent = await there.submit(login, { login: 'ada', password: 'any' })
    const back = await there.submit(consent, {})
    const done = await browser.get(back.location ?? '')

    expect(hasCode(done)).toBe(true)
    expect(await findUser(issuer.scope, ada.email)).toMatchObject({ profile: { name: 'Ada' } })
  })
})

/** The redirect URI of a connection at a provider, before the connection exists. */
const redirectUriOf = (issuer: TestIssuer, provider: string): string =>
  issuer.url + futureCallbackPath({ recipe: 'oidc', issuer: provider })

/** An oidc-provider as its makers set it up, with its own pages. */
async function startBare(redirectUriAt: (issuer: string) => string) {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'info').mockImplementation(() => {})
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://bare.localhost:${(server.address() as AddressInfo).port}`
  const clientSecret = 'a secret of the bare provider'
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'latchkey',
        client_secret: clientSecret,
        redirect_uris: [redirectUriAt(issuer)],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: async (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, email: ada.email, email_verified: true, name: 'Ada' }),
    }),
  })
  const handle = provider.callback()
  server.on('request', (request, response) => void handle(request, response))
  return {
    issuer,
    clientId: 'latchkey',
    clientSecret,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('the client secret for Apple is a statement that lasts for minutes, signed with the key of the team', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const connection = {
    issuer: 'https://appleid.apple.com',
    clientId: 'com.example.web',
    apple: { teamId: 'TEAM', keyId: 'KEY' },
  }
  const [header = '', claims = '', signature = ''] = appleSecret(
    connection,
    pem,
    1_700_000_000_500,
  ).split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

  expect(read(header)).toEqual({ alg: 'ES256', kid: 'KEY' })
  expect(read(claims)).toEqual({
    iss: 'TEAM',
    iat: 1_700_000_000,
    exp: 1_700_000_300,
    aud: 'https://appleid.apple.com',
    sub: 'com.example.web',
  })
  const signed = Buffer.from(`${header}.${claims}`)
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true)
})
