import { createIdentityService } from '@latchkey/service'
import { expect, test } from 'vitest'
import {
  createManagementClient,
  type Fetch,
  type ManagementClient,
  type Tenant,
  type User,
} from '../src/index.ts'

/** An operation of the OpenAPI document. */
interface Operation {
  readonly name: string
  readonly tags: readonly string[]
  readonly method: string
  readonly pattern: RegExp
  /** The names of the parameters in its query. */
  readonly query: readonly string[]
}

/** A new tenant with a client and a user, for the test of one resource. */
interface World {
  readonly client: ManagementClient
  readonly tenant: Tenant
  readonly user: User
}

type Service = Awaited<ReturnType<typeof createIdentityService>>

const startService = () => createIdentityService({ requestsPerSecond: 1_000_000 })

async function operationsOf(service: Service): Promise<Operation[]> {
  const answer = await service.fetch('https://api.example/x/v1/openapi.json')
  const { paths } = (await answer.json()) as {
    paths: Record<
      string,
      Record<string, { tags: string[]; parameters: { in: string; name: string }[] }>
    >
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, parameters }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      tags,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
    })),
  )
}

/** A `fetch` that accepts only requests that the document has, and notes the names of their operations. */
function watch(service: Service, operations: readonly Operation[], used: Set<string>): Fetch {
  return (url, init) => {
    const { pathname, searchParams } = new URL(url)
    const matching = operations.filter(
      ({ method, pattern }) => method === init?.method && pattern.test(pathname),
    )
    const [operation] = matching
    expect(operation?.name, `${init?.method} ${pathname}`).toBeDefined()
    expect(operation?.query).toEqual(expect.arrayContaining([...searchParams.keys()]))
    for (const { name } of matching) used.add(name)
    return service.fetch(url, init)
  }
}

/** The tags of the document that a test below is about. */
const tested: string[] = []

/** A test of a resource, whose operations have these tags in the document. */
function testResource(name: string, tags: string[], use: (world: World) => Promise<void>): void {
  tested.push(...tags)
  test(`the client has every operation of ${name} that the OpenAPI document has, and sends no parameter that it does not name`, async () => {
    await using service = await startService()
    const { id } = await service.admin.createTenant({ domain: 'login.example' })
    const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [id] })
    const operations = await operationsOf(service)
    const used = new Set<string>()
    const client = createManagementClient({
      baseUrl: 'https://api.example',
      apiKey: secret,
      fetch: watch(service, operations, used),
    })
    const tenant = await client.tenants.get(id)
    const user = await client.users(id).create({ profile: { email: 'ada@example.com' } })

    await use({ client, tenant, user })

    const ofResource = operations.filter((one) => one.tags.some((tag) => tags.includes(tag)))
    const unused = ofResource.filter((one) => !used.has(one.name))
    expect(unused.map((one) => one.name)).toEqual([])
  })
}

testResource('tenants', ['Tenant'], async ({ client, tenant }) => {
  await Array.fromAsync(client.tenants.list({ limit: 5 }))
  await client.tenants.update(tenant.id, { name: 'Acme' })
})

testResource('applications', ['Application'], async ({ client, tenant }) => {
  const applications = client.applications(tenant.id)
  const application = await applications.create({ name: 'Shop' })
  await Array.fromAsync(applications.list())
  await applications.update(application.id, { name: 'Store' })
  await applications.delete(application.id)
})

testResource(
  'users',
  ['User', 'UserData', 'LoginTrouble'],
  async ({ client, tenant, user: { id } }) => {
    const users = client.users(tenant.id)
    await Array.fromAsync(users.list())
    await Array.fromAsync(users.search({ search: 'a', disabled: false, verified: false }))
    expect(await Array.fromAsync(users.exportData(id))).toMatchObject([{ type: 'User', id }])
    const trouble = await users.loginTrouble(id)
    expect(trouble).toMatchObject([{ reason: 'no_way_in' }])
    expect(await users.letTryAgain(id)).toEqual(trouble)
    await users.update(id, { disabled: false })
    await Array.fromAsync(users.import([{ profile: { email: 'eve@example.com' } }]))
    for (const preview of [true, false]) {
      await Array.fromAsync(
        users.importChanges([{ profile: { email: 'eve@example.com' } }], { preview }),
      )
    }
    await users.delete(id)
  },
)

testResource('mails', ['Mail'], async ({ client, tenant, user }) => {
  const mails = client.mails(tenant.id)
  const mail = await mails.send(user.id, { kind: 'invite', language: 'de' })
  await Array.fromAsync(mails.list({ user: user.id }))
  expect(await mails.get(mail.id)).toEqual(mail)
  expect((await mails.sendAgain(mail.id)).kind).toBe('invite')
})

testResource(
  'credentials',
  ['Credential', 'PasswordCredential'],
  async ({ client, tenant, user }) => {
    const credentials = client.credentials(tenant.id, user.id)
    await credentials.create({ password: { alg: 'plain', hash: 'correct horse battery' } })
    await Array.fromAsync(credentials.list())
    await credentials.update('password', { disabled: true })
    await credentials.delete('password')
  },
)

testResource('sessions', ['Session', 'EndedSessions'], async ({ client, tenant, user }) => {
  const sessions = client.sessions(tenant.id, user.id)
  expect(await Array.fromAsync(sessions.list())).toEqual([])
  expect(await sessions.endAll()).toEqual([])
  await expect(sessions.end('none')).rejects.toMatchObject({ status: 404 })
})

testResource('grants', ['Grant'], async ({ client, tenant, user }) => {
  const grants = client.grants(tenant.id, user.id)
  expect(await Array.fromAsync(grants.list())).toEqual([])
  await expect(grants.withdraw('none')).rejects.toMatchObject({ status: 404 })
  expect(await Array.fromAsync(client.programs(tenant.id).grants('agent.example'))).toEqual([])
  const applications = client.applications(tenant.id)
  const television = await applications.create({ name: 'Notes' })
  expect(await Array.fromAsync(applications.grants(television.id))).toEqual([])
})

testResource('programs', ['Program'], async ({ client, tenant }) => {
  const programs = client.programs(tenant.id)
  const unblocked = { id: 'agent.example', blocked: false, listed: false }
  expect(await programs.block('agent.example')).toMatchObject({ ...unblocked, blocked: true })
  expect(await Array.fromAsync(programs.list({ blocked: true }))).toHaveLength(1)
  expect(await programs.unblock('agent.example')).toMatchObject(unblocked)
  expect(await programs.get('agent.example')).toMatchObject(unblocked)
})

testResource('texts', ['TenantTexts'], async ({ client, tenant }) => {
  const texts = client.texts(tenant.id)
  expect(await texts.replace({ en: { login_title: 'Welcome' } })).toMatchObject({
    ...{ en: { login_title: 'Welcome' }, de: {} },
  })
  expect((await texts.get()).en).toEqual({ login_title: 'Welcome' })
})

testResource('the logo', ['TenantLogo'], async ({ client, tenant }) => {
  const logo = client.logo(tenant.id)
  expect(await logo.get()).toMatchObject({ url: '', width: 0 })
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  const image = Uint8Array.from(Buffer.from(pixel, 'base64'))
  expect(await logo.replace(image)).toMatchObject({ width: 1, bytes: image.length })
  expect(await logo.remove()).toMatchObject({ sha256: '' })
})

testResource('the audit log', ['AuditEntry'], async ({ client, tenant, user }) => {
  const audit = client.audit(tenant.id)
  const query = { actor: 'x', action: 'user.', target: user.id, user: user.id }
  const times = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  expect(await Array.fromAsync(audit.list({ ...query, ...times }))).toEqual([])
  const [entry] = await Array.fromAsync(audit.list({ user: user.id }))
  expect(await audit.get(entry?.id ?? '')).toEqual(entry)
})

testResource(
  'webhooks',
  ['Webhook', 'WebhookTest', 'WebhookReplay', 'Delivery'],
  async ({ client, tenant }) => {
    const webhooks = client.webhooks(tenant.id)
    const webhook = await webhooks.create({ url: 'https://shop.invalid/hooks' })
    expect(webhook.secret).toMatch(/^whsec_/)
    expect(await Array.fromAsync(webhooks.list())).toMatchObject([{ id: webhook.id, types: [] }])
    expect((await webhooks.rotate(webhook.id)).secret).not.toBe(webhook.secret)
    const unreachable = { accepted: false, reason: 'unreachable' }
    expect(await webhooks.test(webhook.id)).toMatchObject(unreachable)
    const replay = await webhooks.replay(webhook.id, { from: new Date(0).toISOString() })
    expect(replay.events).toBeGreaterThan(0)
    const [delivery] = await Array.fromAsync(webhooks.deliveries(webhook.id, { state: 'waiting' }))
    expect(await webhooks.sendAgain(webhook.id, delivery?.id ?? '')).toMatchObject({
      event_id: delivery?.event_id,
    })
    expect(await webhooks.update(webhook.id, { disabled: true })).toMatchObject({ disabled: true })
    await webhooks.delete(webhook.id)
  },
)

testResource('events', ['Event'], async ({ client, tenant, user }) => {
  await client.users(tenant.id).update(user.id, { disabled: true })
  const events = client.events(tenant.id)
  const types = ['user.created', 'user.deleted']
  const [first] = await Array.fromAsync(events.list({ types }))
  expect(first).toMatchObject({ type: 'user.created', data: { id: user.id } })
  for await (const event of events.follow({ after: first?.data.sequence })) {
    expect(event.type).toBe('user.updated')
    break
  }
  const lost = Array.fromAsync(events.list({ after: 1_000_000 }))
  await expect(lost).rejects.toMatchObject({ name: 'PlaceGoneError', oldestPlace: 0 })
})

test('every resource of the OpenAPI document has a test here', async () => {
  await using service = await startService()
  const tags = (await operationsOf(service)).flatMap((operation) => operation.tags)
  expect([...tested].sort()).toEqual([...new Set(tags)].sort())
})
