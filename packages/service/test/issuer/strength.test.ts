import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

const mfa = 'https://refeds.org/profile/mfa'

describe.each(storeKinds)('on %s', (store) => {
  test('the ID token of a login with a password says so, and so does a refreshed one', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const scope = 'openid offline_access'

    const { begun, callback } = await logIn(issuer, app, ada, undefined, { scope })
    const tokens = await app.redeem(begun, callback)
    const refreshed = await client.refreshTokenGrant(app.config, tokens.refresh_token ?? '')

    for (const claims of [tokens.claims(), refreshed.claims()]) {
      expect(claims).toMatchObject({ amr: ['pwd'] })
      expect(claims).not.toHaveProperty('acr')
    }
  })

  test('a login with a password does not claim the strength that the application asked for', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const app = await createClient(issuer)

    const { begun, callback } = await logIn(issuer, app, ada, undefined, { acr_values: mfa })
    const claims = (await app.redeem(begun, callback)).claims()

    expect(claims).toMatchObject({ amr: ['pwd'] })
    expect(claims).not.toHaveProperty('acr')
  })
})
