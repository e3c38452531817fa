import { describe, expect, test, vi } from 'vitest'
import { type OperatorBrowser, on, press, startConsole, stores } from './support.ts'
import { aTenant } from './tenant.ts'

const addressesIn = ({ html }: { html: string }) =>
  [...html.matchAll(/\/users\/usr_\w+"><bdi>([^<]+)/g)].map(([, email]) => email)

async function fileAt(operator: OperatorBrowser, list: string, fields = {}): Promise<string> {
  const page = await operator.get(list)
  const { html, headers, status } = await press(operator, page, `${list}/export`, fields)
  expect(status).toBe(200)
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="users-ten_\w+\.\w+"$/)
  return html
}

describe.each(stores)('on %s, the list of users', (store) => {
  async function withUsers() {
    const running = await startConsole(on(store))
    const tenant = await aTenant(running)
    await tenant.addUser({ email: 'zoe@acme.test', name: 'Zoë Müller' })
    await tenant.addUser({ email: 'bob@other.test', name: 'Bob' }, '')
    await tenant.addUser({ email: 'canada@acme.test', email_verified: false }, '')
    const owner = await running.logIn({ role: 'owner' })
    return { running, tenant, owner, list: `${tenant.path}/users` }
  }

  test('is searched in the middle of an address or a name, by domain and without accents', async () => {
    const { running, owner, list } = await withUsers()
    await using _ = running
    const at = async (search: string) =>
      addressesIn(await owner.get(`${list}?${new URLSearchParams({ search })}`))
    expect(await at('nada@')).toEqual(['canada@acme.test'])
    expect(await at('e mul')).toEqual(['zoe@acme.test'])
    expect(await at('@acme.test')).toEqual(['zoe@acme.test', 'canada@acme.test'])
    expect(await at('bo')).toEqual(['bob@other.test'])
    expect(await at('nobody')).toEqual([])
  })

  test('is sorted by creation, name and last login, which each row shows', async () => {
    const { running, owner, tenant, list } = await withUsers()
    await using _ = running
    const [oldest, newest] = [
      ['zoe@acme.test', 'bob@other.test', 'canada@acme.test'],
      ['canada@acme.test', 'bob@other.test', 'zoe@acme.test'],
    ]
    expect(addressesIn(await owner.get(list))).toEqual(oldest)
    expect(addressesIn(await owner.get(`${list}?order=newest`))).toEqual(newest)
    expect(addressesIn(await owner.get(`${list}?order=name`))).toEqual([
      'bob@other.test',
      'zoe@acme.test',
    ])
    expect(addressesIn(await owner.get(`${list}?order=login`))).toEqual([])
    await tenant.logIn('zoe@acme.test')
    const page = await owner.get(`${list}?order=login&state=unverified`)
    expect(addressesIn(page)).toEqual(['zoe@acme.test'])
    expect(page.html).toMatch(/data-label="Last login"><time datetime="20/)
    expect((await owner.get(list)).html).toMatch(/data-label="Last login"><span class="soft">never/)
  })

  test('is filtered by the last login, in the export and in an act for all of the list as well', async () => {
    const { running, owner, tenant, list } = await withUsers()
    await using _ = running
    await tenant.logIn('zoe@acme.test')
    const never = ['bob@other.test', 'canada@acme.test']
    expect(addressesIn(await owner.get(`${list}?way=password`))).toEqual(['zoe@acme.test'])
    expect(addressesIn(await owner.get(`${list}?way=never`))).toEqual(never)
    expect(addressesIn(await owner.get(`${list}?not_since=2020-01-01`))).toEqual([])
    expect(addressesIn(await owner.get(`${list}?not_since=2999-01-01`))).toHaveLength(3)
    const lines = (await fileAt(owner, list, { way: 'never' })).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).profile.email)).toEqual(never)
    const bulk = await owner.get(`${list}/bulk?act=disable&of=all&way=never&not_since=2999-01-01`)
    expect(bulk.html).toContain('Last login: Never logged in.')
    expect(bulk.html).toContain('No login since 2999-01-01.')
    await press(owner, bulk, `${list}/bulk`, {
      ...{ act: 'disable', of: 'all', way: 'never', not_since: '2999-01-01' },
    })
    await vi.waitFor(async () =>
      expect(addressesIn(await owner.get(`${list}?state=disabled`))).toEqual(never),
    )
  })

  test('is exported as CSV and as lines of JSON, with the filters of the page', async () => {
    const { running, owner, tenant, list } = await withUsers()
    await using _ = running
    await tenant.addUser({ email: '=cmd@acme.test', name: '=HYPERLINK("x")', nickname: '@me' }, '')
    const rows = (await fileAt(owner, list, { format: 'csv' })).split('\r\n')
    expect(rows[0]).toBe(
      '\uFEFFid,email,email_verified,verified_at,disabled,created_at,last_login_at,name,given_name,family_name,profile,metadata',
    )
    expect(rows).toHaveLength(6)
    expect(rows[4]).toContain(`,'=cmd@acme.test,`)
    expect(rows[4]).toContain(`,"'=HYPERLINK(""x"")",`)
    const lines = (await fileAt(owner, list, { search: 'acme' })).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).profile.email)).toEqual([
      'zoe@acme.test',
      'canada@acme.test',
      '=cmd@acme.test',
    ])
    const unverified = await fileAt(owner, list, {
      ...{ state: 'unverified', format: 'csv' },
    })
    expect(unverified.split('\r\n')[1]).toContain(',canada@acme.test,false,,false,')
  })
})

test('the overview and the page of a tenant count logins, refused logins and mails of the last day', async () => {
  await using running = await startConsole()
  const tenant = await aTenant(running)
  const other = await aTenant(running, {}, 'other.example')
  const ada = await tenant.addUser()
  await tenant.logIn(ada.email)
  await tenant.logIn(ada.email, 'a wrong password')
  const owner = await running.logIn({ role: 'owner' })
  const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
  const page = await owner.get(`${tenant.path}/users/${ada.id}`)
  await press(owner, page, `${tenant.path}/users/${ada.id}/mail`, { kind: 'reset' })
  const figuresOf = ({ html }: { html: string }) =>
    [...html.matchAll(/>([\w ]+), last 24 hours<[\s\S]*?class="figure">([^<]+)/g)].map(
      ([, label, figure]) => `${label}: ${figure}`,
    )
  expect(figuresOf(await owner.get(tenant.path))).toEqual([
    'Logins: 1',
    'Refused logins: 1',
    'Mails: 1',
  ])
  expect(figuresOf(await owner.get(other.path))).toEqual([
    'Logins: 0',
    'Refused logins: 0',
    'Mails: 0',
  ])
  const all = figuresOf(await owner.get('/console'))
  expect(all).toContain('Refused logins: 1')
  expect(all).toContain('Logins: 3')
  expect(figuresOf(await admin.get('/console'))).toEqual([])
})

test('a page counts the logins and refusals of each of the last 30 days, in a chart and in its table', async () => {
  await using running = await startConsole()
  const tenant = await aTenant(running)
  const ada = await tenant.addUser()
  const days = async (path: string) => {
    const { html } = await owner.get(path)
    const table = /<details><summary>As a table[\s\S]*?<\/details>/.exec(html)?.[0] ?? ''
    const bars = [...html.matchAll(/<rect class="(\w+)"[^>]* height="([\d.]+)"/g)]
    return {
      rows: [
        ...table.matchAll(/<td[^>]*>([^<]*)<\/td>\s*<td[^>]*>(\d+)<\/td>\s*<td[^>]*>(\d+)/g),
      ].map(([, , logins, refused]) => [Number(logins), Number(refused)]),
      bars: bars.slice(-2).map(([, name, height]) => [name, Math.round(Number(height))]),
    }
  }
  const owner = await running.logIn({ role: 'owner' })
  expect((await owner.get(tenant.path)).html).toContain('No logins in the last 30 days.')
  await tenant.logIn(ada.email)
  await tenant.logIn(ada.email)
  await tenant.logIn(ada.email, 'a wrong password')
  const { rows, bars } = await days(tenant.path)
  expect([rows.length, rows[0], rows[1]]).toEqual([30, [2, 1], [0, 0]])
  expect(bars).toEqual([
    ['done', 67],
    ['failed', 33],
  ])
  // With the login of the operator.
  expect((await days('/console')).rows[0]).toEqual([3, 1])
  const admin = await running.logIn({ role: 'admin', reach: [tenant.id] })
  expect((await admin.get('/console')).html).not.toContain('As a table')
})
