import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  beginImpersonation,
  begunImpersonations,
  readImpersonation,
} from '../../src/domain/operators/impersonations.ts'
import {
  acceptInvitation,
  inviteOperator,
  updateOperator,
} from '../../src/domain/operators/operators.ts'
import { createTenant, defaultSettings } from '../../src/domain/tenants/tenants.ts'
import { createUser } from '../../src/domain/users/users.ts'
import { found } from '../../src/domain/writes/errors.ts'
import { createVault } from '../../src/domain/writes/vault.ts'
import { anAudit, aSigningKey } from '../store/records.ts'
import { type Browser, createBrowser, type Page } from './support/browser.ts'
import { createClient } from './support/client.ts'
import { allStoreKinds, type StoreKind, startIssuer, type TestIssuer } from './support/issuer.ts'

/** How many try the same at the same moment. */
const AT_ONCE = 8

const REASON = 'Ticket 4711: the invoice page is empty'

/** A tenant that allows logins of operators, with Ada and an admin of the console. */
async function start(store: StoreKind, mode = 'allowed') {
  const issuer = await startIssuer({ store })
  const { scope, domain } = issuer
  await issuer.changeSettings({}, { latchkey_impersonation: mode })
  const ada = await issuer.addUser({ email: 'ada@example.com' })
  const email = `eve-${issuer.tenant.id}@example.com`
  const { token, operator } = await inviteOperator(scope, { email, role: 'admin', reach: 'all' })
  await acceptInvitation(scope, token, 'correct horse battery')
  const eve = found(await domain.store.operators.get(operator.id))
  const asked = await issuer.support.askToImpersonate(scope, eve, ada.id, REASON)
  return {
    ...{ issuer, ada, eve, id: asked.id },
    ticket: async () => (await issuer.support.impersonate(scope, eve, ada.id, asked.id)).ticket,
    now: async () => found((await issuer.support.impersonations(scope, ada.id))[0]),
    actions: async () =>
      (await issuer.actions()).filter((action) => action.startsWith('impersonation.')),
  }
}

function sendTicket(browser: Browser, ticket: string): Promise<Page> {
  return browser.send('/impersonate', {
    method: 'POST',
    body: new URLSearchParams({ ticket }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** A browser with the page that asks the operator. */
async function atQuestion({ issuer, ticket }: Awaited<ReturnType<typeof start>>) {
  const browser = createBrowser(issuer)
  const { location = '' } = await sendTicket(browser, await ticket())
  return { browser, question: await browser.get(location) }
}

/** An application that takes logout tokens. */
async function startReceiver() {
  const tokens: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      tokens.push(new URLSearchParams(body).get('logout_token') ?? '')
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}/backchannel-logout`, tokens }
}

/** Opens an application as the operator who acts, and redeems the code. */
async function openShop(issuer: TestIssuer, browser: Browser, metadata: object) {
  const application = await issuer.addApplication({ name: 'Shop', metadata: { ...metadata } })
  const client = await createClient(issuer, application)
  const begun = await client.begin()
  return client.redeem(begun, await browser.get(begun.url))
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('of several browsers that send one ticket at once, one gets on, and confirms once', async () => {
    const at = await start(store)
    await using issuer = at.issuer
    const ticket = await at.ticket()
    const browsers = Array.from({ length: AT_ONCE }, () => createBrowser(issuer))
    const taken = await Promise.all(browsers.map((one) => sendTicket(one, ticket)))
    const winners = taken.flatMap(({ status }, n) => (status === 303 ? [n] : []))
    expect(winners).toHaveLength(1)
    const browser = browsers[winners[0] ?? 0] as Browser
    const question = await browser.get(taken[winners[0] ?? 0]?.location ?? '')
    const confirmed = await Promise.all(
      Array.from({ length: AT_ONCE }, () => browser.submitOnly(question, {})),
    )
    expect(confirmed.filter(({ status }) => status === 303)).toHaveLength(1)
    expect((await at.actions()).filter((one) => one === 'impersonation.begin')).toHaveLength(1)
  })

  test('of several requests of an operator at once, one is made, and the user gets one mail', async () => {
    const { issuer: started, ada, eve, id } = await start(store, 'asked')
    await using issuer = started
    const { scope, support } = issuer
    await support.endImpersonation(scope, ada.id, id)
    await issuer.idle()
    const before = (await issuer.mails()).length
    const asked = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, () => support.askToImpersonate(scope, eve, ada.id, REASON)),
    )
    const codes = asked.map((one) => (one.status === 'fulfilled' ? 'made' : one.reason.code))
    expect(codes.sort()).toEqual([...Array(AT_ONCE - 1).fill('conflict'), 'made'])
    await issuer.idle()
    expect((await issuer.mails()).length).toBe(before + 1)
    const shown = await support.impersonations(scope, ada.id)
    expect(shown.filter(({ state }) => state === 'waiting')).toHaveLength(1)
  })

  test('requests that are refused use up no mail of the user', async () => {
    const { issuer: started, ada, eve, id } = await start(store, 'asked')
    await using issuer = started
    const { scope, support } = issuer
    const ask = (because: string) => support.askToImpersonate(scope, eve, ada.id, because)
    for (let n = 0; n < 30; n++) {
      await expect(ask('short')).rejects.toMatchObject({ code: 'invalid_request' })
      await expect(ask(REASON)).rejects.toMatchObject({ code: 'conflict' })
    }
    await support.endImpersonation(scope, ada.id, id)
    expect((await ask(REASON)).state).toBe('waiting')
  })

  test('a question that is taken back while the operator confirms has ended, whichever came first', async () => {
    const at = await start(store)
    await using issuer = at.issuer
    const { browser, question } = await atQuestion(at)
    await Promise.all([
      browser.submit(question, {}),
      issuer.support.endImpersonation(issuer.scope, at.ada.id, at.id),
    ])
    expect((await at.now()).state).toBe('ended')
    expect((await browser.get('/account')).html).not.toContain('class="acting"')
    expect((await at.actions()).filter((one) => one === 'impersonation.end')).toHaveLength(1)
  })

  test('applications are told of the end, also when a role has changed; nobody is told twice', async () => {
    const at = await start(store)
    await using issuer = at.issuer
    const receiver = await startReceiver()
    const { browser, question } = await atQuestion(at)
    await browser.submit(question, {})
    const metadata = { backchannel_logout_uri: receiver.url }
    const tokens = await openShop(issuer, browser, metadata)
    expect(tokens.claims()).toMatchObject({ act: { sub: `operator:${at.eve.operator.id}` } })
    await updateOperator(issuer.scope, at.eve.operator.id, { role: 'viewer', reach: 'all' })
    await issuer.idle()
    expect((await at.now()).state).toBe('ended')
    expect(receiver.tokens.map((token) => decodeJwt(token).sid)).toEqual([tokens.claims()?.sid])
    await issuer.support.endImpersonation(issuer.scope, at.ada.id, at.id)
    await issuer.idle()
    expect(receiver.tokens).toHaveLength(1)
    expect((await at.actions()).filter((one) => one === 'impersonation.end')).toHaveLength(1)
  })

  test.each([
    ['whose signing key is broken', {}],
    [
      'whose master key is unknown',
      { sealedJwk: createVault(Buffer.alloc(32, 9)).seal('key', 'jwk') },
    ],
  ])(
    'a tenant %s keeps the logins of no other from ending, and its own end later',
    async (_, members) => {
      const at = await start(store)
      await using issuer = at.issuer
      const { scope, domain, protocol } = issuer
      const settings = { ...defaultSettings, domain: `broken-${issuer.tenant.id}.localhost` }
      const metadata = { latchkey_impersonation: 'allowed' }
      const broken = await createTenant(scope, { name: '', metadata, settings })
      const key = aSigningKey(broken.id, members)
      await domain.store.signingKeys.insert(key, anAudit('create'))
      const theirs = { ...scope, tenantId: broken.id }
      const profile = { emailVerified: true, disabled: false, metadata: {}, profile: {} }
      const bob = await createUser(theirs, { email: 'bob@example.com', ...profile })
      const { id } = await issuer.support.askToImpersonate(theirs, at.eve, bob.id, REASON)
      const holder = { context: { protocol, domain }, tenant: broken }
      const asked = found(await readImpersonation(holder, id))
      await beginImpersonation(holder, scope.actor, asked)
      const { browser, question } = await atQuestion(at)
      await browser.submit(question, {})

      await updateOperator(scope, at.eve.operator.id, { role: 'viewer', reach: 'all' })
      await issuer.idle()
      expect((await at.now()).state).toBe('ended')
      const state = async () => (await issuer.support.impersonations(theirs, bob.id))[0]?.state
      expect(await state()).toBe('begun')
      expect(issuer.problems).toContainEqual(expect.objectContaining({ tenantId: broken.id }))

      await domain.store.signingKeys.delete(broken.id, key.id, anAudit('delete'))
      await issuer.idle()
      expect(await state()).toBe('ended')
      const left = (await begunImpersonations(holder)).map((one) => one.id)
      expect(left).not.toContain(id)
    },
  )

  test('of the end by the user, by the operator and by a rule at once, one is noted', async () => {
    const at = await start(store)
    await using issuer = at.issuer
    const { browser, question } = await atQuestion(at)
    const account = await browser.submit(question, {})
    const csrf = /name="csrf" value="([^"]+)"/.exec(account.html)?.[1] ?? ''
    await Promise.all([
      issuer.support.endImpersonation(issuer.scope, at.ada.id, at.id),
      issuer.changeSettings({}, {}),
      ...Array.from({ length: AT_ONCE }, () =>
        browser.send('/account/support/end', {
          method: 'POST',
          body: new URLSearchParams({ csrf }).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      ),
    ])
    await issuer.idle()
    expect((await at.actions()).filter((one) => one === 'impersonation.end')).toHaveLength(1)
    expect((await browser.get('/account')).html).not.toContain('class="acting"')
    const context = { protocol: issuer.protocol, domain: issuer.domain }
    const left = (await begunImpersonations({ context })).map(({ id }) => id)
    expect(left).not.toContain(at.id)
  })
})
