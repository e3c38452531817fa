import { afterEach, describe, expect, test, vi } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import { startMailServer } from './mail-server.ts'
import { on, press, sendForm, startConsole, stores, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe.each(stores)('on %s', (store) => {
  test('the outbox shows what the mail server answered, and sends a message again with a new link (C9)', async () => {
    await using server = await startMailServer()
    await using running = await startConsole({ ...on(store), mail: server.mail })
    const tenant = await aTenant(running)
    const ada = await tenant.addUser()
    const visitor = createBrowser({
      url: `https://${tenant.domain}`,
      fetch: running.service.fetch as never,
    })
    visitor.headers['accept-language'] = 'de'
    await visitor.submit(await visitor.get('/reset'), { email: ada.email })

    const operator = await running.logIn({ role: 'admin' })
    const path = `${tenant.path}/outbox`
    const refused = await vi.waitFor(async () => {
      const page = await operator.get(path)
      expect(page.html).toMatch(/\b451\b/)
      return page
    })
    expect(refused.html).toContain('Link for a new password')
    expect(refused.html).toContain('waiting')
    expect(refused.html).toContain('Next attempt')
    expect(refused.html).toContain('451 5.1.1 No such mailbox &lt;script&gt;')
    expect(refused.html).toContain(`href="${tenant.path}/users/${ada.id}"`)
    expect(textOf(refused.html)).toContain(ada.email)
    expect(refused.html).not.toContain('<script>')

    server.state.code = undefined
    const again = /action="([^"]+\/again)"/.exec(refused.html)?.[1] ?? ''
    expect((await press(operator, refused, again)).location).toBe(`${path}?done=mailed`)
    await vi.waitFor(() => expect(server.received).not.toEqual([]))
    const link = /https:\/\/acme\.example\/reset\?[^\s"]+/.exec(server.received[0] ?? '')?.[0] ?? ''
    expect(link).toContain('ui_locales=de')
    expect((await visitor.get(link)).status).toBe(200)
    await vi.waitFor(async () => {
      const { html } = await operator.get(`${path}?state=sent`)
      expect(html).toContain('badge good">sent')
      expect(html).not.toContain('badge warn">waiting')
    })
    const [entry] = await running.service.admin.audit({ target: ada.id })
    expect(entry).toMatchObject({ action: 'mail.requested', actor: `operator:${operator.id}` })
  })

  test('a message that the mail server refuses for good is given up at once, and can be sent again', async () => {
    await using server = await startMailServer()
    server.state.code = 550
    await using running = await startConsole({ ...on(store), mail: server.mail })
    const tenant = await aTenant(running)
    const ada = await tenant.addUser({}, '')
    const operator = await running.logIn({ role: 'admin' })
    const user = `${tenant.path}/users/${ada.id}`
    await press(operator, await operator.get(user), `${user}/mail`, { kind: 'invite' })
    const page = await vi.waitFor(async () => {
      const given = await operator.get(`${tenant.path}/outbox?state=given_up`)
      expect(given.html).toContain('badge bad">given up')
      return given
    })
    expect(textOf(page.html)).toContain('550 5.1.1 No such mailbox')
    expect(textOf(page.html)).toContain(ada.email)
    server.state.code = undefined
    const again = /action="([^"]+\/again)"/.exec(page.html)?.[1] ?? ''
    await press(operator, page, again)
    await vi.waitFor(() => expect(server.received).not.toEqual([]))
  })

  test('the overview names the tenants whose mail was given up within a day, to operators who reach them', async () => {
    await using server = await startMailServer()
    server.state.code = 550
    await using running = await startConsole({ ...on(store), mail: server.mail })
    const tenant = await aTenant(running)
    const other = await aTenant(running, {}, 'other.example')
    const viewer = await running.logIn({ role: 'viewer' })
    expect(viewer.landed.html).toContain('Nothing needs your attention.')
    const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
    const ada = await tenant.addUser({}, '')
    const user = `${tenant.path}/users/${ada.id}`
    for (const count of [1, 2]) {
      await press(admin, await admin.get(user), `${user}/mail`, { kind: 'invite' })
      const sentence = [
        'A message of acme.example was given up in the last 24 hours.',
        '2 messages of acme.example were given up in the last 24 hours.',
      ][count - 1]
      await vi.waitFor(async () =>
        expect(textOf((await admin.get('/console')).html)).toContain(sentence),
      )
    }
    const { html } = await viewer.get('/console')
    expect(html).toContain('Needs attention')
    expect(html).toContain(`href="${tenant.path}/outbox?state=given_up"`)
    expect(textOf(html)).toContain('2 messages of acme.example were given up')
    expect(textOf(html)).toContain('Last answer of the mail server: 550 5.1.1')
    const stranger = await running.logIn({ role: 'viewer', reach: [other.id] })
    expect(stranger.landed.html).toContain('Nothing needs your attention.')

    const bob = await tenant.addUser({ email: 'bob@example.com' }, '')
    const page = `${tenant.path}/users/${bob.id}`
    await press(admin, await admin.get(page), `${page}/mail`, { kind: 'invite' })
    await vi.waitFor(async () =>
      expect(textOf((await admin.get('/console')).html)).toContain('3 messages of acme.example'),
    )
    // Once a message was sent again, those before it need no attention.
    server.state.code = undefined
    await press(admin, await admin.get(user), `${user}/mail`, { kind: 'invite' })
    await vi.waitFor(async () =>
      expect(textOf((await admin.get('/console')).html)).toContain(
        'A message of acme.example was given up in the last 24 hours.',
      ),
    )

    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 25 * 3_600_000)
    const next = await running.logIn({ role: 'viewer' })
    expect(next.landed.html).toContain('Nothing needs your attention.')
  })

  test('the overview of a tenant counts the mails that were sent and given up each day, in a chart and in its table', async () => {
    await using server = await startMailServer()
    server.state.code = 550
    await using running = await startConsole({ ...on(store), mail: server.mail })
    const tenant = await aTenant(running)
    const other = await aTenant(running, {}, 'other.example')
    const operator = await running.logIn({ role: 'admin' })
    expect((await operator.get(tenant.path)).html).toContain(
      'No mail was sent in the last 30 days.',
    )
    const ada = await tenant.addUser({}, '')
    const user = `${tenant.path}/users/${ada.id}`
    const ask = async (count: number) => {
      for (let n = 0; n < count; n++) {
        await press(operator, await operator.get(user), `${user}/mail`, { kind: 'invite' })
      }
    }
    const rows = async (path: string) => {
      const { html } = await operator.get(path)
      const [, chart = ''] = html.split('<h2>Mails of the last 30 days</h2>')
      const [table = ''] = /<table>[\s\S]*?<\/table>/.exec(chart) ?? []
      return [...table.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) =>
        textOf(row.replaceAll(/<\/t[dh]>\s*/g, '|')),
      )
    }
    await ask(1)
    await vi.waitFor(async () => expect((await rows(tenant.path))[1]).toContain('|0|1|'))
    server.state.code = undefined
    await ask(2)
    await vi.waitFor(async () => expect((await rows(tenant.path))[1]).toContain('|2|1|'))
    const shown = await rows(tenant.path)
    expect(shown[0]).toBe('Day (UTC)|Sent|Given up|')
    expect(shown).toHaveLength(31)
    expect(shown[2]).toContain('|0|0|')
    expect(await rows(other.path)).toEqual([])
  })

  test('the outbox shows the address that a message went to, also after the user has another', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    const path = `/v1/tenants/${tenant.id}`
    const { body } = await tenant.call('GET', path)
    const metadata = { latchkey_four_eyes: 'false' }
    await tenant.call('POST', path, { settings: body.settings, metadata })
    const ada = await tenant.addUser({}, '')
    const operator = await running.logIn({ role: 'admin' })
    const user = `${tenant.path}/users/${ada.id}`
    const send = async () =>
      press(operator, await operator.get(user), `${user}/mail`, { kind: 'invite' })
    await send()
    await sendForm(operator, `${user}/edit/save`, { email: 'king@example.com' }, `${user}/edit`)
    await send()
    const shown = async () => {
      const { html } = await operator.get(`${tenant.path}/outbox`)
      const rows = [...html.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) => textOf(row))
      return rows.flatMap(
        (row) => /(Invitation|Notice of a new address)(\S+?\.com)/.exec(row)?.[0] ?? [],
      )
    }
    // The notice is stored with the new address, and comes into the outbox a little later.
    await expect
      .poll(async () => (await shown()).toSorted())
      .toEqual([
        'Invitationada@example.com',
        'Invitationking@example.com',
        'Notice of a new addressada@example.com',
      ])
  })

  test('the outbox shows a viewer no content and no way to send, in pages of 50', async () => {
    await using running = await startConsole(on(store))
    const tenant = await aTenant(running)
    for (const id of await tenant.addUsers(51)) {
      await tenant.call('POST', `/x/v1/tenants/${tenant.id}/users/${id}/mails`, { kind: 'invite' })
    }
    const viewer = await running.logIn({ role: 'viewer' })
    const first = await viewer.get(`${tenant.path}/outbox`)
    expect(first.html.match(/<td[^>]*>Invitation<br>/g)).toHaveLength(50)
    expect(first.html).not.toMatch(/token|\/again|@example\.com<\/td>/)
    const next = /href="([^"]+)">Next page/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await viewer.get(next)
    expect(second.html.match(/<td[^>]*>Invitation<br>/g)).toHaveLength(1)
    expect(second.html).not.toContain('Next page')
    expect((await viewer.get(`${tenant.path}/outbox?state=sent`)).html).toContain(
      'is in this state',
    )
  })
})
