import { afterEach, describe, expect, test, vi } from 'vitest'
import { askForReset } from '../issuer/support/browser.ts'
import { codeOf } from '../issuer/support/factors.ts'
import { LEGACY_PASSWORD, legacyHashes } from '../support/legacy-hashes.ts'
import { on, press, startConsole, stores, textOf } from './support.ts'
import { aTenant, PASSWORD } from './tenant.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe.each(stores)('on %s, the page of a user', (store) => {
  test('says in one sentence why the user cannot log in, or that the user can log in', async () => {
    await using running = await startConsole(on(store))
    const { admin } = running.service
    const tenant = await aTenant(running, { allowSocial: true })
    const operator = await running.logIn({ role: 'viewer' })
    const pageOf = async ({ id }: { id: string }) =>
      (await operator.get(`${tenant.path}/users/${id}`)).html

    const ada = await tenant.addUser()
    expect(await pageOf(ada)).toContain('Nothing keeps this user from logging in.')
    const unverified = await tenant.addUser({ email: 'u@example.com', email_verified: false })
    expect(await pageOf(unverified)).toContain('the address is not verified')
    const bare = await tenant.addUser({ email: 'b@example.com' }, '')
    expect(await pageOf(bare)).toContain('no password, passkey or connected account')
    const off = `/v1/tenants/${tenant.id}/users/${ada.id}`
    const { body } = await tenant.call('GET', off)
    await tenant.call('POST', off, { ...body, disabled: true })
    expect(await pageOf(ada)).toContain('the user is disabled')

    const strict = await aTenant(running, { allowPasswords: false }, 'strict.example')
    const eve = await strict.addUser()
    expect((await operator.get(`${strict.path}/users/${eve.id}`)).html).toContain(
      'settings allow none of the ways',
    )
    expect((await admin.audit({ target: ada.id }))[0]).toBeDefined()
  })

  test('shows sessions with browser and address, ends one of them, and then all', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const browsers = [await tenant.logIn(ada.email), await tenant.logIn(ada.email)]
    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/${ada.id}`
    const page = await operator.get(path)
    expect(page.html.match(/Firefox on Linux/g)).toHaveLength(2)
    const session = /name="session" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const ended = await press(operator, page, `${path}/end-session`, { session })
    expect(ended.location).toBe(`${path}?done=ended_one`)
    const states = async () =>
      Promise.all(browsers.map(async (one) => (await one.get('/account')).html.includes(ada.email)))
    expect((await states()).filter(Boolean)).toHaveLength(1)
    expect((await operator.get(path)).html.match(/Firefox on Linux/g)).toHaveLength(1)
    await press(operator, page, `${path}/end-sessions`)
    expect((await states()).filter(Boolean)).toHaveLength(0)
    expect((await operator.get(path)).html).toContain('Not logged in anywhere.')
  })

  test('forgets a trusted device, which asks for the second step again', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running, { allowTotpApp: true, rememberDevice: true })
    const ada = await tenant.addUser()
    const { seed } = await running.service.admin.giveAuthenticatorApp(tenant.id, ada.id)
    const browser = await tenant.logIn(ada.email)
    const asked = await browser.get('/account')
    await browser.submit(await browser.submit(asked, { email: ada.email, password: PASSWORD }), {
      code: codeOf(seed),
      trust: 'yes',
    })
    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/${ada.id}`
    const page = await operator.get(path)
    const device = /name="device" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    expect(device).not.toBe('')
    const done = await press(operator, page, `${path}/forget-device`, { device })
    expect(done.location).toBe(`${path}?done=forgotten`)
    expect((await operator.get(path)).html).not.toContain('Trusted devices')
    const again = await press(operator, page, `${path}/forget-device`, { device })
    expect(again.status).toBe(404)
  })

  test('sends mail in the language of the user’s locale, or in the one that is chosen', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser({ locale: 'de-AT' }, '')
    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/${ada.id}`
    const page = await operator.get(path)
    expect((await press(operator, page, `${path}/mail`, { kind: 'invite' })).location).toBe(
      `${path}?done=mailed`,
    )
    await press(operator, page, `${path}/mail`, { kind: 'reset', language: 'en' })
    const subjects = (await running.service.outbox.list(tenant.id)).map(({ subject }) => subject)
    expect(subjects).toEqual([expect.stringMatching(/password/i), 'Ihr Konto bei acme.example'])
    const after = (await operator.get(path)).html
    expect(after).toContain('Invitation')
    expect(after).toContain('captured')
    expect(after).not.toMatch(/token=/)
    const refused = await press(operator, page, `${path}/mail`, { kind: 'verify' })
    expect(refused).toMatchObject({ status: 409 })
    expect(refused.html).toContain('is verified')
  })

  test('shows a member of the profile by any name, and takes no notice from a name that none has', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser({ constructor: 'Wilkes', badge_number: '7' })
    const operator = await running.logIn({ role: 'viewer' })
    const page = await operator.get(`${tenant.path}/users/${ada.id}?done=toString`)
    expect(page.status).toBe(200)
    expect(textOf(page.html)).toMatch(/Constructor\s*Wilkes\s*Badge number\s*7/)
  })

  test('counts the hash of another system as a password: it is listed, and no invitation is offered or sent', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const { scheme, hash } = legacyHashes['django, PBKDF2 with SHA-1']
    const profile = { email: 'ada@example.com', email_verified: true }
    const users = [{ profile, legacy_password: { scheme, hash } }]
    const { body } = await tenant.call('POST', `/x/v1/tenants/${tenant.id}/users/import`, { users })
    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/${body.data[0].id}`
    const page = await operator.get(path)
    expect(textOf(page.html)).toMatch(/Password\s*from another system, until the next login/)
    expect(textOf(page.html)).not.toContain('None yet. An invitation')
    expect(page.html).not.toContain('/ways/password/remove')
    expect(page.html).toContain('value="reset"')
    expect(page.html).not.toContain('value="invite"')
    const refused = await press(operator, page, `${path}/mail`, { kind: 'invite' })
    expect(refused.status).toBe(409)
    expect(textOf(refused.html)).toContain('The user has a way to log in')
    expect(textOf((await operator.get(`${path}/delete`)).html)).toContain('one way to log in')

    await (await tenant.logIn(profile.email, LEGACY_PASSWORD)).get('/account')
    const after = await operator.get(path)
    expect(textOf(after.html)).not.toContain('from another system')
    expect(after.html).toContain('/ways/password/remove')
  })

  test('creates a user with an invitation, and says why an address cannot be had', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/new`
    const form = await operator.get(path)
    const fields = { email: 'grace@example.com', name: 'Grace', invite: 'yes', language: 'de' }
    const made = await press(operator, form, path, fields)
    const [mail] = await running.service.outbox.list(tenant.id)
    expect(mail).toMatchObject({ to: 'grace@example.com', subject: 'Ihr Konto bei acme.example' })
    const page = await operator.get(made.location ?? '')
    expect(page.html).toContain('an invitation is on its way')
    expect(page.html).toContain('<h1>Grace</h1>')
    const again = await press(operator, form, path, fields)
    expect(again).toMatchObject({ status: 422, html: expect.stringContaining('Another user') })
    expect(again.html).toContain('value="grace@example.com"')
    for (let n = 0; n < 4; n++)
      await askForReset(
        { url: `https://${tenant.domain}`, fetch: running.service.fetch as never },
        'ivy@example.com',
      )
    const unsent = await press(operator, form, path, { ...fields, email: 'ivy@example.com' })
    const said = textOf((await operator.get(unsent.location ?? '')).html)
    expect(said).toContain('The user is created, but no invitation was sent.')
    const silent = await press(operator, form, path, { email: 'hal@example.com' })
    expect((await operator.get(silent.location ?? '')).html).toContain('Created.')
    expect(await running.service.outbox.list(tenant.id)).toHaveLength(1)
  })

  test('a refused form keeps the boxes and the language that the operator chose', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const { email } = await tenant.addUser()
    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/new`
    const form = await operator.get(path)
    const chosenIn = (html: string) =>
      [...html.matchAll(/(?:name|value)="(\w+)"[^>]* (?:checked|selected)/g)].map(([, one]) => one)
    expect(chosenIn(form.html)).toEqual(['invite'])
    const refused = await press(operator, form, path, { email, verified: 'yes', language: 'de' })
    expect(refused.status).toBe(422)
    expect(chosenIn(refused.html)).toEqual(['verified', 'de'])
    const again = await press(operator, form, path, { email, invite: 'yes', language: 'en' })
    expect(chosenIn(again.html)).toEqual(['invite'])
  })

  test('deletes the user after a fresh login, and says what goes with it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/${ada.id}`
    const ask = await operator.get(`${path}/delete`)
    expect(ask.html).toContain('one way to log in go with the user')
    vi.setSystemTime(Date.now() + 6 * 60_000)
    const stale = await press(operator, ask, `${path}/delete`, { typed: ada.email })
    expect(stale.location).toContain('/console/confirm')
    expect((await tenant.call('GET', `/v1${path.replace('/console/t', '/tenants')}`)).status).toBe(
      200,
    )
    const login = await operator.get(stale.location ?? '')
    const email = operator.email
    const back = await operator.submit(login, { email, password: PASSWORD })
    expect(back.html).toContain(`${path}/delete`)
    const kept = new URL(back.url).searchParams.get('kept') ?? ''
    const done = await operator.submitOnly(back, { kept })
    expect(done.location).toBe(`${tenant.path}/users?done=user_deleted`)
    expect((await operator.get(path)).status).toBe(404)
    const [entry] = await running.service.admin.audit({ target: ada.id })
    expect(entry).toMatchObject({ action: 'user.delete', actor: `operator:${operator.id}` })
  })
})
