import { describe, expect, test } from 'vitest'
import { settingGroups } from '../../src/console/settings/setting-groups.ts'
import { tenantBody } from '../../src/wire/schemas.ts'
import { type StoreName, stores } from '../support/api.ts'
import {
  type ConsoleService,
  confirmSettings as confirm,
  fieldsOf,
  sendChanges as send,
  startConsoleOn,
  textOf,
} from './support.ts'

const ADA = { email: 'ada@example.com', password: { alg: 'plain', hash: 'correct horse battery' } }

async function withTenant({ service }: ConsoleService) {
  const { admin } = service
  const settings = { allowTotpApp: true }
  const tenant = await admin.createTenant({ domain: 'acme.example', name: 'Acme', settings })
  const page = `/console/t/${tenant.id}/settings`
  const stored = async () => (await admin.findTenant('acme.example')) as typeof tenant
  /** Changes the tenant as a program does. */
  async function update(metadata: object, changed: object = {}): Promise<void> {
    const { secret } = await admin.createApiKey({ name: 'tests', reach: 'all' })
    const url = `https://api.example/v1/tenants/${tenant.id}`
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const answer = await service.fetch(url, { headers })
    const last = (await answer.json()) as { settings: object }
    const body = JSON.stringify({ ...last, metadata, settings: { ...last.settings, ...changed } })
    expect((await service.fetch(url, { method: 'POST', headers, body })).status).toBe(200)
  }
  return { admin, tenant, page, stored, update }
}

/** Rows of metadata, in place of those that the form has. */
function rows(metadata: Record<string, string>): Record<string, string | readonly string[]> {
  return { metadata_key: Object.keys(metadata), metadata_value: Object.values(metadata) }
}

/** The rows of metadata in the fields of a form. */
function metadataIn(fields: readonly [string, string][]): Record<string, string> {
  const of = (wanted: string) =>
    fields.filter(([name]) => name === wanted).map(([, value]) => value)
  const values = of('metadata_value')
  const pairs = of('metadata_key').map((key, i) => [key, values[i] ?? ''])
  return Object.fromEntries(pairs.filter(([key]) => key !== ''))
}

test('the page of the settings has each setting of the API once, with its name beside it', async () => {
  await using running = await startConsoleOn('memory')
  const { page } = await withTenant(running)
  const names = Object.keys(tenantBody.shape.settings.shape)
  expect(names.length).toBeGreaterThan(14)
  const grouped = settingGroups.flatMap(({ settings }) => settings.map(({ name }) => name))
  const own = [
    'latchkey_brand_color',
    'latchkey_impersonation',
    'latchkey_leaked_password_check',
    'latchkey_logo_url',
    'latchkey_password_min_length',
    'latchkey_second_step_from',
  ]
  expect(grouped.toSorted()).toEqual([...names, ...own, 'name'].sort())
  const viewer = await running.logIn({ role: 'viewer' })
  const { html } = await viewer.get(page)
  for (const name of grouped) {
    expect(html.split(`<code class="api-name">${name}</code>`)).toHaveLength(2)
    expect(html.split(`name="${name}"`)).toHaveLength(2)
  }
  expect(html).toContain('<fieldset disabled>')
  expect(html).not.toContain('Review the change')
})

describe.each(stores.filter((one): one is Exclude<StoreName, 'cluster'> => one !== 'cluster'))(
  'settings in the console, on %s',
  (store) => {
    test('a change is shown before it is made: old and new, and the users whom it concerns', async () => {
      await using running = await startConsoleOn(store)
      const { admin, page, stored, tenant } = await withTenant(running)
      await admin.seed({
        tenants: [
          {
            settings: { domain: 'acme.example' },
            users: [
              { profile: { email: ADA.email }, password: ADA.password },
              { profile: { email: 'bob@example.com' } },
            ],
          },
        ],
      })
      const made = (await admin.audit({ tenantId: tenant.id })).filter(
        ({ action }) => action === 'user.create',
      )
      for (const { target } of made) await admin.giveAuthenticatorApp(tenant.id, target)
      const operator = await running.logIn({ role: 'admin' })
      const ways = {
        allow_passwords: undefined,
        allow_hardware: 'true',
        allow_totp_app: undefined,
      }
      const shown = await send(operator, page, ways)
      expect(shown.status).toBe(200)
      const text = textOf(shown.html)
      expect(text).toMatch(/Passwords\s*new login\s*settings\.allow_passwords\s*on\s*off/)
      expect(text).toMatch(
        /Passkeys and security keys\s*new login\s*settings\.allow_hardware\s*off\s*on/,
      )
      expect(text).not.toContain('settings.allow_social')
      expect(text).toContain(
        '2 users have no other second step. They will log in with their first step alone.',
      )
      expect(text).toContain('1 user has no other way to log in. They cannot log in any more.')
      expect(await stored()).toEqual(tenant)

      const saved = await confirm(operator, page, shown)
      expect(saved.location).toBe(`${page}?done=saved`)
      expect((await stored()).settings).toEqual({
        ...tenant.settings,
        allowPasswords: false,
        allowHardware: true,
        allowTotpApp: false,
      })
      const [entry] = await admin.audit({ target: tenant.id })
      expect(entry).toMatchObject({ action: 'tenant.update', actor: `operator:${operator.id}` })
      expect(entry?.fields).toContain('settings.allow_passwords=false')
    })

    test('before a second step is required, and passwords change, the page says what follows, in numbers', async () => {
      await using running = await startConsoleOn(store)
      const { admin, page, stored, tenant } = await withTenant(running)
      const users = [ADA.email, 'bob@example.com', 'eve@example.com'].map((email) => ({
        profile: { email },
      }))
      await admin.seed({ tenants: [{ settings: { domain: 'acme.example' }, users }] })
      const [made] = (await admin.audit({ tenantId: tenant.id })).filter(
        ({ action }) => action === 'user.create',
      )
      await admin.giveAuthenticatorApp(tenant.id, made?.target ?? '')
      const operator = await running.logIn({ role: 'admin' })
      const ways = { allow_passwords: 'true', allow_totp_app: 'true' }
      const from = { ...ways, latchkey_second_step_from: '2999-12-31' }
      const shown = await send(operator, page, from)
      expect(textOf(shown.html)).toContain(
        'From 2999-12-31 on, a login needs a second step; until then, users are asked and can postpone it. 1 of 3 users have one. 2 will be asked; 0 of these have logged in within 30 days.',
      )
      await confirm(operator, page, shown)
      expect((await stored()).metadata).toEqual({ latchkey_second_step_from: '2999-12-31' })
      const today = await send(operator, page, {
        ...ways,
        latchkey_second_step_from: '2020-01-01',
      })
      expect(textOf(today.html)).toContain('From now on, a login needs a second step')

      const passwords = {
        latchkey_password_min_length: '12',
        latchkey_leaked_password_check: 'true',
      }
      const policy = await send(operator, page, passwords)
      const text = textOf(policy.html)
      expect(text).toContain('Passwords that users choose from now on need 12 characters.')
      expect(text).toContain('the first five of the 40 digits of its SHA-1 are sent')
      await confirm(operator, page, policy)
      expect((await stored()).metadata).toEqual({
        latchkey_second_step_from: '2999-12-31',
        latchkey_password_min_length: '12',
        latchkey_leaked_password_check: 'true',
      })
      const off = { latchkey_password_min_length: '', latchkey_leaked_password_check: undefined }
      const without = await send(operator, page, off)
      await confirm(operator, page, without)
      expect((await stored()).metadata).toEqual({ latchkey_second_step_from: '2999-12-31' })
    })

    test('a domain that another tenant has is refused before the page that says what changes', async () => {
      await using running = await startConsoleOn(store)
      const { admin } = running.service
      const tenant = await admin.createTenant({ domain: 'acme.example' })
      await admin.createTenant({ domain: 'globex.example' })
      const operator = await running.logIn({ role: 'admin' })
      const page = `/console/t/${tenant.id}/settings`
      const fields = { domain: 'globex.example' }
      const refused = await send(operator, page, fields)
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain('Another tenant has the domain globex.example')
      const free = await send(operator, page, { ...fields, domain: 'new.example' })
      expect(free.status).toBe(200)
    })

    test('users without another second step will log in with their password alone', async () => {
      await using running = await startConsoleOn(store)
      const { admin, page, tenant } = await withTenant(running)
      await admin.seed({
        tenants: [
          { settings: { domain: 'acme.example' }, users: [{ profile: { email: ADA.email } }] },
        ],
      })
      const [made] = await admin.audit({ tenantId: tenant.id, limit: 1 })
      await admin.giveAuthenticatorApp(tenant.id, made?.target ?? '')
      const operator = await running.logIn({ role: 'admin' })
      const { html } = await send(operator, page, { allow_totp_app: undefined })
      expect(textOf(html)).toContain(
        '1 user has no other second step. They will log in with their password alone.',
      )
    })

    test('a form that changes nothing says so, and one that is refused keeps its values', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored, tenant } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const same = await send(ada, page, { name: 'Acme' })
      expect(same.location).toBe(`${page}?done=unchanged`)
      const names = { name: 'New', support_email: 'nobody' }
      const refused = await send(ada, page, names)
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain('"settings.support_email" is not an email address')
      expect(refused.html).toContain('value="nobody"')
      for (const remember_login_seconds of ['', '-1', '1.5', 'x', '99999999999']) {
        const lifetimes = { remember_device_seconds: '60' }
        const wrong = await send(ada, page, { ...lifetimes, remember_login_seconds })
        expect(textOf(wrong.html)).toContain('must be a whole number of seconds')
      }
      for (const domain of ['javascript:alert(1)', '//x', '']) {
        expect((await send(ada, page, { domain })).status).toBe(422)
      }
      // A form of an earlier version has the fields of one group; a box that it lacks would be off.
      for (const field of ['company_name', 'remember_login_seconds', 'metadata_key']) {
        expect((await send(ada, page, { [field]: undefined })).status).toBe(400)
      }
      expect(await stored()).toEqual(tenant)
    })

    test('a change that another person made meanwhile stays, and the own one is kept beside it', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored, update } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const bob = await running.logIn({ role: 'admin' })
      await update({ crm: '1', old: 'x', both: 'a' })
      const opened = await ada.get(page)
      const theirs = {
        ...{ name: 'Theirs', company_name: 'Acme Ltd', allow_signups: undefined },
        ...rows({ crm: '2', both: 'b', new: 'y' }),
      }
      await confirm(bob, page, await send(bob, page, theirs))

      const mine = {
        name: 'Mine',
        allow_hardware: 'true',
        ...rows({ crm: '1', both: 'c', own: 'z' }),
      }
      for (const action of [page, `${page}/save`]) {
        const late = await send(ada, page, mine, { action, opened })
        expect(late.status).toBe(409)
        const text = textOf(late.html)
        expect(text).toContain('Another person changed this a moment ago.')
        expect(text).toContain('Your change is Mine. Stored now: Theirs')
        expect(text).toContain('Your change is on. Stored now: off')
        expect(text).toContain('both: b')
        // The values of the other person that this one left alone are in the form.
        const fields = fieldsOf(late.html, page)
        const boxes = ['name', 'company_name', 'allow_signups', 'allow_hardware']
        expect(fields.filter(([name]) => boxes.includes(name))).toEqual([
          ['name', 'Mine'],
          ['company_name', 'Acme Ltd'],
          ['allow_hardware', 'true'],
        ])
        expect(metadataIn(fields)).toEqual({ crm: '2', both: 'c', own: 'z', new: 'y' })
      }
      expect((await stored()).name).toBe('Theirs')
      const late = await send(ada, page, mine, { opened })
      await confirm(ada, page, await send(ada, page, {}, { opened: late }))
      expect(await stored()).toMatchObject({
        name: 'Mine',
        settings: { companyName: 'Acme Ltd', allowSignups: false, allowHardware: true },
        metadata: { crm: '2', both: 'c', own: 'z', new: 'y' },
      })
    })

    test('changes of several sections are shown by section, and are one change and one entry', async () => {
      await using running = await startConsoleOn(store)
      const { admin, page, stored, tenant } = await withTenant(running)
      const operator = await running.logIn({ role: 'admin' })
      const before = (await admin.audit({ target: tenant.id })).length
      const reviewed = await send(operator, page, {
        ...{ company_name: 'Acme Ltd', allow_signups: undefined, remember_login_seconds: '3600' },
        ...rows({ crm: '7' }),
      })
      const headings = [...reviewed.html.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title]) => title)
      expect(headings).toEqual([
        ...['Names and look', 'New users', 'How long a login lasts', 'Metadata'],
        'The login page then',
      ])
      // The name of the company is harmless; all else is marked.
      expect(reviewed.html.match(/>new login</g)).toHaveLength(3)
      expect(textOf(reviewed.html)).toContain('need a login of the last five minutes')
      const back = await operator.send(page, {
        method: 'POST',
        body: new URLSearchParams([
          ...fieldsOf(reviewed.html, `${page}/save`),
          ['edit', 'true'],
        ]).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      expect(new Map(fieldsOf(back.html, page)).get('remember_login_seconds')).toBe('3600')
      await confirm(operator, page, await send(operator, page, {}, { opened: back }))
      expect(await stored()).toMatchObject({
        settings: { companyName: 'Acme Ltd', allowSignups: false, rememberLoginSeconds: 3600 },
        metadata: { crm: '7' },
      })
      const entries = await admin.audit({ target: tenant.id })
      expect(entries).toHaveLength(before + 1)
      const harmless = await send(operator, page, { company_name: 'Acme' })
      expect(textOf(harmless.html)).not.toContain('need a login of the last five minutes')
    })

    test('each field that is refused is named above the form, with a link, and beside itself', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored, tenant } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const wrong = {
        ...{ company_name: 'Acme Ltd', support_email: 'nobody', domain: '//x' },
        ...{
          latchkey_brand_color: 'red',
          remember_login_seconds: 'x',
          latchkey_impersonation: 'asked',
        },
        ...rows({ latchkey_four_eyes: 'perhaps' }),
      }
      const refused = await send(ada, page, wrong)
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain('6 fields were refused. Nothing is saved.')
      const [, alert = ''] = /role="alert">(.*?)<\/div>/s.exec(refused.html) ?? []
      const links = [...alert.matchAll(/href="#(\w+)"/g)].map(([, id = '']) => id)
      const names = Object.keys(wrong).filter((name) => !name.startsWith('metadata'))
      expect(links.toSorted()).toEqual(
        [...names.filter((name) => name !== 'company_name'), 'metadata'].sort(),
      )
      for (const id of links) {
        expect(refused.html.split(` id="${id}"`)).toHaveLength(2)
        expect(refused.html).toContain(`id="${id}-wrong"`)
      }
      expect(refused.html.match(/ aria-invalid="true"/g)).toHaveLength(5)
      expect(refused.html).toContain('value="Acme Ltd"')
      const twice = rows({ crm: '1' })
      const key = await send(ada, page, { metadata_key: 'latchkey_logo_url', metadata_value: '/x' })
      expect(textOf(key.html)).toContain('"latchkey_logo_url" has a field of its own on this page')
      expect(await stored()).toEqual(tenant)
      expect((await send(ada, page, twice)).status).toBe(200)
    })

    test('stored values that a form cannot show stay as they are', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored, update } = await withTenant(running)
      const odd = {
        crm: 'a\r\nb',
        latchkey_leaked_password_check: 'false',
        latchkey_impersonation: 'off',
      }
      await update(odd, { logo_image_text: ' Acme  ' })
      const ada = await running.logIn({ role: 'admin' })
      expect((await send(ada, page, {})).location).toBe(`${page}?done=unchanged`)
      await confirm(ada, page, await send(ada, page, { name: 'New' }))
      expect(await stored()).toMatchObject({
        ...{ name: 'New', metadata: odd, settings: { logoImageText: ' Acme  ' } },
      })
    })

    test('the login page is shown in both color schemes before its look is saved, and says which colors are readable', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored, admin, tenant } = await withTenant(running)
      await admin.createConnection(tenant.id, {
        recipe: 'google',
        name: 'Google Workspace',
        clientId: 'acme',
        secret: 'secret of the connection',
      })
      const ada = await running.logIn({ role: 'admin' })
      const look = {
        name: 'Acme',
        company_name: 'Acme & "Sons"',
        latchkey_brand_color: '#FFD400',
        latchkey_logo_url: 'https://cdn.example/logo.svg?v=2',
      }
      const shown = await send(ada, page, look)
      const frames = [
        ...shown.html.matchAll(
          /<iframe title="The login page in (\w+) colors" srcdoc="([^"]*)"([^>]*)>/g,
        ),
      ]
      expect(frames.map(([, scheme]) => scheme)).toEqual(['light', 'dark'])
      for (const [, , srcdoc = '', attributes] of frames) {
        expect(attributes).toBe(' sandbox')
        const html = textOf(srcdoc)
        expect(html).toContain('Log in to Acme &amp; &quot;Sons&quot;')
        expect(srcdoc).toContain('src=&quot;data:image/svg+xml,')
        expect(srcdoc).not.toContain('cdn.example')
        expect(srcdoc).not.toContain('&lt;script')
      }
      const policy = shown.headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/; img-src data:(;|$)/)
      expect(textOf(shown.html)).toContain(
        'The logo is at https://cdn.example/logo.svg?v=2 and is shown to users.',
      )
      expect(policy.match(/'sha256-/g)).toHaveLength(3)
      expect(textOf(shown.html)).toMatch(
        /On light pages, #ffd400 is #[0-9a-f]{6}, so that it can be read\.(?![\s\S]*On dark pages)/,
      )
      expect(await stored()).toEqual(tenant)

      await confirm(ada, page, shown)
      const { metadata, settings } = await stored()
      expect(settings.companyName).toBe('Acme & "Sons"')
      expect(metadata).toEqual({
        latchkey_brand_color: '#FFD400',
        latchkey_logo_url: 'https://cdn.example/logo.svg?v=2',
      })

      // A name that only operators read: the login page stays as it is.
      const renamed = await send(ada, page, { ...look, name: 'Acme Ltd' })
      expect(renamed.html).not.toContain('<iframe')
      expect(renamed.headers.get('content-security-policy')).not.toContain('img-src')
      const plain = await send(ada, page, { ...look, latchkey_brand_color: '' })
      expect(textOf(plain.html)).toContain(
        `--data '{"metadata":{"latchkey_logo_url":"https://cdn.example/logo.svg?v=2"}}'`,
      )
      await confirm(ada, page, plain)
      expect((await stored()).metadata).toEqual({ latchkey_logo_url: look.latchkey_logo_url })
      const wrong = await send(ada, page, { ...look, latchkey_brand_color: 'red' })
      expect(textOf(wrong.html)).toContain('it must be a color such as #3b46c8')
    })

    test('metadata of a tenant is changed by its rows', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const device = { metadata_key: 'latchkey_new_device_mail' }
      const wrong = await send(ada, page, { ...device, metadata_value: 'red' })
      expect(textOf(wrong.html)).toContain('latchkey_new_device_mail')
      expect(wrong.status).toBe(422)
      const shown = await send(ada, page, { ...device, metadata_value: 'false' })
      await confirm(ada, page, shown)
      expect((await stored()).metadata).toEqual({ latchkey_new_device_mail: 'false' })
    })
  },
)
