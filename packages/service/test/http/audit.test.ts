import { describe, expect, test } from 'vitest'
import { type Answer, type Api, startApi, stores } from '../support/api.ts'
import { expectError } from '../support/errors.ts'

const nextOf = (answer: Answer) =>
  /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]

const auditOf = ({ tenant }: Api) => `/x${tenant}/audit`

function linesOf(api: Api, path: string, accept = 'application/x-ndjson'): Promise<Response> {
  return api.service.fetch(`https://api.example${path}`, {
    headers: { authorization: `Bearer ${api.key}`, accept },
  })
}

describe.each(stores)('the audit log under /x/v1 on %s', (store) => {
  test('says who did what, with the names of changed members and none of their values', async () => {
    await using api = await startApi(store)
    const user = await api.create(api.users, {
      profile: { email: 'ada@example.com', name: 'Ada' },
      metadata: { plan: 'free' },
    })
    user.profile.name = 'Countess of Lovelace'
    user.metadata = { plan: 'golden', floor: '3' }
    user.disabled = true
    await api.post(`${api.users}/${user.id}`, user)

    const { body } = await api.get(`${auditOf(api)}?user=${user.id}`)
    expect(body.data).toMatchObject([
      {
        type: 'AuditEntry',
        action: 'user.update',
        target: user.id,
        actor: expect.stringMatching(/^key:key_/),
        outcome: 'success',
        fields: ['disabled', 'metadata.floor', 'metadata.plan', 'profile.name'],
      },
      { action: 'user.create' },
    ])
    expect(JSON.stringify(body)).not.toMatch(/Countess|golden|ada@/)
    const [entry] = body.data
    expect((await api.get(`${auditOf(api)}/${entry.id}`)).body).toEqual(entry)
  })

  test('says which settings of a tenant were changed', async () => {
    await using api = await startApi(store)
    const tenant = (await api.get(api.tenant)).body
    await api.post(api.tenant, {
      ...tenant,
      settings: { ...tenant.settings, allow_signups: false, company_name: 'Acme' },
    })
    const { data } = (await api.get(`${auditOf(api)}?action=tenant.update`)).body
    expect(data).toMatchObject([{ fields: ['settings.allow_signups', 'settings.company_name'] }])
  })

  test('is read page by page, and as lines all at once', async () => {
    await using api = await startApi(store)
    for (let n = 0; n < 5; n++) await api.createUser()
    const path = `${auditOf(api)}?action=user.create&limit=2`

    const ids: string[] = []
    for (let next: string | undefined = path; next; ) {
      const page: Answer = await api.get(next)
      ids.push(...page.body.data.map(({ id }: { id: string }) => id))
      next = nextOf(page)
    }
    expect(ids).toHaveLength(5)
    const lines = await linesOf(api, path)
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
    const entries = (await lines.text()).trimEnd().split('\n')
    expect(entries.map((line) => JSON.parse(line).id)).toEqual(ids)

    const table = await linesOf(api, path, 'text/csv')
    expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const [head, ...rows] = (await table.text()).trimEnd().split('\r\n')
    expect(head).toMatch(/^id,at,actor,action,target,outcome,fields,/)
    expect(rows.map((row) => row.split(',')[0])).toEqual(ids)
  })

  test('a cell of the table that a spreadsheet takes for a formula begins with an apostrophe', async () => {
    await using api = await startApi(store)
    const body = { profile: { email: 'ada@example.com' } }
    await api.post(api.users, body, { 'user-agent': '=HYPERLINK("https://evil.example")' })
    const table = await (await linesOf(api, auditOf(api), 'text/csv')).text()
    expect(table).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
  })
})

test('a refused request for lines gets an Error, as any other', async () => {
  await using api = await startApi()
  const answer = await linesOf(api, `${auditOf(api)}?from=yesterday`)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ code: 'invalid_request' })
})

test.each(['from=yesterday', 'to=2026', 'actor=', 'acter=x', 'after=x', 'after=WzFd'])(
  'an audit query with %s is refused',
  async (query) => {
    await using api = await startApi()
    expectError(await api.get(`${auditOf(api)}?${query}`), 400, 'invalid_request')
  },
)

test('a key reads the entries of the tenants that it reaches, a read-only key too', async () => {
  await using api = await startApi()
  const other = await api.service.admin.createTenant({ domain: 'other.example' })
  const [entry] = await api.service.admin.audit({ tenantId: other.id })
  expectError(await api.get(`/x/v1/tenants/${other.id}/audit`), 404, 'not_found')
  expectError(await api.get(`${auditOf(api)}/${entry?.id}`), 404, 'not_found')
  for (const id of ['0', '01', '1.5', 'x', '99999999999999999999']) {
    expectError(await api.get(`${auditOf(api)}/${id}`), 404, 'not_found')
  }
  const reads = { name: 'reads', reach: [api.tenantId], readOnly: true }
  const { secret } = await api.service.admin.createApiKey(reads)
  const headers = { authorization: `Bearer ${secret}` }
  expect((await api.get(auditOf(api), headers)).status).toBe(200)
})
