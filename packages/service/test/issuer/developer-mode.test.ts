import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/domain/keys/api-keys.ts'
import { createOutgoing } from '../../src/egress/outgoing.ts'
import { startApi, stores } from '../support/api.ts'
import { createBrowser } from './support/browser.ts'
import { startIssuer, storeKinds, type TestIssuer } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

const developerMode = { developerMode: true }

async function askForReset(issuer: TestIssuer): Promise<void> {
  const browser = createBrowser(issuer)
  await browser.submit(await browser.get('/reset'), { email: ada.email })
  await issuer.idle()
}

describe.each(storeKinds)('on %s, where the operator has not allowed developer mode', (store) => {
  test('a tenant that switches it on reaches no private network, sends its mail and has no outbox page', async () => {
    const sent: unknown[] = []
    const mail = { send: async (message: unknown) => void sent.push(message), close: () => {} }
    await using issuer = await startIssuer({
      store,
      mail,
      settings: developerMode,
      allowDeveloperMode: false,
    })
    await issuer.addUser(ada)
    await askForReset(issuer)
    expect(sent).toHaveLength(1)
    expect((await createBrowser(issuer).get('/x/outbox')).status).toBe(404)

    const outgoing = createOutgoing({ domain: issuer.domain, allowHttpOnLoopback: false })
    const send = outgoing.forTenant(issuer.tenant.id)
    const url = `http://127.0.0.1:${issuer.port}/`
    await expect(async () => send(url, { method: 'POST' })).rejects.toThrow('not served over https')
    await outgoing.close()
  })
})

describe.each(stores)('on %s', (store) => {
  test('switching developer mode on is stored, and a warning says that it has no effect', async () => {
    await using api = await startApi(store)
    const body = { settings: { domain: 'acme.example', developer_mode: true } }
    const answer = await api.post(api.tenant, body)
    expect(answer.body.settings).toMatchObject({ developer_mode: true })
    expect(answer.headers.get('latchkey-warning')).toMatch(/"developer_mode" opens no private/)
    expect((await api.get(api.tenant)).body.settings).toMatchObject({ developer_mode: true })
  })
})

test('where the operator has allowed it, there is no warning', async () => {
  await using api = await startApi('memory', { allowDeveloperMode: true })
  const settings = { domain: 'acme.example', allow_passwords: true, developer_mode: true }
  const body = { settings }
  expect((await api.post(api.tenant, body)).headers.has('latchkey-warning')).toBe(false)
})

describe('the outbox page', () => {
  /** Asks a tenant at this domain for its outbox, as a client with this address. */
  async function open(
    domain: string | undefined,
    client: string,
    authorization?: (issuer: TestIssuer) => Promise<string>,
  ) {
    await using issuer = await startIssuer({
      trustedProxies: ['127.0.0.1'],
      settings: { ...developerMode, ...(domain !== undefined && { domain }) },
    })
    const { host } = new URL(`https://${issuer.tenant.settings.domain}`)
    const headers = {
      host,
      'x-forwarded-for': client,
      ...(authorization && { authorization: await authorization(issuer) }),
    }
    return await new Promise<{ status: number | undefined; asks: string | undefined }>(
      (resolve) => {
        request({ port: issuer.port, path: '/x/outbox', headers }, (answer) => {
          resolve({ status: answer.statusCode, asks: answer.headers['www-authenticate'] })
          answer.resume()
        }).end()
      },
    )
  }

  /** An API key that reaches the tenant. */
  const key = async (issuer: TestIssuer, readOnly = false) => {
    const input = { name: 'outbox', reach: [issuer.tenant.id], readOnly }
    return (await createApiKey(issuer.scope, input)).secret
  }
  const bearer = async (issuer: TestIssuer) => `Bearer ${await key(issuer)}`
  const readOnly = async (issuer: TestIssuer) => `Bearer ${await key(issuer, true)}`
  const basic = async (issuer: TestIssuer) =>
    `Basic ${Buffer.from(`any:${await key(issuer)}`).toString('base64')}`

  test('is open to clients of this machine at a domain of this machine', async () => {
    expect(await open(undefined, '127.0.0.1')).toEqual({ status: 200 })
  })

  test.each([
    ['at a domain of the internet', 'login.example.com', '127.0.0.1'],
    ['to clients of other machines', undefined, '203.0.113.7'],
  ])('asks for an API key %s', async (_, domain, client) => {
    const refused = { status: 401, asks: 'Basic realm="API key"' }
    expect(await open(domain, client)).toEqual(refused)
    expect(await open(domain, client, async () => 'Bearer latchkey_wrong')).toEqual(refused)
    expect(await open(domain, client, async () => 'Basic ???')).toEqual(refused)
    expect(await open(domain, client, readOnly)).toEqual(refused)
    expect(await open(domain, client, bearer)).toEqual({ status: 200 })
    expect(await open(domain, client, basic)).toEqual({ status: 200 })
  })
})
