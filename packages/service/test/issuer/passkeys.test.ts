import { afterEach, describe, expect, test, vi } from 'vitest'
import { deleteCredential, updateCredential } from '../../src/domain/users/credentials.ts'
import type { HardwareCredential, User } from '../../src/store/records.ts'
import { createBrowser, type Page } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import { addApp, giveRecoveryCodes, MFA } from './support/factors.ts'
import { allStoreKinds, type StoreKind, startIssuer, type TestIssuer } from './support/issuer.ts'
import { addOn, answer, createVirtualKey, giveKey, optionsOn } from './support/keys.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }
const SECURITY = '/account/security'

afterEach(() => {
  vi.useRealTimers()
})

async function start(store: StoreKind, settings = {}) {
  const issuer = await startIssuer({ store, settings: { allowHardware: true, ...settings } })
  const user = await issuer.addUser(ada)
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  return { issuer, user, app, browser, key: createVirtualKey() }
}

/** The flag by which a key says that it has verified its user. */
const VERIFIED = 0x04

const hasCode = ({ location }: Page) => location?.includes('code=') === true

async function keysOf({ domain, tenant }: TestIssuer, user: User): Promise<HardwareCredential[]> {
  const page = { after: undefined, limit: 100 }
  const listed = await domain.store.credentials.list(tenant.id, user.id, page)
  return (listed?.items ?? []).filter((credential) => credential.kind === 'hardware')
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('a passkey logs its user in without address and password, and the ID token says how strongly', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key)

    const begun = await app.begin()
    const callback = await answer(issuer, browser, await browser.get(begun.url), key)

    const claims = (await app.redeem(begun, callback)).claims()
    expect(claims).toMatchObject({ sub: user.id, acr: 'phr', amr: ['swk', 'user', 'mfa'] })
    const [stored] = await keysOf(issuer, user)
    expect(stored?.state.usedAt).toBeGreaterThan(stored?.createdAt ?? 0)
    expect(stored?.updatedAt).toBe(stored?.createdAt)
    expect(issuer.problems).toEqual([])
  })

  test('a passkey that is bound to its device has the highest level, and its counter is stored', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    const key = createVirtualKey({ isSyncable: false })
    await giveKey(issuer, user, key)

    for (const counter of [2, 3]) {
      const begun = await app.begin({ acr_values: 'phrh' })
      const browser = createBrowser(issuer)
      const callback = await answer(issuer, browser, await browser.get(begun.url), key)
      const claims = (await app.redeem(begun, callback)).claims()
      expect(claims).toMatchObject({ acr: 'phrh', amr: ['hwk', 'user', 'mfa'] })
      expect((await keysOf(issuer, user))[0]?.state.counter).toBe(counter)
    }
  })

  test('a user with a security key is asked for it after the password, and cannot go around it', async () => {
    const { issuer, user, app } = await start(store)
    await using _ = issuer
    const key = createVirtualKey({ verifiesUser: false, isSyncable: false })
    await giveKey(issuer, user, key, 'second')

    const { begun, browser, callback: page } = await logIn(issuer, app, ada)
    expect(page.status).toBe(200)
    expect(await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)).toEqual([])
    for (const fields of [{ credential: '' }, { credential: '{}' }, { credential: 'null' }]) {
      expect(hasCode(await browser.submit(page, fields))).toBe(false)
    }
    const asked = await browser.get(page.url)
    const callback = await answer(issuer, browser, asked, key)

    const claims = (await app.redeem(begun, callback)).claims()
    expect(claims).toMatchObject({ acr: 'phrh', amr: ['pwd', 'hwk', 'user', 'mfa'] })
    expect(issuer.problems).toEqual([])
  })

  test('a key without PIN is not accepted as a passkey, and the page says why', async () => {
    const { issuer, user, app, browser } = await start(store)
    await using _ = issuer
    let hasPin = true
    const key = createVirtualKey({}, ({ client, data }) => {
      const said = Buffer.from(data)
      if (!hasPin) said.writeUInt8(said.readUInt8(32) & ~VERIFIED, 32)
      return { client, data: said }
    })
    await giveKey(issuer, user, key)
    hasPin = false

    const page = await answer(issuer, browser, await browser.get((await app.begin()).url), key)

    expect(page.status).toBe(422)
    expect(page.html).toContain('This security key needs a PIN')
    expect(await issuer.actions()).toContain('login.key_no_verification')
  })

  test('a user adds, names and removes keys on the account page', async () => {
    const { issuer, user, app, key } = await start(store)
    await using _ = issuer
    const { browser } = await logIn(issuer, app, ada)

    const codes = await addOn(issuer, browser, await browser.get(`${SECURITY}/add`), key)
    expect(codes.html).toContain('Save your recovery codes')
    const proven = await answer(issuer, browser, await browser.submit(codes), key)
    expect(proven.html).toContain('Passkey')
    const second = createVirtualKey({ verifiesUser: false, isSyncable: false })
    const added = await addOn(issuer, browser, await browser.get(`${SECURITY}/add`), second, {
      use: 'second',
      name: ' Yellow\u0000  key ',
    })
    expect(added.html).toContain('Yellow key')
    const [first, other] = await keysOf(issuer, user)
    expect(first).toMatchObject({
      purpose: 'passkey',
      isSyncable: true,
      name: '',
      rpId: 'acme.localhost',
    })
    expect(other).toMatchObject({ purpose: 'second_step', isSyncable: false, name: 'Yellow key' })

    const renamed = await browser.submit(added, { rename: first?.id ?? '', name: 'Phone <b>' })
    expect(renamed.html).toContain('Phone &lt;b&gt;')
    const removed = await browser.submit(renamed, { remove: first?.id ?? '' })
    expect(removed.html).not.toContain('Phone')
    expect(removed.html).toContain(`allAcceptedCredentialIds&quot;:[&quot;${other?.keyId}&quot;]`)
    expect((await keysOf(issuer, user)).map(({ name }) => name)).toEqual(['Yellow key'])
    await browser.submit(removed, { remove: other?.id ?? '' })
    const page = { after: undefined, limit: 100 }
    const left = await issuer.domain.store.credentials.list(issuer.tenant.id, user.id, page)
    expect(left?.items.map(({ kind }) => kind)).toEqual(['password'])
    expect((await issuer.mails()).length).toBeGreaterThanOrEqual(3)
  })

  test('a passkey is added during a login where the application asks for one, and logs in from then on', async () => {
    const { issuer, user, app, key } = await start(store)
    await using _ = issuer

    const {
      begun,
      browser,
      callback: form,
    } = await logIn(issuer, app, ada, undefined, {
      acr_values: 'phr',
    })
    const codes = await addOn(issuer, browser, form, key)
    expect(codes.html).toContain('Save your recovery codes')
    const callback = await browser.submit(codes, { step: 'continue' })

    const claims = (await app.redeem(begun, callback)).claims()
    expect(claims).toMatchObject({ acr: 'phr', amr: ['pwd', 'swk', 'user', 'mfa'] })
    const again = createBrowser(issuer)
    const next = await app.begin()
    const redirected = await answer(issuer, again, await again.get(next.url), key)
    expect((await app.redeem(next, redirected)).claims()).toMatchObject({ sub: user.id })
  })

  test('a user who has lost a key comes in by a recovery code and removes it', async () => {
    const { issuer, user, app, key } = await start(store)
    await using _ = issuer
    const { codes } = await addApp(issuer, user)
    await giveKey(issuer, user, key)
    const { browser, callback: page } = await logIn(issuer, app, ada)
    const form = await browser.get(`${page.url}&kind=recovery_codes`)
    expect(hasCode(await browser.submit(form, { code: codes[0] ?? '' }))).toBe(true)

    const security = await browser.get(SECURITY)
    const [lost] = await keysOf(issuer, user)
    await browser.submit(security, { remove: lost?.id ?? '' })

    expect(await keysOf(issuer, user)).toEqual([])
  })

  test('a user who has lost the key that an application asks for removes it by recovery codes, and adds another during the login', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key)
    const [one = '', two = ''] = await giveRecoveryCodes(issuer.scope, user)
    const recover = async (page: Page, code: string) => {
      const factor = await browser.submit(page, ada)
      expect(factor.html).not.toContain('/account/security')
      return browser.submit(await browser.get(`${factor.url}&kind=recovery_codes`), { code })
    }
    const asked = { acr_values: 'phr' }
    const stuck = await recover(await browser.get((await app.begin(asked)).url), one)
    expect(hasCode(stuck)).toBe(false)

    const [, href = ''] = /href="(\/account\/security)"/.exec(stuck.html) ?? []
    const security = await recover(await browser.get(href), two)
    const [{ id } = { id: '' }] = await keysOf(issuer, user)
    await browser.submit(security, { remove: id })

    const enrol = await browser.get((await app.begin(asked)).url)
    const saved = await addOn(issuer, browser, enrol, createVirtualKey())
    expect(hasCode(await browser.submit(saved, {}))).toBe(true)
  })

  test('a login that is strong by a passkey meets what weaker factors are asked for', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await addApp(issuer, user)
    await issuer.changeSettings({ allowTotpApp: true })
    await giveKey(issuer, user, key)

    const begun = await app.begin({ acr_values: MFA })
    const callback = await answer(issuer, browser, await browser.get(begun.url), key)

    expect((await app.redeem(begun, callback)).claims()).toMatchObject({ acr: MFA })
  })

  test('a synced key is not enough where a device-bound one is required, and the login does not loop', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    const bound = createVirtualKey({ isSyncable: false })
    await giveKey(issuer, user, key)
    await giveKey(issuer, user, bound)

    const begun = await app.begin({ acr_values: 'phrh' })
    const asked = await answer(issuer, browser, await browser.get(begun.url), key)
    expect(optionsOn(asked).allowCredentials).toHaveLength(1)
    const callback = await answer(issuer, browser, asked, bound)

    expect((await app.redeem(begun, callback)).claims()).toMatchObject({ acr: 'phrh' })
  })

  test('a tenant without passwords lets users in by passkey, and keeps their last one', async () => {
    const { issuer, user, app, browser, key } = await start(store, { allowPasswords: false })
    await using _ = issuer
    await giveKey(issuer, user, key)

    const begun = await app.begin()
    const form = await browser.get(begun.url)
    expect(form.html).not.toContain('name="password"')
    expect(form.html).toContain('<noscript>')
    expect(hasCode(await answer(issuer, browser, form, key))).toBe(true)

    const security = await browser.get(SECURITY)
    const [only] = await keysOf(issuer, user)
    const refused = await browser.submit(security, { remove: only?.id ?? '' })
    expect(refused.status).toBe(422)
    expect(refused.html).toContain('your only way to log in')
    expect(await keysOf(issuer, user)).toHaveLength(1)
  })

  test('where passwords are switched off, a posted password does not log in', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key)
    const form = await browser.get((await app.begin()).url)
    await issuer.changeSettings({ allowPasswords: false, allowHardware: true })

    const answered = await browser.submit(form, ada)

    expect(hasCode(answered)).toBe(false)
    expect(answered.html).not.toContain('name="password"')
  })

  test('with keys switched off they are hidden and refused, but stay; switched on again, they can be used', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key)
    const form = await browser.get((await app.begin()).url)

    await issuer.changeSettings({ allowHardware: false })
    expect((await answer(issuer, browser, form, key)).status).toBe(404)
    expect((await browser.get((await app.begin()).url)).html).not.toContain('data-options')
    expect(hasCode((await logIn(issuer, app, ada)).callback)).toBe(true)
    expect((await browser.get('/.well-known/passkey-endpoints')).status).toBe(404)
    await issuer.changeSettings({ allowHardware: true })

    expect(await keysOf(issuer, user)).toHaveLength(1)
    expect((await logIn(issuer, app, ada)).callback.html).toContain('data-options')
  })

  test('a key that was made for an earlier domain of the tenant is not asked for', async () => {
    const { issuer, user, app, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key, 'passkey', 'http://earlier.localhost')

    expect(hasCode((await logIn(issuer, app, ada)).callback)).toBe(true)
  })

  test('a passkey that was removed or disabled logs nobody in, and the browser is told of a removed one', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key)
    const [stored] = await keysOf(issuer, user)
    const id = stored?.id ?? ''
    await updateCredential(issuer.scope, user.id, id, { disabled: true, metadata: {} })

    const disabled = await answer(issuer, browser, await browser.get((await app.begin()).url), key)
    expect(disabled.status).toBe(422)
    expect(disabled.html).not.toContain('data-signal')
    await deleteCredential(issuer.scope, user.id, id)
    const gone = await answer(issuer, browser, await browser.get((await app.begin()).url), key)
    expect(gone.status).toBe(422)
    expect(gone.html).toContain('signalUnknownCredential')
  })

  test('a disabled user cannot log in by passkey, and reads the same text', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key)
    await issuer.changeUser(user, { disabled: true })

    const page = await answer(issuer, browser, await browser.get((await app.begin()).url), key)

    expect(page.status).toBe(422)
    expect(page.html).toContain('This key was not accepted')
    expect(await issuer.actions()).toContain('login.key_user_disabled')
  })

  test('reloading the page does not invalidate it, and a double click logs in once', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    await giveKey(issuer, user, key)
    const begun = await app.begin()
    const first = await browser.get(begun.url)
    const second = await browser.get(first.url)
    expect(optionsOn(second).challenge).toBe(optionsOn(first).challenge)

    expect(hasCode(await answer(issuer, browser, first, key))).toBe(true)
  })

  test('password managers are told where passkeys are managed', async () => {
    const { issuer, browser } = await start(store)
    await using _ = issuer
    const { html } = await browser.get('/.well-known/passkey-endpoints')
    const page = `${issuer.url}${SECURITY}`
    expect(JSON.parse(html)).toEqual({ enroll: page, manage: page })
  })

  test('a script runs on the pages that ask for a key, from this very service, and on no other', async () => {
    const { issuer, user, app, browser, key } = await start(store)
    await using _ = issuer
    const form = await browser.get((await app.begin()).url)
    expect(form.headers.get('content-security-policy')).toContain("script-src 'self'")
    const [, path = ''] = /<script src="([^"]+)" defer>/.exec(form.html) ?? []
    const script = await browser.get(path)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toContain('immutable')
    expect((await browser.get(`${path}x`)).status).toBe(404)

    await giveKey(issuer, user, key)
    const { callback: page } = await logIn(issuer, app, ada)
    expect(page.html).toContain(path)
    for (const other of ['/reset', '/nothing-here']) {
      const { headers, html } = await browser.get(other)
      expect(headers.get('content-security-policy')).not.toContain('script-src')
      expect(html).not.toContain('<script')
    }
  })
})
