import type { webcrypto } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWK } from 'jose'
import * as client from 'openid-client'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createFapiClient } from './support/fapi-client.ts'
import {
  allStoreKinds,
  movesTheClock,
  type StoreKind,
  startIssuer,
  type TestIssuer,
} from './support/issuer.ts'
import { ada, moveTime } from './support/token-endpoint.ts'

movesTheClock()

afterEach(() => {
  vi.useRealTimers()
})

interface NamedKey {
  readonly kid: string
  readonly keys: webcrypto.CryptoKeyPair
  readonly jwk: JWK
}

async function keyOf(kid: string, keys: webcrypto.CryptoKeyPair): Promise<NamedKey> {
  return { kid, keys, jwk: { ...(await exportJWK(keys.publicKey)), kid } }
}

async function rsaKey(kid: string): Promise<NamedKey> {
  const options = { modulusLength: 4_096, extractable: true }
  return keyOf(kid, await client.randomDPoPKeyPair('PS256', options))
}

const ecKey = async (kid: string) =>
  keyOf(kid, await client.randomDPoPKeyPair('ES256', { extractable: true }))

let old: NamedKey
let next: NamedKey
let small: NamedKey
beforeAll(async () => {
  ;[old, next, small] = await Promise.all([rsaKey('old'), rsaKey('next'), ecKey('small')])
})

/** A server of the application that publishes its keys. */
async function startPublisher(...keys: readonly NamedKey[]) {
  const publisher = {
    url: '',
    reads: 0,
    status: 200,
    headers: {} as Record<string, string>,
    body: '',
    publish(...published: readonly NamedKey[]) {
      publisher.body = JSON.stringify({ keys: published.map(({ jwk }) => jwk) })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer((_request, response) => {
    publisher.reads++
    response.writeHead(publisher.status, publisher.headers).end(publisher.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  publisher.url = `http://localhost:${(server.address() as AddressInfo).port}/jwks.json`
  publisher.publish(...keys)
  return publisher
}

/** An issuer, with the warnings that it logs. */
async function start(store?: StoreKind) {
  const warnings: (Record<string, unknown> & { message: string })[] = []
  const logger = {
    debug: () => {},
    warn: (facts: object, message: string) => void warnings.push({ ...facts, message }),
    error: () => {},
  }
  const issuer = await startIssuer({ logger, ...(store && { store }) })
  await issuer.addUser(ada)
  return Object.assign(issuer, { warnings })
}

/** An application whose keys are at an address. */
async function publishedBy(issuer: TestIssuer, url: string, { keys, kid }: NamedKey) {
  const algorithm = keys.publicKey.algorithm.name === 'ECDSA' ? 'ES256' : 'PS256'
  const app = await createFapiClient(issuer, { algorithm, keys, kid, jwksUri: url })
  const { parameters } = await app.prepare()
  return {
    ...app,
    /** The status of a pushed request that is signed with a key. */
    async push(by: NamedKey = { keys, kid } as NamedKey) {
      const assertion = { key: by.keys.privateKey, header: { kid: by.kid } }
      return (await app.post('/oidc/par', parameters, { assertion })).status
    },
  }
}

describe.each(allStoreKinds)('on %s', (store) => {
  test('an application that publishes RSA keys of 4096 bits logs in, and replaces its key without a change at the service', async () => {
    await using publisher = await startPublisher(old)
    await using issuer = await start(store)
    const app = await publishedBy(issuer, publisher.url, old)
    const tokens = await app.redeem(await app.logIn(ada))
    expect(tokens.token_type).toBe('dpop')
    expect(await app.push(next)).toBe(401)

    publisher.publish(old, next)
    moveTime(11)
    expect([await app.push(next), await app.push(old)]).toEqual([201, 201])

    publisher.publish(next)
    moveTime(301)
    expect([await app.push(next), await app.push(old)]).toEqual([201, 401])
  })
})

// In one process, as each of a cluster has its own copy of what it has read.
test('published keys are read once in five minutes, and for an unknown key once in ten seconds', async () => {
  await using publisher = await startPublisher(small)
  await using issuer = await start('memory')
  const app = await publishedBy(issuer, publisher.url, small)
  await Promise.all(Array.from({ length: 5 }, () => app.push()))
  expect(publisher.reads).toBe(1)
  moveTime(240)
  await app.push()
  expect(publisher.reads).toBe(1)
  const unknown = await ecKey('unknown')
  for (let count = 0; count < 5; count++) expect(await app.push(unknown)).toBe(401)
  expect(publisher.reads).toBe(2)
  moveTime(301)
  expect(await app.push()).toBe(201)
  expect(publisher.reads).toBe(3)
})

test('published keys are not read for requests in which the application does not prove itself', async () => {
  await using publisher = await startPublisher(small)
  await using issuer = await start()
  const app = await publishedBy(issuer, publisher.url, small)
  const query = new URLSearchParams({ client_id: app.application.id, response_type: 'code' })
  const { status } = await issuer.fetch(`${issuer.url}/oidc/auth?${query}`, { redirect: 'manual' })
  expect(status).toBeLessThan(500)
  expect(publisher.reads).toBe(0)
})

test('while published keys cannot be read, those read within the last hour are used, and no others', async () => {
  await using publisher = await startPublisher(small)
  await using issuer = await start('memory')
  const app = await publishedBy(issuer, publisher.url, small)
  expect(await app.push()).toBe(201)
  publisher.status = 500
  moveTime(1_800)
  expect(await app.push()).toBe(201)
  moveTime(1_799)
  expect(await app.push()).toBe(201)
  moveTime(2)
  expect(await app.push()).toBe(401)
  publisher.status = 200
  moveTime(11)
  expect(await app.push()).toBe(201)
})

test('after the clock went back, published keys are read again', async () => {
  await using publisher = await startPublisher(small)
  await using issuer = await start('memory')
  moveTime(86_400)
  const app = await publishedBy(issuer, publisher.url, small)
  expect(await app.push()).toBe(201)
  moveTime(-86_400)
  publisher.publish(next)
  expect(await app.push()).toBe(401)
})

describe('an application cannot prove itself, and the log says why, when its published keys', () => {
  test.each<[name: string, reason: RegExp, change: (to: Publisher) => void]>([
    ['are answered with 404', /answered with 404/, (to) => Object.assign(to, { status: 404 })],
    [
      'are answered with a redirect',
      /answered with 302/,
      (to) => Object.assign(to, { status: 302, headers: { location: '/elsewhere' } }),
    ],
    ['are no JWK set', /not a JWK set/, (to) => Object.assign(to, { body: '<html>' })],
    ['are none', /not a JWK set/, (to) => to.publish()],
    [
      'are too many bytes',
      /too much/,
      (to) => Object.assign(to, { body: `{"keys":[${' '.repeat(600_000)}]}` }),
    ],
    [
      'are too many',
      /more than 20 keys/,
      (to) => to.publish(...Array.from({ length: 21 }, () => small)),
    ],
    [
      'are of a kind that the profile does not have',
      /Key 1 must be of P-256/,
      (to) => Object.assign(to, { body: '{"keys":[{"kty":"oct","k":"AAAA"}]}' }),
    ],
    [
      'have a private key among them',
      /Key 2 is a private key/,
      (to) => to.publish(small, { ...small, jwk: { ...small.jwk, d: 'AAAA' } }),
    ],
  ])('%s', async (_name, reason, change) => {
    await using publisher = await startPublisher(small)
    await using issuer = await start()
    const app = await publishedBy(issuer, publisher.url, small)
    change(publisher)
    expect(await app.push()).toBe(401)
    const warning = issuer.warnings.find(({ message }) => /published keys/.test(message))
    expect(warning).toMatchObject({ applicationId: app.application.id, jwksUri: publisher.url })
    expect(warning?.reason).toMatch(reason)
  })

  test.each([
    ['cannot be reached', 'http://localhost:1/jwks.json', /./],
    ['are at an address of a private network', 'https://10.0.0.1/jwks.json', /public internet/],
  ])('%s', async (_name, url, reason) => {
    await using issuer = await start()
    const app = await publishedBy(issuer, url, small)
    expect(await app.push()).toBe(401)
    expect(issuer.warnings.map((one) => one.reason)).toEqual([expect.stringMatching(reason)])
  })
})

type Publisher = Awaited<ReturnType<typeof startPublisher>>

test('published keys for other uses are skipped', async () => {
  await using publisher = await startPublisher()
  await using issuer = await start()
  const app = await publishedBy(issuer, publisher.url, small)
  const forEncryption = await ecKey('for encryption')
  const others = [
    { kty: 'oct', k: 'AAAA' },
    { ...forEncryption.jwk, use: 'enc' },
  ]
  publisher.body = JSON.stringify({ keys: [...others, small.jwk] })
  expect(await app.push()).toBe(201)
  expect(await app.push(forEncryption)).toBe(401)
})
