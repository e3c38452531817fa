import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startMisbehavingProvider } from '../../../testing/src/misbehaving-provider.ts'
import { type StoreName, stores } from '../support/api.ts'
import {
  type ConsoleService,
  sendChanges,
  sendForm,
  startConsole,
  startConsoleOn,
  textOf,
} from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

const SECRET = 'a client secret of a provider'

async function withTenant({ service }: ConsoleService) {
  const { admin } = service
  const settings = { allowSocial: true }
  const tenant = await admin.createTenant({ domain: 'acme.example', settings })
  const list = `/console/t/${tenant.id}/connections`
  return { admin, tenant, list, stored: () => admin.listConnections(tenant.id) }
}

const redirectUriIn = (html: string, id = 'redirect-uri'): string =>
  new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1] ?? ''

/** The providers of these tests are not there. */
const anyway = { anyway: 'yes' }

const common = {
  ...{ clientId: 'acme', scopes: 'openid email', allowSignup: 'true', secret: SECRET },
  ...anyway,
}

describe.each(stores.filter((one): one is Exclude<StoreName, 'cluster'> => one !== 'cluster'))(
  'connections in the console, on %s',
  (store) => {
    test('an admin adds a connection by each recipe, and no page shows a secret', async () => {
      await using running = await startConsoleOn(store)
      const { admin, list, stored, tenant } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      const own: Record<string, Record<string, string>> = {
        google: {},
        microsoft: { directory: '11111111-2222-3333-4444-555555555555' },
        apple: { teamId: 'TEAM', keyId: 'KEY', secret: pem },
        gitlab: { issuer: '' },
        oidc: { issuer: 'https://login.example.com' },
      }
      for (const [recipe, options] of Object.entries(own)) {
        const fields = { ...common, name: `By ${recipe}`, ...options }
        const isOpen = recipe === 'microsoft' || recipe === 'oidc'
        const form = await ada.get(`${list}/add/${recipe}`)
        const asked = 'Fill in the first field, and press “Show the redirect URI”.'
        expect(textOf(form.html).includes(asked)).toBe(isOpen)
        const shown = isOpen
          ? await sendForm(ada, `${list}/add/${recipe}`, { ...fields, show: 'redirect-uri' })
          : form
        const redirectUri = redirectUriIn(shown.html)
        expect(redirectUri).toMatch(/^https:\/\/acme\.example\/social\/[\da-f]{24}\/callback$/)
        const added = await sendForm(ada, `${list}/add/${recipe}`, fields)
        expect(`${recipe} ${added.location}`).toMatch(/\/con_\w+\?done=created$/)
        const { html } = await ada.get(added.location ?? '')
        expect(html).toContain(`By ${recipe}`)
        expect(html).toContain(redirectUri)
        expect(html).not.toContain(SECRET)
        expect(html).not.toContain('PRIVATE KEY')
      }
      expect((await stored()).map((one) => one.recipe)).toEqual(Object.keys(own))
      expect((await stored())[0]).toMatchObject({ scopes: ['openid', 'email'], trustEmail: false })
      const [entry] = await admin.audit({ tenantId: tenant.id, limit: 1 })
      expect(entry).toMatchObject({ action: 'connection.create', actor: `operator:${ada.id}` })
    })

    test('the redirect URI of a provider is shown before anything is created, and the fields stay', async () => {
      await using running = await startConsoleOn(store)
      const { list, stored } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const form = `${list}/add/oidc`
      const sent = { name: 'Work', issuer: 'https://login.example.com', show: 'redirect-uri' }
      const { html, status } = await sendForm(ada, form, sent)
      expect(status).toBe(200)
      expect(html).toContain('value="Work"')
      expect(html).toContain('value="https://login.example.com"')
      expect(redirectUriIn(html)).toContain('https://acme.example/social/4b246bc1a12459de3b100395/')
      const bare = await sendForm(ada, form, { ...sent, issuer: '' })
      expect(bare.status).toBe(422)
      expect(textOf(bare.html)).toContain('The recipe "oidc" needs "issuer"')
      expect(await stored()).toEqual([])
    })

    test('connections of earlier versions that share a redirect URI are named, and are switched to their own', async () => {
      await using running = await startConsoleOn(store)
      const { admin, list, tenant } = await withTenant(running)
      const ids = []
      for (const recipe of ['google', 'gitlab']) {
        const { id } = await admin.createConnection(tenant.id, {
          ...{ recipe, clientId: 'acme', secret: SECRET },
        })
        await admin.updateConnection(tenant.id, id, { ownCallback: false })
        ids.push(id)
      }
      const ada = await running.logIn({ role: 'admin' })
      const warning = 'Google, GitLab share a redirect URI.'
      expect(textOf((await ada.get(list)).html)).toContain(warning)
      const page = `${list}/${ids[0]}`
      const { html } = await ada.get(page)
      expect(textOf(html)).toContain('https://acme.example/social/callback')
      const own = redirectUriIn(html, 'own-redirect-uri')
      expect(own).toMatch(/\/social\/[\da-f]{24}\/callback$/)
      expect(textOf(html)).toContain(`${ids[0]} --tenant ${tenant.id} --own-callback`)

      const switched = await sendForm(ada, `${page}/own-callback`, {}, page)
      expect(switched.location).toBe(`${page}?done=saved`)
      const after = await ada.get(page)
      expect(after.html).not.toContain('own-redirect-uri')
      expect(textOf(after.html)).toContain(own)
      expect(textOf((await ada.get(list)).html)).not.toContain('share a redirect URI')
      const audit = textOf((await ada.get(`/console/t/${tenant.id}/audit`)).html)
      expect(audit).toContain('changed the connection Google: Redirect URI of its own on')
    })

    test.each([
      ...['javascript:alert(1)', 'data:text/html,x', 'http://plain.example', '//x', 'x'],
      'https://login.example.com/?q=1',
    ])(
      'an issuer such as %s is refused, and the fields but the secret are kept (C4)',
      async (issuer) => {
        await using running = await startConsoleOn(store)
        const { list, stored } = await withTenant(running)
        const ada = await running.logIn({ role: 'admin' })
        const fields = { ...common, name: 'Evil', issuer }
        const refused = await sendForm(ada, `${list}/add/oidc`, fields)
        expect(refused.status).toBe(422)
        expect(textOf(refused.html)).toContain('"issuer"')
        expect(refused.html).toContain('value="Evil"')
        expect(refused.html).not.toContain(SECRET)
        expect(refused.html).not.toMatch(/href="(javascript|data)/)
        expect(await stored()).toEqual([])
      },
    )

    test('a connection is changed, disabled, enabled, and given another secret', async () => {
      await using running = await startConsoleOn(store)
      const { admin, list, stored, tenant } = await withTenant(running)
      const { id } = await admin.createConnection(tenant.id, {
        recipe: 'google',
        clientId: 'acme',
        secret: SECRET,
      })
      const page = `${list}/${id}`
      const ada = await running.logIn({ role: 'admin' })
      const input = { name: 'Work', clientId: 'acme-2', scopes: 'openid', trustEmail: 'true' }
      const fields = { ...input, ...anyway }
      expect((await sendForm(ada, page, fields)).location).toBe(`${page}?done=saved`)
      const changed = { ...input, scopes: ['openid'], trustEmail: true, allowSignup: false }
      expect(await stored()).toMatchObject([changed])
      const wrong = await sendForm(ada, page, { ...fields, scopes: 'email' })
      expect(textOf(wrong.html)).toContain('"scopes" must hold "openid".')
      await sendForm(ada, `${page}/disable`, {}, `${page}/disable`)
      expect(await stored()).toMatchObject([{ enabled: false }])
      await sendForm(ada, `${page}/enable`, {}, page)
      expect(await stored()).toMatchObject([{ enabled: true }])
      const replaced = await sendForm(ada, `${page}/secret`, { secret: 'another one' }, page)
      expect(replaced.location).toBe(`${page}?done=saved`)
      const empty = await sendForm(ada, `${page}/secret`, { secret: ' ' }, page)
      expect(textOf(empty.html)).toContain('The client secret is empty.')
    })

    test('what another operator changed in a connection meanwhile stays, and what both changed is marked', async () => {
      await using running = await startConsoleOn(store)
      const { admin, list, stored, tenant } = await withTenant(running)
      const given = { recipe: 'google', clientId: 'acme', secret: SECRET, trustEmail: true }
      const { id } = await admin.createConnection(tenant.id, given)
      const page = `${list}/${id}`
      const ada = await running.logIn({ role: 'admin' })
      const opened = await ada.get(page)
      const bob = await running.logIn({ role: 'admin' })
      const theirs = { trustEmail: undefined, name: 'Theirs', ...anyway }
      expect((await sendChanges(bob, page, theirs)).status).toBe(303)

      const late = await sendChanges(ada, page, { name: 'Mine', ...anyway }, { opened })
      expect(late.status).toBe(409)
      expect(textOf(late.html)).toMatch(/Stored now:\s*Theirs/)
      expect(textOf(late.html).match(/Stored now:/g)).toHaveLength(1)
      expect(await stored()).toMatchObject([{ name: 'Theirs', trustEmail: false }])
      const saved = await sendChanges(ada, page, anyway, { opened: late })
      expect(saved.status).toBe(303)
      expect(await stored()).toMatchObject([{ name: 'Mine', trustEmail: false }])
      const audit = textOf((await ada.get(`/console/t/${tenant.id}/audit`)).html)
      expect(audit).toContain('changed the connection Mine: Name from “Theirs” to “Mine”.')
      expect(audit).toContain('Trust verified addresses off')
      await sendForm(ada, `${page}/disable`, {}, page)
      const last = textOf((await ada.get(`/console/t/${tenant.id}/audit`)).html)
      expect(last).toContain('disabled the connection Mine.')
    })

    test('a connection is removed after a new login, and the page counts its users', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      await using running = await startConsoleOn(store)
      const { admin, list, stored, tenant } = await withTenant(running)
      const { id } = await admin.createConnection(tenant.id, {
        recipe: 'google',
        clientId: 'acme',
        secret: SECRET,
      })
      const page = `${list}/${id}`
      const ada = await running.logIn({ role: 'admin' })
      expect(textOf((await ada.get(`${page}/remove`)).html)).toContain(
        '0 users can’t log in with it',
      )
      vi.setSystemTime(Date.now() + 6 * 60_000)
      const asked = await sendForm(ada, `${page}/remove`, {}, page)
      expect(asked.location).toContain('/console/confirm?to=')
      const add = await ada.send(`${list}/add/google`, { method: 'GET' })
      expect(add.location).toContain('/console/confirm?to=')
      expect(await stored()).toHaveLength(1)
      const password = 'correct horse battery'
      await ada.submit(await ada.get(asked.location ?? ''), { password })
      const removed = await sendForm(ada, `${page}/remove`, { typed: id }, page)
      expect(removed.location).toBe(`${list}?done=removed`)
      expect(await stored()).toEqual([])
    })
  },
)

test('the provider of a connection is asked before it is saved, and by a button, and the page shows its answer', async () => {
  await using running = await startConsole({ allowHttpOnLoopback: true })
  await using provider = await startMisbehavingProvider()
  const { list, stored } = await withTenant(running)
  const ada = await running.logIn({ role: 'admin' })
  const { issuer, clientId, clientSecret: secret } = provider
  const fields = { name: 'Work', issuer, clientId, secret, scopes: 'openid email' }
  const nowhere = 'http://localhost:1'
  const silent = await sendForm(ada, `${list}/add/oidc`, { ...fields, issuer: nowhere })
  expect(silent.status).toBe(422)
  expect(textOf(silent.html)).toContain(`Nothing was saved: ${nowhere} does not answer`)
  expect(silent.html).toContain('name="anyway"')
  expect(silent.html).not.toContain(secret)
  expect(await stored()).toEqual([])

  const added = await sendForm(ada, `${list}/add/oidc`, fields)
  expect(added.location).toMatch(/\/con_\w+\?done=created$/)
  const page = (added.location ?? '').replace('?done=created', '')
  const tested = await sendForm(ada, `${page}/test`, {}, page)
  expect(textOf(tested.html)).toContain('The provider answers.')
  expect(textOf(tested.html)).toContain(`The issuer is ${issuer}`)

  await provider[Symbol.asyncDispose]()
  const later = await sendForm(ada, `${page}/test`, {}, page)
  expect(textOf(later.html)).toContain('The provider does not answer as one.')
  const changed = await sendForm(ada, page, { ...fields, name: 'Other' })
  expect(changed.status).toBe(422)
  expect(await stored()).toMatchObject([{ name: 'Work' }])
  expect((await sendForm(ada, page, { ...fields, ...anyway, name: 'Other' })).status).toBe(303)
  expect(await stored()).toMatchObject([{ name: 'Other' }])
})

test.each(['https://169.254.169.254', 'https://[::1]', 'https://10.0.0.1/login'])(
  'a connection to %s, which the service sends no requests to, is not saved',
  async (issuer) => {
    await using running = await startConsole()
    const { list, stored } = await withTenant(running)
    const ada = await running.logIn({ role: 'admin' })
    const fields = { ...common, anyway: '', name: 'Evil', issuer }
    const refused = await sendForm(ada, `${list}/add/oidc`, fields)
    expect(refused.status).toBe(422)
    expect(textOf(refused.html)).toContain('is not on the public internet.')
    expect(refused.html).not.toContain('name="anyway"')
    const forged = await sendForm(ada, `${list}/add/oidc`, { ...fields, ...anyway })
    expect(forged.status).toBe(422)
    expect(textOf(forged.html)).toContain('is not on the public internet.')
    expect(await stored()).toEqual([])
  },
)
