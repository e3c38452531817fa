import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { permissionWords } from '../../src/console/routes/service/permission-words.ts'
import { operatorRoles, permissions, roleMay } from '../../src/domain/operators/roles.ts'
import { on, press, sendChanges, startConsole, stores, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/console.md')

/** The cells of a table in a guide, without their padding. */
const cellsOf = (line: string) =>
  line
    .split('|')
    .map((cell) => cell.trim())
    .slice(1, -1)

test('the guide has the table of the code', () => {
  const lines = readFileSync(GUIDE, 'utf8').split('\n')
  const first = lines.findIndex((line) => /^\| May +\| `viewer`/.test(line))
  const shown = lines.slice(first, first + 2 + permissions.length).map(cellsOf)
  expect(shown.filter((_, row) => row !== 1)).toEqual([
    ['May', ...operatorRoles.map((role) => `\`${role}\``)],
    ...permissions.map((one) => [
      permissionWords[one],
      ...operatorRoles.map((role) => (roleMay(role, one) ? 'yes' : '')),
    ]),
  ])
  expect(lines[first + 2 + permissions.length]).toBe('')
})

describe.each(stores)('on %s, an operator with the role “support”', (store) => {
  test('helps a user, and is offered nothing that edits, exports or shows a secret', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const visitor = await tenant.logIn(ada.email)
    const bob = await running.logIn({ role: 'support' })
    const path = `${tenant.path}/users/${ada.id}`
    const page = await bob.get(path)
    const acts = [...page.html.matchAll(/<form method="post" action="([^"]+)"/g)].map(
      ([, action = '']) => action.replace(path, ''),
    )
    expect([...new Set(acts)].sort()).toEqual([
      '/console/logout',
      '/end-session',
      '/end-sessions',
      '/mail',
    ])
    expect(page.html).not.toMatch(/\/edit"|\/disable"|\/delete"|\/remove"/)

    const mailed = await press(bob, page, `${path}/mail`, { kind: 'reset' })
    expect(mailed.location).toBe(`${path}?done=mailed`)
    const ended = await press(bob, page, `${path}/end-sessions`)
    expect(ended.location).toBe(`${path}?done=ended`)
    expect((await visitor.peek('/account')).status).not.toBe(200)
    const forgiven = await press(bob, page, `${path}/let-try-again`)
    expect(forgiven.location).toBe(`${path}?done=forgiven`)

    for (const list of ['/users', '/audit', '/keys', '/applications', '/settings', '/webhooks']) {
      const { html } = await bob.get(`${tenant.path}${list}`)
      expect(`${list} ${/Export as|#new|\/import"|<button>/.exec(html)?.[0]}`).toBe(
        `${list} undefined`,
      )
    }
  })

  test('is not offered to enable a user who is disabled, and is refused', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const admin = await running.logIn({ role: 'admin' })
    const bob = await running.logIn({ role: 'support' })
    const path = `${tenant.path}/users/${ada.id}`
    await press(admin, await admin.get(path), `${path}/disable`)
    const page = await bob.get(path)
    expect(textOf(page.html)).toContain('disabled: cannot log in')
    expect(page.html).not.toMatch(/>Enable/)
    const { status, html } = await press(bob, page, `${path}/enable`)
    expect(status).toBe(403)
    expect(textOf(html)).toContain('The roles that may do this: admin, owner. Yours is “support”.')
    const credentials = (
      await tenant.call('GET', `/v1/tenants/${tenant.id}/users/${ada.id}/credentials`)
    ).body.data
    const removed = await press(bob, page, `${path}/ways/${credentials[0].id}/remove`)
    expect(removed.status).toBe(403)
  })

  test('has another role in the middle of a session: it holds at the next request', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const bob = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/users/${ada.id}`
    const page = await bob.get(`${path}/disable`)
    await running.service.admin.updateOperator(bob.id, { role: 'support' })
    expect((await press(bob, page, `${path}/disable`)).status).toBe(403)
    expect((await press(bob, page, `${path}/mail`, { kind: 'reset' })).status).toBe(303)
    await running.service.admin.updateOperator(bob.id, { role: 'viewer' })
    expect((await press(bob, page, `${path}/mail`, { kind: 'reset' })).status).toBe(403)
    await running.service.admin.updateOperator(bob.id, { role: 'admin' })
    expect((await press(bob, page, `${path}/disable`)).status).toBe(303)
  })
})

test('an owner gives the role on the page of the operators, in German too', async () => {
  await using running = await startConsole()
  const owner = await running.logIn({ role: 'owner' })
  const bob = await running.logIn({ role: 'viewer' })
  const page = await owner.get('/console/operators')
  const path = `/console/operators/${bob.id}/role`
  const wrong = await press(owner, page, path, { role: 'suport' })
  expect(wrong.status).toBe(422)
  expect(textOf(wrong.html)).toContain('Choose a role: owner, admin, support or viewer.')
  await sendChanges(owner, path, { role: 'support', reach: 'all' }, { opened: page })
  const [stored] = (await running.service.admin.listOperators()).filter(
    ({ operator }) => operator.id === bob.id,
  )
  expect(stored?.operator.role).toBe('support')
  owner.headers['accept-language'] = 'de'
  expect((await owner.get('/console/operators')).html).toContain('Was die Rollen dürfen')
})
