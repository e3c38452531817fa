import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as client from 'openid-client'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import { createClient, logIn } from '../issuer/support/client.ts'
import { addMail, allFactors, mailedCode } from '../issuer/support/factors.ts'
import { applicationUrl, startIssuer } from '../issuer/support/issuer.ts'
import { startApi } from '../support/api.ts'
import { sharedCluster } from '../support/cluster.ts'

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

beforeAll(() => sharedCluster())

/** An application with a back-channel address. */
async function startReceiver() {
  const state = { tokens: 0, url: '' }
  const server = createServer((request, response) => {
    state.tokens++
    request.resume()
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  state.url = `http://localhost:${(server.address() as AddressInfo).port}/`
  return state
}

test('four processes carry one login together: page, code, refresh, userinfo, logout and the notice of it', async () => {
  await using issuer = await startIssuer({ store: 'cluster' })
  const receiver = await startReceiver()
  const user = await issuer.addUser(ada)
  const metadata = { backchannel_logout_uri: receiver.url }
  const blog = await createClient(issuer, await issuer.addApplication({ name: 'Blog', metadata }))
  const first = await logIn(issuer, blog, ada, undefined, {
    scope: 'openid email offline_access',
    prompt: 'consent',
  })
  const tokens = await blog.redeem(first.begun, first.callback)
  const renewed = await client.refreshTokenGrant(blog.config, tokens.refresh_token ?? '')
  expect(await client.fetchUserInfo(blog.config, renewed.access_token, user.id)).toMatchObject({
    email: ada.email,
  })

  const shop = await createClient(issuer)
  const begun = await shop.begin()
  const more = await shop.redeem(begun, await first.browser.get(begun.url))
  const logout = client.buildEndSessionUrl(shop.config, {
    post_logout_redirect_uri: `${applicationUrl}/logged-out`,
    id_token_hint: more.id_token ?? '',
  })
  expect((await first.browser.get(logout.href)).location).toBe(`${applicationUrl}/logged-out`)
  await vi.waitFor(() => expect(receiver.tokens).toBe(1))
  expect((await first.browser.get((await blog.begin()).url)).html).toContain('name="password"')
})

test('a sign-up, a code by mail and a reset go from process to process', async () => {
  await using issuer = await startIssuer({ store: 'cluster', settings: allFactors })
  const app = await createClient(issuer)
  const browser = createBrowser(issuer)
  const begun = await app.begin()
  const login = await browser.get(begun.url)
  const path = /href="([^"]*\/signup[^"]*)"/.exec(login.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  await browser.submit(await browser.get(path), { ...ada, name: 'Ada Lovelace' })
  const signedUp = await browser.submit(await browser.get(await issuer.lastLink()))
  const { sub = '' } = (await app.redeem(begun, signedUp)).claims() ?? {}

  const user = await issuer.domain.store.users.get(issuer.tenant.id, sub)
  if (!user) throw new Error('The user is not there.')
  await addMail(issuer, user)
  const second = await logIn(issuer, app, ada)
  const asked = await second.browser.submit(second.callback, { step: 'send' })
  const done = await second.browser.submit(asked, { code: await mailedCode(issuer) })
  expect(done.location).toContain('code=')

  const password = 'another horse altogether'
  const third = createBrowser(issuer)
  await third.submit(await third.get('/reset'), { email: ada.email })
  const set = await third.submit(await third.get(await issuer.lastLink()), { password })
  expect(set.status).toBe(200)
  expect((await logIn(issuer, app, ada)).callback.status).toBe(422)
})

test('the management API creates, changes, lists and deletes through four processes', async () => {
  await using api = await startApi('cluster')
  const users = await Promise.all(Array.from({ length: 12 }, () => api.createUser()))
  const path = `${api.users}/${users[0].id}`
  const profile = { email: 'changed@example.com' }
  expect((await api.post(path, { profile })).body.profile.email).toBe(profile.email)
  expect((await api.get(path)).body.profile.email).toBe(profile.email)
  const ids: string[] = []
  for (let after = ''; ; after = `&after=${ids.at(-1)}`) {
    const { body } = await api.get(`${api.users}?limit=5${after}`)
    expect(body.total).toBe(12)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    if (body.data.length < 5) break
  }
  expect(new Set(ids)).toEqual(new Set(users.map(({ id }) => id)))
  await api.delete(path)
  for (let n = 0; n < 4; n++) expect((await api.get(path)).status).toBe(404)
})

test('changes of one user by four processes at once happen one after another, and each response has its own version', async () => {
  await using api = await startApi('cluster')
  const user = await api.createUser()
  const path = `${api.users}/${user.id}`
  const change = async (n: number) => {
    const { body } = await api.post(path, { profile: user.profile, metadata: { n: String(n) } })
    return body.updated_at as string
  }
  const times = await Promise.all(Array.from({ length: 100 }, (_, n) => change(n)))
  expect(new Set(times).size).toBe(100)
  expect((await api.get(path)).body.updated_at).toBe(times.toSorted().at(-1))
})

test('after a flush of Redis all users have to log in again, and nothing else is lost', async () => {
  await using issuer = await startIssuer({ store: 'cluster' })
  await issuer.addUser(ada)
  const app = await createClient(issuer)
  const { browser } = await logIn(issuer, app, ada)
  const { redis } = await sharedCluster()
  await redis.inspect((r) => r.flushall())
  const begun = await app.begin()
  const page = await browser.get(begun.url)
  expect(page.html).toContain('name="password"')
  const callback = await browser.submit(page, ada)
  expect((await app.redeem(begun, callback)).claims()?.email).toBe(ada.email)
})
