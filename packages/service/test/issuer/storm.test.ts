import { describe, expect, test } from 'vitest'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { importUsers } from '../../src/domain/users/import-user.ts'
import {
  createPasswordEngine,
  type PasswordEngine,
} from '../../src/domain/users/password-engine.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

/** Imports users into a tenant of its own, all at once. */
async function importAtOthers({ scope: { context, actor } }: TestIssuer, count: number) {
  const settings = { ...defaultSettings, domain: 'other.example' }
  const other = await createTenant({ context, actor }, { name: '', metadata: {}, settings })
  const scope = { context, actor, tenantId: other.id }
  const input = { emailVerified: true, disabled: false, metadata: {}, profile: {} }
  return Array.from({ length: count }, async (_, n) => {
    const user = { ...input, email: `user${n}@example.com` }
    const password = { alg: 'plain', hash: `password ${n}` }
    const [imported] = await importUsers(scope, [{ input: user, password }])
    if (imported?.kind === 'refused') throw imported.cause
    return imported
  })
}

describe.each(storeKinds)('on %s', (store) => {
  test('while one tenant imports more than may wait, users of another log in 16 at a time', async () => {
    const passwords = createPasswordEngine({ concurrency: 1, maxWaiting: 16 })
    await using issuer = await startIssuer({ store, passwords })
    await issuer.addUser(ada)
    const app = await createClient(issuer)
    const imports = Promise.allSettled(await importAtOthers(issuer, 22))
    const logins = await Promise.all(Array.from({ length: 16 }, () => logIn(issuer, app, ada)))

    for (const { callback } of logins) expect(callback.location).toContain('code=')
    const refused = (await imports).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(22 - 17)
    for (const { reason } of refused as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
    }
  })

  test('a reset link that is no longer good costs no hash', async () => {
    const engine = createPasswordEngine()
    let hashes = 0
    const hash: PasswordEngine['hash'] = (...given) => {
      hashes++
      return engine.hash(...given)
    }
    await using issuer = await startIssuer({ store, passwords: { ...engine, hash } })
    await issuer.addUser(ada)
    const browser = createBrowser(issuer)
    await browser.submit(await browser.get('/reset'), { email: ada.email })
    const form = await browser.get(await issuer.lastLink())
    await browser.submit(form, { password: 'a brand new one' })
    const before = hashes

    expect((await browser.submit(form, { password: 'and another one' })).status).toBe(410)
    expect(hashes).toBe(before)
  })
})
