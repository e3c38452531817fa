import { expect, test, vi } from 'vitest'
import { connectApi } from '../support/api.ts'
import { startReceiver } from '../webhooks/endpoint.ts'
import { fieldsOf, press, sendChanges, startConsole, textOf } from './support.ts'

test('an admin adds an endpoint, tests it, sees what it was sent, and rotates its secret', async () => {
  await using receiver = await startReceiver()
  await using running = await startConsole({ allowHttpOnLoopback: true })
  const { service } = running
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const list = `/console/t/${tenant.id}/webhooks`
  const ada = await running.logIn({ role: 'admin' })
  expect(textOf((await ada.get(list)).html)).toContain('No endpoint yet.')

  const form = await ada.get(`${list}/add`)
  const refused = await press(ada, form, `${list}/add`, { url: 'https://10.0.0.1/' })
  expect(refused.status).toBe(422)
  expect(refused.html).toMatch(/<input id="url"[^>]* aria-invalid="true"/)
  expect(textOf(refused.html)).toContain('10.0.0.1 is not on the public internet.')
  const fields = { url: receiver.url, description: 'Members', types: 'user.created' }
  const added = await press(ada, form, `${list}/add`, fields)
  const page = await ada.get(added.location ?? '')
  const [secret] = /whsec_[\w+/]+=/.exec(page.html) ?? []
  receiver.secrets.push(secret ?? '')
  expect((await ada.get(added.location ?? '')).html).not.toContain('whsec_')

  const path = new URL(page.url).pathname
  const tested = await press(ada, page, `${path}/test`)
  const answer = await ada.get(tested.location ?? '')
  expect(textOf(answer.html)).toMatch(/Accepted: answer 204, after \d+ ms\./)

  const key = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  await connectApi(service.fetch, key.secret, tenant.id).createUser('eve@example.com')
  await vi.waitFor(async () => {
    expect(textOf((await ada.get(path)).html)).toMatch(/user\.createdevt_\w{26}delivered204/)
  })
  const shown = await ada.get(path)
  const [delivery] = /\/deliveries\/\d+\/again/.exec(shown.html) ?? []
  await press(ada, shown, `${path}${delivery}`)
  await vi.waitFor(() => {
    const users = receiver.received.filter(({ event }) => event.type === 'user.created')
    expect(users).toHaveLength(2)
  })

  const ask = await ada.get(`${path}/rotate`)
  expect(textOf(ask.html)).toContain('For 24 hours events are signed with both secrets')
  const rotated = await sendChanges(ada, `${path}/rotate`, {}, { opened: ask })
  expect((await ada.get(rotated.location ?? '')).html).toMatch(/whsec_/)
  await press(ada, await ada.get(`${path}/disable`), `${path}/disable`)
  expect((await ada.get(path)).html).toContain('<span class="badge">switched off</span>')
  await press(ada, await ada.get(path), `${path}/enable`)
  expect((await ada.get(path)).html).toContain('<span class="badge good">on</span>')
  await press(ada, await ada.get(`${path}/remove`), `${path}/remove`)
  expect((await ada.get(path)).status).toBe(404)
})

test('what another operator changed in an endpoint meanwhile stays, and what both changed is marked', async () => {
  await using running = await startConsole()
  const tenant = await running.service.admin.createTenant({ domain: 'acme.example' })
  const list = `/console/t/${tenant.id}/webhooks`
  const ada = await running.logIn({ role: 'admin' })
  const url = (name: string) => `https://${name}.example.com/webhooks`
  const fields = { url: url('old'), description: 'Members', types: 'user.created' }
  const added = await press(ada, await ada.get(`${list}/add`), `${list}/add`, fields)
  const opened = await ada.get(added.location ?? '')
  const page = new URL(opened.url).pathname
  const bob = await running.logIn({ role: 'admin' })
  const theirs = { url: url('new'), types: ['user.created', 'user.deleted'] }
  expect((await sendChanges(bob, page, theirs)).status).toBe(303)

  const mine = { description: 'Mine', types: ['user.updated'] }
  const late = await sendChanges(ada, page, mine, { opened })
  expect(late.status).toBe(409)
  const text = textOf(late.html)
  expect(text).toContain('Another person changed this a moment ago.')
  expect(text).toMatch(/Stored now:\s*user\.created user\.deleted/)
  expect(text).toMatch(/Stored now:\s*Members/)
  expect(fieldsOf(late.html, page)).toContainEqual(['url', url('new')])
  expect((await sendChanges(ada, page, {}, { opened: late })).status).toBe(303)
  const now = Object.fromEntries(fieldsOf((await ada.get(page)).html, page))
  expect(now).toMatchObject({ url: url('new'), description: 'Mine', types: 'user.updated' })
})

test('a second press on the page that makes a secret changes nothing: it leads to the secret that was made, and the first one signs as promised', async () => {
  await using receiver = await startReceiver()
  await using running = await startConsole({ allowHttpOnLoopback: true })
  const tenant = await running.service.admin.createTenant({ domain: 'acme.example' })
  const list = `/console/t/${tenant.id}/webhooks`
  const ada = await running.logIn({ role: 'admin' })
  const fields = { url: receiver.url, types: 'user.created' }
  const added = await press(ada, await ada.get(`${list}/add`), `${list}/add`, fields)
  const page = await ada.get(added.location ?? '')
  receiver.secrets.push(/whsec_[\w+/]+=/.exec(page.html)?.[0] ?? '')
  const path = new URL(page.url).pathname

  const opened = await ada.get(`${path}/rotate`)
  const first = await sendChanges(ada, `${path}/rotate`, {}, { opened })
  expect(first.status).toBe(303)
  // A browser that sends a form twice shows the second answer alone.
  const twice = await sendChanges(ada, `${path}/rotate`, {}, { opened })
  expect(twice.location).toBe(first.location)
  expect((await ada.get(twice.location ?? '')).html).toMatch(/whsec_[\w+/]+=/)
  const second = await sendChanges(ada, `${path}/rotate`, {}, { opened })
  expect(second.status).toBe(409)
  expect(textOf(second.html)).toContain('Nothing was done: this was changed after')
  expect(second.html).toContain('Make a new secret</button>')
  await press(ada, await ada.get(path), `${path}/test`)
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1))
  expect(receiver.refused).toBe(0)
})

test('a double click on "Add the endpoint" adds one endpoint, and shows its secret', async () => {
  await using running = await startConsole()
  const tenant = await running.service.admin.createTenant({ domain: 'acme.example' })
  const list = `/console/t/${tenant.id}/webhooks`
  const ada = await running.logIn({ role: 'admin' })
  const endpoints = async () => {
    const { html } = await ada.get(list)
    return new Set(html.match(/webhooks\/whk_\w+/g)).size
  }
  // The last endpoint that the tenant may have is added once, too.
  for (let made = 1; made <= 10; made++) {
    const opened = await ada.get(`${list}/add`)
    const fields = { url: `https://shop-${made}.example.com/webhooks` }
    const send = () => sendChanges(ada, `${list}/add`, fields, { opened })
    // A browser that sends a form twice shows the second answer alone.
    const [first, second] = await (made < 10
      ? Promise.all([send(), send()])
      : Promise.all([await send(), await send()]))
    expect(second).toMatchObject({ status: 303, location: first.location })
    expect((await ada.get(second.location ?? '')).html).toMatch(/whsec_[\w+/]+=/)
    expect(await endpoints()).toBe(made)
    if (made !== 8) continue
    const third = await send()
    expect(third.status).toBe(409)
    expect(textOf(third.html)).toContain('Nothing was made: this form was sent before')
    expect(fieldsOf(third.html, `${list}/add`)).toContainEqual(['url', fields.url])
    const again = await sendChanges(ada, `${list}/add`, {}, { opened: third })
    expect(again.status).toBe(303)
    expect(await endpoints()).toBe(++made)
  }
})
