import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ask, connect, open, refresh, register } from '../issuer/support/agent.ts'
import { notes, owner } from '../issuer/support/apis.ts'
import { createBrowser } from '../issuer/support/browser.ts'
import type { TestIssuer } from '../issuer/support/issuer.ts'
import { type Api, startApi, stores } from '../support/api.ts'
import { HEARD_MS } from '../support/cluster.ts'
import { expectError } from '../support/errors.ts'

const password = 'correct horse'

/** A service with an API, open to programs that register themselves. */
async function openApi(api: Api) {
  const { body: tenant } = await api.get(api.tenant)
  const metadata = { latchkey_client_documents: 'any', latchkey_client_registration: 'true' }
  await api.create(api.tenant, { ...tenant, metadata })
  if (stores.includes('cluster')) await wait(HEARD_MS)
  await api.create(api.applications, {
    name: 'Notes',
    metadata: { ...owner, latchkey_api_clients: 'documents' },
  })
  const { fetch } = api.service
  const issuer = { url: 'https://acme.example', fetch } as unknown as TestIssuer

  async function addUser(email: string) {
    const user = await api.create(api.users, { profile: { email, email_verified: true } })
    await api.create(`${api.users}/${user.id}/credentials`, {
      password: { alg: 'plain', hash: password },
    })
    return user as { id: string }
  }

  /** Registers a program of a host, to which a user grants access. */
  async function grant(email: string, host: string) {
    const callback = `https://${host}/callback`
    const { body } = await register(issuer, {
      redirect_uris: [callback],
      client_name: 'Note Taker',
    })
    const clientId = String(body.client_id)
    const browser = createBrowser(issuer)
    const asked = { redirect_uri: callback, scope: 'offline_access notes:read' }
    const form = await browser.get(ask(issuer, clientId, asked).url)
    await browser.submit(form, { email, password })
    const { tokens } = await connect(issuer, clientId, asked, browser)
    return { clientId, token: tokens.refresh_token, browser, asked }
  }

  return { issuer, addUser, grant, extra: `/x${api.tenant}` }
}

describe.each(stores)('on %s', (store) => {
  test('the grants of a user are listed, and one is withdrawn', async () => {
    await using api = await startApi(store)
    const { issuer, addUser, grant, extra } = await openApi(api)
    const user = await addUser('ada@example.com')
    const first = await grant('ada@example.com', 'agent.example')
    const second = await grant('ada@example.com', 'other.example')
    const path = `${extra}/users/${user.id}/grants`

    const { body } = await api.get(path)
    expect(body.data.map(({ hosts }: { hosts: string[] }) => hosts)).toEqual([
      ['other.example'],
      ['agent.example'],
    ])
    const [, older] = body.data
    expect(older).toEqual({
      type: 'Grant',
      id: expect.any(String),
      user_id: user.id,
      client_id: first.clientId,
      hosts: ['agent.example'],
      name: 'Note Taker',
      goes_to: 'https://agent.example',
      granted_at: expect.any(String),
      last_used_at: expect.any(String),
      scopes: ['offline_access'],
      resources: [{ resource: notes, scopes: ['notes:read'] }],
    })
    const page = await api.get(`${path}?limit=1`)
    const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect((await api.get(next)).body.data).toEqual([older])

    const withdrawn = await api.delete(`${path}/${older.id}`)
    expect([withdrawn.status, withdrawn.body.client_id]).toEqual([200, first.clientId])
    expect((await refresh(issuer, first.clientId, first.token)).body.error).toBe('invalid_grant')
    expect((await refresh(issuer, second.clientId, second.token)).status).toBe(200)
    expectError(await api.delete(`${path}/${older.id}`), 404, 'not_found')
    expectError(await api.get(`${extra}/users/usr_none/grants`), 404, 'not_found')
    const audit = await api.get(`${extra}/audit?action=consent.withdrawn`)
    expect(audit.body.data).toMatchObject([
      { target: user.id, application_id: first.clientId, actor: expect.stringMatching(/^key:/) },
    ])
    const events = await api.get(`${extra}/events?types=consent.withdrawn`)
    expect(events.body.data).toMatchObject([{ data: { user_id: user.id } }])
  })

  test('a reader of the grants of a user goes on behind one that was withdrawn meanwhile', async () => {
    await using api = await startApi(store)
    const { addUser, grant, extra } = await openApi(api)
    const user = await addUser('ada@example.com')
    for (const host of ['a.example', 'b.example', 'c.example']) await grant('ada@example.com', host)
    const path = `${extra}/users/${user.id}/grants`
    const page = await api.get(`${path}?limit=2`)
    await api.delete(`${path}/${page.body.data[1].id}`)
    const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect((await api.get(next)).body.data).toMatchObject([{ hosts: ['a.example'] }])
    expectError(await api.get(`${path}?after=nothing`), 400, 'invalid_request')
  })

  test('a program is blocked: its grants have ended, and other changes of the tenant stay', async () => {
    await using api = await startApi(store)
    const { issuer, addUser, grant, extra } = await openApi(api)
    const users: string[] = []
    for (const name of ['ada', 'eve', 'bob']) {
      users.unshift((await addUser(`${name}@example.com`)).id)
      await grant(`${name}@example.com`, 'agent.example')
    }
    const other = await grant('ada@example.com', 'other.example')
    const hosts = `${extra}/programs`
    const one = `${hosts}/agent.example`
    const ids = (list: { id: string }[]) => list.map(({ id }) => id)

    expect(ids((await api.get(hosts)).body.data)).toEqual(['other.example', 'agent.example'])
    expect((await api.get(one)).body).toEqual({
      ...{ type: 'Program', id: 'agent.example', last_granted_at: expect.any(String) },
    })
    const seen: string[] = []
    for (let path = `${one}/grants?limit=2`; path !== ''; ) {
      const { body, headers } = await api.get(path)
      seen.push(...body.data.map(({ user_id }: { user_id: string }) => user_id))
      path = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
    }
    expect(seen).toEqual(users)

    // At the same time: neither is lost.
    const both = ['agent.example', 'evil.example'].map((host) =>
      api.post(`${hosts}/${host}/block`, {}),
    )
    for (const { status } of await Promise.all(both)) expect(status).toBe(200)
    const { body: tenant } = await api.get(api.tenant)
    expect(tenant.metadata).toEqual({
      latchkey_client_documents: 'any',
      latchkey_client_registration: 'true',
      latchkey_client_documents_blocked: 'agent.example evil.example',
    })
    expect((await api.get(`${one}/grants`)).body.data).toEqual([])
    expect((await refresh(issuer, other.clientId, other.token)).status).toBe(200)
    expect(ids((await api.get(`${hosts}?blocked=true`)).body.data)).toEqual([
      'agent.example',
      'evil.example',
    ])
    expect(ids((await api.get(`${hosts}?blocked=false`)).body.data)).toEqual(['other.example'])
    const all: string[] = []
    for (let path = `${hosts}?limit=1`; path !== ''; ) {
      const { body, headers } = await api.get(path)
      all.push(...ids(body.data))
      path = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
    }
    expect(all).toEqual(['agent.example', 'evil.example', 'other.example'])

    const again = await api.post(`${one}/block`, {})
    expect(again.body).toMatchObject({ blocked: true, blocked_at: expect.any(String) })
    const unblocked = await api.post(`${one}/unblock`, {})
    expect(unblocked.body).toMatchObject({ id: 'agent.example', unblocked_at: expect.any(String) })
    expect((await api.get(`${one}/grants`)).body.data).toEqual([])
    const audit = await api.get(`${extra}/audit?action=tenant.update`)
    // The last three are those above: a program that is blocked already is no change.
    expect(audit.body.data).toHaveLength(4)
    expect(audit.body.data[0].fields).toEqual(['metadata.latchkey_client_documents_blocked'])
  })

  test('a grant that is withdrawn while it is given anew is in both lists or in none', async () => {
    await using api = await startApi(store)
    const { issuer, addUser, grant, extra } = await openApi(api)
    const user = await addUser('ada@example.com')
    const { clientId, browser, asked } = await grant('ada@example.com', 'agent.example')
    const own = `${extra}/users/${user.id}/grants`
    const { id } = (await api.get(own)).body.data[0]
    const clients = async (path: string) =>
      (await api.get(path)).body.data.map(({ client_id }: { client_id: string }) => client_id)
    for (let round = 0; round < 5; round++) {
      const page = await open(
        issuer,
        ask(issuer, clientId, { ...asked, prompt: 'consent' }),
        browser,
      )
      await Promise.all([
        browser.submit(page, { answer: 'allow' }),
        api.delete(`${own}/${id}`),
        api.delete(`${own}/${id}`),
      ])
      expect(await clients(`${extra}/programs/agent.example/grants`)).toEqual(await clients(own))
    }
  })
})

test('hosts that no list can name, and what is not there, are refused', async () => {
  await using api = await startApi()
  const { extra } = await openApi(api)
  for (const host of ['Agent.example', 'agent.example%2Fx', 'a%20b', '%3A%3A1']) {
    const answer = await api.post(`${extra}/programs/${host}/block`, {})
    expectError(answer, 400, 'invalid_request')
  }
  const detail = (await api.post(`${extra}/programs/AGENT.example/block`, {})).headers
  expect(detail.get('latchkey-error-detail')).toContain('which is "agent.example"')
  expectError(await api.get(`${extra}/programs/agent.example`), 404, 'not_found')
  expectError(await api.get(`${extra}/programs?after=nothing`), 400, 'invalid_request')
  expectError(await api.get(`${extra}/programs?blocked=perhaps`), 400, 'invalid_request')
  expectError(await api.get(`${extra}/applications/app_none/grants`), 404, 'not_found')

  const hosts = Array.from({ length: 60 }, (_, at) => `agent-number-${at}.example`)
  const answers: number[] = []
  for (const host of hosts) {
    answers.push((await api.post(`${extra}/programs/${host}/block`, {})).status)
  }
  expect(answers.lastIndexOf(200)).toBeLessThan(answers.indexOf(409))
})
