import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { deleteApplication, updateApplication } from '../../src/domain/applications/applications.ts'
import { addOwner, claimsOf, createCaller, notes, prices } from './support/apis.ts'
import { createClient } from './support/client.ts'
import { createFapiClient } from './support/fapi-client.ts'
import { allStoreKinds, startIssuer } from './support/issuer.ts'

const allowed = { latchkey_client_credentials: 'allowed' }

describe.each(allStoreKinds)('on %s', (store) => {
  test('a program gets a token of its own for an API: its sub is the client_id, and nothing in it is of a login (RFC 9068 §2.2)', async () => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const app = await createCaller(issuer, notes, allowed)
    const tokens = await client.clientCredentialsGrant(app.config, {
      resource: notes,
      scope: 'notes:read',
    })
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 300, scope: 'notes:read' })
    expect(tokens).not.toHaveProperty('refresh_token')
    expect(tokens).not.toHaveProperty('id_token')
    const id = app.config.clientMetadata().client_id
    const claims = claimsOf(tokens.access_token)
    expect(claims).toMatchObject({
      ...{ iss: issuer.url, aud: notes, sub: id, client_id: id, scope: 'notes:read' },
    })
    expect(Object.keys(claims).toSorted()).toEqual(
      ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'scope', 'sub'].toSorted(),
    )
  })

  test('an application without redirect URLs can do so as well, and cannot log anybody in', async () => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const metadata = { latchkey_resources: notes, ...allowed }
    const application = await issuer.addApplication({ redirectUrls: [], metadata })
    const { config } = await createClient(issuer, application)
    const tokens = await client.clientCredentialsGrant(config, { resource: notes })
    expect(tokens.scope).toBe('notes:read notes:write')
  })

  test('without resource the token is for the only API of the application, and of several the request names one', async () => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const one = await createCaller(issuer, { [notes]: 'notes:read' }, allowed)
    const tokens = await client.clientCredentialsGrant(one.config)
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: notes, scope: 'notes:read' })
    for (const apis of ['', `${notes} ${prices}`]) {
      const { config } = await createCaller(issuer, apis, allowed)
      await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({
        error: 'invalid_target',
        error_description: expect.stringContaining('latchkey_resources'),
      })
    }
  })

  test.each([
    ['a scope that the API does not have', { scope: 'notes:burn' }, 'invalid_scope'],
    ['a scope that the application may not ask for', { scope: 'notes:write' }, 'invalid_scope'],
    ['a scope of logins', { scope: 'openid notes:read' }, 'invalid_scope'],
    ['offline access', { scope: 'offline_access' }, 'invalid_scope'],
    ['another API', { resource: prices }, 'invalid_target'],
  ])('a program that asks for %s is refused', async (_, asked, error) => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const { config } = await createCaller(issuer, { [notes]: 'notes:read' }, allowed)
    await expect(
      client.clientCredentialsGrant(config, { resource: notes, ...asked }),
    ).rejects.toMatchObject({ error })
  })

  test('an API that declares no scopes gets a token without any', async () => {
    await using issuer = await startIssuer({ store })
    const { config } = await createCaller(issuer, prices, allowed)
    const tokens = await client.clientCredentialsGrant(config)
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: prices })
    expect(claimsOf(tokens.access_token)).not.toHaveProperty('scope')
  })

  test('an application gets none unless its metadata allows it, and none once that or the application is gone', async () => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const { config } = await createCaller(issuer, notes)
    const refused = {
      error: 'unauthorized_client',
      error_description: expect.stringContaining('latchkey_client_credentials'),
    }
    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject(refused)

    const metadata = { latchkey_resources: notes }
    const application = await issuer.addApplication({ metadata: { ...metadata, ...allowed } })
    const later = await createClient(issuer, application)
    await client.clientCredentialsGrant(later.config)
    await updateApplication(issuer.scope, application.id, { ...application, metadata })
    await expect(client.clientCredentialsGrant(later.config)).rejects.toMatchObject(refused)
    await deleteApplication(issuer.scope, application.id)
    await expect(client.clientCredentialsGrant(later.config)).rejects.toMatchObject({
      status: 401,
    })
  })

  test('an application with a key gets a token that is bound to its DPoP key', async () => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const metadata = { latchkey_resources: notes, ...allowed }
    const { config, DPoP } = await createFapiClient(issuer, { metadata })
    await expect(client.clientCredentialsGrant(config)).rejects.toThrow()
    const tokens = await client.clientCredentialsGrant(config, {}, { DPoP })
    const jkt = await DPoP.calculateThumbprint()
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: notes, cnf: { jkt } })
  })

  test('a wrong secret gets none, and a public application cannot be allowed to', async () => {
    await using issuer = await startIssuer({ store })
    await addOwner(issuer)
    const metadata = { latchkey_resources: notes, ...allowed }
    const application = await issuer.addApplication({ metadata })
    const { config } = await createClient(
      { ...issuer, secretOf: () => 'a wrong secret' },
      application,
    )
    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({
      status: 401,
    })
    for (const kind of ['public', 'native']) {
      const open = { ...metadata, latchkey_client: kind }
      await expect(issuer.addApplication({ metadata: open })).rejects.toMatchObject({
        code: 'invalid_metadata',
        message: expect.stringContaining(`"latchkey_client" is "${kind}"`),
      })
    }
  })
})
