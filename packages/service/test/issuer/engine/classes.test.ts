import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AdapterPayload, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { expect, test } from 'vitest'
import {
  acceptSecondSecret,
  findSelfDescribedForLogins,
  hasBackchannel,
  interceptLogoutTokens,
  nameForbiddenGrants,
  nameSessions,
} from '../../../src/issuer/engine/client.ts'
import { judgeBeforeUse } from '../../../src/issuer/engine/code.ts'
import { destroyGrant } from '../../../src/issuer/engine/grant.ts'
import { addClaims, keepAuthTimeWhole } from '../../../src/issuer/engine/id-token.ts'
import { bindInteractions } from '../../../src/issuer/engine/interaction.ts'
import { createProvider as createOurs } from '../../../src/issuer/engine/refresh.ts'
import { nameRefreshTokens } from '../../../src/issuer/engine/refresh-token.ts'
import { answerWithAcr, logoutQuestion } from '../../../src/issuer/engine/request.ts'
import { keepClients, keepStoredForms, readSession } from '../../../src/issuer/engine/session.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { ...privateKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }

/** The parameters with which the client begins a login. */
const authorization = new URLSearchParams({
  client_id: 'shop',
  response_type: 'code',
  scope: 'openid',
  redirect_uri: 'https://shop.acme.test/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
})

/** A provider as oidc-provider makes it, with one client and everything stored in a map. */
function createProvider(
  options: {
    fetch?: () => Promise<Response>
    logoutSource?: (ctx: KoaContextWithOIDC, form: string) => void
  } = {},
) {
  const stored = new Map<string, AdapterPayload>()
  const provider = new Provider('http://login.acme.test', {
    jwks: { keys: [key] as never },
    cookies: { names: { session: 'session' } },
    ttl: { IdToken: 60, Grant: 60, Session: 60 },
    clients: [
      {
        client_id: 'shop',
        client_secret: 'a secret',
        redirect_uris: ['https://shop.acme.test/callback'],
        backchannel_logout_uri: 'https://shop.acme.test/logout',
      },
    ],
    features: {
      backchannelLogout: { enabled: true },
      devInteractions: { enabled: false },
      ...(options.logoutSource && {
        rpInitiatedLogout: { enabled: true, logoutSource: options.logoutSource },
      }),
    },
    adapter: (kind) =>
      ({
        find: async (id: string) => stored.get(`${kind} ${id}`),
        upsert: async (id: string, payload: AdapterPayload) =>
          void stored.set(`${kind} ${id}`, payload),
        destroy: async (id: string) => void stored.delete(`${kind} ${id}`),
      }) as never,
    ...(options.fetch && { fetch: options.fetch as never }),
  })
  return { provider, stored }
}

/** Has the provider sign an ID Token for its client. */
async function idToken(
  provider: Provider,
  claims: Record<string, unknown>,
  available: Record<string, unknown> = {},
): Promise<string> {
  const client = await provider.Client.find('shop')
  if (!client) throw new Error('The client is gone.')
  const token = new provider.IdToken(available, { ctx: undefined as never, client })
  for (const [name, value] of Object.entries(claims)) token.set(name, value)
  return token.issue({ use: 'idtoken' })
}

/** A session of the user at the provider. */
async function sessionOf(provider: Provider, accountId: string): Promise<string> {
  const session = new provider.Session()
  session.accountId = accountId
  await session.save(60)
  return session.jti
}

function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}

test('an ID Token has the time of the login in whole seconds', async () => {
  const { provider } = createProvider()
  keepAuthTimeWhole(provider)
  const issued = await idToken(provider, { sub: 'ada', auth_time: 1_700_000_000.75 })
  expect(claimsOf(issued).auth_time).toBe(1_700_000_000)
})

test('every ID token names its session', async () => {
  const { provider } = createProvider()
  const client = (await provider.Client.find('shop')) as unknown as { includeSid(): unknown }
  expect(client.includeSid()).toBeFalsy()
  nameSessions(provider)
  expect(client.includeSid()).toBe(true)
})

test('a refresh token has the text that is made for it, of its grant and the random one', async () => {
  const { provider, stored } = createProvider()
  nameRefreshTokens(provider, (random, { grantId }) => `${random}~${grantId}`)
  const client = await provider.Client.find('shop')
  const facts = { client, grantId: 'a grant', expiresIn: 60 }
  const text = await new provider.RefreshToken(facts as never).save()
  expect(text).toMatch(/^[\w-]{43}~a grant$/)
  expect([...stored.keys()].filter((key) => key.endsWith(text))).toHaveLength(1)
})

test('a request is judged before its code is used up, by the APIs that the login asked for', async () => {
  const consumed: string[] = []
  const { provider } = createProvider()
  const code = new provider.AuthorizationCode({ resource: ['urn:notes'] } as never)
  code.adapter.consume = async (id: string) => void consumed.push(id)
  const judged: boolean[] = []
  judgeBeforeUse(provider, (_, granted) => {
    const { resourceIndicators: apis } = granted
    judged.push(apis.has('urn:notes'), apis.has('urn:prices'))
    if (judged.length === 2) throw new Error('refused')
  })
  const { ctx } = Object.getOwnPropertyDescriptors(Provider)
  Object.defineProperty(Provider, 'ctx', { configurable: true, get: () => ({}) })
  try {
    await expect(code.consume()).rejects.toThrow('refused')
    expect(consumed).toEqual([])
    await code.consume()
    expect(consumed).toHaveLength(1)
  } finally {
    if (ctx) Object.defineProperty(Provider, 'ctx', ctx)
  }
  expect(judged).toEqual([true, false, true, false])
})

test('claims of the user are added to an ID Token, and change nothing that makes it one', async () => {
  const { provider } = createProvider()
  addClaims(provider, async (userId) => ({ roles: [userId], iss: 'x', aud: 'x', nonce: 'x' }))
  const issued = await idToken(provider, { nonce: 'n' }, { sub: 'ada' })
  const { roles, iss, aud, nonce } = claimsOf(issued)
  expect(roles).toEqual(['ada'])
  expect([iss, aud, nonce]).toEqual([provider.issuer, 'shop', 'n'])
})

test('a logout token is handed over in place of being sent, and can be sent later', async () => {
  let requests = 0
  const { provider } = createProvider({
    fetch: async () => {
      requests++
      return new Response(null, { status: 200 })
    },
  })
  const kept: object[] = []
  const send = interceptLogoutTokens(provider, async (ended) => void kept.push(ended))
  const client = (await provider.Client.find('shop')) as unknown as {
    backchannelLogout(sub: string, sid: string): Promise<void>
  }
  await client.backchannelLogout('ada', 'a session')
  const ended = { clientId: 'shop', sub: 'ada', sid: 'a session' }
  expect(kept).toEqual([ended])
  expect(requests).toBe(0)

  expect(await hasBackchannel(provider, 'shop')).toBe(true)
  expect(await send(ended)).toBe(true)
  expect(await hasBackchannel(provider, 'unknown')).toBe(false)
  expect(await send({ ...ended, clientId: 'unknown' })).toBe(false)
  expect(requests).toBe(1)
})

test('an interaction is stored with its browser, and is not found for another one', async () => {
  const { provider, stored } = createProvider()
  const browserOf = (request: IncomingMessage) => String(request.headers['user-agent'])
  bindInteractions(
    provider,
    async (ctx) => ({ browser: String(browserOf(ctx.req)), seconds: 60 }),
    (request, browser) => browserOf(request) === browser,
  )
  const handle = provider.callback()
  await using server = await serve((request, response) => void handle(request, response))
  const open = async (path: string, browser: string, cookie = '') => {
    const headers = { 'user-agent': browser, cookie, accept: 'application/json' }
    const response = await fetch(server.url + path, { headers, redirect: 'manual' })
    return { status: response.status, cookies: response.headers.getSetCookie() }
  }
  const { cookies } = await open(`/auth?${authorization}`, 'first')
  const resume = cookies.find((line) => line.includes('resume=')) ?? ''
  const [cookie = ''] = resume.split(';')
  const path = /path=([^;]+)/i.exec(resume)?.[1] ?? ''

  const [interaction] = [...stored].filter(([name]) => name.startsWith('Interaction '))
  expect(interaction?.[1]).toMatchObject({ browser: 'first' })
  expect((await open(path, 'second', cookie)).status).toBe(400)
  expect((await open(path, 'first', cookie)).status).toBe(303)
})

test('a session is stored with what the browser of its login calls itself', async () => {
  const { provider, stored } = createProvider()
  keepClients(provider, (request) => ({
    userAgent: request.headers['user-agent'],
    address: '203.0.113.7',
  }))
  const handle = provider.callback()
  await using server = await serve((request, response) => void handle(request, response))
  const open = async (path: string, cookie = '') => {
    const headers = { 'user-agent': 'Firefox', cookie }
    const response = await fetch(server.url + path, { headers, redirect: 'manual' })
    return response.headers.getSetCookie().find((line) => line.includes('resume=')) ?? ''
  }
  const resume = await open(`/auth?${authorization}`)
  const [name = ''] = [...stored.keys()].filter((key) => key.startsWith('Interaction '))
  const interaction = stored.get(name)
  stored.set(name, { ...interaction, result: { login: { accountId: 'ada' } } })
  await open(/path=([^;]+)/i.exec(resume)?.[1] ?? '', resume.split(';')[0])

  const sessions = [...stored].filter(([key]) => key.startsWith('Session '))
  expect(sessions.at(-1)?.[1]).toMatchObject({
    accountId: 'ada',
    userAgent: 'Firefox',
    address: '203.0.113.7',
  })
})

test('a grant is deleted without being read first', async () => {
  const { provider, stored } = createProvider()
  const grant = new provider.Grant({ accountId: 'ada', clientId: 'shop' })
  const id = await grant.save()
  expect([...stored.keys()]).toEqual([`Grant ${id}`])
  await destroyGrant(provider, id)
  expect([...stored.keys()]).toEqual([])
})

test('the session of a request to our own pages is that of its cookie', async () => {
  const { provider } = createProvider()
  const session = await sessionOf(provider, 'ada')
  const seen: (string | undefined)[] = []
  await using server = await serve((request, response) => {
    void readSession(provider, request, response).then(({ accountId }) => {
      seen.push(accountId)
      response.end()
    })
  })
  await fetch(server.url, { headers: { cookie: `session=${session}` } })
  await fetch(server.url)
  expect(seen).toEqual(['ada', undefined])
})

test('the question whether to log out knows the user of the hint and the secret of its form', async () => {
  const asked: unknown[] = []
  const { provider } = createProvider({
    logoutSource(ctx, form) {
      asked.push([logoutQuestion(ctx), /name="xsrf" value="([^"]+)"/.exec(form)?.[1]])
      ctx.body = ''
    },
  })
  const session = await sessionOf(provider, 'ada')
  const handle = provider.callback()
  const hint = await idToken(provider, { sub: 'ada' })
  await using server = await serve((request, response) => void handle(request, response))
  const cookie = `session=${session}`
  await fetch(`${server.url}/session/end?id_token_hint=${hint}`, { headers: { cookie } })
  await fetch(`${server.url}/session/end`, { headers: { cookie } })

  expect(asked).toEqual([
    [{ hintedSub: 'ada', xsrf: expect.stringMatching(/./) }, expect.anything()],
    [{ hintedSub: undefined, xsrf: expect.stringMatching(/./) }, expect.anything()],
  ])
  for (const [question, inForm] of asked as [{ xsrf: string }, string][]) {
    expect(question.xsrf).toBe(inForm)
  }
})

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a client with a second secret authenticates with either, and with no other', async () => {
  const { provider } = createProvider()
  let second: string | undefined = 'another secret'
  acceptSecondSecret(provider, ({ clientId }) => (clientId === 'shop' ? second : undefined))
  const client = (await provider.Client.find('shop')) as unknown as {
    compareClientSecret(presented: string): Promise<boolean>
  }

  expect(await client.compareClientSecret('a secret')).toBe(true)
  expect(await client.compareClientSecret('another secret')).toBe(true)
  expect(await client.compareClientSecret('a third secret')).toBe(false)
  second = undefined
  expect(await client.compareClientSecret('another secret')).toBe(false)
  expect(await client.compareClientSecret('a secret')).toBe(true)
})

test('the `acr` of a request can be answered with another value than the session has', () => {
  const ctx = { oidc: Object.create({ acr: 'of the session' }) } as KoaContextWithOIDC
  answerWithAcr(ctx, 'asked for')
  expect(ctx.oidc).toMatchObject({ acr: 'asked for' })
  answerWithAcr(ctx, undefined)
  expect((ctx.oidc as { acr?: string }).acr).toBeUndefined()
})

test('a provider that registers its grants in another way is refused', () => {
  const rules = {
    answers: undefined as never,
    makeChanges: async () => undefined,
    dropChanges: () => undefined,
    countPoll: async () => undefined,
  }
  const configuration = { jwks: { keys: [key] as never }, cookies: { keys: ['k'] } }
  const withoutRefresh = { ...configuration, scopes: ['openid'] }
  expect(createOurs('https://acme.test', configuration, rules).issuer).toBe('https://acme.test')
  expect(() => createOurs('https://acme.test', withoutRefresh, rules)).toThrow(
    'registers its grants by another method than registerGrantType.',
  )
})

test('a client with a metadata document is looked for in requests of its own alone', async () => {
  const { provider } = createProvider()
  findSelfDescribedForLogins(
    provider,
    (id) => id.startsWith('https:'),
    (error) => error,
  )

  expect(await provider.Client.find('https://agent.example/client.json')).toBeUndefined()
  expect(await provider.Client.find('shop')).toMatchObject({ clientId: 'shop' })
})

test('outside of a token request, a client says which grants it may use', async () => {
  const { provider } = createProvider()
  nameForbiddenGrants(provider, (type) => `not ${type}`)
  const client = await provider.Client.find('shop')

  expect(client?.grantTypeAllowed('authorization_code')).toBe(true)
  expect(client?.grantTypeAllowed('client_credentials')).toBe(false)
})

test('a session is destroyed by the function that knows where it is stored, and is not saved after it', async () => {
  const { provider, stored } = createProvider()
  const removed: (string | undefined)[] = []
  keepStoredForms(provider, async ({ uid }) => void removed.push(uid))
  const session = new provider.Session()
  Object.assign(session, { stored: { key: 'k', payload: '{}' } })
  await session.save(60)
  await session.destroy()

  expect(session).toMatchObject({ destroyed: true })
  expect(removed).toEqual([session.uid])
  expect(stored.get(`Session ${session.jti}`)).toMatchObject({ stored: { key: 'k' } })
})
