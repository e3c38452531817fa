import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import { anAudit } from '../store/records.ts'
import { createBrowser } from './support/browser.ts'
import { type Client, createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const notes = 'https://notes.example/api'
const prices = 'urn:example:prices'

/** An application that may call two APIs. */
async function createCaller(issuer: TestIssuer): Promise<Client> {
  const metadata = { latchkey_resources: `${notes} ${prices}` }
  return createClient(issuer, await issuer.addApplication({ metadata }))
}

/** Logs in for these resources, and redeems the code for a token of one. */
async function tokensFor(issuer: TestIssuer, app: Client, asked: string[], resource?: string) {
  const begun = await app.begin({ scope: 'openid email offline_access', prompt: 'consent' })
  const url = new URL(begun.url)
  for (const one of asked) url.searchParams.append('resource', one)
  const browser = createBrowser(issuer)
  const callback = await browser.submit(await browser.get(url.href), ada)
  return client.authorizationCodeGrant(
    app.config,
    new URL(callback.location ?? ''),
    begun.checks,
    resource === undefined ? {} : { resource },
  )
}

function partsOf(jwt: string): Record<string, unknown>[] {
  const parts = jwt.split('.').slice(0, 2)
  return parts.map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
}

describe.each(storeKinds)('on %s', (store) => {
  test('an application gets a JWT access token for an API that its metadata names, and a new one by refreshing', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createCaller(issuer)
    const tokens = await tokensFor(issuer, app, [notes, prices], notes)
    const [header, claims] = partsOf(tokens.access_token)
    expect(header).toMatchObject({ typ: 'at+jwt', alg: 'RS256', kid: expect.any(String) })
    const login = partsOf(tokens.id_token ?? '')[1]
    expect(claims).toMatchObject({
      ...{ iss: issuer.url, aud: notes, sub: user.id, jti: expect.any(String) },
      client_id: app.config.clientMetadata().client_id,
      auth_time: login?.auth_time,
      amr: login?.amr,
    })
    expect(Object.keys(claims ?? {})).not.toContain('scope')
    expect(Number(claims?.exp) - Number(claims?.iat)).toBe(300)
    expect(tokens.expires_in).toBe(300)

    const refreshed = await client.refreshTokenGrant(app.config, tokens.refresh_token ?? '', {
      resource: prices,
    })
    expect(partsOf(refreshed.access_token)[1]).toMatchObject({
      ...{ aud: prices, sub: user.id, auth_time: login?.auth_time },
    })
  })

  test('a token for an API is not valid at userinfo, and without "resource" at the token endpoint the token is for userinfo', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const app = await createCaller(issuer)
    const forApi = await tokensFor(issuer, app, [notes], notes)
    await expect(
      client.fetchUserInfo(app.config, forApi.access_token, user.id),
    ).rejects.toMatchObject({ status: 401 })
    const forUserInfo = await tokensFor(issuer, app, [notes])
    expect(forUserInfo.access_token).not.toContain('.')
    expect(await client.fetchUserInfo(app.config, forUserInfo.access_token, user.id)).toMatchObject(
      { email: ada.email },
    )
  })

  test.each([
    ['an API that the metadata does not name', 'https://other.example/api'],
    ['the same address with a slash', `${notes}/`],
    ['a name that is no URI', 'notes'],
    ['an address with a fragment', `${notes}#1`],
  ])('a login that asks for %s is refused with invalid_target', async (_, resource) => {
    await using issuer = await startIssuer({ store })
    const app = await createCaller(issuer)
    const { url } = await app.begin({ resource })
    const { location } = await createBrowser(issuer).get(url)
    expect(new URL(location ?? '').searchParams.get('error')).toBe('invalid_target')
  })

  test('the token endpoint refuses an API that the login did not ask for, and two at once, with invalid_target', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createCaller(issuer)
    const refused = { error: 'invalid_target' }
    await expect(tokensFor(issuer, app, [notes], prices)).rejects.toMatchObject(refused)
    const { refresh_token: token = '' } = await tokensFor(issuer, app, [notes, prices], notes)
    const both = new URLSearchParams([
      ['resource', notes],
      ['resource', prices],
    ])
    await expect(client.refreshTokenGrant(app.config, token, both)).rejects.toMatchObject(refused)
  })

  test('a token request that is refused for its API does not use up the code, which still works only once', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createCaller(issuer)
    const begun = await app.begin()
    const url = new URL(begun.url)
    url.searchParams.append('resource', notes)
    const browser = createBrowser(issuer)
    const { location = '' } = await browser.submit(await browser.get(url.href), ada)
    const redeem = (...resources: string[]) =>
      client.authorizationCodeGrant(
        app.config,
        new URL(location),
        begun.checks,
        new URLSearchParams(resources.map((one): [string, string] => ['resource', one])),
      )

    for (const asked of [[prices], [notes, prices], ['urn:example:unknown']]) {
      await expect(redeem(...asked)).rejects.toMatchObject({ error: 'invalid_target' })
    }
    const tokens = await redeem(notes)
    expect(partsOf(tokens.access_token)[1]).toMatchObject({ aud: notes })
    for (const asked of [[notes], [prices]]) {
      await expect(redeem(...asked)).rejects.toMatchObject({ error: 'invalid_grant' })
    }
  })

  test('a refresh that is refused for its API does not use up the refresh token', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createCaller(issuer)
    const { refresh_token: token = '' } = await tokensFor(issuer, app, [notes], notes)
    const refresh = (...resources: string[]) =>
      client.refreshTokenGrant(
        app.config,
        token,
        new URLSearchParams(resources.map((one): [string, string] => ['resource', one])),
      )

    for (const asked of [[prices], [notes, prices]]) {
      await expect(refresh(...asked)).rejects.toMatchObject({ error: 'invalid_target' })
    }
    expect(partsOf((await refresh(notes)).access_token)[1]).toMatchObject({ aud: notes })
  })

  test('an application without the metadata gets no token for any API', async () => {
    await using issuer = await startIssuer({ store })
    const app = await createClient(issuer)
    const { url } = await app.begin({ resource: notes })
    const { location } = await createBrowser(issuer).get(url)
    expect(new URL(location ?? '').searchParams.get('error')).toBe('invalid_target')
  })

  test('an API that the metadata no longer names gets no new token, and a disabled user neither', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    const metadata = { latchkey_resources: notes }
    const application = await issuer.addApplication({ metadata })
    const app = await createClient(issuer, application)
    const tokens = await tokensFor(issuer, app, [notes], notes)
    const refresh = (token = '') => client.refreshTokenGrant(app.config, token, { resource: notes })
    const again = await refresh(tokens.refresh_token)
    await issuer.changeUser(user, { disabled: true })
    await expect(refresh(again.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
    await issuer.changeUser(user, { disabled: false })

    const others = await tokensFor(issuer, app, [notes], notes)
    await updateApplication(issuer.scope, application.id, { ...application, metadata: {} })
    await expect(refresh(others.refresh_token)).rejects.toMatchObject({ error: 'invalid_target' })
  })

  test('a name in latchkey_resources that is no absolute URI is refused, and one that is stored already may stay', async () => {
    await using issuer = await startIssuer({ store })
    for (const name of ['notes', '/api', `${notes}#1`]) {
      const metadata = { latchkey_resources: `${prices} ${name}` }
      await expect(issuer.addApplication({ metadata })).rejects.toMatchObject({
        code: 'invalid_metadata',
        message: expect.stringContaining(`"${name}"`),
      })
    }
    const { domain, scope, application, tenant } = issuer
    const metadata = { latchkey_resources: `notes ${prices}` }
    const audit = anAudit('test', { tenantId: tenant.id, target: application.id })
    await domain.store.applications.update(
      tenant.id,
      application.id,
      (last) => ({ ...last, metadata }),
      audit,
    )
    const input = { ...application, metadata }
    expect((await updateApplication(scope, application.id, input)).metadata).toEqual(metadata)
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const { begun, callback } = await logIn(issuer, app, ada, undefined, { resource: prices })
    expect((await app.redeem(begun, callback)).access_token).toMatch(/./)
  })
})

test('of two tabs of a new browser, the one that starts over asks for all its APIs again', async () => {
  await using issuer = await startIssuer()
  const app = await createCaller(issuer)
  const browser = createBrowser(issuer)
  const urls = await Promise.all([app.begin(), app.begin()])
  const tabs = urls.map(({ url }) => browser.peek(`${url}&resource=${notes}&resource=${prices}`))
  const pages = (await Promise.all(tabs)).map(({ location = '' }) => browser.peek(location))
  const again = (await Promise.all(pages)).flatMap(({ location }) => location ?? [])
  expect(again).toHaveLength(1)
  const { pathname, searchParams } = new URL(again[0] ?? '', issuer.url)
  expect(pathname).toBe('/oidc/auth')
  expect(searchParams.getAll('resource')).toEqual([notes, prices])
})
