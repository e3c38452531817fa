import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { ada, addOwner, claimsOf, createCaller, notes, prices, tokensFor } from './support/apis.ts'
import { createBrowser } from './support/browser.ts'
import { type Client, createClient } from './support/client.ts'
import { allStoreKinds, startIssuer, type TestIssuer } from './support/issuer.ts'

/** The answer to an authorization request as a client of plain OAuth sends it, without a nonce. */
async function ask(
  issuer: TestIssuer,
  app: Client,
  parameters: Record<string, string | readonly string[] | undefined>,
) {
  const begun = await app.begin()
  const url = new URL(begun.url)
  for (const name of ['nonce', 'scope']) url.searchParams.delete(name)
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value ?? []].flat()) url.searchParams.append(name, one)
  }
  const browser = createBrowser(issuer)
  const page = await browser.get(url.href)
  const { location = '' } = page.location ? page : await browser.submit(page, ada)
  const { expectedState, pkceCodeVerifier } = begun.checks
  const callback = new URL(location)
  return {
    error: callback.searchParams.get('error'),
    description: callback.searchParams.get('error_description'),
    redeem: (resource?: string) =>
      client.authorizationCodeGrant(
        app.config,
        callback,
        { expectedState, pkceCodeVerifier },
        resource === undefined ? {} : { resource },
      ),
  }
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('a login without openid gets a token for the API, named in the token request or not, and no ID Token', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    for (const resource of [notes, undefined]) {
      const { redeem } = await ask(issuer, app, { scope: 'notes:read', resource: notes })
      const tokens = await redeem(resource)
      expect(tokens.id_token).toBeUndefined()
      expect(tokens.refresh_token).toBeUndefined()
      expect(tokens.scope).toBe('notes:read')
      expect(claimsOf(tokens.access_token)).toMatchObject({
        ...{ aud: notes, sub: user.id, scope: 'notes:read', auth_time: expect.any(Number) },
      })
    }
  })

  test('with offline_access it is refreshed, for the same API', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const { redeem } = await ask(issuer, app, {
      scope: 'offline_access notes:read notes:write',
      resource: notes,
    })
    const first = await redeem()
    const next = await client.refreshTokenGrant(app.config, first.refresh_token ?? '')
    expect(next.id_token).toBeUndefined()
    expect(claimsOf(next.access_token)).toMatchObject({
      ...{ aud: notes, scope: 'notes:read notes:write' },
    })
  })

  test('without scope it gets every scope that the application may ask for (RFC 6749 §3.3)', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const all = await createCaller(issuer, notes)
    const some = await createCaller(issuer, { [notes]: 'notes:read' })
    const scopes: unknown[] = []
    for (const app of [all, some]) {
      const { redeem } = await ask(issuer, app, { resource: notes })
      const tokens = await redeem()
      scopes.push(tokens.scope, claimsOf(tokens.access_token).scope)
    }
    expect(scopes).toEqual([
      ...['notes:read notes:write', 'notes:read notes:write'],
      ...['notes:read', 'notes:read'],
    ])
  })

  test('without resource it is for the API of an application that may call one only (RFC 8707 §2)', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const { redeem } = await ask(issuer, app, { scope: 'notes:read' })
    expect(claimsOf((await redeem()).access_token)).toMatchObject({
      ...{ aud: notes, scope: 'notes:read' },
    })
  })

  test.each([
    ['none', '', {}],
    ['two', `${notes} ${prices}`, { scope: 'notes:read' }],
  ])('without resource it is refused if the application may call %s', async (_, apis, asked) => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const app = await createCaller(issuer, apis)
    const { error, description } = await ask(issuer, app, asked)
    expect(error).toBe('invalid_request')
    expect(description).toMatch(/add openid to the scope of the request.*resource/)
  })

  test.each([
    ['a scope that is not known', { scope: 'notes:read notes:burn' }, 'notes:burn'],
    ['no scope, of an API that has none', { resource: prices }, 'openid'],
    ['a scope that it may not have', { resource: notes, scope: 'notes:write' }, 'notes:write'],
  ])('asking for %s without openid is refused with invalid_scope', async (_, asked, named) => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const app = await createCaller(issuer, { [notes]: 'notes:read', [prices]: '' })
    const { error, description } = await ask(issuer, app, { resource: notes, ...asked })
    expect(error).toBe('invalid_scope')
    expect(description).toContain(named)
  })

  test.each(['openid notes:read', 'notes:read'])(
    'a request with the scope %s for more than 20 resources is refused with invalid_target',
    async (scope) => {
      await using issuer = await startIssuer({ store })
      await addOwner(issuer)
      const metadata = {
        latchkey_client: 'public',
        latchkey_resources: notes,
        latchkey_device_login: 'allowed',
      }
      const application = await issuer.addApplication({ metadata })
      const app = await createClient(issuer, application)
      const send = async (path: string, resources: number) => {
        const { searchParams: body } = new URL((await app.begin({ scope })).url)
        // A client of plain OAuth sends no nonce.
        body.delete('nonce')
        for (let n = 0; n < resources; n++) body.append('resource', notes)
        const response = await issuer.fetch(`${issuer.url}${path}`, { method: 'POST', body })
        const { error } = (await response.json()) as { error?: string }
        return error ?? response.status
      }
      expect([await send('/oidc/par', 20), await send('/oidc/par', 21)]).toEqual([
        201,
        'invalid_target',
      ])
      expect([await send('/oidc/device', 20), await send('/oidc/device', 21)]).toEqual([
        200,
        'invalid_target',
      ])
      const { error } = await ask(issuer, app, { scope, resource: Array(21).fill(notes) })
      expect(error).toBe('invalid_target')
    },
  )

  test('of two APIs, the token request names one; without it, the request is refused and the code stays good', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    await addOwner(issuer, {
      latchkey_api: prices,
      latchkey_api_scopes: '{"prices:read":"See what things cost"}',
    })
    const app = await createCaller(issuer, `${notes} ${prices}`)
    const { redeem } = await ask(issuer, app, {
      scope: 'offline_access notes:read prices:read',
      resource: [notes, prices],
    })
    await expect(redeem()).rejects.toMatchObject({ error: 'invalid_target' })
    const tokens = await redeem(prices)
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: prices, scope: 'prices:read' })
    const token = tokens.refresh_token ?? ''
    await expect(client.refreshTokenGrant(app.config, token)).rejects.toMatchObject({
      error: 'invalid_target',
    })
    const next = await client.refreshTokenGrant(app.config, token, { resource: notes })
    expect(claimsOf(next.access_token)).toMatchObject({ aud: notes, scope: 'notes:read' })
  })

  test('a pushed request without openid works as well (RFC 9126)', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const codeVerifier = client.randomPKCECodeVerifier()
    const url = await client.buildAuthorizationUrlWithPAR(app.config, {
      redirect_uri: app.redirectUri,
      resource: notes,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    })
    const browser = createBrowser(issuer)
    const { location = '' } = await browser.submit(await browser.get(url.href), ada)
    const tokens = await client.authorizationCodeGrant(app.config, new URL(location), {
      pkceCodeVerifier: codeVerifier,
    })
    expect(tokens.id_token).toBeUndefined()
    expect(claimsOf(tokens.access_token)).toMatchObject({ scope: 'notes:read notes:write' })
  })

  test('a token of plain OAuth opens the API and not userinfo, and a login with openid has its ID Token with auth_time', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const { redeem } = await ask(issuer, app, { scope: 'notes:read' })
    const { access_token: token } = await redeem()
    await expect(client.fetchUserInfo(app.config, token, user.id)).rejects.toMatchObject({
      status: 401,
    })
    const withLogin = await tokensFor(issuer, app, 'openid notes:read')
    expect(withLogin.claims()).toMatchObject({ sub: user.id, auth_time: expect.any(Number) })
    expect(claimsOf(withLogin.access_token)).toMatchObject({ aud: notes, scope: 'notes:read' })
  })
})
