import { describe, expect, test } from 'vitest'
import { settingGroups } from '../../src/console/setting-groups.ts'
import { tenantBody } from '../../src/wire/schemas.ts'
import { type StoreName, stores } from '../support/api.ts'
import { type ConsoleService, sendForm, startConsoleOn, textOf } from './support.ts'

const ADA = { email: 'ada@example.com', password: { alg: 'plain', hash: 'correct horse battery' } }

async function withTenant({ service }: ConsoleService) {
  const { admin } = service
  const settings = { allowTotpApp: true }
  const tenant = await admin.createTenant({ domain: 'acme.example', name: 'Acme', settings })
  const page = `/console/t/${tenant.id}/settings`
  const stored = async () => (await admin.findTenant('acme.example')) as typeof tenant
  return { admin, tenant, page, stored }
}

/** The fields that "Change it" sends. */
function confirmed(html: string): Record<string, string> {
  const [, form = ''] = /<form method="post" action="[^"]+\/save"(.*?)<\/form>/s.exec(html) ?? []
  const inputs = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)]
  return Object.fromEntries(
    inputs.map(([, name, value = '']) => [
      name,
      value.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    ]),
  )
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
      const ways = { group: 'ways', allow_hardware: 'true' }
      const shown = await sendForm(operator, page, ways)
      expect(shown.status).toBe(200)
      const text = textOf(shown.html)
      expect(text).toMatch(/Passwords\s*settings\.allow_passwords\s*on\s*off/)
      expect(text).toMatch(/Passkeys and security keys\s*settings\.allow_hardware\s*off\s*on/)
      expect(text).not.toContain('settings.allow_social')
      expect(text).toContain(
        '2 users have no other second step. They will log in with their first step alone.',
      )
      expect(text).toContain('1 user has no other way to log in. They cannot log in any more.')
      expect(await stored()).toEqual(tenant)

      const saved = await sendForm(operator, `${page}/save`, confirmed(shown.html), page)
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
      const ways = { group: 'ways', allow_passwords: 'true', allow_totp_app: 'true' }
      const from = { ...ways, latchkey_second_step_from: '2999-12-31' }
      const shown = await sendForm(operator, page, from)
      expect(textOf(shown.html)).toContain(
        'From 2999-12-31 on, a login needs a second step; until then, users are asked and can postpone it. 1 of 3 users have one. 2 will be asked; 0 of these have logged in within 30 days.',
      )
      await sendForm(operator, `${page}/save`, confirmed(shown.html), page)
      expect((await stored()).metadata).toEqual({ latchkey_second_step_from: '2999-12-31' })
      const today = await sendForm(operator, page, {
        ...ways,
        latchkey_second_step_from: '2020-01-01',
      })
      expect(textOf(today.html)).toContain('From now on, a login needs a second step')

      const passwords = {
        group: 'passwords',
        latchkey_password_min_length: '12',
        latchkey_leaked_password_check: 'true',
      }
      const policy = await sendForm(operator, page, passwords)
      const text = textOf(policy.html)
      expect(text).toContain('Passwords that users choose from now on need 12 characters.')
      expect(text).toContain('the first five of the 40 digits of its SHA-1 are sent')
      await sendForm(operator, `${page}/save`, confirmed(policy.html), page)
      expect((await stored()).metadata).toEqual({
        latchkey_second_step_from: '2999-12-31',
        latchkey_password_min_length: '12',
        latchkey_leaked_password_check: 'true',
      })
      const off = { group: 'passwords', latchkey_password_min_length: '' }
      const without = await sendForm(operator, page, off)
      await sendForm(operator, `${page}/save`, confirmed(without.html), page)
      expect((await stored()).metadata).toEqual({ latchkey_second_step_from: '2999-12-31' })
    })

    test('a domain that another tenant has is refused before the page that says what changes', async () => {
      await using running = await startConsoleOn(store)
      const { admin } = running.service
      const tenant = await admin.createTenant({ domain: 'acme.example' })
      await admin.createTenant({ domain: 'globex.example' })
      const operator = await running.logIn({ role: 'admin' })
      const page = `/console/t/${tenant.id}/settings`
      const fields = { group: 'domain', domain: 'globex.example' }
      const refused = await sendForm(operator, page, fields)
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain('Another tenant has the domain globex.example')
      const free = await sendForm(operator, page, { ...fields, domain: 'new.example' })
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
      const { html } = await sendForm(operator, page, { group: 'ways', allow_passwords: 'true' })
      expect(textOf(html)).toContain(
        '1 user has no other second step. They will log in with their password alone.',
      )
    })

    test('a form that changes nothing says so, and one that is refused keeps its values', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored, tenant } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const same = await sendForm(ada, page, { group: 'names', name: 'Acme' })
      expect(same.location).toBe(`${page}?done=unchanged`)
      const names = { group: 'names', name: 'New', support_email: 'nobody' }
      const refused = await sendForm(ada, page, names)
      expect(refused.status).toBe(422)
      expect(textOf(refused.html)).toContain('"settings.support_email" is not an email address')
      expect(refused.html).toContain('value="nobody"')
      for (const remember_login_seconds of ['', '-1', '1.5', 'x', '99999999999']) {
        const lifetimes = { group: 'lifetimes', remember_device_seconds: '60' }
        const wrong = await sendForm(ada, page, { ...lifetimes, remember_login_seconds })
        expect(textOf(wrong.html)).toContain('must be a whole number of seconds')
      }
      for (const domain of ['javascript:alert(1)', '//x', '']) {
        expect((await sendForm(ada, page, { group: 'domain', domain })).status).toBe(422)
      }
      expect((await sendForm(ada, page, { group: 'none' })).status).toBe(400)
      expect(await stored()).toEqual(tenant)
    })

    test('a change that another person made meanwhile stays, and the own one is kept beside it', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const bob = await running.logIn({ role: 'admin' })
      const open = (await ada.get(page)).html
      const readAt = /name="read_at" value="(\d+)"/.exec(open)?.[1] ?? ''
      const base = JSON.stringify({
        name: 'Acme',
        company_name: '',
        logo_image_text: '',
        support_email: '',
      })
      const theirs = { group: 'names', name: 'Theirs', company_name: 'Acme Ltd' }
      const previewed = await sendForm(bob, page, theirs)
      await sendForm(bob, `${page}/save`, confirmed(previewed.html), page)

      const mine = { group: 'names', name: 'Mine', company_name: '', base, read_at: readAt }
      for (const action of [page, `${page}/save`]) {
        const late = await sendForm(ada, action, mine, page)
        expect(late.status).toBe(409)
        const text = textOf(late.html)
        expect(text).toContain('Another person changed this a moment ago.')
        expect(text).toContain('Your change is Mine. Stored now: Theirs')
        expect(late.html).toContain('value="Mine"')
        expect(late.html).toContain('value="Acme Ltd"')
      }
      expect((await stored()).name).toBe('Theirs')
      const again = await sendForm(ada, page, { ...theirs, name: 'Mine' })
      await sendForm(ada, `${page}/save`, confirmed(again.html), page)
      expect(await stored()).toMatchObject({ name: 'Mine', settings: { companyName: 'Acme Ltd' } })
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
        group: 'names',
        name: 'Acme',
        company_name: 'Acme & "Sons"',
        latchkey_brand_color: '#FFD400',
        latchkey_logo_url: 'https://cdn.example/logo.svg?v=2',
      }
      const shown = await sendForm(ada, page, look)
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
        expect(srcdoc).toContain('src=&quot;https://cdn.example/logo.svg?v=2&quot;')
        expect(srcdoc).not.toContain('&lt;script')
      }
      const policy = shown.headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/; img-src https:\/\/cdn\.example\/logo\.svg(;|$)/)
      expect(policy.match(/'sha256-/g)).toHaveLength(3)
      expect(textOf(shown.html)).toMatch(
        /On light pages, #ffd400 is #[0-9a-f]{6}, so that it can be read\.(?![\s\S]*On dark pages)/,
      )
      expect(await stored()).toEqual(tenant)

      await sendForm(ada, `${page}/save`, confirmed(shown.html), page)
      const { metadata, settings } = await stored()
      expect(settings.companyName).toBe('Acme & "Sons"')
      expect(metadata).toEqual({
        latchkey_brand_color: '#FFD400',
        latchkey_logo_url: 'https://cdn.example/logo.svg?v=2',
      })

      // A name that only operators read: the login page stays as it is.
      const renamed = await sendForm(ada, page, { ...look, name: 'Acme Ltd' })
      expect(renamed.html).not.toContain('<iframe')
      expect(renamed.headers.get('content-security-policy')).not.toContain('img-src')
      const plain = await sendForm(ada, page, { ...look, latchkey_brand_color: '' })
      expect(textOf(plain.html)).toContain(
        `--data '{"metadata":{"latchkey_logo_url":"https://cdn.example/logo.svg?v=2"}}'`,
      )
      await sendForm(ada, `${page}/save`, confirmed(plain.html), page)
      expect((await stored()).metadata).toEqual({ latchkey_logo_url: look.latchkey_logo_url })
      const wrong = await sendForm(ada, page, { ...look, latchkey_brand_color: 'red' })
      expect(textOf(wrong.html)).toContain('it must be a color such as #3b46c8')
    })

    test('metadata of a tenant is changed by its rows', async () => {
      await using running = await startConsoleOn(store)
      const { page, stored } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      const color = { group: 'metadata', metadata_key: 'latchkey_brand_color' }
      const wrong = await sendForm(ada, page, { ...color, metadata_value: 'red' })
      expect(textOf(wrong.html)).toContain('it must be a color such as #3b46c8')
      const shown = await sendForm(ada, page, { ...color, metadata_value: '#123456' })
      await sendForm(ada, `${page}/save`, confirmed(shown.html), page)
      expect((await stored()).metadata).toEqual({ latchkey_brand_color: '#123456' })
    })
  },
)
