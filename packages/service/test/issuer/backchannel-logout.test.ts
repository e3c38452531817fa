import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as client from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { createUser, deleteUser, setDisabled } from '../../src/domain/users/users.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import { createOutgoing, isPublicAddress } from '../../src/egress/outgoing.ts'
import { StoreError } from '../../src/store/errors.ts'
import type { DataStore } from '../../src/store/ports.ts'
import type { ProtocolStore } from '../../src/store/protocol-store.ts'
import type { SigningKey, User } from '../../src/store/records.ts'
import { anApplication, anAudit, aSigningKey } from '../store/records.ts'
import { createBrowser } from './support/browser.ts'
import { createClient, logIn } from './support/client.ts'
import {
  applicationUrl,
  movesTheClock,
  startIssuer,
  storeKinds,
  type TestIssuer,
} from './support/issuer.ts'
import { startReceiver } from './support/logout-receiver.ts'

movesTheClock()

const ada = { email: 'ada@example.com', password: 'correct horse battery' }

afterEach(() => {
  vi.useRealTimers()
})

describe.each(storeKinds)('on %s', (store) => {
  test('a logout at one application is told to the other ones, with a signed token and the sid', async () => {
    await using issuer = await startIssuer({ store })
    await using receiver = await startReceiver()
    const user = await issuer.addUser(ada)
    const metadata = { backchannel_logout_uri: receiver.url }
    const blog = await issuer.addApplication({ name: 'Blog', metadata })
    const blogClient = await createClient(issuer, blog)
    const { begun, callback, browser } = await logIn(issuer, blogClient, ada)
    const blogTokens = await blogClient.redeem(begun, callback)
    const sid = blogTokens.claims()?.sid
    expect(sid).toEqual(expect.any(String))

    const shop = await createClient(issuer)
    const second = await shop.begin()
    const tokens = await shop.redeem(second, await browser.get(second.url))
    const logout = client.buildEndSessionUrl(shop.config, {
      post_logout_redirect_uri: `${applicationUrl}/logged-out`,
      id_token_hint: tokens.id_token ?? '',
    })
    await browser.get(logout.href)
    await issuer.idle()

    const [told, ...more] = await receiver.verified(issuer, blog.id)
    expect(more).toEqual([])
    expect(told).toMatchObject({
      sub: user.id,
      sid,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    expect(told).not.toHaveProperty('nonce')
  })

  const sealed = createVault(Buffer.alloc(32, 9)).seal('elsewhere', 'a secret')
  const withKey = (members: Partial<SigningKey>) => async (of: DataStore, tenantId: string) => {
    const key = aSigningKey(tenantId, members)
    await of.signingKeys.insert(key, anAudit('create'))
    return { mend: () => of.signingKeys.delete(tenantId, key.id, anAudit('delete')) }
  }
  async function withSecret(of: DataStore, tenantId: string) {
    const application = anApplication(tenantId, { sealedSecret: sealed })
    await of.applications.insert(application, anAudit('create'))
    return {
      authorizations: { [application.id]: { sid: 'some sid' } },
      mend: () => of.applications.delete(tenantId, application.id, anAudit('delete')),
    }
  }

  test.each([
    ['whose signing key is broken', withKey({})],
    ['whose master key is unknown', withKey({ sealedJwk: sealed })],
    ['whose application has a secret under an unknown master key', withSecret],
  ])(
    'a tenant %s keeps no other from ending sessions, and its own end later',
    async (_, breakTenant) => {
      await using issuer = await startIssuer({ store })
      const { scope, domain, protocol } = issuer
      const settings = { ...defaultSettings, domain: 'broken.localhost' }
      const broken = await createTenant(scope, { name: '', metadata: {}, settings })
      const { mend, ...more } = await breakTenant(domain.store, broken.id)
      const theirs = { ...scope, tenantId: broken.id }
      const profile = { emailVerified: true, disabled: false, metadata: {}, profile: {} }
      const bob = await createUser(theirs, { email: 'bob@example.com', ...profile })
      const user = await issuer.addUser(ada)
      for (const { tenantId, id } of [bob, user]) {
        await protocol.put({
          ...{ tenantId, kind: 'Session', key: `session-${id}`, accountId: id },
          payload: JSON.stringify({ loginTs: 1, authorizations: {}, ...(id === bob.id && more) }),
          expiresAt: (Date.now() + 3_600_000) * 1_000,
        })
      }
      const sessions = async ({ tenantId, id }: User) =>
        (await protocol.listByAccount(tenantId, 'Session', id)).length

      await setDisabled(theirs, bob.id, true)
      await setDisabled(scope, user.id, true)
      await issuer.idle()
      expect([await sessions(user), await sessions(bob)]).toEqual([0, 1])
      expect(issuer.problems).toContainEqual(expect.objectContaining({ tenantId: broken.id }))

      await mend()
      await issuer.idle()
      expect(await sessions(bob)).toBe(0)
    },
  )

  test('an application that starts a logout gets a logout token too, and its user is logged out', async () => {
    await using issuer = await startIssuer({ store })
    await using receiver = await startReceiver()
    const user = await issuer.addUser(ada)
    const metadata = { backchannel_logout_uri: receiver.url, latchkey_pkce: 'optional' }
    const app = await createClient(issuer, await issuer.addApplication({ metadata }))
    const begun = await app.begin()
    const url = new URL(begun.url)
    for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
    const browser = createBrowser(issuer)
    const callback = await browser.submit(await browser.get(url.href), ada)
    const { expectedNonce, expectedState } = begun.checks
    const tokens = await client.authorizationCodeGrant(
      app.config,
      new URL(callback.location ?? ''),
      { expectedNonce, expectedState },
    )
    const logout = client.buildEndSessionUrl(app.config, {
      post_logout_redirect_uri: `${applicationUrl}/logged-out`,
      id_token_hint: tokens.id_token ?? '',
      state: 'bye',
    })
    const left = await browser.get(logout.href)
    expect(left.location).toBe(`${applicationUrl}/logged-out?state=bye`)
    await issuer.idle()

    const [told, ...more] = await receiver.verified(issuer, app.config.clientMetadata().client_id)
    expect(more).toEqual([])
    expect(told).toMatchObject({ sub: user.id, sid: tokens.claims()?.sid })
    const again = await browser.get((await app.begin({ prompt: 'none' })).url)
    expect(again.location).toContain('error=login_required')
  })

  test.each([
    ['disabled', (issuer: TestIssuer, user: User) => issuer.changeUser(user, { disabled: true })],
    ['deleted', (issuer: TestIssuer, user: User) => deleteUser(issuer.scope, user.id)],
  ])('when a user is %s, every application of theirs with an address is told', async (_, end) => {
    await using issuer = await startIssuer({ store })
    await using receiver = await startReceiver()
    const user = await issuer.addUser(ada)
    const metadata = { backchannel_logout_uri: receiver.url }
    const app = await issuer.addApplication({ metadata })
    const shop = await createClient(issuer, app)
    const phone = await logIn(issuer, shop, ada)
    const desktop = await logIn(issuer, shop, ada)
    const sids = [
      (await shop.redeem(phone.begun, phone.callback)).claims()?.sid,
      (await shop.redeem(desktop.begun, desktop.callback)).claims()?.sid,
    ]

    await end(issuer, user)
    await issuer.idle()
    const told = await receiver.verified(issuer, app.id)
    expect(told.map(({ sid }) => sid).sort()).toEqual(sids.sort())
    expect(await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)).toEqual([])
  })

  test('an application with offline access gets a logout token although the session has expired long ago', async () => {
    await using issuer = await startIssuer({ store })
    await using receiver = await startReceiver()
    const user = await issuer.addUser(ada)
    const metadata = { backchannel_logout_uri: receiver.url }
    const app = await issuer.addApplication({ metadata })
    const shop = await createClient(issuer, app)
    const scope = { scope: 'openid offline_access' }
    const { begun, callback } = await logIn(issuer, shop, ada, createBrowser(issuer), scope)
    await shop.redeem(begun, callback)
    for (const session of await issuer.protocol.listByAccount(
      issuer.tenant.id,
      'Session',
      user.id,
    )) {
      await issuer.protocol.delete(session)
    }

    await issuer.changeUser(user, { disabled: true })
    await issuer.idle()
    expect((await receiver.verified(issuer, app.id)).map(({ sub }) => sub)).toEqual([user.id])
  })
})

test('a logout token that the application did not accept is sent again, as a new token about the same logout', async () => {
  await using issuer = await startIssuer()
  await using receiver = await startReceiver(503)
  const user = await issuer.addUser(ada)
  const app = await issuer.addApplication({ metadata: { backchannel_logout_uri: receiver.url } })
  const shop = await createClient(issuer, app)
  const { begun, callback } = await logIn(issuer, shop, ada)
  const sid = (await shop.redeem(begun, callback)).claims()?.sid
  await issuer.changeUser(user, { disabled: true })
  await vi.waitFor(() => expect(receiver.tokens).toHaveLength(2))
  await vi.waitFor(async () => expect(await issuer.actions()).toContain('logout_notice.sent'))
  const [first, second] = await receiver.verified(issuer, app.id)
  expect([first, second]).toMatchObject([
    { sub: user.id, sid },
    { sub: user.id, sid },
  ])
  // An application that was told, and whose answer was lost, refuses a "jti" that it knows.
  expect(second?.jti).not.toBe(first?.jti)
  const sent = (await issuer.actions()).filter((action) => action === 'logout_notice.sent')
  expect(sent).toHaveLength(1)
})

test('an application that accepts no logout token is tried for a day, ever less often', async () => {
  // On a cluster, PostgreSQL says when a notice is due, and its clock cannot be moved.
  await using issuer = await startIssuer({ store: 'memory' })
  await using receiver = await startReceiver(...Array<number>(100).fill(503))
  const { app, browser, question } = await askToLogOut(issuer, receiver.url)
  await browser.submit(question, { logout: 'yes' })
  const start = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  for (let hour = 0; hour < 26; hour++) {
    vi.setSystemTime(start + hour * 3_600_000)
    await issuer.idle()
  }
  const actions = await issuer.actions()
  expect(receiver.tokens.length).toBeGreaterThan(20)
  expect(actions[0]).toBe('logout_notice.given_up')
  expect(actions).not.toContain('logout_notice.sent')
  expect(issuer.problems).toEqual([expect.objectContaining({ clientId: app.id })])
  const count = receiver.tokens.length
  vi.setSystemTime(start + 30 * 3_600_000)
  await issuer.idle()
  expect(receiver.tokens).toHaveLength(count)
})

/** A browser that is logged in at an application with a back-channel address, and asked to confirm. */
async function askToLogOut(issuer: TestIssuer, url: string) {
  await issuer.addUser(ada)
  const app = await issuer.addApplication({ metadata: { backchannel_logout_uri: url } })
  const shop = await createClient(issuer, app)
  const { begun, callback, browser } = await logIn(issuer, shop, ada)
  const sid = (await shop.redeem(begun, callback)).claims()?.sid
  return { app, browser, sid, question: await browser.get('/oidc/logout') }
}

test('a logout that the user confirms is told with retries, as every other', async () => {
  await using issuer = await startIssuer()
  await using receiver = await startReceiver(503)
  const { app, browser, sid, question } = await askToLogOut(issuer, receiver.url)
  expect((await browser.submit(question, { logout: 'yes' })).html).toContain('You are logged out')
  await vi.waitFor(() => expect(receiver.tokens).toHaveLength(2))
  const told = await receiver.verified(issuer, app.id)
  expect(told.map((token) => token.sid)).toEqual([sid, sid])
  expect(issuer.problems).toEqual([])
})

test('a confirmed logout that cannot be told, as the store is down, can be confirmed again', async () => {
  let isDown = false
  const wrap = (inner: ProtocolStore): ProtocolStore => ({
    ...inner,
    notices: {
      ...inner.notices,
      async add(message) {
        if (isDown) throw new StoreError('database or disk is full')
        return inner.notices.add(message)
      },
    },
  })
  await using issuer = await startIssuer({ wrap })
  await using receiver = await startReceiver()
  const { app, browser, sid, question } = await askToLogOut(issuer, receiver.url)

  isDown = true
  const failed = await browser.submitOnly(question, { logout: 'yes' })
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '5'])

  isDown = false
  expect((await browser.submit(question, { logout: 'yes' })).html).toContain('You are logged out')
  await vi.waitFor(() => expect(receiver.tokens).toHaveLength(1))
  expect((await receiver.verified(issuer, app.id)).map((token) => token.sid)).toEqual([sid])
})

test('a user who logs out does not wait for an application that does not answer', async () => {
  await using issuer = await startIssuer()
  const order: string[] = []
  const hanging = createServer((request, response) => {
    request.resume()
    response.once('close', () => order.push('given up'))
  })
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
  const { port } = hanging.address() as AddressInfo
  const { browser, question } = await askToLogOut(issuer, `http://localhost:${port}/`)
  const asked = once(hanging, 'request')
  await browser.submit(question, { logout: 'yes' })
  order.push('logged out')
  await asked
  hanging.closeAllConnections()
  await vi.waitFor(() => expect(order).toEqual(['logged out', 'given up']))
  hanging.close()
})

test.each([
  ['https://127.0.0.1', /not on the public internet/],
  ['https://[::1]', /not on the public internet/],
  ['https://localhost', /not on the public internet/],
  ['https://10.0.0.1', /not on the public internet/],
  ['http://example.com', /not served over https/],
])('outside development no logout token goes to %s', async (origin, reason) => {
  await using receiver = await startReceiver()
  await using issuer = await startIssuer()
  const outgoing = createOutgoing({ domain: issuer.domain, allowHttpOnLoopback: false })
  const send = outgoing.forTenant(issuer.tenant.id)
  const url = `${origin}:${new URL(receiver.url).port}/backchannel-logout`
  const error = await Promise.resolve(send(url, { method: 'POST' })).catch((thrown) => thrown)
  await outgoing.close()
  expect(`${error.message} ${error.cause?.message}`).toMatch(reason)
  expect(receiver.tokens).toEqual([])
})

test('a tenant in developer mode reaches applications on this machine', async () => {
  await using receiver = await startReceiver()
  await using issuer = await startIssuer({ settings: { developerMode: true } })
  const outgoing = createOutgoing({ domain: issuer.domain, allowHttpOnLoopback: false })
  const answer = await outgoing.forTenant(issuer.tenant.id)(receiver.url, { method: 'POST' })
  await outgoing.close()
  expect(answer.status).toBe(200)
})

test.each([
  ['10.1.2.3', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.20.0.1', false],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['::10.0.0.1', false],
  ['::ffff:0:10.0.0.1', false],
  ['192.0.2.1', false],
  ['192.88.99.1', false],
  ['198.18.0.1', false],
  ['203.0.113.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['100::1', false],
  ['2001:db8::1', false],
  ['2001:2::1', false],
  ['3fff::1', false],
  ['5f00::1', false],
  ['ff02::1', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['example.com', false],
  ['93.184.215.14', true],
  ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
])('%s counts as a public address: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})
