import { expect, test } from 'vitest'
import { offerTenants, resolveTenants } from '../../src/console/routes/service/tenant-choice.ts'
import { createAdmin } from '../../src/operate/admin.ts'
import { openApi } from '../support/context.ts'
import {
  type ConsoleService,
  fieldsOf,
  press,
  sendChanges,
  startConsole,
  textOf,
} from './support.ts'

const KEY = { name: 'Deployment', reach: 'some', access: 'read', days: '30' }

/** Creates so many tenants; answers with their ids. */
async function addTenants({ service }: ConsoleService, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 1; n <= count; n++) {
    const { id } = await service.admin.createTenant({
      domain: `login.customer-${n}.example`,
      name: n === 1 ? 'Acme Garden Supplies' : '',
    })
    ids.push(id)
  }
  return ids
}

test('a form has a box for each of 20 tenants, with name and domain, and keeps those that are checked', async () => {
  await using running = await startConsole()
  const ids = await addTenants(running, 20)
  const owner = await running.logIn({ role: 'owner' })
  const path = '/console/keys/new'
  const form = await owner.get(path)
  expect(form.html.match(/type="checkbox" id="tenant-\d+" name="tenant"/g)).toHaveLength(20)
  expect(textOf(form.html)).toMatch(/Acme Garden Supplies\s+login\.customer-1\.example/)
  expect(form.html).not.toContain('<datalist')

  const [one = '', , three = ''] = ids
  const body = new URLSearchParams(fieldsOf(form.html, path).filter(([name]) => name === 'csrf'))
  for (const [name, value] of Object.entries({ ...KEY, days: '0' })) body.append(name, value)
  for (const id of [one, three]) body.append('tenant', id)
  const send = () =>
    owner.send(path, {
      method: 'POST',
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const refused = await send()
  expect(refused.status).toBe(422)
  const sent = fieldsOf(refused.html, path).filter(([name]) => name === 'tenant')
  expect(sent.map(([, id]) => id).sort()).toEqual([one, three].sort())

  body.set('days', '30')
  expect((await send()).status).toBe(303)
  const made = (await running.service.admin.listApiKeys()).find(({ name }) => name === KEY.name)
  expect(made?.reach).toEqual([one, three].sort())
})

test('among more tenants, domains and ids are typed; an unknown one is refused with the nearest domain', async () => {
  await using running = await startConsole()
  const ids = await addTenants(running, 21)
  const owner = await running.logIn({ role: 'owner' })
  const path = '/console/keys/new'
  const form = await owner.get(path)
  expect(form.html).not.toContain('id="tenant-0"')
  expect(form.html.match(/<option value="login\.customer-\d+\.example">/g)).toHaveLength(21)

  for (const [tenant, sentence] of [
    ['login.custmer-7.example', 'login.custmer-7.example”. Did you mean login.customer-7.example?'],
    ['acme', 'acme”. Did you mean login.customer-1.example?'],
    ['ten_00000000000000000000000000', 'ten_00000000000000000000000000”.'],
    ['console.example', 'There is no tenant with the domain or id “console.example”.'],
  ] as const) {
    const refused = await press(owner, form, path, { ...KEY, tenant: `${ids[1]}, ${tenant}` })
    expect(refused.status).toBe(422)
    expect(textOf(refused.html)).toContain(sentence)
    const kept = Object.fromEntries(fieldsOf(refused.html, path))
    expect(kept).toMatchObject({ name: KEY.name, tenant: `${ids[1]} ${tenant}` })
  }
  const none = await press(owner, form, path, { ...KEY, tenant: ' , ' })
  expect(textOf(none.html)).toContain('A key needs at least one tenant')

  const typed = `${ids[1]} LOGIN.customer-3.example,login.customer-3.example`
  expect((await press(owner, form, path, { ...KEY, tenant: typed })).status).toBe(303)
  const made = (await running.service.admin.listApiKeys()).find(({ name }) => name === KEY.name)
  expect(made?.reach).toEqual([ids[1], ids[2]].sort())
})

test('the form of an operator comes back open with an unknown tenant, and no operator gets all tenants by mistake', async () => {
  await using running = await startConsole()
  const { admin } = running.service
  const ids = await addTenants(running, 21)
  const owner = await running.logIn({ role: 'owner', email: 'ada@example.com' })
  const bob = await running.logIn({ role: 'admin', reach: ids.slice(0, 2) })
  const stored = async () =>
    (await admin.listOperators()).find(({ operator }) => operator.id === bob.id)?.operator
  const path = `/console/operators/${bob.id}/role`
  const page = await owner.get('/console/operators')
  expect(Object.fromEntries(fieldsOf(page.html, path))).toMatchObject({
    role: 'admin',
    tenant: 'login.customer-1.example login.customer-2.example',
  })

  const fields = { role: 'viewer', reach: 'some', tenant: 'login.customer-2.exampel' }
  const refused = await press(owner, page, path, fields)
  expect(refused.status).toBe(422)
  expect(textOf(refused.html)).toContain('Did you mean login.customer-2.example?')
  expect(refused.html.match(/<details open>/g)).toHaveLength(1)
  expect(Object.fromEntries(fieldsOf(refused.html, path))).toMatchObject({
    role: 'viewer',
    tenant: fields.tenant,
  })
  // Without a choice, as by a form of an earlier version, whose field had another name.
  for (const old of [{ role: 'admin' }, { role: 'admin', tenants: ids[0] ?? '' }]) {
    const answer = await press(owner, page, path, old)
    expect(textOf(answer.html)).toContain('An operator needs at least one tenant, or all.')
  }
  expect(await stored()).toMatchObject({ role: 'admin', reach: ids.slice(0, 2).sort() })

  const chosen = { ...fields, tenant: 'login.customer-2.example' }
  const done = await sendChanges(owner, path, chosen, { opened: refused })
  expect(done.location).toBe('/console/operators?done=role')
  expect(await stored()).toMatchObject({ role: 'viewer', reach: [ids[1]] })

  const invite = '/console/operators/new'
  const form = await owner.get(invite)
  const eve = { email: 'eve@example.com', role: 'viewer', reach: 'some', tenant: 'no.example' }
  const turned = await press(owner, form, invite, eve)
  expect(turned.status).toBe(422)
  expect(Object.fromEntries(fieldsOf(turned.html, invite))).toMatchObject({
    email: eve.email,
    tenant: eve.tenant,
  })
  expect(await admin.listOperators()).toHaveLength(2)
})

test('an operator of some tenants is offered those alone, and grants no other', async () => {
  await using api = await openApi('memory')
  const admin = createAdmin(api.context)
  const scope = { context: api.context, actor: { name: 'operator:test' } }
  const own = await admin.createTenant({ domain: 'login.own.example' })
  const other = await admin.createTenant({ domain: 'login.owl.example' })
  const within = [own.id]
  const offer = await offerTenants(scope, within)
  expect(offer({ isAll: false, words: [] }).boxes?.map(({ id }) => id)).toEqual(within)
  const resolve = (isAll: boolean, ...words: string[]) =>
    resolveTenants(scope, within, { isAll, words })
  expect(await resolve(true)).toEqual(within)
  expect(await resolve(false, 'login.own.example')).toEqual(within)
  for (const word of [other.id, 'login.owl.example']) {
    await expect(resolve(false, own.id, word)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.not.stringContaining('mean login.owl'),
    })
  }
})
