import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import { type Answer, type Api, type StoreName, startApi, stores } from '../support/api.ts'
import { HEARD_MS } from '../support/cluster.ts'
import { expectError } from '../support/errors.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
async function aUser(api: Api): Promise<{ id: string }> {
  const user = await api.create(api.users, { profile: { email, email_verified: true } })
  await api.create(`${api.users}/${user.id}/credentials`, {
    password: { alg: 'plain', hash: password },
  })
  return user
}

/** Logs in with a browser of its own; answers with what redeems the code. */
async function logIn(api: Api, userAgent: string): Promise<() => Promise<Response>> {
  const [application] = (await api.get(api.applications)).body.data
  const browser = createBrowser({ url: 'https://acme.example', fetch: api.service.fetch })
  browser.headers['user-agent'] = userAgent
  const query = new URLSearchParams({
    client_id: application.id,
    redirect_uri: application.redirect_urls[0],
    response_type: 'code',
    scope: 'openid offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const form = await browser.get(`https://acme.example/oidc/auth?${query}`)
  const { location } = await browser.submit(form, { email, password })
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  const redeem = (body: Record<string, string>) =>
    api.service.fetch('https://acme.example/oidc/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${application.id}:${application.secret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(body).toString(),
    })
  const { redirect_uri } = Object.fromEntries(query)
  const tokens = await redeem({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect_uri ?? '',
    code_verifier: verifier,
  })
  const { refresh_token } = (await tokens.json()) as { refresh_token: string }
  return () => redeem({ grant_type: 'refresh_token', refresh_token })
}

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/**
 * Starts a service whose pages are opened. Processes of a cluster go on for a moment with the tenant of this domain that an
 * earlier test has removed.
 */
async function startWithPages(store: StoreName): Promise<Api> {
  const api = await startApi(store)
  if (store === 'cluster') await wait(HEARD_MS)
  return api
}

describe.each(stores)('on %s', (store) => {
  test('the API says for how long a user has to wait, and lets the user try again at once', async () => {
    await using api = await startWithPages(store)
    const user = await aUser(api)
    const path = `/x${api.users}/${user.id}`
    expect((await api.get(`${path}/login-trouble`)).body).toEqual({
      type: 'LoginTrouble',
      obstacles: [],
    })
    const browser = createBrowser({ url: 'https://acme.example', fetch: api.service.fetch })
    for (let i = 0; i < 6; i++) {
      await browser.submit(await browser.get('/account'), { email, password: 'a guess' })
    }
    const [wait] = (await api.get(`${path}/login-trouble`)).body.obstacles
    expect(wait).toMatchObject({ reason: 'password_wait', help: ['let_try_again'] })
    expect(wait.sentence).toMatch(/for another (second|\d seconds)/)
    expect((await api.post(`${path}/let-try-again`, {})).body.obstacles).toEqual([])
  })

  test('the sessions of a user are listed, one is ended with its tokens, and then all', async () => {
    await using api = await startWithPages(store)
    const shop = await api.create(api.applications, {
      name: 'Shop',
      redirect_urls: ['https://shop.example/callback'],
    })
    const { id } = await aUser(api)
    const sessions = `/x${api.users}/${id}/sessions`
    const refresh = [await logIn(api, firefox), await logIn(api, 'curl/8'), await logIn(api, '')]

    const { data } = (await api.get(sessions)).body
    expect(data).toHaveLength(3)
    const session = data.find(({ browser }: { browser?: string }) => browser === 'Firefox')
    expect(session).toMatchObject({
      type: 'Session',
      browser: 'Firefox',
      system: 'Linux',
      application_ids: [shop.id],
    })
    expect((await api.delete(`${sessions}/${session.id}`)).body).toEqual(session)
    expectError(await api.delete(`${sessions}/${session.id}`), 404, 'not_found')
    expect((await refresh[0]?.())?.status).toBe(400)
    expect((await refresh[1]?.())?.status).toBe(200)

    const page: Answer = await api.get(`${sessions}?limit=1`)
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect((await api.get(next)).body).toMatchObject({ count: 1 })

    const ended = (await api.delete(sessions)).body
    expect(ended).toMatchObject({ type: 'EndedSessions', data: [{}, {}] })
    expect((await api.get(sessions)).body.data).toEqual([])
    await vi.waitFor(async () => expect((await refresh[2]?.())?.status).toBe(400))
  })

  test('a reader of the sessions of a user goes on behind one that was ended meanwhile', async () => {
    await using api = await startWithPages(store)
    await api.create(api.applications, {
      name: 'Shop',
      redirect_urls: ['https://shop.example/callback'],
    })
    const { id } = await aUser(api)
    const sessions = `/x${api.users}/${id}/sessions`
    for (const agent of [firefox, 'curl/8', '']) await logIn(api, agent)
    const all = (await api.get(sessions)).body.data
    const page = await api.get(`${sessions}?limit=2`)
    expect(page.body.data).toEqual(all.slice(0, 2))
    await api.delete(`${sessions}/${page.body.data[1].id}`)
    const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect((await api.get(next)).body.data).toEqual(all.slice(2))
    expectError(await api.get(`${sessions}?after=nothing`), 400, 'invalid_request')
  })

  test('an invitation leads to a password, and the outbox tells of it without its content', async () => {
    await using api = await startWithPages(store)
    const { id } = await api.create(api.users, { profile: { email } })
    const mail = (await api.post(`/x${api.users}/${id}/mails`, { kind: 'invite', language: 'de' }))
      .body
    expect(mail).toMatchObject({ type: 'Mail', kind: 'invite', user_id: id, state: 'captured' })

    const list = (await api.get(`/x${api.tenant}/mails?user=${id}`)).body
    expect(list).toMatchObject({ type: 'List', data: [mail] })
    expect((await api.get(`/x${api.tenant}/mails/${mail.id}`)).body).toEqual(mail)
    const [message] = await api.service.outbox.list(api.tenantId)
    expect(message).toMatchObject({ to: email, subject: 'Ihr Konto bei acme.example' })
    expect(JSON.stringify(list)).not.toMatch(/token|@example|Konto/)

    const browser = createBrowser({ url: 'https://acme.example', fetch: api.service.fetch })
    await browser.submit(await browser.get(message?.link ?? ''), { password })
    expect((await api.get(`${api.users}/${id}/credentials`)).body.total).toBe(1)
  })

  test('a message is sent again with a new link, which ends the one before', async () => {
    await using api = await startWithPages(store)
    const { id } = await aUser(api)
    const first = (await api.post(`/x${api.users}/${id}/mails`, { kind: 'reset' })).body
    const again = (await api.post(`/x${api.tenant}/mails/${first.id}/resend`, {})).body
    expect(again.id).not.toBe(first.id)
    expect(again).toMatchObject({ kind: 'reset', user_id: id })

    const [late, early] = await api.service.outbox.list(api.tenantId)
    expect(late?.link).not.toBe(early?.link)
    const browser = createBrowser({ url: 'https://acme.example', fetch: api.service.fetch })
    expect((await browser.get(early?.link ?? '')).status).not.toBe(200)
    expect((await browser.get(late?.link ?? '')).status).toBe(200)
  })
})

test('a link that would open nothing is not sent', async () => {
  await using api = await startApi()
  const { id } = await aUser(api)
  const mails = `/x${api.users}/${id}/mails`
  expectError(await api.post(mails, { kind: 'verify' }), 409, 'conflict')
  expectError(await api.post(mails, { kind: 'invite' }), 409, 'conflict')
  expectError(await api.post(mails, { kind: 'news' }), 400, 'invalid_request')
  const user = (await api.get(`${api.users}/${id}`)).body
  await api.post(`${api.users}/${id}`, { ...user, disabled: true })
  expectError(await api.post(mails, { kind: 'reset' }), 409, 'conflict')
  expect(await api.service.outbox.list(api.tenantId)).toEqual([])
})

test('messages to one address are limited as on the pages', async () => {
  await using api = await startApi()
  const { id } = await aUser(api)
  let answer: Answer
  let sent = 0
  do answer = await api.post(`/x${api.users}/${id}/mails`, { kind: 'reset' })
  while (answer.status === 200 && ++sent < 100)
  expectError(answer, 429, 'rate_limited')
  expect(await api.service.outbox.list(api.tenantId)).toHaveLength(sent)
})

test('sessions and mails are those of the tenants that a key reaches, and a read-only key changes none', async () => {
  await using api = await startApi()
  const { id } = await aUser(api)
  const mail = (await api.post(`/x${api.users}/${id}/mails`, { kind: 'reset' })).body
  const { admin } = api.service
  const other = await admin.createTenant({ domain: 'other.example' })
  const reach = await admin.createApiKey({ name: 'other', reach: [other.id] })
  const reads = await admin.createApiKey({ name: 'reads', reach: [api.tenantId], readOnly: true })
  const headers = { authorization: `Bearer ${reach.secret}` }
  const readOnly = { authorization: `Bearer ${reads.secret}` }
  const elsewhere = `/x/v1/tenants/${other.id}`
  for (const path of [`/x${api.users}/${id}/sessions`, `/x${api.tenant}/mails/${mail.id}`]) {
    expectError(await api.get(path, headers), 404, 'not_found')
    expect((await api.get(path, readOnly)).status).toBe(200)
  }
  for (const path of [`users/${id}/sessions`, `mails/${mail.id}`]) {
    expectError(await api.get(`${elsewhere}/${path}`, headers), 404, 'not_found')
  }
  for (const [method, path] of [
    ['POST', `/x${api.users}/${id}/mails`],
    ['POST', `/x${api.tenant}/mails/${mail.id}/resend`],
    ['DELETE', `/x${api.users}/${id}/sessions`],
    ['DELETE', `/x${api.users}/${id}/sessions/x`],
  ] as const) {
    const body = method === 'POST' ? { kind: 'reset' } : undefined
    expectError(await api.call(method, path, body, readOnly), 403, 'not_permitted')
  }
})
