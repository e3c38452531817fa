import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import type { Metadata } from '../../src/store/records.ts'
import {
  ada,
  addOwner,
  answerTo,
  claimsOf,
  createCaller,
  notes,
  owner,
  prices,
  tokensFor,
} from './support/apis.ts'
import { createBrowser } from './support/browser.ts'
import { allStoreKinds, startIssuer } from './support/issuer.ts'

describe.each(allStoreKinds)('on %s', (store) => {
  test('a token for an API has the scopes that were asked for, and a refresh keeps or narrows them', async () => {
    await using issuer = await startIssuer({ store })
    const user = await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const scope = 'openid offline_access notes:read notes:write'
    const tokens = await tokensFor(issuer, app, scope)
    expect(tokens.scope).toBe('notes:read notes:write')
    expect(claimsOf(tokens.access_token)).toMatchObject({
      ...{ iss: issuer.url, aud: notes, sub: user.id, scope: 'notes:read notes:write' },
      client_id: app.config.clientMetadata().client_id,
    })

    const kept = await client.refreshTokenGrant(app.config, tokens.refresh_token ?? '', {
      resource: notes,
    })
    expect(claimsOf(kept.access_token)).toMatchObject({ scope: 'notes:read notes:write' })
    const narrowed = await client.refreshTokenGrant(app.config, kept.refresh_token ?? '', {
      resource: notes,
      scope: 'openid notes:read',
    })
    expect(narrowed.scope).toBe('notes:read')
    expect(claimsOf(narrowed.access_token)).toMatchObject({ scope: 'notes:read' })
    const again = await client.refreshTokenGrant(app.config, narrowed.refresh_token ?? '', {
      resource: notes,
    })
    expect(claimsOf(again.access_token)).toMatchObject({ scope: 'notes:read notes:write' })
  })

  test('a refresh never widens: a scope that the login did not ask for is refused, and the token stays good', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const first = await tokensFor(issuer, app, 'openid offline_access notes:read')
    const token = first.refresh_token ?? ''
    await expect(
      client.refreshTokenGrant(app.config, token, {
        resource: notes,
        scope: 'notes:read notes:write',
      }),
    ).rejects.toMatchObject({ error: 'invalid_scope' })
    const kept = await client.refreshTokenGrant(app.config, token, { resource: notes })
    expect(claimsOf(kept.access_token)).toMatchObject({ scope: 'notes:read' })
  })

  test('a second login for fewer scopes gets a token with those alone, though the user has the session of the first', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const browser = createBrowser(issuer)
    const scopes: unknown[] = []
    for (const scope of ['openid notes:read notes:write', 'openid notes:read', 'openid']) {
      const begun = await app.begin({ scope, resource: notes })
      const page = await browser.get(begun.url)
      const { location = '' } = page.location ? page : await browser.submit(page, ada)
      const tokens = await client.authorizationCodeGrant(
        app.config,
        new URL(location),
        begun.checks,
        { resource: notes },
      )
      scopes.push(claimsOf(tokens.access_token).scope)
    }
    expect(scopes).toEqual(['notes:read notes:write', 'notes:read', undefined])
  })

  test('a scope of the API that the application may not ask for is refused with invalid_scope, which names the metadata', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, { [notes]: 'notes:read' })
    const { callback } = await answerTo(issuer, app, 'openid notes:read notes:write')
    expect(callback.searchParams.get('error')).toBe('invalid_scope')
    expect(callback.searchParams.get('error_description')).toMatch(
      /notes:write.*latchkey_resources/,
    )
    const tokens = await tokensFor(issuer, app, 'openid notes:read')
    expect(claimsOf(tokens.access_token)).toMatchObject({ scope: 'notes:read' })
  })

  test('an unknown scope beside openid is left out, and the answer says which scopes were granted (OpenID Connect Core §3.1.2.1, RFC 6749 §3.3)', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const tokens = await tokensFor(issuer, app, 'openid notes:read notes:burn')
    expect(tokens.scope).toBe('notes:read')
    expect(claimsOf(tokens.access_token)).toMatchObject({ scope: 'notes:read' })
  })

  test('of two APIs, the token of each has the scopes of that one', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    await addOwner(issuer)
    await addOwner(issuer, {
      latchkey_api: prices,
      latchkey_api_scopes: '{"prices:read":"See what things cost"}',
    })
    const app = await createCaller(issuer, `${notes} ${prices}`)
    const scope = 'openid offline_access notes:read prices:read'
    const tokens = await tokensFor(issuer, app, scope, [notes, prices])
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: notes, scope: 'notes:read' })
    const other = await client.refreshTokenGrant(app.config, tokens.refresh_token ?? '', {
      resource: prices,
    })
    expect(claimsOf(other.access_token)).toMatchObject({ aud: prices, scope: 'prices:read' })
  })

  test('an API of no application has no scopes, as before', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createCaller(issuer, notes)
    const tokens = await tokensFor(issuer, app, 'openid notes:read')
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: notes })
    expect(claimsOf(tokens.access_token)).not.toHaveProperty('scope')
  })

  test('scopes that the API or the caller loses are not in the next token', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const api = await addOwner(issuer)
    const app = await createCaller(issuer, notes)
    const tokens = await tokensFor(issuer, app, 'openid offline_access notes:read notes:write')
    const metadata = { ...owner, latchkey_api_scopes: '{"notes:read":"Read your notes"}' }
    await updateApplication(issuer.scope, api.id, { ...api, metadata })
    const next = await client.refreshTokenGrant(app.config, tokens.refresh_token ?? '', {
      resource: notes,
    })
    expect(claimsOf(next.access_token)).toMatchObject({ scope: 'notes:read' })
  })

  test.each([
    ['an API that is no absolute URI', { latchkey_api: 'notes' }, '"notes"'],
    ['an API with a fragment', { latchkey_api: `${notes}#1` }, 'fragment'],
    ['an API of 501 bytes', { latchkey_api: `https://a.example/${'x'.repeat(483)}` }, '501 bytes'],
    ['scopes without an API', { latchkey_api_scopes: owner.latchkey_api_scopes }, 'latchkey_api"'],
    ['scopes that are no object', { ...owner, latchkey_api_scopes: 'notes:read' }, 'JSON object'],
    ['scopes that are a list', { ...owner, latchkey_api_scopes: '["notes:read"]' }, 'JSON object'],
    ['a scope with a space', scoped({ 'notes read': 'Read' }), '"notes read"'],
    ['a scope of 61 bytes', scoped({ ['x'.repeat(61)]: 'Read' }), '61 bytes'],
    [
      'a scope of logins',
      scoped({ email: 'See your address' }),
      '"email", which is a scope of logins',
    ],
    ['a scope without a sentence', scoped({ 'notes:read': ' ' }), 'no sentence'],
    ['a sentence of 201 bytes', scoped({ 'notes:read': `${'ä'.repeat(100)}x` }), '201 bytes'],
    ['a sentence with a line break', scoped({ 'notes:read': 'Read\nyours' }), 'line break'],
    ['a sentence that turns around', scoped({ 'notes:read': 'Read \u202eyours' }), 'shows nothing'],
    [
      '31 scopes',
      scoped(Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`s${at}`, 'Do']))),
      '31 scopes',
    ],
    ['resources that are half an object', { latchkey_resources: '{"https:' }, 'JSON object'],
    ['resources with a scope in quotes', { latchkey_resources: `{"${notes}":"\\"x\\""}` }, notes],
    ['resources without text', { latchkey_resources: `{"${notes}":true}` }, 'no text'],
    ['resources with a wrong name', { latchkey_resources: '{"notes":"notes:read"}' }, '"notes"'],
  ])('%s is refused with what is wrong', async (_, metadata, found) => {
    await using issuer = await startIssuer({ store })
    await expect(issuer.addApplication({ metadata: metadata as Metadata })).rejects.toMatchObject({
      code: 'invalid_metadata',
      message: expect.stringContaining(found),
    })
  })

  test('an API belongs to one application of the tenant, which may change it', async () => {
    await using issuer = await startIssuer({ store })
    const first = await addOwner(issuer)
    const refused = { code: 'invalid_metadata', message: expect.stringContaining(first.id) }
    await expect(addOwner(issuer)).rejects.toMatchObject(refused)
    const { application, scope } = issuer
    const taken = updateApplication(scope, application.id, { ...application, metadata: owner })
    await expect(taken).rejects.toMatchObject(refused)
    const metadata = { ...owner, latchkey_api_scopes: '{"notes:read":"Read all notes"}' }
    expect((await updateApplication(scope, first.id, { ...first, metadata })).metadata).toEqual(
      metadata,
    )
  })
})

function scoped(scopes: Record<string, string>) {
  return { ...owner, latchkey_api_scopes: JSON.stringify(scopes) }
}
