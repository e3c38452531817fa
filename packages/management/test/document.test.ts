import { createIdentityService } from '@latchkey/service'
import { expect, test } from 'vitest'
import { createManagementClient, type Fetch } from '../src/index.ts'

test('the client has every operation of the OpenAPI document, and sends no parameter that it does not name', async () => {
  await using service = await createIdentityService({ requestsPerSecond: 1_000_000 })
  const tenant = await service.admin.createTenant({ domain: 'login.example' })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [tenant.id] })
  const answer = await service.fetch('https://api.example/x/v1/openapi.json')
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, { parameters: { in: string; name: string }[] }>>
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      query: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
    })),
  )
  const used = new Set<string>()
  const fetch: Fetch = (url, init) => {
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
  const client = createManagementClient({ baseUrl: 'https://api.example', apiKey: secret, fetch })

  await Array.fromAsync(client.tenants.list({ limit: 5 }))
  await client.tenants.update(tenant.id, { name: 'Acme' })
  const applications = client.applications(tenant.id)
  const application = await applications.create({ name: 'Shop' })
  await Array.fromAsync(applications.list())
  await applications.update(application.id, { name: 'Store' })
  await applications.delete(application.id)
  const users = client.users(tenant.id)
  const user = await users.create({ profile: { email: 'ada@example.com' } })
  await Array.fromAsync(users.list())
  await Array.fromAsync(users.search({ search: 'a', disabled: false, verified: false }))
  expect(await Array.fromAsync(users.exportData(user.id))).toMatchObject([
    { type: 'User', id: user.id },
  ])
  const trouble = await users.loginTrouble(user.id)
  expect(trouble).toMatchObject([{ reason: 'no_way_in' }])
  expect(await users.letTryAgain(user.id)).toEqual(trouble)
  await users.update(user.id, { disabled: false })
  await Array.fromAsync(users.import([{ profile: { email: 'eve@example.com' } }]))
  for (const preview of [true, false]) {
    await Array.fromAsync(
      users.importChanges([{ profile: { email: 'eve@example.com' } }], { preview }),
    )
  }
  const mails = client.mails(tenant.id)
  const mail = await mails.send(user.id, { kind: 'invite', language: 'de' })
  await Array.fromAsync(mails.list({ user: user.id }))
  expect(await mails.get(mail.id)).toEqual(mail)
  expect((await mails.sendAgain(mail.id)).kind).toBe('invite')
  const credentials = client.credentials(tenant.id, user.id)
  await credentials.create({ password: { alg: 'plain', hash: 'correct horse battery' } })
  await Array.fromAsync(credentials.list())
  await credentials.update('password', { disabled: true })
  await credentials.delete('password')
  const sessions = client.sessions(tenant.id, user.id)
  expect(await Array.fromAsync(sessions.list())).toEqual([])
  expect(await sessions.endAll()).toEqual([])
  await expect(sessions.end('none')).rejects.toMatchObject({ status: 404 })
  const grants = client.grants(tenant.id, user.id)
  expect(await Array.fromAsync(grants.list())).toEqual([])
  await expect(grants.withdraw('none')).rejects.toMatchObject({ status: 404 })
  const programs = client.programs(tenant.id)
  const unblocked = { id: 'agent.example', blocked: false, listed: false }
  expect(await programs.block('agent.example')).toMatchObject({ ...unblocked, blocked: true })
  expect(await Array.fromAsync(programs.list({ blocked: true }))).toHaveLength(1)
  expect(await Array.fromAsync(programs.grants('agent.example'))).toEqual([])
  expect(await programs.unblock('agent.example')).toMatchObject(unblocked)
  expect(await programs.get('agent.example')).toMatchObject(unblocked)
  const television = await applications.create({ name: 'Notes' })
  expect(await Array.fromAsync(applications.grants(television.id))).toEqual([])
  const texts = client.texts(tenant.id)
  expect(await texts.replace({ en: { login_title: 'Welcome' } })).toMatchObject({
    ...{ en: { login_title: 'Welcome' }, de: {} },
  })
  expect((await texts.get()).en).toEqual({ login_title: 'Welcome' })
  const logo = client.logo(tenant.id)
  expect(await logo.get()).toMatchObject({ url: '', width: 0 })
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  const image = Uint8Array.from(Buffer.from(pixel, 'base64'))
  expect(await logo.replace(image)).toMatchObject({ width: 1, bytes: image.length })
  expect(await logo.remove()).toMatchObject({ sha256: '' })
  const audit = client.audit(tenant.id)
  const query = { actor: 'x', action: 'user.', target: user.id, user: user.id }
  const times = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  expect(await Array.fromAsync(audit.list({ ...query, ...times }))).toEqual([])
  const [entry] = await Array.fromAsync(audit.list({ user: user.id }))
  expect(await audit.get(entry?.id ?? '')).toEqual(entry)
  const webhooks = client.webhooks(tenant.id)
  const webhook = await webhooks.create({ url: 'https://shop.invalid/hooks' })
  expect(webhook.secret).toMatch(/^whsec_/)
  expect(await Array.fromAsync(webhooks.list())).toMatchObject([{ id: webhook.id, types: [] }])
  expect((await webhooks.rotate(webhook.id)).secret).not.toBe(webhook.secret)
  expect(await webhooks.test(webhook.id)).toMatchObject({ accepted: false, reason: 'unreachable' })
  const replay = await webhooks.replay(webhook.id, { from: new Date(0).toISOString() })
  expect(replay.events).toBeGreaterThan(0)
  const [delivery] = await Array.fromAsync(webhooks.deliveries(webhook.id, { state: 'waiting' }))
  expect(await webhooks.sendAgain(webhook.id, delivery?.id ?? '')).toMatchObject({
    event_id: delivery?.event_id,
  })
  expect(await webhooks.update(webhook.id, { disabled: true })).toMatchObject({ disabled: true })
  await webhooks.delete(webhook.id)
  const types = ['user.created', 'user.deleted']
  const [first] = await Array.fromAsync(client.events(tenant.id).list({ types }))
  expect(first).toMatchObject({ type: 'user.created', data: { id: user.id } })
  for await (const event of client.events(tenant.id).follow({ after: first?.data.sequence })) {
    expect(event.type).toBe('user.updated')
    break
  }
  const lost = Array.fromAsync(client.events(tenant.id).list({ after: 1_000_000 }))
  await expect(lost).rejects.toMatchObject({ name: 'PlaceGoneError', oldestPlace: 0 })
  await users.delete(user.id)

  expect([...used].sort()).toEqual(operations.map(({ name }) => name).sort())
})
