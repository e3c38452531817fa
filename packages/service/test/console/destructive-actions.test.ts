import { describe, expect, test } from 'vitest'
import { consoleRoutes } from '../../src/console/routes/index.ts'
import { type ConsoleService, on, press, startConsole, stores, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

/** A form as it is sent by a page. */
const formOf = /<form method="post"[\s\S]*?<\/form>/g

async function filled(running: ConsoleService) {
  const tenant = await aTenant(running, { allowSocial: true, allowTotpApp: true })
  const ada = await tenant.addUser()
  const connection = await running.service.admin.createConnection(tenant.id, {
    recipe: 'google',
    clientId: 'acme',
    secret: 'a secret',
  })
  const owner = await running.logIn({ role: 'owner' })
  return { tenant, ada, connection, owner, user: `${tenant.path}/users/${ada.id}` }
}

describe.each(stores)('acts that take something away, on %s', (store) => {
  test('have a page that says in numbers what follows, and are done by its button alone', async () => {
    await using running = await startConsole(on(store))
    const { tenant, ada, owner, user } = await filled(running)
    await tenant.logIn(ada.email)
    const page = await owner.get(user)
    expect(page.html).toContain(`href="${user}/disable"`)
    expect([...page.html.matchAll(formOf)].join()).not.toContain('/disable')

    const ask = await owner.get(`${user}/disable`)
    expect(textOf(ask.html)).toContain('Ends one session at once, with its tokens.')
    expect(ask.html).toContain(`href="${user}">Cancel`)
    const stored = async () =>
      (await tenant.call('GET', `/v1/tenants/${tenant.id}/users/${ada.id}`)).body.disabled
    expect(await stored()).toBeUndefined()
    expect((await press(owner, ask, new URL(ask.url).pathname)).location).toBe(
      `${user}?done=disabled`,
    )
    expect(await stored()).toBe(true)
  })

  test('need the name typed where they cannot be undone; its case does not count, and the id is taken', async () => {
    await using running = await startConsole(on(store))
    const { tenant, ada, owner, user } = await filled(running)
    const ask = await owner.get(`${user}/delete`)
    for (const typed of ['', 'grace@example.com']) {
      const refused = await press(owner, ask, `${user}/delete`, { typed })
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain('Nothing was done: enter ada@example.com')
      expect(refused.html).toMatch(/<input id="typed"[^>]* aria-invalid="true"/)
    }
    expect((await owner.get(user)).status).toBe(200)
    const done = await press(owner, ask, `${user}/delete`, { typed: 'ADA@example.com ' })
    expect(done.location).toBe(`${tenant.path}/users?done=user_deleted`)

    const eve = await tenant.addUser({ email: 'eve@example.com' })
    const path = `${tenant.path}/users/${eve.id}/delete`
    expect((await press(owner, ask, path, { typed: eve.id })).status).toBe(303)
    expect(ada.id).not.toBe(eve.id)
  })

  test('removing a way to log in says whether the user gets in without it', async () => {
    await using running = await startConsole(on(store))
    const { ada, owner, user, tenant } = await filled(running)
    await running.service.admin.giveAuthenticatorApp(tenant.id, ada.id)
    const app = textOf((await owner.get(`${user}/ways/totp_app/remove`)).html)
    expect(app).toContain(`Authenticator app of ${ada.email}`)
    expect(app).toContain('No second step is left: the first one alone gets in.')
    const password = textOf((await owner.get(`${user}/ways/password/remove`)).html)
    expect(password).toContain('No session is open, so none ends.')
    const ask = await owner.get(`${user}/ways/password/remove`)
    expect((await press(owner, ask, new URL(ask.url).pathname)).location).toBe(
      `${user}?done=removed`,
    )
    const { body } = await tenant.call(
      'GET',
      `/v1/tenants/${tenant.id}/users/${ada.id}/credentials`,
    )
    expect(JSON.stringify(body)).not.toContain('"password"')
    expect((await owner.get(`${user}/ways/password/remove`)).status).toBe(404)
  })

  test('disabling a connection counts the users who have no other way to log in', async () => {
    await using running = await startConsole(on(store))
    const { connection, owner, tenant } = await filled(running)
    const path = `${tenant.path}/connections/${connection.id}`
    const ask = await owner.get(`${path}/disable`)
    expect(textOf(ask.html)).toContain('0 users can’t log in with it any more.')
    await press(owner, ask, new URL(ask.url).pathname)
    expect(await running.service.admin.listConnections(tenant.id)).toMatchObject([
      { enabled: false },
    ])
  })

  test('an API key is withdrawn, and an operator disabled or removed, by their pages', async () => {
    await using running = await startConsole(on(store))
    const { owner } = await filled(running)
    const { admin } = running.service
    const { key } = await admin.createApiKey({ name: 'Old export', reach: 'all' })
    const asked = await owner.get(`/console/keys/${key.id}/withdraw`)
    expect(textOf(asked.html)).toContain('It was never used.')
    expect((await press(owner, asked, new URL(asked.url).pathname)).location).toBe(
      '/console/keys?done=withdrawn',
    )

    const bob = await running.logIn({ role: 'owner', email: 'bob@example.com' })
    const one = `/console/operators/${bob.id}`
    const ask = await owner.get(`${one}/disable`)
    expect(textOf(ask.html)).toContain('Ends one session at once')
    expect(textOf(ask.html)).toContain('one owner can log in after that')
    await press(owner, ask, new URL(ask.url).pathname)
    expect(await admin.listOperators()).toContainEqual(
      expect.objectContaining({
        user: expect.objectContaining({ email: bob.email, disabled: true }),
      }),
    )
    const remove = await owner.get(`${one}/remove`)
    expect((await press(owner, remove, new URL(remove.url).pathname, { typed: 'x' })).status).toBe(
      422,
    )
    expect(
      (await press(owner, remove, new URL(remove.url).pathname, { typed: bob.email })).location,
    ).toBe('/console/operators?done=removed')
  })
})

test('no page has a red button that acts at once, but the pages of the acts', async () => {
  await using running = await startConsole()
  const { tenant, ada, connection, owner } = await filled(running)
  const { key } = await running.service.admin.createApiKey({ name: 'ci', reach: 'all' })
  const { operator } = await running.service.admin.inviteOperator({
    email: 'spare@example.com',
    role: 'viewer',
  })
  const { body } = await tenant.call('POST', `/v1/tenants/${tenant.id}/applications`, {
    name: 'Shop',
  })
  const ids: Record<string, string> = {
    ...{ tenant: tenant.id, user: ada.id, connection: connection.id, key: key.id },
    ...{ operator: operator.id, application: body.id, credential: 'totp_app', recipe: 'oidc' },
    entry: '1',
  }
  await running.service.admin.giveAuthenticatorApp(tenant.id, ada.id)
  const acts = new Set(
    consoleRoutes.filter(({ method }) => method === 'POST').map(({ path }) => path),
  )
  const pages = consoleRoutes.filter(
    ({ method, path }) => method === 'GET' && !acts.has(path) && !path.endsWith('/export'),
  )
  for (const { path } of pages) {
    const { html } = await owner.get(path.replace(/:(\w+)/g, (_, name) => ids[name] ?? ''))
    const red = [...html.matchAll(formOf)].filter(([form]) => /<button class="danger/.test(form))
    // A new secret has to be typed in, which nobody does by mistake.
    expect([path, red.filter(([form]) => !form.includes('name="secret"'))]).toEqual([path, []])
  }
})
