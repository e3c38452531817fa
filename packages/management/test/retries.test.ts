import { type Fetch, type FetchInit, ResponseError } from '@latchkey/management'
import { expect, test } from 'vitest'
import { resolveOptions } from '../src/options.ts'
import { createSend } from '../src/request.ts'
import { createUserImporter } from '../src/resources/user-importer.ts'
import { startManaged } from './support/servers.ts'

type Fault = 'lost' | 'late' | 'unknown' | number | undefined

/**
 * `fetch` that answers the nth request as `faults` says: lost before, or after it was carried out.
 * `unknown`: it was carried out, but the service has lost the answer of its database.
 */
function faulty(faults: Fault[], fetch: Fetch): Fetch & { count: number } {
  const wrapped = Object.assign(
    async (url: string, init: FetchInit) => {
      const fault = faults[wrapped.count++]
      if (fault === 'lost') throw new TypeError('fetch failed')
      if (typeof fault === 'number') return refusal(fault)
      const response = await fetch(url, init)
      if (fault === 'late') throw new TypeError('fetch failed')
      if (fault === 'unknown') return refusal(503, { 'latchkey-outcome': 'unknown' })
      return response
    },
    { count: 0 },
  )
  return wrapped
}

function refusal(status: number, headers: Record<string, string> = {}): Response {
  const body = {
    type: 'Error',
    uuid: crypto.randomUUID(),
    code: 'unavailable',
    status_code: status,
  }
  const isGateway = status === 502
  return new Response(isGateway ? '<html>' : JSON.stringify(body), {
    status,
    headers: { 'retry-after': '0', ...headers },
  })
}

const network: Fetch = (url, init) => fetch(url, init)

async function start(faults: Fault[]) {
  const server = await startManaged('over a socket')
  const wrapped = faulty(faults, network)
  const client = server.connect({ fetch: wrapped })
  return { server, wrapped, users: client.users(server.tenantId), client }
}

test('a create is repeated after 429 and 503, because nothing was written', async () => {
  const { server, users, wrapped } = await start([429, 503, undefined])
  await using _ = server
  await users.create({ profile: { email: 'ada@example.com' } })
  expect(wrapped.count).toBe(3)
})

test('a create whose answer is lost is not repeated', async () => {
  const { server, users, wrapped } = await start(['late'])
  await using _ = server
  const creation = users.create({ profile: { email: 'ada@example.com' } })
  await expect(creation).rejects.toMatchObject({ code: 'LATCHKEY_CONNECTION_FAILED' })
  expect(wrapped.count).toBe(1)
  expect((await server.client.users(server.tenantId).page()).total).toBe(1)
})

test('a create with "find" ends in one user whether the request or its answer was lost', async () => {
  const { server, users } = await start(['late', undefined, undefined, 'lost'])
  await using _ = server
  for (const email of ['ada@example.com', 'bob@example.com']) {
    const find = () =>
      Array.fromAsync(users.list()).then((all) => all.find((u) => u.profile.email === email))
    const user = await users.create({ profile: { email } }, { find })
    expect(user.profile.email).toBe(email)
  }
  expect((await server.client.users(server.tenantId).page()).total).toBe(2)
})

test('a create is not repeated when a gateway lost its answer', async () => {
  const { server, users, wrapped } = await start([502])
  await using _ = server
  const creation = users.create({ profile: { email: 'ada@example.com' } })
  await expect(creation).rejects.toMatchObject({ status: 502, code: 'unknown' })
  expect(wrapped.count).toBe(1)
})

test('no create is repeated that the service may have carried out', async () => {
  const { server, users, client, wrapped } = await start([
    'unknown',
    'unknown',
    undefined,
    'unknown',
  ])
  await using _ = server
  const unknown = { status: 503, code: 'unavailable', isOutcomeUnknown: true }
  const creation = users.create({ profile: { email: 'ada@example.com' } })
  await expect(creation).rejects.toMatchObject(unknown)
  const applications = client.applications(server.tenantId)
  await expect(applications.create({ name: 'Shop', redirect_urls: [] })).rejects.toMatchObject(
    unknown,
  )
  const webhooks = client.webhooks(server.tenantId)
  const { id } = await webhooks.create({ url: 'https://hooks.example/x' })
  await expect(webhooks.rotate(id)).rejects.toMatchObject(unknown)
  expect(wrapped.count).toBe(4)
  expect([(await users.page()).total, (await applications.page()).total]).toEqual([1, 1])
})

test('a create with "find" ends in one user when the service lost the answer of its database', async () => {
  const { server, users } = await start(['unknown'])
  await using _ = server
  const find = async () => (await users.page()).data[0]
  const created = await users.create({ profile: { email: 'ada@example.com' } }, { find })
  expect(await users.page()).toMatchObject({ total: 1, data: [{ id: created.id }] })
})

test('updates and deletions are repeated when the service lost the answer of its database', async () => {
  const { server, users } = await start([undefined, undefined, 'unknown', undefined, 'unknown'])
  await using _ = server
  const { id } = await users.create({ profile: { email: 'ada@example.com' } })
  expect((await users.update(id, { disabled: true })).disabled).toBe(true)
  expect(await users.delete(id)).toBeUndefined()
})

test('a credential does not count as created if the user had an older password', async () => {
  const server = await startManaged('over a socket')
  await using _ = server
  const { id } = await server.client
    .users(server.tenantId)
    .create({ profile: { email: 'ada@example.com' } })
  const credentials = (fetch: Fetch) => server.connect({ fetch }).credentials(server.tenantId, id)
  await credentials(network).create({ password: { alg: 'plain', hash: 'the old password' } })
  const anHourLater: Fetch = async (url, init) => {
    const response = await network(url, init)
    const headers = new Headers(response.headers as Headers)
    headers.set('date', new Date(Date.now() + 3_600_000).toUTCString())
    return new Response(await response.text(), { status: response.status, headers })
  }
  const creation = credentials(faulty(['late'], anHourLater)).create({
    password: { alg: 'plain', hash: 'the new password' },
  })
  await expect(creation).rejects.toMatchObject({ name: 'ConflictError', code: 'already_exists' })
})

test('a credential whose answer is lost is read instead of being created twice', async () => {
  const { server, client } = await start(['late'])
  await using _ = server
  const user = await server.client
    .users(server.tenantId)
    .create({ profile: { email: 'ada@example.com' } })
  const credential = await client
    .credentials(server.tenantId, user.id)
    .create({ password: { alg: 'plain', hash: 'correct horse' } })
  expect(credential.password.alg).toBe('bcrypt')
})

test('an object counts as deleted if the response to its deletion was lost', async () => {
  const { server, users } = await start([undefined, 'late'])
  await using _ = server
  const { id } = await users.create({ profile: { email: 'ada@example.com' } })
  expect(await users.delete(id)).toBeUndefined()
})

test('reading and replacing survive lost connections and gateways', async () => {
  const { server, users } = await start([undefined, 'lost', 502, undefined, 'late', 503])
  await using _ = server
  const { id } = await users.create({ profile: { email: 'ada@example.com' } })
  expect((await users.update(id, { disabled: true })).disabled).toBe(true)
})

test('an answer that does not come in time ends in a timeout', async () => {
  await using server = await startManaged('over a socket')
  const silent: Fetch = (_, init) =>
    new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  const { createManagementClient } = await import('@latchkey/management')
  const client = createManagementClient({
    baseUrl: 'http://127.0.0.1',
    apiKey: 'k',
    fetch: silent,
    timeoutSeconds: 0.01,
    retries: 0,
  })
  const asked = client.users(server.tenantId).get('x')
  await expect(asked).rejects.toMatchObject({ code: 'LATCHKEY_TIMEOUT' })
})

test('a page of HTML is refused as no answer of the API', async () => {
  await using server = await startManaged('over a socket')
  const client = server.connect({ fetch: async () => new Response('<html>') })
  await expect(client.users('t').get('x')).rejects.toThrow(ResponseError)
})

test('a list that the server cuts off is an error at its end', async () => {
  await using server = await startManaged('over a socket')
  const body = { type: 'List', total: 3, count: 1, limit: 1, data: [{ id: 'a' }] }
  const client = server.connect({ fetch: async () => Response.json(body) })
  const seen: string[] = []
  const walk = async () => {
    for await (const { id } of client.users('t').list()) seen.push(id)
  }
  await expect(walk()).rejects.toMatchObject({ code: 'LATCHKEY_LIST_INCOMPLETE' })
  expect(seen).toEqual(['a'])
})

test('an import whose answer is lost is repeated, and finds who was created', async () => {
  const { server, users, wrapped } = await start([undefined, 'late', undefined])
  await using _ = server
  const results = await Array.fromAsync(
    users.import([1, 2].map((n) => ({ profile: { email: `user-${n}@example.com` } }))),
  )
  expect(results).toMatchObject([{ status: 'existing' }, { status: 'existing' }])
  expect(wrapped.count).toBe(3)
})

test('users that the service could not take at the moment are sent again, and no others', async () => {
  const sent: unknown[] = []
  const server = await startManaged('over a socket')
  await using _ = server
  const fetch: Fetch = async (url, init) => {
    const response = await network(url, init)
    const { users } = JSON.parse(init.body ?? '')
    if (users.length === 0) return response
    sent.push(users.map(({ profile }: { profile: { email: string } }) => profile.email))
    if (sent.length > 1) return response
    const body: { data: object[] } = JSON.parse(await response.text())
    body.data[1] = { status: 'refused', code: 'unavailable', status_code: 503, detail: '' }
    return Response.json(body)
  }
  const inputs = [1, 2, 3].map((n) => ({ profile: { email: `user-${n}@example.com` } }))
  const users = server.connect({ fetch }).users(server.tenantId)
  const results = await Array.fromAsync(users.import(inputs))
  expect(results.map(({ status }) => status)).toEqual(['created', 'existing', 'created'])
  expect(sent.slice(1)).toEqual([['user-2@example.com']])
})

test('a user whom a lost request created later, after a refusal for the moment, is known to be possibly its own', async () => {
  await using server = await startManaged('over a socket')
  const bodies: (string | null)[] = []
  const carriedOut: Promise<unknown>[] = []
  const fetch: Fetch = async (url, init) => {
    bodies.push(init.body)
    if (bodies.length === 1) throw new TypeError('fetch failed')
    if (bodies.length > 2) {
      await Promise.all(carriedOut)
      return network(url, init)
    }
    // The service is still at work on the first request.
    carriedOut.push(network(url, { ...init, body: bodies[0] ?? null }))
    const refused = { status: 'refused', code: 'unavailable', status_code: 503, detail: '' }
    return Response.json({ type: 'UserImport', data: [refused] })
  }
  const { baseUrl, apiKey, tenantId } = server
  const send = createSend(resolveOptions({ baseUrl, apiKey, fetch, backoffSeconds: 0.001 }))
  const importer = createUserImporter(send, tenantId)
  const [result] = await importer.post([{ profile: { email: 'ada@example.com' } }])
  expect(bodies).toHaveLength(3)
  expect(result).toMatchObject({ status: 'existing', isUncertain: true })
})

test('a user whom the service may have created is known to be possibly its own when sent again', async () => {
  await using server = await startManaged('over a socket')
  let count = 0
  const fetch: Fetch = async (url, init) => {
    const response = await network(url, init)
    if (count++ > 0) return response
    const refused = { status: 'refused', code: 'unavailable', status_code: 503, detail: '' }
    return Response.json({ type: 'UserImport', data: [{ ...refused, outcome: 'unknown' }] })
  }
  const { baseUrl, apiKey, tenantId } = server
  const importer = createUserImporter(
    createSend(resolveOptions({ baseUrl, apiKey, fetch })),
    tenantId,
  )
  const [result] = await importer.post([{ profile: { email: 'ada@example.com' } }])
  expect(result).toMatchObject({ status: 'existing', isUncertain: true })
})

test('an import that fails after some of its users were created is known to have created some', async () => {
  await using server = await startManaged('over a socket')
  let count = 0
  const fetch: Fetch = async (url, init) => {
    if (count++ > 0) return new Response('<html>', { status: 413 })
    const response = await network(url, init)
    const body: { data: object[] } = JSON.parse(await response.text())
    body.data[1] = { status: 'refused', code: 'unavailable', status_code: 503, detail: '' }
    return Response.json(body)
  }
  const { baseUrl, apiKey, tenantId } = server
  const send = createSend(resolveOptions({ baseUrl, apiKey, fetch }))
  const attempts = { isUncertain: false }
  const users = [1, 2].map((n) => ({ profile: { email: `user-${n}@example.com` } }))
  const sent = createUserImporter(send, tenantId).post(users, attempts)
  await expect(sent).rejects.toMatchObject({ status: 413 })
  expect(attempts).toEqual({ isUncertain: true })
})

test('an import one by one names the user whose password could not be sent, and then throws', async () => {
  await using server = await startManaged('over a socket')
  const fetch: Fetch = async (url, init) =>
    url.includes('/credentials') ? refusal(503) : network(url, init)
  const users = server.connect({ fetch, hide: '/x/', retries: 1 }).users(server.tenantId)
  const imported = users.import([
    { profile: { email: 'ada@example.com' }, password: { alg: 'plain', hash: 'correct horse' } },
    { profile: { email: 'bob@example.com' } },
  ])
  const { value: result } = await imported.next()
  const [ada, ...others] = await Array.fromAsync(users.list())
  expect(result).toMatchObject({ status: 'refused', code: 'unavailable', id: ada?.id })
  expect(others).toEqual([])
  await expect(imported.next()).rejects.toMatchObject({ status: 503 })
})
