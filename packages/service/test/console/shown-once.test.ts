import { expect, test } from 'vitest'
import { on, press, sendChanges, startConsole, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

const KEY = { name: 'Nightly export', access: 'write', days: '30' }

test('a new key is shown once: loading its page again shows no secret, and makes no second key', async () => {
  await using running = await startConsole(on('SQLite'))
  const { admin } = running.service
  const tenant = await aTenant(running)
  const owner = await running.logIn({ role: 'owner' })
  const before = (await admin.listApiKeys()).length
  const form = await owner.get('/console/keys/new')
  const made = await press(owner, form, '/console/keys/new', { ...KEY, tenant: tenant.id })
  expect(made).toMatchObject({ status: 303, html: '' })
  const address = made.location ?? ''
  expect(address).toMatch(/^\/console\/keys\?once=[\w-]{22}$/)

  const other = await running.logIn({ role: 'owner' })
  expect((await other.get(address)).html).not.toMatch(/latchkey_[0-9A-Za-z]{43}/)
  await owner.send(address, { method: 'HEAD' })

  const shown = await owner.get(address)
  const secret = /latchkey_[0-9A-Za-z]{43}/.exec(shown.html)?.[0] ?? ''
  expect(textOf(shown.html)).toContain('The key Nightly export is shown once.')
  const used = await running.service.fetch(`https://api.example/v1/tenants/${tenant.id}`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  expect(used.status).toBe(200)

  const reloaded = await owner.get(address)
  expect(reloaded.html).not.toContain(secret)
  expect(reloaded.html).toContain('was shown once, and is not shown again')
  expect(await admin.listApiKeys()).toHaveLength(before + 1)
})

test('a double click on "Make the key" makes one key, and shows it', async () => {
  await using running = await startConsole(on('SQLite'))
  const { admin } = running.service
  const tenant = await aTenant(running)
  const path = `${tenant.path}/keys/new`
  const owner = await running.logIn({ role: 'owner' })
  const made = async () => (await admin.listApiKeys()).filter(({ name }) => name === KEY.name)
  const opened = await owner.get(path)
  const send = () => sendChanges(owner, path, KEY, { opened })
  const [first, second] = await Promise.all([send(), send()])
  expect(second).toMatchObject({ status: 303, location: first.location })
  expect(await made()).toHaveLength(1)
  const shown = await owner.get(second.location ?? '')
  expect(shown.html).toMatch(/latchkey_[0-9A-Za-z]{43}/)

  const third = await send()
  expect(third.status).toBe(409)
  expect(textOf(third.html)).toContain('Nothing was made: this form was sent before')
  expect(await made()).toHaveLength(1)
  const again = await sendChanges(owner, path, KEY, { opened: third })
  expect((await owner.get(again.location ?? '')).html).toMatch(/latchkey_[0-9A-Za-z]{43}/)
  expect((await admin.listApiKeys()).slice(-2)).toEqual(await made())
})

test('an invitation is shown once', async () => {
  await using running = await startConsole()
  const owner = await running.logIn({ role: 'owner' })
  const fields = { email: 'bob@example.com', role: 'viewer', reach: 'all' }
  const made = await press(
    owner,
    await owner.get('/console/operators/new'),
    '/console/operators/new',
    fields,
  )
  expect(made.status).toBe(303)
  const link = '/console/invitation?token='
  expect((await owner.get(made.location ?? '')).html).toContain(link)
  expect((await owner.get(made.location ?? '')).html).not.toContain(link)
})

test('an admin of one tenant makes and withdraws keys of it, and sees no key that reaches others', async () => {
  await using running = await startConsole()
  const { admin } = running.service
  const tenant = await aTenant(running)
  const ada = await running.logIn({ role: 'admin', reach: [tenant.id] })
  const path = `${tenant.path}/keys`
  expect((await ada.get(tenant.path)).html).toContain(`href="${path}"`)
  const form = await ada.get(`${path}/new`)
  expect(textOf(form.html)).toContain('The key reaches this tenant alone.')
  expect(form.html).not.toContain('name="reach"')
  const made = await press(ada, form, `${path}/new`, { ...KEY, reach: 'all', tenant: 'ten_other' })
  const shown = await ada.get(made.location ?? '')
  expect(shown.html).toMatch(/latchkey_[0-9A-Za-z]{43}/)
  const keys = await admin.listApiKeys()
  const own = keys.find(({ name }) => name === KEY.name)
  expect(own).toMatchObject({ reach: [tenant.id], readOnly: false })

  const wide = keys.find(({ reach }) => reach === 'all')
  expect(shown.html).not.toContain(wide?.id)
  expect((await press(ada, form, `${path}/${wide?.id}/withdraw`)).status).toBe(404)
  const done = await press(ada, form, `${path}/${own?.id}/withdraw`)
  expect(done.location).toBe(`${path}?done=withdrawn`)
  const revoked = (await admin.listApiKeys()).filter(({ revokedAt }) => revokedAt !== undefined)
  expect(revoked.map(({ id }) => id)).toEqual([own?.id])
})

test('the ways to log in of an operator lead back to the console', async () => {
  await using running = await startConsole()
  const owner = await running.logIn({ role: 'owner' })
  for (const path of ['/account/security', '/account']) {
    expect((await owner.get(path)).html).toContain('<a href="/console">Back to the console</a>')
  }
  const tenant = await aTenant(running)
  const ada = await tenant.addUser()
  const browser = await tenant.logIn(ada.email)
  expect((await browser.get('/account/security')).html).not.toContain('/console')
})
