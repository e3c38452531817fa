import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { limit } from '../../../../test/support/limits.ts'
import type { Page } from '../issuer/support/browser.ts'
import { LEGACY_PASSWORD, legacyHashes } from '../support/legacy-hashes.ts'
import { useSharedData } from '../support/shared-data.ts'
import {
  type OperatorBrowser,
  on,
  press,
  sendChanges,
  startConsole,
  stores,
  textOf,
} from './support.ts'
import { aTenant } from './tenant.ts'

const CSV = `email,first_name,last_name,password,plan,email_verified
eve@example.com,Eve,Adams,correct horse battery,gold,true
EVE@example.com,Eve,Again,,,
nobody,No,Body,,,
ada@example.com,Ada,King,,,
=cmd@example.com,For,Mula,,,maybe
zoe@example.com,Zoë,,a phrase of twenty five,,
`

/** Sends a file, as a browser without JavaScript does. */
async function upload(owner: OperatorBrowser, path: string, content: string | Blob, fields = {}) {
  const { html } = await owner.get(path)
  const form = new FormData()
  form.append('csrf', /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '')
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
  form.append('file', typeof content === 'string' ? new Blob([content]) : content, 'users.csv')
  const request = new Request('https://console.example', { method: 'POST', body: form })
  return owner.send(path, {
    method: 'POST',
    body: Buffer.from(await request.arrayBuffer()) as never,
    headers: { 'content-type': request.headers.get('content-type') ?? '' },
  })
}

/** Sends the choices that a page offers, but for those given. */
async function check(owner: OperatorBrowser, at: string, choices: Record<string, string> = {}) {
  const page = await owner.get(at)
  const selects = [...page.html.matchAll(/<select id="[^"]+" name="([^"]+)">(.*?)<\/select>/gs)]
  const chosen = selects.map(([, name = '', options = '']): [string, string] => [
    name,
    /selected(?: value="([^"]*)")?[^>]*>([^<]*)/
      .exec(options)
      ?.slice(1)
      .find(Boolean)
      ?.replaceAll('&quot;', '"') ?? '',
  ])
  const job = new URL(at, 'https://console.example').searchParams.get('job') ?? ''
  const path = at.replace(/\?.*/, '')
  const fields = { ...Object.fromEntries(chosen), job, ...choices }
  await press(owner, page, `${path}/check`, fields)
  return { path, job, checked: await untilStill(owner, at) }
}

/** The field of a page that says this of a value. */
function meaning(html: string, state: object): Record<string, string> {
  const field = JSON.stringify(state)
  const at = html.indexOf(field.replaceAll('"', '&quot;'))
  expect(at).toBeGreaterThan(-1)
  const name =
    html
      .slice(0, at)
      .match(/state_\d+/g)
      ?.at(-1) ?? ''
  return { [name]: field }
}

/** Sends what "Import them" sends, also where the page has no such button, as it has nothing to import. */
const pressBegin = (owner: OperatorBrowser, path: string, checked: Page) =>
  sendChanges(owner, `${path}/discard`, {}, { opened: checked, action: `${path}/begin` })

/** Whether each user of a tenant is disabled, by address. */
async function statesOf(tenant: Awaited<ReturnType<typeof aTenant>>) {
  const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}/users`)
  const users: { profile: { email: string }; disabled?: boolean }[] = body.data
  return Object.fromEntries(
    users.map(({ profile, disabled }) => [profile.email, disabled ?? false]),
  )
}

const untilStill = (owner: OperatorBrowser, at: string) =>
  vi.waitFor(
    async () => {
      const page = await owner.get(at)
      expect(page.html).not.toContain('loaded again')
      return page
    },
    { interval: 200 },
  )

describe.each(stores)('on %s, an import in the console', (store) => {
  async function opened(options = on(store)) {
    const running = await startConsole(options)
    const tenant = await aTenant(running)
    const owner = await running.logIn({ role: 'owner' })
    return { running, tenant, owner, path: `${tenant.path}/users/import`, options }
  }

  test('shows the columns and the first rows, then every fault by line and who would be created, and changes nothing until then', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    await tenant.addUser()
    const { location = '' } = await upload(owner, path, CSV)
    const mapping = await owner.get(location)
    expect(textOf(mapping.html)).toMatch(/users\.csv, 6 rows[\s\S]*eve@example\.com\s*Eve Adams/)
    expect(textOf(mapping.html)).toContain('"email" is not an email address')
    const { job, checked } = await check(owner, location)
    const text = textOf(checked.html)
    expect(text).toMatch(
      /Would be created\s*2\s*There already: they stay as they are\s*1\s*With a fault: they are left out\s*3/,
    )
    expect(text).toContain('These columns go nowhere: plan')
    expect(text).toContain('No column says who may log in: all users are imported enabled.')
    expect(text).toMatch(/3\s*has the email address of line 2/)
    expect(text).toMatch(/4\s*"email" is not an email address/)
    expect(text).toMatch(/6\s*"email_verified" is neither true nor false/)
    expect(text).toMatch(/5\s*ada@example\.com/)
    expect(text).toMatch(/2\s*eve@example\.com\s*Eve Adams\s*7\s*zoe@example\.com/)
    for (const html of [mapping.html, checked.html]) expect(html).not.toContain('correct horse')
    const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}/users`)
    expect(body.data).toHaveLength(1)
    const german = await owner.send(location, {
      method: 'GET',
      headers: { 'accept-language': 'de' },
    })
    expect(textOf(german.html)).toMatch(
      /Würden angelegt[\s\S]*hat dieselbe [\s\S]* wie Zeile 2[\s\S]*„email“ ist keine E-Mail-Adresse/,
    )

    const begun = await pressBegin(owner, path, checked)
    expect(begun.location).toBe(location)
    const done = textOf((await untilStill(owner, location)).html)
    expect(done).toMatch(/Created\s*2\s*There already\s*1\s*Refused\s*3/)
    const file = await press(owner, checked, `${path}/export`, { job })
    expect((await owner.get(`${path}/export?job=${job}`)).status).toBe(405)
    const notes = await running.service.admin.audit({ tenantId: tenant.id, limit: 20 })
    const noted = notes.find(({ action }) => action === 'user.export')
    expect(noted).toMatchObject({ actor: `operator:${owner.id}` })
    expect(file.headers.get('content-disposition')).toContain('attachment')
    expect(file.html.split('\r\n')).toEqual([
      '\uFEFFline,email,reason',
      '3,,has the email address of line 2',
      '4,,"""email"" is not an email address"',
      '6,,"""email_verified"" is neither true nor false"',
      '',
    ])
    const eve = await tenant.call('GET', `/x/v1/tenants/${tenant.id}/users?search=eve`)
    expect(eve.body.data[0].profile).toMatchObject({ name: 'Eve Adams', email_verified: true })
    const browser = await tenant.logIn('eve@example.com')
    expect((await browser.get('/account')).status).toBe(200)
    const entries = await running.service.admin.audit({ tenantId: tenant.id, limit: 100 })
    const created = entries.filter(
      ({ action, actor }) => action === 'user.create' && actor === `operator:${owner.id}`,
    )
    expect(new Set(created.map(({ requestId }) => requestId)).size).toBe(1)
    expect(created).toHaveLength(2)
    // A row that is left out is not listed with the users who are there.
    const again = await check(owner, (await upload(owner, path, CSV)).location ?? '')
    const [, existing = ''] =
      /<h2>There already<\/h2>(.*?)<\/table>/s.exec(again.checked.html) ?? []
    expect(textOf(existing)).toMatch(/2\s*eve@example\.com\s*5\s*ada@example\.com\s*7\s*zoe@/)
    // Once more: the job is done.
    expect((await pressBegin(owner, path, checked)).status).toBe(409)
  })

  test('updates users by a newer export: first in numbers, with what was changed here as conflicts, and then in fact', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const bring = async (rows: string, choices: Record<string, string>) => {
      const text = `email,name,disabled\n${rows}`
      const { location = '' } = await upload(owner, path, text)
      return { location, ...(await check(owner, location, choices)) }
    }
    const begin = async ({ location, checked }: Awaited<ReturnType<typeof bring>>) => {
      await pressBegin(owner, path, checked)
      return textOf((await untilStill(owner, location)).html)
    }
    const users = `/v1/tenants/${tenant.id}/users`
    const usersNow = async () => {
      const { body } = await tenant.call('GET', users)
      return Object.fromEntries(
        body.data.map((one: { profile: Record<string, string>; disabled?: boolean }) => [
          one.profile.email,
          [one.profile.name, one.disabled ?? false],
        ]),
      )
    }
    await begin(await bring('eve@x.example,Eve Adams,false\nbob@x.example,Bob,false\n', {}))
    const { body } = await tenant.call('GET', `/x${users}?search=eve`)
    const [eve] = body.data
    await tenant.call('POST', `${users}/${eve.id}`, {
      ...eve,
      profile: { ...eve.profile, name: 'Eve Here' },
    })
    const before = await usersNow()

    const newer = 'eve@x.example,Eve Newer,false\nbob@x.example,Bob,true\nzoe@x.example,Zoe,false\n'
    const update = await bring(newer, { present: 'update' })
    const text = textOf(update.checked.html)
    expect(text).toMatch(
      /Would be created\s*1\s*Would be changed\s*1\s*Unchanged\s*0\s*Conflicts: they stay as they are\s*1\s*With a fault: they are left out\s*0/,
    )
    expect(text).toMatch(/Members that would be changed:\s*disabled=true \(1\)/)
    expect(text).toMatch(/Users who may no longer log in:\s*1/)
    expect(text).toMatch(/2\s*eve@x\.example\s*profile\.name\s*was changed here since/)
    expect(await usersNow()).toEqual(before)
    const german = await owner.send(update.location, {
      method: 'GET',
      headers: { 'accept-language': 'de' },
    })
    expect(textOf(german.html)).toContain('wurde hier seither geändert')

    const done = await begin(update)
    expect(done).toMatch(
      /Created\s*1\s*There already\s*2\s*Of these, changed\s*1\s*Of these, conflicts\s*1\s*Refused\s*0/,
    )
    expect(await usersNow()).toEqual({
      'eve@x.example': ['Eve Here', false],
      'bob@x.example': ['Bob', true],
      'zoe@x.example': ['Zoe', false],
    })
    const audit = `${path.replace(/\/users\/import$/, '')}/audit`
    // The first import created two, and the second created one and changed one.
    const entries = textOf((await owner.get(audit)).html)
    expect(entries.match(/imported users by a job: [^.]*/g)).toEqual([
      'imported users by a job: 2 users',
      'imported users by a job: 2 users',
    ])
    // Once more, and nothing is left to change.
    const again = textOf((await bring(newer, { present: 'update' })).checked.html)
    expect(again).toMatch(/Would be changed\s*0\s*Unchanged\s*2\s*Conflicts[^0-9]*1/)
  })

  test('updates leave a user disabled whose row does not say who may log in', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    async function bring(rows: string, fields: Record<string, string>) {
      const { location = '' } = await upload(owner, path, `email,is_active\n${rows}`)
      const { checked } = await check(owner, location, fields)
      await pressBegin(owner, path, checked)
      await untilStill(owner, location)
    }
    await bring('eve@x.example,false\nbob@x.example,false\n', {})
    await bring('eve@x.example,\nbob@x.example,true\n', { present: 'update' })
    expect(await statesOf(tenant)).toEqual({ 'eve@x.example': true, 'bob@x.example': false })
  })

  test('gives a user who is there no other password, which would take two operators, and says so; an owner can switch that off', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const chosen = 'chosen by the admin'
    const { hash } = legacyHashes['django, PBKDF2 with SHA-256']
    const ada = await tenant.addUser()
    const nell = await tenant.addUser({ email: 'nell@example.com' }, '')
    const admin = await running.logIn({ role: 'admin' })
    async function bring(name: string) {
      const rows = [
        `ada@example.com,${name},${chosen},,`,
        `nell@example.com,${name},,${hash},django`,
      ]
      const text = `email,name,password,hash,alg\n${rows.join('\n')}\n`
      const { location = '' } = await upload(admin, path, text)
      const { job, checked } = await check(admin, location, { present: 'update' })
      await pressBegin(admin, path, checked)
      const done = await untilStill(admin, location)
      const kept = (await press(admin, done, `${path}/conflicts`, { job })).html
      return { checked: textOf(checked.html), kept }
    }
    const isLoggedIn = async (email: string, password: string) =>
      textOf((await (await tenant.logIn(email, password)).get('/account')).html).includes('Log out')
    const { checked, kept } = await bring('Alone')
    for (const { email } of [ada, nell]) {
      expect(checked).toMatch(
        new RegExp(`${email}\\s*password\\s*one operator alone can set no password`),
      )
      expect(kept).toContain(`${email},password,needs_second_operator`)
    }
    expect(checked).toMatch(/Members that would be changed:\s*profile\.name \(2\)/)
    expect(await isLoggedIn(ada.email, chosen)).toBe(false)
    expect(await isLoggedIn(nell.email, LEGACY_PASSWORD)).toBe(false)

    const settings = `${tenant.path}/settings`
    const sent = { metadata_key: 'latchkey_four_eyes', metadata_value: 'false' }
    await sendChanges(owner, settings, sent, { action: `${settings}/save` })
    expect((await bring('Again')).checked).toMatch(/password \(2\)/)
    expect(await isLoggedIn(ada.email, chosen)).toBe(true)
    expect(await isLoggedIn(nell.email, LEGACY_PASSWORD)).toBe(true)
  })

  test('is not begun by a page whose numbers are of an earlier check', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const { location = '' } = await upload(
      owner,
      path,
      'email,name,nick\nada@example.com,Ada,Countess\n',
    )
    const { checked } = await check(owner, location)
    await check(owner, location, { to_name: 'nick' })
    const refused = await pressBegin(owner, path, checked)
    expect(refused.status).toBe(409)
    expect(textOf(refused.html)).toContain('Another person chose differently')
    const users = async () => (await tenant.call('GET', `/v1/tenants/${tenant.id}/users`)).body.data
    expect(await users()).toEqual([])
    expect((await pressBegin(owner, path, refused)).status).toBe(303)
    await untilStill(owner, location)
    expect(await users()).toHaveLength(1)
  })

  test('lists the first hundred conflicts of an update, and all of them in a file whose download is in the audit log', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const table = (name: string) =>
      `email,name,first_name\n${Array.from({ length: 60 }, (_, n) => `u${n}@x.example,${name} ${n},${name}\n`).join('')}`
    const bring = async (name: string, choices: Record<string, string>) => {
      const { location = '' } = await upload(owner, path, table(name))
      const { job, checked } = await check(owner, location, choices)
      const begin = async () => {
        await pressBegin(owner, path, checked)
        return untilStill(owner, location)
      }
      return { job, checked, begin }
    }
    await (await bring('Before', {})).begin()
    const users = `/v1/tenants/${tenant.id}/users`
    const { body: before } = await tenant.call('GET', `${users}?limit=100`)
    for (const one of before.data) {
      const profile = { ...one.profile, name: 'Here', given_name: 'Here' }
      await tenant.call('POST', `${users}/${one.id}`, { ...one, profile })
    }
    const { job, checked, begin } = await bring('After', { present: 'update' })
    const text = textOf(checked.html)
    expect(text.match(/profile\.\w+\s*was changed here since/g)).toHaveLength(100)
    expect(text).toContain('and 20 more')
    const all = async (page: typeof checked) =>
      (await press(owner, page, `${path}/conflicts`, { job })).html.trim().split('\r\n')
    const preview = await all(checked)
    expect(preview).toHaveLength(121)
    expect(preview[0]).toBe('line,email,member,reason')
    expect(preview.at(-1)).toMatch(/^61,u59@x\.example,profile\.\w+,changed_here$/)
    const done = await begin()
    expect(textOf(done.html)).toMatch(/Of these, conflicts\s*60/)
    expect(await all(done)).toEqual(preview)
    const { body } = await tenant.call(
      'GET',
      `/x/v1/tenants/${tenant.id}/audit?action=user.exported`,
    )
    expect(JSON.stringify(body)).toContain('user.exported')
  })

  test('takes the hashes of Firebase with their parameters, which no page, address or row shows', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const { hash, parameters } = legacyHashes.Firebase
    const file = `email,email_verified,passwordHash,salt\nfire@x.example,true,${hash},${parameters.salt}\n`
    const { location = '' } = await upload(owner, path, file)
    const shown = `hash_config {
      algorithm: SCRYPT,
      base64_signer_key: ${parameters.signer_key},
      base64_salt_separator: ${parameters.salt_separator},
      rounds: ${parameters.rounds},
      mem_cost: ${parameters.mem_cost},
    }`
    const without = await check(owner, location)
    expect(textOf(without.checked.html)).toMatch(/With a fault: they are left out\s*1/)
    const job = without.job
    const lacking = shown.replace(/base64_signer_key.*/, '')
    const refused = await press(owner, without.checked, `${path}/check`, { job, firebase: lacking })
    expect([refused.status, textOf(refused.html)]).toEqual([
      422,
      expect.stringContaining('The hash parameters of Firebase have no base64_signer_key.'),
    ])
    const { checked } = await check(owner, location, { firebase: shown })
    expect(textOf(checked.html)).toMatch(/Would be created\s*1[\s\S]*The parameters are there/)
    // They stay for a check with other choices, and are gone when they are to be forgotten.
    const again = await check(owner, location, { firebase: '' })
    expect(textOf(again.checked.html)).toMatch(/Would be created\s*1/)
    const forgotten = await check(owner, location, { firebase_forget: 'yes' })
    expect(textOf(forgotten.checked.html)).toMatch(/With a fault: they are left out\s*1/)
    const last = await check(owner, location, { firebase: shown })
    const all = [refused, checked, again.checked, forgotten.checked, last.checked]
    for (const page of all) {
      expect(page.html).not.toContain(parameters.signer_key)
      expect(page.location ?? '').not.toContain('signer')
    }
    await pressBegin(owner, path, last.checked)
    expect(textOf((await untilStill(owner, location)).html)).toMatch(/Created\s*1/)
    const browser = await tenant.logIn('fire@x.example', LEGACY_PASSWORD)
    expect((await browser.get('/account')).status).toBe(200)
  })

  test('shows a refused form with what was chosen, and offers no import with other choices', async () => {
    const { running, owner, path } = await opened()
    await using _ = running
    const rows = 'login,email,plan\nada,ada@example.com,gold\n'
    const { location = '' } = await upload(owner, path, rows)
    await check(owner, location)
    const page = await owner.get(location)
    expect(page.html).toContain('Import them</button>')
    const job = new URL(location, 'https://console.example').searchParams.get('job') ?? ''
    const chosen = {
      ...{ job, to_email: 'email', 'to_profile.name': 'login', algorithm: 'sha256' },
      ...{ passwords: 'leave-out', present: 'update', keep_0: 'plan', firebase: 'no parameters' },
    }
    const refused = await press(owner, page, `${path}/check`, chosen)
    expect(refused.status).toBe(422)
    const selected = [
      ...refused.html.matchAll(/<select id="[^"]+" name="([^"]+)">(.*?)<\/select>/gs),
    ].map(([, name, options = '']) => [
      name,
      /<option selected value="([^"]*)"|value="([^"]*)" selected|<option selected\s*>(\w+)/
        .exec(options)
        ?.slice(1)
        .find(Boolean),
    ])
    expect(Object.fromEntries(selected)).toMatchObject({
      ...{ to_email: 'email', 'to_profile.name': 'login', algorithm: 'sha256' },
      ...{ passwords: 'leave-out', present: 'update' },
    })
    expect(refused.html).toMatch(/value="plan\s*" checked/)
    expect(refused.html).not.toContain('no parameters')
    expect(refused.html).not.toContain('Import them</button>')

    const form = await owner.get(path)
    const again = await press(owner, form, path, { encoding: 'latin1', text: '{"users": ' })
    expect(again.status).toBe(422)
    expect(again.html).toMatch(/value="latin1" selected/)
    expect(textOf(again.html)).toContain('{"users": ')
  })

  test('imports users whom the old system has shut out as disabled ones, and nobody while a value may deny', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const file = (state: string) =>
      `email,status,banned_until\neve@example.com,active,\nbob@example.com,${state},\ncarol@example.com,active,2199-01-01\n`
    const unclear = await check(owner, (await upload(owner, path, file('pending'))).location ?? '')
    const text = textOf(unclear.checked.html)
    expect(text).toContain('status: pending (1)')
    expect(text).not.toContain('Would be created')
    expect(
      (await press(owner, unclear.checked, `${path}/begin`, { job: unclear.job })).status,
    ).toBe(409)
    const language = { 'accept-language': 'de' }
    const at = `${path}?job=${unclear.job}`
    const german = await owner.send(at, { method: 'GET', headers: language })
    expect(textOf(german.html)).toContain('wer sich nicht anmelden darf')

    const { location = '' } = await upload(owner, path, file('Suspended'))
    const { checked } = await check(owner, location)
    await pressBegin(owner, path, checked)
    await untilStill(owner, location)
    expect(await statesOf(tenant)).toEqual({
      'eve@example.com': false,
      'bob@example.com': true,
      'carol@example.com': true,
    })
  })

  test('shows no value of a column of an unknown name, and takes the meaning of one that the operator names', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const file = 'email,role\neve@example.com,admin\nbob@example.com,banned\n'
    const { location = '' } = await upload(owner, path, file)
    const { checked: first } = await check(owner, location)
    expect(textOf(first.html)).not.toContain('banned')
    const blocked = meaning(first.html, { column: 'role', value: null, meaning: 'blocks' })
    const field = Object.keys(blocked)[0]?.replace('state_', 'value_') ?? ''
    expect(first.html).toContain(`name="${field}"`)

    const { checked } = await check(owner, location, { ...blocked, [field]: ' banned ' })
    expect(textOf(checked.html)).toContain('role: banned')
    await pressBegin(owner, path, checked)
    await untilStill(owner, location)

    expect(await statesOf(tenant)).toEqual({
      'eve@example.com': false,
      'bob@example.com': true,
    })
  })

  test('asks again for a column of an unknown name while it has another value that may block', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const file =
      'email,role\neve@example.com,admin\nbob@example.com,Banned\ndan@example.com,suspended\nzoe@example.com,banned\n'
    const { location = '' } = await upload(owner, path, file)
    let { checked } = await check(owner, location)
    const guide = readFileSync('docs/guides/importing-users.md', 'utf8')
    for (const label of ['role: all other values', 'role: only this value (optional)']) {
      expect(textOf(checked.html)).toContain(label)
      expect(guide).toContain(`“${label}”`)
    }
    for (const word of ['banned', 'suspended']) {
      expect(textOf(checked.html)).not.toContain('Would be created')
      const blocks = meaning(checked.html, { column: 'role', value: null, meaning: 'blocks' })
      const field = Object.keys(blocks)[0]?.replace('state_', 'value_') ?? ''
      checked = (await check(owner, location, { ...blocks, [field]: word })).checked
    }
    expect(textOf(checked.html)).toContain('Would be created')
    await pressBegin(owner, path, checked)
    await untilStill(owner, location)

    expect(await statesOf(tenant)).toEqual({
      'eve@example.com': false,
      'bob@example.com': true,
      'dan@example.com': true,
      'zoe@example.com': true,
    })
  })

  test('takes the meanings of values that the operator chooses, and columns as metadata', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const file =
      'email,status,plan,premium_until\neve@example.com,pending,gold,\nbob@example.com,in review,free,2199-01-01\n'
    const { location = '' } = await upload(owner, path, file)
    const { checked: first } = await check(owner, location)
    expect(textOf(first.html)).toContain('Users with these values')
    const { checked: second } = await check(owner, location, {
      ...meaning(first.html, { column: 'status', value: 'pending', meaning: 'blocks' }),
      ...meaning(first.html, { column: 'status', value: 'in review', meaning: 'allows' }),
      keep_0: 'plan',
    })
    expect(textOf(second.html)).not.toContain('Would be created')
    const { checked } = await check(owner, location, {
      ...meaning(second.html, { column: 'premium_until', value: null, meaning: 'allows' }),
      keep_0: 'plan',
    })
    await pressBegin(owner, path, checked)
    await untilStill(owner, location)
    const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}/users`)
    const users: { disabled?: boolean }[] = body.data
    expect(users).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ disabled: true, metadata: { plan: 'gold' } }),
        expect.objectContaining({ metadata: { plan: 'free' } }),
      ]),
    )
    expect(users.filter(({ disabled = false }) => disabled)).toHaveLength(1)
  })

  test('takes columns and passwords as the operator has chosen, by the rules of the command', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const { html } = await owner.get(path)
    const text =
      'login;secret\nola@example.com;$2b$10$abcdefghijklmnopqrstuuOa0000000000000000000000000000000000\n'
    const { location = '' } = await press(owner, { html }, path, { text })
    const { checked: without } = await check(owner, location)
    expect(textOf(without.html)).toContain('No column has email addresses')
    const { checked: asPassword } = await check(owner, location, {
      to_email: 'login',
      to_password: 'secret',
    })
    expect(textOf(asPassword.html)).toContain('"secret" holds a hash rather than a password')
    const choices = {
      to_email: 'login',
      to_password: '',
      to_hash: 'secret',
      passwords: 'leave-out',
    }
    const { checked } = await check(owner, location, choices)
    await pressBegin(owner, path, checked)
    await untilStill(owner, location)
    const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}/users`)
    expect(body.data.map((user: { profile: object }) => user.profile)).toEqual([
      { email: 'ola@example.com' },
    ])
  })

  test('keeps what was uploaded encrypted, and forgets it once it is imported or discarded', async () => {
    const { running, owner, path, options } = await opened()
    await using _ = running
    const atRest = () =>
      ['data.db', 'data.db-wal']
        .map((file) => readFileSync(join(options.data ?? '', file), 'latin1'))
        .join()
    const { location = '' } = await upload(owner, path, CSV)
    expect(atRest()).not.toContain('correct horse')
    const job = new URL(location, 'https://x.example').searchParams.get('job') ?? ''
    await press(owner, await owner.get(location), `${path}/discard`, { job })
    expect((await owner.get(location)).status).toBe(404)
  })

  test('ends with a code when the master key of the upload is removed, and deletes the upload', async () => {
    const [older = '', newer = ''] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
    const messages: string[] = []
    const write = (line: string) => void messages.push(JSON.parse(line).msg)
    const options = { ...on(store), logger: pino({ level: 'info' }, { write }) }
    const before = await opened({ ...options, masterKey: older })
    const at: string[] = []
    for (let i = 0; i < 3; i++) {
      at.push((await upload(before.owner, before.path, CSV)).location ?? '')
    }
    const [waiting = '', unchecked = '', unbegun = ''] = at
    await check(before.owner, unbegun)
    await before.running[Symbol.asyncDispose]()
    {
      await using _ = await startConsole({ ...options, masterKey: `${newer} ${older}` })
      const isDone = expect.stringContaining('under the newest master key')
      await expect.poll(() => messages).toContainEqual(isDone)
    }

    await using running = await startConsole({ ...options, masterKey: newer })
    const owner = await running.logIn({ role: 'owner' })
    const { path, tenant } = before
    const page = await owner.get(waiting)
    expect(textOf(page.html)).toContain('its master key was removed')
    expect(textOf(page.html)).not.toContain('Check the file')
    const jobIn = (at: string) => new URL(at, 'https://x.example').searchParams.get('job') ?? ''
    await press(owner, page, `${path}/begin`, { job: jobIn(unbegun), check: '2' })
    await press(owner, page, `${path}/check`, { job: jobIn(unchecked) })
    for (const one of [unbegun, unchecked]) {
      const ended = await untilStill(owner, one)
      expect(textOf(ended.html)).toMatch(
        /its master key was removed[\s\S]*The upload is deleted\. upload_unreadable/,
      )
    }
    const database = new DatabaseSync(join(options.data ?? '', 'data.db'), { readOnly: true })
    const left = database.prepare(`select job_id from job_parts where content <> ''`).all()
    database.close()
    expect(left).toEqual([{ job_id: jobIn(waiting) }])
    const log = await owner.get(`${tenant.path}/audit?action=upload_unreadable`)
    for (const one of [unbegun, unchecked]) expect(log.html).toContain(jobIn(one))
    expect(messages).not.toContainEqual(expect.stringContaining('could not go on'))
    await press(owner, page, `${path}/discard`, { job: jobIn(waiting) })
    expect((await owner.get(waiting)).status).toBe(404)
  })

  test('stops after the rows under way when an operator says so, and deletes the upload', async () => {
    const { running, tenant, owner, path, options } = await opened()
    await using _ = running
    const rows = Array.from({ length: 3_000 }, (_, i) => `u${i}@example.com`)
    const { location = '' } = await upload(owner, path, ['email', ...rows].join('\n'))
    const { job, checked } = await check(owner, location)
    const stop = `${path}/stop?job=${job}`
    expect((await owner.get(stop)).html).toContain('what would happen')
    const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
    const viewer = await running.logIn({ role: 'viewer' })
    await pressBegin(owner, path, checked)
    const page = await admin.get(stop)
    expect(textOf(page.html)).toContain('Stop an import')
    expect(textOf(page.html)).toMatch(/at most 100[\s\S]*Users who are imported already stay/)
    expect((await admin.get(location)).html).toContain(`href="${stop}"`)
    expect((await press(viewer, page, stop)).status).toBe(403)
    expect((await press(admin, page, stop)).location).toBe(location)

    const ended = await untilStill(admin, location)
    expect(ended.html).toContain('<h1>Import users: stopped</h1>')
    const text = textOf(ended.html)
    expect(text).toMatch(
      /The import was stopped: imported users stay[\s\S]*The upload is deleted\./,
    )
    expect(text).not.toContain('may not do this any more')
    const created = Number(/Created\s*([\d,]+)/.exec(text)?.[1]?.replace(',', ''))
    expect(created).toBeLessThan(3_000)
    const { body } = await tenant.call('GET', `/v1/tenants/${tenant.id}/users?limit=1`)
    expect(body.total).toBe(created)
    const database = new DatabaseSync(join(options.data ?? '', 'data.db'), { readOnly: true })
    const left = database.prepare(`select job_id from job_parts where content <> ''`).all()
    database.close()
    expect(left).toEqual([])
    const entries = await running.service.admin.audit({ target: job })
    const written = entries.filter(({ action }) => action.startsWith('job.'))
    expect(written.map(({ action, actor }) => [action, actor])).toEqual([
      ['job.stop', `operator:${admin.id}`],
      ['job.begin', `operator:${owner.id}`],
    ])
    expect((await press(admin, page, stop)).status).toBe(409)
  })

  test('is in the lists of a viewer without a link to its page, which needs another role', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const { location = '' } = await upload(owner, path, 'email\nada@example.com')
    const { job, checked } = await check(owner, location)
    await pressBegin(owner, path, checked)
    await untilStill(owner, location)
    const viewer = await running.logIn({ role: 'viewer' })
    for (const list of ['/jobs', '/audit', `/jobs?job=${job}`]) {
      const { status, html } = await viewer.get(`${tenant.path}${list}`)
      expect([list, status]).toEqual([list, 200])
      expect(html).toMatch(/Import users|imported users/)
      expect(html).not.toContain('/users/import')
    }
    expect((await owner.get(`${tenant.path}/jobs`)).html).toContain(`href="${location}"`)
    expect((await owner.get(`${tenant.path}/audit`)).html).toContain(`href="${location}"`)
    const actions = (await running.service.admin.audit()).map(({ action }) => action)
    expect(actions).not.toContain('not_permitted')
  })

  test('stops when the operator who began it is removed, and deletes the upload', async () => {
    const { running, tenant, owner, path, options } = await opened()
    await using _ = running
    const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
    const rows = Array.from({ length: 600 }, (_, i) => `u${i}@example.com`)
    const { location = '' } = await upload(admin, path, ['email', ...rows].join('\n'))
    const { job, checked } = await check(admin, location)
    await pressBegin(admin, path, checked)
    await running.service.admin.removeOperator(admin.id)

    const ended = await untilStill(owner, location)
    expect(ended.html).toContain('<h1>Import users: stopped</h1>')
    const text = textOf(ended.html)
    expect(text).toMatch(/The operator who began the import may no[\s\S]* The upload is deleted\./)
    expect(text).toContain('Upload a file')
    expect(Number(/Created\s*(\d+)/.exec(text)?.[1])).toBeLessThan(600)
    const database = new DatabaseSync(join(options.data ?? '', 'data.db'), { readOnly: true })
    const left = database.prepare(`select job_id from job_parts where content <> ''`).all()
    database.close()
    expect(left).toEqual([])
    const log = await owner.get(`${tenant.path}/audit?action=job.stop`)
    expect(log.html).toContain(job)
  })

  test('whose file is checked goes on without the operator who uploaded it, as it changes nothing yet', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
    const { location = '' } = await upload(admin, path, CSV)
    await running.service.admin.removeOperator(admin.id)
    const { checked } = await check(owner, location)
    await pressBegin(owner, path, checked)
    expect(textOf((await untilStill(owner, location)).html)).toMatch(/Created\s*3/)
  })

  test(
    'refuses what is no table of users, with a sentence, and keeps nothing of it',
    async () => {
      const { running, tenant, owner, path } = await opened()
      await using _ = running
      const refused = async (content: string | Blob, fields = {}) => {
        const page = await upload(owner, path, content, fields)
        expect(page.status).toBe(422)
        return textOf(page.html)
      }
      expect(await refused('')).toContain('The file has no user in it.')
      expect(await refused('email\n')).toContain('The file has no user in it.')
      expect(await refused('email,name\neve@example.com,"Eve')).toContain(
        'a quotation mark is opened and not closed',
      )
      expect(await refused('[{"email":"eve@example.com"}')).toContain('The file ends too early')
      expect(await refused(new Blob([Buffer.from('PK\x03\x04 a workbook', 'latin1')]))).toContain(
        'ZIP archive',
      )
      expect(
        await refused(new Blob([Buffer.from('email\nj\xf6rg@example.com\n', 'latin1')])),
      ).toContain('Line 2 is not UTF-8')
      const big = new Blob([
        'email,note\n',
        ...Array(51).fill(`a@example.com,${'x'.repeat(1024 * 1024)}\n`),
      ])
      expect(await refused(big)).toContain('larger than 50 MB')
      expect(textOf((await owner.get(`${tenant.path}/jobs`)).html)).toContain(
        'There was no job yet',
      )
    },
    limit(600),
  )

  test('is for admins of the tenant, and takes no file without the token of the session', async () => {
    const { running, tenant, owner, path } = await opened()
    await using _ = running
    const viewer = await running.logIn({ role: 'viewer' })
    expect((await viewer.get(path)).status).toBe(403)
    const forged = await upload(viewer, `${tenant.path}/users`, CSV)
    expect([403, 404, 405]).toContain(forged.status)
    const { location = '' } = await upload(owner, path, CSV)
    // Two fields that are over the limit in bytes together, and below it in characters.
    const wide = 'é'.repeat(150_000)
    expect((await upload(owner, path, CSV, { a: wide, b: wide })).status).toBe(413)
    const other = await aTenant(running, {}, 'other.example')
    expect((await owner.get(location.replace(tenant.id, other.id))).status).toBe(404)
    const stranger = await running.logIn({ role: 'admin', reach: [other.id] })
    expect((await stranger.get(location)).status).toBe(404)
    const form = new FormData()
    form.append('file', new Blob([CSV]), 'users.csv')
    const request = new Request('https://x.example', { method: 'POST', body: form })
    const page = await owner.send(path, {
      method: 'POST',
      body: Buffer.from(await request.arrayBuffer()) as never,
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
    })
    expect(page.status).toBe(403)
  })
})

const sharedData = useSharedData()

test.each(['keep', 'update'])(
  'on PostgreSQL, an import in the console (%s) refuses a row with a text that no database can store, and no other',
  async (present) => {
    await using running = await startConsole(await sharedData())
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const owner = await running.logIn({ role: 'owner' })
    const path = `${tenant.path}/users/import`
    const rows = ['a\0@b.example', 'a\ud800@b.example', 'eve@x.example'].map((email) => ({ email }))
    const { location = '' } = await upload(owner, path, JSON.stringify(rows))
    const { checked } = await check(owner, location, { present })
    await pressBegin(owner, path, checked)
    const done = textOf((await untilStill(owner, location)).html)
    expect(done).toMatch(/Created\s*1[\s\S]*Refused\s*2/)
    expect(await statesOf(tenant)).toEqual({ [ada.email]: false, 'eve@x.example': false })
  },
)
