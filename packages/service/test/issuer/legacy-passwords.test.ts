import { describe, expect, test } from 'vitest'
import { importUsers } from '../../src/domain/users/import-user.ts'
import type { User } from '../../src/store/records.ts'
import { LEGACY_PASSWORD, legacyHashes } from '../support/legacy-hashes.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { allStoreKinds, applicationUrl, startIssuer, type TestIssuer } from './support/issuer.ts'

const ada = { email: 'ada@example.com', password: LEGACY_PASSWORD }

async function bring(issuer: TestIssuer, disabled = false): Promise<User> {
  const input = { email: ada.email, emailVerified: true, disabled, metadata: {}, profile: {} }
  const legacyPassword = legacyHashes['django, PBKDF2 with SHA-256']
  const [imported] = await importUsers(issuer.scope, [
    { input, password: undefined, legacyPassword },
  ])
  if (imported?.kind !== 'created') throw new Error('The user was not imported.')
  return imported.user
}

const isCallback = (location: string | undefined) =>
  location?.startsWith(`${applicationUrl}/callback?code=`) ?? false

describe.each(allStoreKinds)('on %s', (store) => {
  test('of two logins at once with a legacy hash, both get in, and the log has one upgrade', async () => {
    await using issuer = await startIssuer({ store })
    const user = await bring(issuer)
    const app = await createClient(issuer)
    const both = await Promise.all([1, 2].map(() => logIn(issuer, app, ada)))
    expect(both.map(({ callback }) => isCallback(callback.location))).toEqual([true, true])
    const actions = await issuer.actions()
    expect(actions.filter((action) => action === 'credential.upgrade')).toHaveLength(1)
    const { legacyPasswords } = issuer.domain.store
    expect(await legacyPasswords.get(issuer.tenant.id, user.id)).toBeUndefined()

    const wrong = await logIn(issuer, app, { ...ada, password: 'wrong horse' })
    expect(wrong.callback.status).toBe(422)
    expect(isCallback((await logIn(issuer, app, ada)).callback.location)).toBe(true)
  })

  test('a disabled user with a legacy hash is refused as with a wrong password, and guesses are counted', async () => {
    await using issuer = await startIssuer({ store })
    await bring(issuer, true)
    const app = await createClient(issuer)
    const refused = await logIn(issuer, app, ada)
    expect(refused.callback.status).toBe(422)
    expect(refused.callback.html).toContain('The email address or the password is wrong')
    let status = 422
    for (let tries = 0; status === 422 && tries < 30; tries++) {
      const attempt = { ...ada, password: `guess ${tries}` }
      status = (await logIn(issuer, app, attempt)).callback.status
    }
    expect(status).not.toBe(422)
  })

  test('a password that is reset by mail ends the legacy hash', async () => {
    await using issuer = await startIssuer({ store })
    const user = await bring(issuer)
    const app = await createClient(issuer)
    const browser = createBrowser(issuer)
    const form = await browser.get((await app.begin()).url)
    const resetPath = /href="([^"]*\/reset[^"]*)"/.exec(form.html)?.[1] ?? ''
    await browser.submit(await browser.get(resetPath), { email: ada.email })
    const next = 'another horse, and another stable'
    await browser.submit(await browser.get(await issuer.lastLink()), { password: next })
    const { legacyPasswords } = issuer.domain.store
    expect(await legacyPasswords.get(issuer.tenant.id, user.id)).toBeUndefined()
    expect((await logIn(issuer, app, ada)).callback.status).toBe(422)
    const again = await logIn(issuer, app, { ...ada, password: next })
    expect(isCallback(again.callback.location)).toBe(true)
  })
})

test('support reads no obstacle for a user with a legacy hash', async () => {
  await using issuer = await startIssuer()
  const user = await bring(issuer)
  const { obstacles } = await issuer.support.stateOf(issuer.tenant, user, [])
  expect(obstacles).toEqual([])
})
