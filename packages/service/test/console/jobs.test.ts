import { describe, expect, test, vi } from 'vitest'
import {
  type ConsoleService,
  type OperatorBrowser,
  on,
  press,
  sendChanges,
  startConsole,
  stores,
  textOf,
} from './support.ts'
import { aTenant } from './tenant.ts'

/** Confirms what a form of the list asks for; answers with the page of confirmation and the path of the job. */
async function begin(owner: OperatorBrowser, list: string, query: URLSearchParams) {
  const page = await owner.get(`${list}/bulk?${query}`)
  const fields = new URLSearchParams(
    [...page.html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value],
    ),
  )
  const begun = await owner.send(`${list}/bulk`, {
    method: 'POST',
    body: fields.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return { page, begun, job: begun.location ?? '' }
}

/** The entries of a page of the audit log. */
const rowsIn = ({ html }: { html: string }): string[] =>
  [...html.matchAll(/<tr><td[\s\S]*?<\/tr>/g)].map(([row]) => textOf(row))

const isDone = (owner: OperatorBrowser, job: string) =>
  vi.waitFor(
    async () => {
      const page = await owner.get(job)
      expect(textOf(page.html)).toMatch(/^.*\bdone\b/is)
      expect(page.html).not.toContain('loaded again')
      return page
    },
    { interval: 200 },
  )

describe.each(stores)('on %s, a job of the console', (store) => {
  async function withUsers(count: number, options = on(store)) {
    const running = await startConsole(options)
    const tenant = await aTenant(running)
    const ids = await tenant.addUsers(count)
    const owner = await running.logIn({ role: 'owner' })
    const entries = async (action: string) => {
      const { body } = await tenant.call(
        'GET',
        `/x/v1/tenants/${tenant.id}/audit?action=${action}&limit=100`,
      )
      return body.data as { target: string; actor: string; request_id: string; flags?: object }[]
    }
    return { running, tenant, ids, owner, entries, list: `${tenant.path}/users` }
  }

  test('disables the users who were ticked, each with an entry of the audit log, after one page with their number', async () => {
    const { running, ids, owner, entries, list } = await withUsers(5)
    await using _ = running
    const ticked = ids.slice(1, 4)
    const query = new URLSearchParams([
      ['act', 'disable'],
      ['of', 'ticked'],
      ...ticked.map((id) => ['user', id] as [string, string]),
    ])
    const { page, begun, job } = await begin(owner, list, query)
    expect(textOf(page.html)).toContain('Disable: 3 users')
    expect(begun.status).toBe(303)
    await isDone(owner, job)
    const found = await entries('user.update')
    expect(found.map(({ target }) => target).sort()).toEqual(ticked)
    for (const entry of found) {
      expect(entry).toMatchObject({ actor: `operator:${owner.id}`, flags: { disabled: true } })
    }
    expect(new Set(found.map((entry) => entry.request_id)).size).toBe(1)
    expect((await owner.get(`${list}?state=disabled`)).html.match(/"badge bad"/g)).toHaveLength(3)
  })

  test('is for all that the filters let through, and tells whom it could not help', async () => {
    const { running, tenant, owner, entries, list } = await withUsers(3)
    await using _ = running
    const eve = await tenant.addUser({ email: 'eve@acme.test' })
    await press(owner, await owner.get(`${list}/${eve.id}`), `${list}/${eve.id}/disable`)
    await tenant.addUser({ email: 'bob@acme.test' })
    const of = (act: string, search: string) =>
      begin(owner, list, new URLSearchParams({ act, of: 'all', search, state: '' }))
    const { page, job } = await of('reset', 'acme')
    expect(textOf(page.html)).toContain('Send a link for a new password: 2 users')
    const ended = textOf((await isDone(owner, job)).html)
    expect(ended).toMatch(/Done\s*1\s*Refused\s*1/)
    expect(ended).toContain(eve.id)
    expect(await entries('mail.requested')).toHaveLength(1)

    const { job: enabling } = await of('enable', '@acme.test')
    await isDone(owner, enabling)
    expect((await owner.get(`${list}?state=disabled`)).html).toContain('No user was found')
    expect(textOf((await owner.get(`${tenant.path}/jobs`)).html)).toContain('Enable: 2 users')
  })

  test('is one entry of the log with its number, and its users are beneath it', async () => {
    const { running, tenant, ids, owner, list } = await withUsers(4)
    await using _ = running
    const query = new URLSearchParams([
      ['act', 'disable'],
      ['of', 'ticked'],
      ...ids.slice(0, 3).map((id) => ['user', id] as [string, string]),
    ])
    const { job } = await begin(owner, list, query)
    await isDone(owner, job)
    await press(owner, await owner.get(`${list}/${ids[3]}`), `${list}/${ids[3]}/disable`)
    const id = job.split('job=')[1]
    for (const base of [`${tenant.path}/audit`, '/console/audit']) {
      const page = await owner.get(base)
      expect(rowsIn(page)).toContainEqual(
        expect.stringContaining(`${owner.email} disabled users by a job: 3 users.`),
      )
      expect(rowsIn(page).filter((row) => row.includes('user.update'))).toEqual([
        expect.stringContaining('disabled the user'),
      ])
      expect(page.html).toContain(`href="${base}?request=${id}"`)
      const beneath = await owner.get(`${base}?request=${id}`)
      expect(textOf(beneath.html)).toContain('What a job did, user by user.')
      expect(rowsIn(beneath)).toHaveLength(3)
      for (const filter of ['jobs=1', 'action=user.update', `action=user.u&actor=${owner.email}`]) {
        const all = rowsIn(await owner.get(`${base}?${filter}`))
        expect(all.filter((row) => row.includes('user.update'))).toHaveLength(4)
      }
      const ofOne = rowsIn(await owner.get(`${base}?user=${ids[0]}`))
      expect(ofOne).toContainEqual(expect.stringContaining('disabled the user'))
    }
    const own = await owner.get(`${tenant.path}/jobs?job=${id}`)
    expect(own.html).toContain(`${tenant.path}/audit?request=${id}`)
  })

  test('is undone by another job, for the users on whom no decision was made since', async () => {
    const { running, tenant, ids, owner, entries, list } = await withUsers(5)
    await using _ = running
    const [first = '', second = '', third = '', , fifth = ''] = ids
    const turn = async (id: string, act: string) =>
      press(owner, await owner.get(`${list}/${id}`), `${list}/${id}/${act}`)
    // One is disabled already: the job does not change it, and neither does undoing it.
    await turn(fifth, 'disable')
    const all = new URLSearchParams({ act: 'disable', of: 'all' })
    const { job } = await begin(owner, list, all)
    await isDone(owner, job)
    await turn(first, 'enable')
    await turn(second, 'enable')
    await turn(second, 'disable')

    const id = job.split('job=')[1] ?? ''
    expect((await owner.get(job)).html).toContain(`${tenant.path}/jobs/undo?job=${id}`)
    const asked = await owner.get(`${tenant.path}/jobs/undo?job=${id}`)
    expect(textOf(asked.html)).toContain('Enable: 2 users')
    expect(textOf(asked.html)).toContain('The job changed 4 users.')
    expect(textOf(asked.html)).toContain('or deleted since: 2.')
    const begun = await press(owner, asked, `${tenant.path}/jobs/undo`, { job: id })
    expect(begun.status).toBe(303)
    const undone = await isDone(owner, begun.location ?? '')
    expect(textOf(undone.html)).toMatch(/Done\s*2\s*Refused\s*0/)
    const rows = (await entries('user.update')).filter(
      ({ request_id }) => request_id === begun.location?.split('job=')[1],
    )
    expect(rows.map(({ target }) => target).sort()).toEqual([third, ids[3]])
    for (const row of rows) expect(row.flags).toEqual({ disabled: false })
    const disabled = (await owner.get(`${list}?state=disabled`)).html
    for (const one of ids) {
      expect(disabled.includes(one)).toBe(one === second || one === fifth)
    }
    expect(rowsIn(await owner.get(`${tenant.path}/audit`))).toContainEqual(
      expect.stringContaining('undid a job, which enabled users again: 2 users.'),
    )

    // It is an act of its own, which is undone in turn.
    const back = begun.location?.split('job=')[1] ?? ''
    const turned = await owner.get(`${tenant.path}/jobs/undo?job=${back}`)
    expect(textOf(turned.html)).toContain('Disable: 2 users')

    // Once more, there is nothing to undo; and no viewer, and no job of messages is undone.
    const again = await press(owner, asked, `${tenant.path}/jobs/undo`, { job: id })
    expect(textOf(again.html)).toContain('There is nothing to undo.')
    const sent = await begin(owner, list, new URLSearchParams({ act: 'end-sessions', of: 'all' }))
    await isDone(owner, sent.job)
    const other = sent.job.split('job=')[1] ?? ''
    expect((await owner.get(`${tenant.path}/jobs/undo?job=${other}`)).status).toBe(409)
    const viewer = await running.logIn({ role: 'viewer' })
    expect((await viewer.get(`${tenant.path}/jobs/undo?job=${id}`)).status).toBe(403)
  })

  test('goes on after a restart, and takes each user once', async () => {
    const options = { ...on(store), masterKey: Buffer.alloc(32, 7).toString('base64') }
    const first = await withUsers(100, options)
    const extra = { tenants: [{ settings: { domain: 'acme.example' }, users: manyUsers(300) }] }
    await first.running.service.admin.seed(extra)
    const all = new URLSearchParams({ act: 'end-sessions', of: 'all' })
    const { page, job } = await begin(first.owner, first.list, all)
    expect(textOf(page.html)).toContain('End sessions: 400 users')
    await first.running.service.close()

    await using second = await startConsole(options)
    const owner = await second.logIn({ role: 'owner' })
    const ended = textOf((await isDone(owner, job)).html)
    expect(ended).toMatch(/Done\s*400\s*Refused\s*0/)
    const targets = new Set<string>()
    let count = 0
    for await (const entry of second.service.admin.exportAudit({ tenantId: first.tenant.id })) {
      if (entry.actor !== `operator:${first.owner.id}` || !entry.target.startsWith('usr_')) continue
      targets.add(entry.target)
      count++
    }
    expect([targets.size, count]).toEqual([400, 400])
  })

  test('needs an act, a user, an admin and a login of the last five minutes', async () => {
    const { running, tenant, ids, list } = await withUsers(1)
    await using _ = running
    const viewer = await running.logIn({ role: 'viewer' })
    const asked = `${list}/bulk?act=disable&of=ticked&user=${ids[0]}`
    expect((await viewer.get(asked)).status).toBe(403)
    expect((await viewer.get(list)).html).not.toContain('name="user"')
    const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
    for (const query of ['act=disable&of=ticked', 'act=explode&of=all']) {
      expect((await admin.get(`${list}/bulk?${query}`)).html).toContain('Nothing was chosen')
    }
    expect((await admin.get(asked)).html).toContain('Disable: one user')
    expect((await admin.get(`${tenant.path}/jobs?job=job_none`)).status).toBe(404)
  })
})

function manyUsers(count: number): { profile: { email: string } }[] {
  return Array.from({ length: count }, (_, i) => ({ profile: { email: `more${i}@example.com` } }))
}

test('a job for more than a thousand users asks for their number, and is stopped between two steps', async () => {
  const running = await startConsole()
  await using _ = running
  const tenant = await aTenant(running)
  await tenant.addUsers(1_001)
  const owner = await running.logIn({ role: 'owner' })
  const list = `${tenant.path}/users`
  const page = await owner.get(`${list}/bulk?act=invite&of=all`)
  expect(textOf(page.html)).toContain('Enter the number of users to confirm')
  const sent = { act: 'invite', of: 'all' }
  for (const typed of ['', '1000']) {
    const refused = await press(owner, page, `${list}/bulk`, { ...sent, typed })
    expect(refused.status).toBe(422)
    expect(textOf(refused.html)).toContain('Nothing was done: enter 1001')
  }
  const begun = await press(owner, page, `${list}/bulk`, { ...sent, typed: '1,001' })
  expect(begun.status).toBe(303)
  expect(begun.location).toContain('/jobs?job=')

  // It goes on in steps of a hundred users, and stops between two of them.
  const job = new URL(begun.location ?? '', 'https://console.example').searchParams.get('job') ?? ''
  const path = `${tenant.path}/jobs/stop`
  expect((await press(owner, page, path, { job })).status).toBe(303)
  const stopped = await vi.waitFor(
    async () => {
      const { html } = await owner.get(begun.location ?? '')
      expect(html).not.toContain('loaded again')
      return textOf(html)
    },
    { interval: 200 },
  )
  expect(stopped).toContain('stopped')
  const done = Number(/Done\s*(\d+)/.exec(stopped)?.[1])
  expect(done).toBeLessThan(1_001)
  const audit = await owner.get(`${tenant.path}/audit?action=job.`)
  expect(textOf(audit.html)).toContain('stopped a job for many users')
  // A job that has ended is not stopped.
  expect((await press(owner, page, path, { job })).status).toBe(409)
  const viewer = await running.logIn({ role: 'viewer' })
  expect((await press(viewer, await viewer.get(list), path, { job })).status).toBe(403)
})

/** The ways in which an operator loses the permission for a job that goes on. */
const losses: Readonly<
  Record<string, (running: ConsoleService, id: string, owner: OperatorBrowser) => Promise<unknown>>
> = {
  'is disabled': (_, id, owner) => sendChanges(owner, `/console/operators/${id}/disable`, {}),
  'is removed': ({ service }, id) => service.admin.removeOperator(id),
  'becomes a viewer': ({ service }, id) => service.admin.updateOperator(id, { role: 'viewer' }),
  'loses the tenant': async ({ service }, id) => {
    const other = await service.admin.createTenant({ domain: 'other.example' })
    await service.admin.updateOperator(id, { role: 'admin', reach: [other.id] })
  },
}

test.each(Object.keys(losses))('a job stops when the operator who began it %s', async (loss) => {
  const running = await startConsole()
  await using _ = running
  const tenant = await aTenant(running)
  await tenant.addUsers(600)
  const owner = await running.logIn({ role: 'owner' })
  const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
  const all = new URLSearchParams({ act: 'disable', of: 'all' })
  const { job } = await begin(admin, `${tenant.path}/users`, all)
  await losses[loss]?.(running, admin.id, owner)

  const page = await vi.waitFor(
    async () => {
      const shown = await owner.get(job)
      expect(shown.html).not.toContain('loaded again')
      return shown
    },
    { interval: 200 },
  )
  const text = textOf(page.html)
  expect(text).toContain('stopped')
  expect(text).toContain('The operator who began the job may no longer do this')
  const done = Number(/Done\s*(\d+)/.exec(text)?.[1])
  expect(done).toBeLessThan(600)
  const rows = rowsIn(await owner.get(`${tenant.path}/audit?action=job.stop`))
  expect(rows).toEqual([expect.stringContaining('stopped a job for many users')])
  expect(rows[0]).not.toContain(admin.email)
  const german = await owner.send(job, { method: 'GET', headers: { 'accept-language': 'de' } })
  expect(textOf(german.html)).toContain('darf das nicht mehr')
})

test('a job goes on when its operator becomes an owner', async () => {
  const running = await startConsole()
  await using _ = running
  const tenant = await aTenant(running)
  await tenant.addUsers(300)
  const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
  const all = new URLSearchParams({ act: 'disable', of: 'all' })
  const { job } = await begin(admin, `${tenant.path}/users`, all)
  await running.service.admin.updateOperator(admin.id, { role: 'owner' })
  expect(textOf((await isDone(admin, job)).html)).toMatch(/Done\s*300\s*Refused\s*0/)
})
