import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { noteRestore } from '../../src/domain/operators/restores.ts'
import { openSqliteDataStore } from '../../src/store/sqlite/data-store.ts'
import { SYSTEM_TENANT_ID } from '../../src/store/system-tenant.ts'
import { fieldsOf, on, sendChanges, startConsole, stores, textOf } from './support.ts'

const COMMAND = join(import.meta.dirname, '../../src/cli/main.ts')

/** The cells of the operator with this address. */
function rowOf(html: string, email: string): string {
  const rows = html
    .split('<tr')
    .slice(2)
    .map((row) => textOf(row).replace(/\s+/g, ' '))
  return rows.find((row) => row.includes(email)) ?? ''
}

describe.each(stores)('the list of operators on %s', (store) => {
  test('shows how each of them logs in, and when the last time was', async () => {
    await using running = await startConsole(on(store))
    const owner = await running.logIn({ role: 'owner', email: 'ada@example.com' })
    await running.service.admin.inviteOperator({ email: 'bob@example.com', role: 'viewer' })
    const { html } = await owner.get('/console/operators')
    const today = new Date().toISOString().slice(0, 10)
    expect(rowOf(html, 'ada@example.com')).toContain('Password, Authenticator app')
    expect(rowOf(html, 'ada@example.com')).toMatch(new RegExp(`${today} \\d\\d:\\d\\d UTC`))
    expect(rowOf(html, 'bob@example.com')).toContain('nothing yet')
    expect(rowOf(html, 'bob@example.com')).toContain('never')
  })

  test('one page has what the roles may do: that on which an owner chooses, or the list for those who cannot', async () => {
    await using running = await startConsole(on(store))
    const owner = await running.logIn({ role: 'owner' })
    const viewer = await running.logIn({ role: 'viewer' })
    const table = '<h2 id="may">What the roles may do</h2>'
    const list = (await owner.get('/console/operators')).html
    expect(list).toContain('<a href="/console/operators/new#may">What the roles may do</a>')
    expect(list).not.toContain(table)
    expect((await owner.get('/console/operators/new')).html).toContain(table)
    expect((await viewer.get('/console/operators')).html).toContain(table)
  })

  test('an operator whose role or tenants change is told by mail, once for each change', async () => {
    await using running = await startConsole(on(store))
    const { service } = running
    const owner = await running.logIn({ role: 'owner', email: 'ada@example.com' })
    const { operator } = await service.admin.inviteOperator({
      email: 'bob@example.com',
      role: 'viewer',
    })
    const mails = async () =>
      (await service.outbox.list(SYSTEM_TENANT_ID)).filter(({ to }) => to === 'bob@example.com')
    const path = '/console/operators'
    const change = async (role: string, done: string) => {
      const page = await owner.get(path)
      const changes = { role, reach: 'all' }
      const action = `${path}/${operator.id}/role`
      const sent = await sendChanges(owner, action, changes, { opened: page })
      expect(sent.location).toBe(`${path}?done=${done}`)
    }
    await change('admin', 'role')
    await change('admin', 'unchanged')
    await vi.waitFor(async () => expect(await mails()).not.toEqual([]))
    const [mail, ...others] = await mails()
    expect(others).toEqual([])
    expect(mail?.subject).toBe('Your access to the management console was changed')
    expect(mail?.text).toContain('ada@example.com has changed your role from viewer to admin')
    expect(mail?.text).toContain('You see all tenants')
  })

  test('an operator whose tenants alone change is told of their domains, and of no other role', async () => {
    await using running = await startConsole(on(store))
    const { admin, outbox } = running.service
    const tenant = await admin.createTenant({ domain: 'acme.example' })
    const { operator } = await admin.inviteOperator({ email: 'bob@example.com', role: 'viewer' })
    await admin.updateOperator(operator.id, { role: 'viewer', reach: [tenant.id] })
    const mail = await vi.waitUntil(
      async () =>
        (await outbox.list(SYSTEM_TENANT_ID)).filter(({ to }) => to === 'bob@example.com')[0],
    )
    expect(mail.text).toContain('now you see acme.example. Your role is viewer, as before.')
    expect(mail.text).not.toContain('has changed your role')
  })

  test('an operator’s role that another owner changed meanwhile stays, and the change is in the audit log', async () => {
    await using running = await startConsole(on(store))
    const { admin } = running.service
    const owner = await running.logIn({ role: 'owner' })
    const { operator } = await admin.inviteOperator({ email: 'bob@example.com', role: 'admin' })
    const role = async () =>
      (await admin.listOperators()).find((one) => one.operator.id === operator.id)?.operator.role
    const path = '/console/operators'
    const action = `${path}/${operator.id}/role`
    const opened = await owner.get(path)
    const other = await running.logIn({ role: 'owner' })
    const theirs = { role: 'viewer', reach: 'all' }
    await sendChanges(other, action, theirs, { opened: await other.get(path) })
    const late = await sendChanges(owner, action, { role: 'support', reach: 'all' }, { opened })
    expect(late.status).toBe(409)
    expect(textOf(late.html)).toContain('Another person changed this a moment ago.')
    expect(Object.fromEntries(fieldsOf(late.html, action))).toMatchObject({ role: 'viewer' })
    expect(await role()).toBe('viewer')
    const audit = textOf((await owner.get('/console/audit')).html)
    expect(audit).toContain('changed the operator bob@example.com: Role from “admin” to “viewer”.')
    const disable = `${path}/${operator.id}/disable`
    await sendChanges(owner, disable, {})
    await sendChanges(owner, `${path}/${operator.id}/enable`, {}, { opened: await owner.get(path) })
    const entries = textOf((await owner.get('/console/audit')).html)
    expect(entries).toContain('disabled the operator bob@example.com.')
    expect(entries).toContain('enabled the operator bob@example.com.')
  })

  test('an operator whose role a command changes is told by mail, too', async () => {
    const options = on(store)
    await using running = await startConsole(options)
    const { service } = running
    await running.logIn({ role: 'owner' })
    const { operator } = await service.admin.inviteOperator({
      email: 'bob@example.com',
      role: 'viewer',
    })
    await promisify(execFile)(process.execPath, [
      ...['--conditions=latchkey-source', COMMAND, 'operator', 'role', operator.id],
      ...['--role', 'admin', '--data', options.data ?? ''],
    ])
    const told = async () =>
      (await service.outbox.list(SYSTEM_TENANT_ID)).map(({ to, text }) => `${to}: ${text}`).join()
    await vi.waitFor(
      async () =>
        expect(await told()).toMatch(
          /bob@example\.com: [\s\S]*The command line of the service has changed your role from viewer to admin/,
        ),
      { interval: 500 },
    )
  })
})

/** Notes in a folder that no service uses that its data came back from a backup. */
async function noteRestoreIn(data = ''): Promise<void> {
  const store = await openSqliteDataStore(data)
  await noteRestore(store, { at: Date.now() * 1_000, keepsAccess: false })
  await store.close()
}

test('after a restore, keys and operators who are not confirmed are shown as such, and count as none that work', async () => {
  const options = { ...on('SQLite'), masterKey: Buffer.alloc(32, 7).toString('base64') }
  {
    await using before = await startConsole(options)
    await before.logIn({ role: 'owner', email: 'ada@example.com' })
    await before.service.admin.createApiKey({ name: 'Old export', reach: 'all' })
  }
  await noteRestoreIn(options.data)

  await using running = await startConsole(options)
  const { admin } = running.service
  const owner = await running.logIn({ role: 'owner', email: 'eve@example.com' })
  await admin.createApiKey({ name: 'New export', reach: 'all' })
  const page = async (path: string) => (await owner.get(path)).html
  const keysThatWork = async () =>
    /API keys that work\s*(\d+)/.exec(textOf(await page('/console')))?.[1]
  const keys = await page('/console/keys')
  expect(rowOf(keys, 'Old export')).toContain('waits for confirmation')
  expect(rowOf(keys, 'New export')).toContain('works')
  expect(keys).toContain('latchkey-service confirm')
  expect(await keysThatWork()).toBe('1')
  const operators = await page('/console/operators')
  expect(rowOf(operators, 'ada@example.com')).toContain('waits for confirmation')
  expect(rowOf(operators, 'ada@example.com')).not.toContain('active')
  expect(rowOf(operators, 'eve@example.com')).toContain('active')
  expect(operators).toContain('latchkey-service confirm')

  for (const { id } of await admin.listUnconfirmed()) await admin.confirm(id)
  for (const path of ['/console/keys', '/console/operators']) {
    expect(await page(path)).not.toMatch(/waits for confirmation|latchkey-service confirm/)
  }
  expect(await keysThatWork()).toBe('2')
})

test('the page that disables an owner counts those who can log in after that, and no invited or unconfirmed one', async () => {
  const options = { ...on('SQLite'), masterKey: Buffer.alloc(32, 7).toString('base64') }
  {
    await using before = await startConsole(options)
    await before.logIn({ role: 'owner', email: 'restored@example.com' })
  }
  await noteRestoreIn(options.data)

  await using running = await startConsole(options)
  const { admin } = running.service
  const ada = await running.logIn({ role: 'owner', email: 'ada@example.com' })
  await admin.inviteOperator({ email: 'bob@example.com', role: 'owner' })
  const carol = await running.logIn({ role: 'owner', email: 'carol@example.com' })
  const asked = async () =>
    textOf((await ada.get(`/console/operators/${carol.id}/disable`)).html).replace(/\s+/g, ' ')
  expect(await asked()).toContain('one owner can log in after that')
  for (const { id } of await admin.listUnconfirmed()) await admin.confirm(id)
  expect(await asked()).toContain('2 owners can log in after that')
})
