import * as client from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { rotateSigningKey } from '../../src/domain/keys/signing-keys.ts'
import { createClient, logIn } from './support/client.ts'
import {
  applicationUrl,
  movesTheClock,
  startIssuer,
  storeKinds,
  type TestIssuer,
} from './support/issuer.ts'

movesTheClock()

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

afterEach(() => {
  vi.useRealTimers()
})

async function publishedKids(issuer: TestIssuer): Promise<string[]> {
  const answer = await issuer.fetch(`${issuer.url}/oidc/jwks`)
  const { keys } = (await answer.json()) as { keys: { kid: string; alg: string }[] }
  return keys.filter(({ alg }) => alg === 'RS256').map(({ kid }) => kid)
}

function kidOf(jwt: string | undefined): string {
  return JSON.parse(Buffer.from(jwt?.split('.')[0] ?? '', 'base64url').toString()).kid
}

describe.each(storeKinds)('on %s', (store) => {
  test('a rotated key signs from then on, and ends no session, refresh token or logout', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const scope = { scope: 'openid offline_access' }
    const { begun, callback, browser } = await logIn(issuer, app, ada, undefined, scope)
    const before = await app.redeem(begun, callback)
    const kid = await rotateSigningKey(issuer.scope)

    expect(await publishedKids(issuer)).toEqual([kid, kidOf(before.id_token)])
    const fresh = await createClient(issuer)
    const next = await fresh.begin()
    const tokens = await fresh.redeem(next, await browser.get(next.url))
    expect(kidOf(tokens.id_token)).toBe(kid)
    const refreshed = await client.refreshTokenGrant(fresh.config, before.refresh_token ?? '')
    expect(kidOf(refreshed.id_token)).toBe(kid)

    const logout = client.buildEndSessionUrl(fresh.config, {
      post_logout_redirect_uri: `${applicationUrl}/logged-out`,
      id_token_hint: before.id_token ?? '',
    })
    expect((await browser.get(logout.href)).location).toBe(`${applicationUrl}/logged-out`)
  })

  test('a withdrawn key is no longer trusted, and sessions and refresh tokens stay valid', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const scope = { scope: 'openid offline_access' }
    const { begun, callback, browser } = await logIn(issuer, app, ada, undefined, scope)
    const before = await app.redeem(begun, callback)
    const options = { withdrawEarlier: true }
    const kid = await rotateSigningKey(issuer.scope, options)

    expect(await publishedKids(issuer)).toEqual([kid])
    const fresh = await createClient(issuer)
    const next = await fresh.begin()
    expect(kidOf((await fresh.redeem(next, await browser.get(next.url))).id_token)).toBe(kid)
    const refreshed = await client.refreshTokenGrant(fresh.config, before.refresh_token ?? '')
    expect(kidOf(refreshed.id_token)).toBe(kid)
    // The person is asked, as without a hint.
    const logout = client.buildEndSessionUrl(fresh.config, {
      post_logout_redirect_uri: `${applicationUrl}/logged-out`,
      id_token_hint: before.id_token ?? '',
    })
    const question = await browser.get(logout.href)
    expect(question.status).toBe(200)
    expect(question.html).toContain('Log out?')
  })

  test('a key that has not signed for 90 days is no longer published after the next rotation', async () => {
    await using issuer = await startIssuer({ store })
    const [first] = await publishedKids(issuer)
    const second = await rotateSigningKey(issuer.scope)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 91 * 86_400_000 })
    const third = await rotateSigningKey(issuer.scope)
    expect(await publishedKids(issuer)).toEqual([third, second])
    expect(first).not.toBe(second)
  })

  test('signing keys are published without their private parts and stored encrypted', async () => {
    await using issuer = await startIssuer({ store })
    const answer = await issuer.fetch(`${issuer.url}/oidc/jwks`)
    const { keys } = (await answer.json()) as { keys: Record<string, string>[] }
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    const [stored] = await issuer.domain.store.signingKeys.list(issuer.tenant.id)
    expect(stored?.sealedJwk).toMatch(/^v1\./)
    expect(stored?.sealedJwk).not.toContain(keys[0]?.n)
  })
})

test('a tenant that moves to another domain issues there at once', async () => {
  await using issuer = await startIssuer()
  const domain = `other.localhost:${issuer.port}`
  await issuer.changeSettings({ domain })
  const answer = await issuer.fetch(`http://${domain}/.well-known/openid-configuration`)
  expect(((await answer.json()) as { issuer: string }).issuer).toBe(`http://${domain}`)
  expect((await issuer.fetch(`${issuer.url}/oidc/jwks`)).status).toBe(421)
})
