import { describe, expect, test } from 'vitest'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import { anAudit } from '../store/records.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

describe.each(storeKinds)('on %s', (store) => {
  test('an application gets the scopes of its metadata latchkey_scopes and no other', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const limited = await issuer.addApplication({ metadata: { latchkey_scopes: 'openid email' } })
    const app = await createClient(issuer, limited)
    const ask = async (scope: string) => {
      const { url } = await app.begin({ scope })
      return new URL((await createBrowser(issuer).get(url)).location ?? '').searchParams
    }
    expect((await ask('openid profile')).get('error')).toBe('invalid_scope')
    expect((await ask('openid offline_access')).get('error')).toBe('invalid_scope')

    const parameters = { scope: 'openid email' }
    const { begun, callback } = await logIn(issuer, app, ada, undefined, parameters)
    expect((await app.redeem(begun, callback)).claims()?.email).toBe(ada.email)
  })

  test('scopes that do not exist, or a list without "openid", are refused with what is wrong', async () => {
    await using issuer = await startIssuer({ store })
    for (const [scopes, message] of [
      ['openid e-mail', '"e-mail"'],
      ['openid,email', '"openid,email"'],
      ['email', 'must contain "openid"'],
      ['', 'must contain "openid"'],
    ] as const) {
      const added = issuer.addApplication({ metadata: { latchkey_scopes: scopes } })
      await expect(added).rejects.toMatchObject({
        code: 'invalid_metadata',
        message: expect.stringContaining(message),
      })
    }
  })

  test('a value of latchkey_scopes that is stored already may be posted back, and allows no more than it names', async () => {
    await using issuer = await startIssuer({ store })
    await issuer.addUser(ada)
    const { domain, scope, application, tenant } = issuer
    const metadata = { latchkey_scopes: 'email and more' }
    const audit = anAudit('test', { tenantId: tenant.id, target: application.id })
    await domain.store.applications.update(
      tenant.id,
      application.id,
      (last) => ({ ...last, metadata }),
      audit,
    )
    const updated = await updateApplication(scope, application.id, { ...application, metadata })
    expect(updated.metadata).toEqual(metadata)

    const app = await createClient(issuer)
    const parameters = { scope: 'openid email' }
    const { begun, callback } = await logIn(issuer, app, ada, undefined, parameters)
    expect((await app.redeem(begun, callback)).claims()?.email).toBe(ada.email)
    const { url } = await app.begin({ scope: 'openid profile' })
    const refused = new URL((await createBrowser(issuer).get(url)).location ?? '')
    expect(refused.searchParams.get('error')).toBe('invalid_scope')
  })
})
