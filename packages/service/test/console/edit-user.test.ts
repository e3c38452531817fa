import { describe, expect, test, vi } from 'vitest'
import { on, press, sendChanges, startConsole, stores, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

const readAt = (html: string) => /name="read_at" value="(\d+)"/.exec(html)?.[1] ?? ''

/** The page with the form that saves alone. */
function formOf<P extends { html: string }>(page: P): P {
  const form = page.html.indexOf('<form', page.html.indexOf('</table>'))
  return { ...page, html: page.html.slice(form) }
}

/** The console of an admin, at the form of a user with a name and metadata. */
async function startAtForm(store: (typeof stores)[number]) {
  const running = await startConsole(on(store))
  const tenant = await aTenant(running)
  const ada = await tenant.addUser({ name: 'Ada', family_name: 'Byron', locale: 'de' })
  const api = `/v1/tenants/${tenant.id}/users/${ada.id}`
  const { body } = await tenant.call('GET', api)
  await tenant.call('POST', api, { ...body, metadata: { plan: 'gold', note: '<b>old</b>' } })
  const operator = await running.logIn({ role: 'admin' })
  const path = `${tenant.path}/users/${ada.id}`
  const form = await operator.get(`${path}/edit`)
  const fields = { email: ada.email, name: 'Ada', given_name: '', family_name: 'Byron' }
  const kept = { read_at: readAt(form.html), ...fields }
  const stored = async () => (await tenant.call('GET', api)).body
  return { running, tenant, ada, operator, path, form, kept, stored, api }
}

describe.each(stores)('on %s, a user', (store) => {
  test('is shown with metadata, and edited after a page that says what changes', async () => {
    const { running, operator, path, form, kept, stored } = await startAtForm(store)
    await using _ = running
    expect(textOf((await operator.get(path)).html)).toContain('<b>old</b>')
    const change = { ...kept, name: 'Ada Lovelace', family_name: '', metadata_key: 'plan' }
    const sent = { ...change, metadata_value: 'silver' }
    const asked = await press(operator, form, `${path}/edit`, sent)
    const text = textOf(asked.html).replace(/\s+/g, ' ')
    expect(text).toContain('NameAdaAda Lovelace')
    expect(text).toContain('plangoldsilver')
    expect((await stored()).profile.name).toBe('Ada')
    const done = await operator.submit(formOf(asked), {})
    expect(done.html).toContain('Saved.')
    const { profile, metadata } = await stored()
    expect(profile).toMatchObject({ name: 'Ada Lovelace', locale: 'de', email_verified: true })
    expect(profile.family_name).toBeUndefined()
    expect(metadata).toEqual({ plan: 'silver' })
  })

  test('gets another address unverified, and the one from before is told by mail, with a link that contests it', async () => {
    const { running, tenant, ada, operator, path, form, kept, stored } = await startAtForm(store)
    await using _ = running
    const email = 'lovelace@example.com'
    const asked = await press(operator, form, `${path}/edit`, { ...kept, email })
    expect(asked.html).toContain('is told by mail')
    expect(asked.html).toContain('not verified')
    await operator.submit(formOf(asked), {})
    expect((await stored()).profile).toMatchObject({ email })
    expect((await stored()).profile.email_verified).toBeFalsy()
    const mails = await vi.waitFor(async () => {
      const sent = await running.service.outbox.list(tenant.id)
      expect(sent).toMatchObject([{ to: ada.email }])
      return sent
    })
    expect(mails[0]?.text).toContain('lovelace@example.com')
    expect(mails[0]?.text).toContain('/contest?token=')
    expect(mails[0]?.text).not.toContain('/undo?')
    const [entry] = await running.service.admin.audit({ target: ada.id })
    expect(entry).toMatchObject({ action: 'user.update', actor: `operator:${operator.id}` })
    expect(entry?.fields).toContain('profile.email')
  })

  test('who was changed meanwhile stays as it is, and so does one whose form has a fault', async () => {
    const { running, tenant, operator, path, form, kept, stored, api } = await startAtForm(store)
    await using _ = running
    await tenant.addUser({ email: 'taken@example.com' })
    for (const email of ['nonsense', 'taken@example.com']) {
      const asked = await press(operator, form, `${path}/edit/save`, { ...kept, email })
      expect(asked.status).toBe(422)
      expect(asked.html).toContain(`value="${email}"`)
    }
    const before = await stored()
    await tenant.call('POST', api, { ...before, disabled: true })
    const late = await press(operator, form, `${path}/edit/save`, { ...kept, name: 'Eve' })
    expect(late.status).toBe(409)
    expect(late.html).toContain('Another person changed this')
    expect(late.html).toContain('value="Eve"')
    expect((await stored()).profile.name).toBe('Ada')
    const again = { ...kept, read_at: readAt(late.html), name: 'Eve' }
    expect((await press(operator, late, `${path}/edit/save`, again)).status).toBe(303)
    expect(await stored()).toMatchObject({ disabled: true, profile: { name: 'Eve' } })
  })

  test('whom another operator changed meanwhile keeps both changes, and the fields that differ are marked', async () => {
    const { running, tenant, operator, path, form, stored, api } = await startAtForm(store)
    await using _ = running
    const page = `${path}/edit`
    const mine = {
      name: 'Eve',
      metadata_key: ['plan', 'note'],
      metadata_value: ['silver', '<b>old</b>'],
    }
    const reviewed = await sendChanges(operator, page, mine, { opened: form })
    const { profile, metadata: _old, ...rest } = await stored()
    const metadata = { plan: 'gold', note: 'new', crm: '7' }
    const theirs = { ...profile, name: 'Ada L.', family_name: 'Lovelace' }
    await tenant.call('POST', api, { ...rest, profile: theirs, metadata })

    const confirm = `${page}/save`
    const back = await sendChanges(
      operator,
      confirm,
      { edit: 'true' },
      { action: page, opened: reviewed },
    )
    const late = await sendChanges(operator, page, {}, { opened: back })
    for (const one of [late, await sendChanges(operator, confirm, {}, { opened: reviewed })]) {
      expect(one.status).toBe(409)
      const text = textOf(one.html)
      expect(text).toContain('Another person changed this a moment ago.')
      expect(text).toMatch(/Stored now:\s*Ada L\./)
      expect(text).toMatch(/Stored now:\s*plan: gold\s*note: new\s*crm: 7/)
      expect(text).not.toMatch(/Stored now:\s*Lovelace/)
      expect(one.html).toContain('aria-describedby="name-theirs"')
    }
    expect((await stored()).profile.name).toBe('Ada L.')
    const again = await sendChanges(operator, page, {}, { opened: late })
    expect((await sendChanges(operator, confirm, {}, { opened: again })).status).toBe(303)
    const saved = await stored()
    expect(saved.profile).toMatchObject({ name: 'Eve', family_name: 'Lovelace' })
    expect(saved.metadata).toEqual({ plan: 'silver', note: 'new', crm: '7' })
  })

  test('cannot be edited by a viewer', async () => {
    const { running, operator, path } = await startAtForm(store)
    await using _ = running
    expect((await operator.get(path)).html).toContain(`href="${path}/edit"`)
    const viewer = await running.logIn({ role: 'viewer' })
    expect((await viewer.get(path)).html).not.toContain('/edit')
    expect((await viewer.get(`${path}/edit`)).status).toBe(403)
  })
})
