import { inspect } from 'node:util'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { fetchUserInfo } from 'openid-client'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { createLogger } from '../../src/cli/running.ts'
import { statementName } from '../../src/telemetry/statement-name.ts'
import { inOwnTrace } from '../../src/telemetry/tracing.ts'
import { askForReset, createBrowser } from '../issuer/support/browser.ts'
import { logIn } from '../issuer/support/client.ts'
import { createDatabase } from '../support/postgres.ts'
import { startReceiver } from '../webhooks/endpoint.ts'
import { ada, origin, startService } from './support.ts'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
)
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())

const database = await createDatabase()
const redis = await startRedis()
afterAll(async () => {
  await redis[Symbol.asyncDispose]()
  await database.drop()
})
beforeEach(() => exporter.reset())

const shared = {
  database: database.url,
  redis: redis.url,
  masterKey: Buffer.alloc(32, 7).toString('base64'),
}

const spans = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name)
const parentOf = (span: ReadableSpan | undefined) =>
  exporter
    .getFinishedSpans()
    .find((one) => one.spanContext().spanId === span?.parentSpanContext?.spanId)
const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId

test('a login has spans by route, of the password, of SQL by name and of Redis', async () => {
  await database.empty()
  const { issuer, app, tenant } = await startService(shared)
  exporter.reset()
  const { begun, callback } = await logIn(issuer, app, ada)
  await app.redeem(begun, callback)

  await vi.waitFor(() => expect(spans('POST /oidc/token')).toHaveLength(1))
  const [submitted] = spans('POST /login/:handle')
  expect(submitted?.attributes).toMatchObject({
    'http.route': '/login/:handle',
    'http.response.status_code': 303,
    'latchkey.tenant.id': tenant.id,
  })
  const [verified] = spans('latchkey.password.verify')
  expect(parentOf(verified)).toBe(submitted)
  const [waited] = spans('latchkey.password.wait')
  const [hashed] = spans('latchkey.password.hash')
  expect(parentOf(waited)).toBe(verified)
  expect(parentOf(hashed)).toBe(verified)
  expect(hashed?.duration[1]).toBeGreaterThan((waited?.duration[1] ?? 0) * 2)
  const read = spans('select users').find((span) => parentOf(span) === submitted)
  expect(read?.attributes).toEqual({
    'db.system.name': 'postgresql',
    'db.query.summary': 'select users',
  })
  expect(traceOf(spans('insert audit')[0])).toBeDefined()
  const ofRedis = exporter
    .getFinishedSpans()
    .filter(({ attributes }) => attributes['db.system.name'] === 'redis')
  expect(new Set(ofRedis.map(({ name }) => name))).toContain('hgetall')
  expect(new Set(ofRedis.map(({ name }) => name))).toContain('write')
  // The last of the requests ends after its response was read.
  await vi.waitFor(() => {
    expect(ofRedis.filter((span) => !parentOf(span)).map(({ name }) => name)).toEqual([])
  })
})

test('no span and no webhook of a whole login holds a secret, a code, a query or a value (W8)', async () => {
  await database.empty()
  const mail = { url: 'smtp://127.0.0.1:1', from: 'login@acme.example' }
  const { issuer, app, api, apiKey, secret, user, service } = await startService({
    ...shared,
    mail,
    allowHttpOnLoopback: true,
  })
  await using receiver = await startReceiver()
  const types = ['user.created', 'user.updated', 'login.succeeded', 'login.failed']
  const endpoint = await api.create(`/x${api.tenant}/webhooks`, { url: receiver.url, types })
  receiver.secrets.push(endpoint.secret)
  const browser = createBrowser(issuer)
  const { begun, callback } = await logIn(issuer, app, ada, browser)
  const tokens = await app.redeem(begun, callback)
  await fetchUserInfo(app.config, tokens.access_token, user.id)
  await logIn(issuer, app, { ...ada, password: 'wrong password of ada' })
  await askForReset(issuer, ada.email)
  await service.fetch(`${origin}/reset?token=a-token-that-was-mailed`)
  await service.fetch(`${origin}/a-path-that-is-not-there?a-query=1`)
  await api.post(api.users, { profile: { email: ada.email } })
  await api.get(`${api.users}/${user.id}`)
  const eve = { email: 'eve@example.com', name: 'Eve Adams' }
  await api.create(api.users, { profile: eve, metadata: { plan: 'a-value-of-metadata' } })
  await vi.waitFor(() => expect(spans('latchkey.mail.send')).not.toHaveLength(0))
  await vi.waitFor(() => {
    const got = new Set(receiver.received.map(({ event }) => event.type))
    expect([...got].sort()).toEqual(['login.failed', 'login.succeeded', 'user.created'])
  })
  const bodies = receiver.received.map(({ body }) => body).join()
  const values = [ada.email, eve.email, eve.name, 'a-value-of-metadata', apiKey, endpoint.secret]
  expect(values.filter((value) => bodies.includes(value))).toEqual([])
  const [delivered] = spans('latchkey.webhook.deliver')
  expect(delivered?.parentSpanContext).toBeUndefined()
  expect(delivered?.attributes).toEqual({
    'latchkey.tenant.id': expect.any(String),
    'http.response.status_code': 204,
  })
  // Sending begins with a look at what is due, in no request's trace.
  expect(spans('update webhooks')).toEqual([])

  const all = exporter.getFinishedSpans()
  expect(all.length).toBeGreaterThan(100)
  const text = all
    .map(({ name, attributes, events, status, links }) =>
      inspect({ name, attributes, events, status, links }, { depth: 9, maxStringLength: null }),
    )
    .join('\n')
  const parameters = [
    ...new URL(begun.url).searchParams,
    ...new URL(callback.location ?? '').searchParams,
  ]
  const long = parameters.map(([, value]) => value).filter((value) => value.length > 12)
  const cookies = browser.setCookies.map((line) => /=([^;]{12,})/.exec(line)?.[1] ?? '')
  const found = [
    ...[endpoint.id, endpoint.secret, receiver.url, ...values],
    ...[apiKey, secret, ada.email, ada.password, 'wrong password', tokens.access_token],
    ...[tokens.id_token ?? '', 'a-token-that-was-mailed', 'a-path-that', 'a-query', user.id],
    ...long,
    ...cookies.filter((value) => value !== ''),
    ...['redirect_uri', 'grant_type', 'code_challenge', '$1', ' where ', '?'],
  ].filter((value) => text.includes(value))
  expect(found).toEqual([])
  const keys = new Set(all.flatMap(({ attributes }) => Object.keys(attributes)))
  expect([...keys].sort()).toEqual([
    'db.query.summary',
    'db.system.name',
    'http.request.method',
    'http.response.status_code',
    'http.route',
    'latchkey.mail.kind',
    'latchkey.tenant.id',
  ])
})

test('mail is sent in a trace of its own, which says why it failed', async () => {
  const mail = { url: 'smtp://127.0.0.1:1', from: 'login@acme.example' }
  const { issuer } = await startService({ mail })
  await askForReset(issuer, ada.email)
  await vi.waitFor(() => expect(spans('latchkey.mail.send')).toHaveLength(1))
  const [sent] = spans('latchkey.mail.send')
  expect(sent?.parentSpanContext).toBeUndefined()
  expect(sent?.attributes).toMatchObject({ 'latchkey.mail.kind': 'reset' })
})

const remote = '0af7651916cd43dd8448eb211c80319c'
const headers = { traceparent: `00-${remote}-b7ad6b7169203331-01` }

test('a trace goes on from a trusted proxy, and begins anew for everybody else (W11)', async () => {
  const { service } = await startService()
  const { port } = await service.listen()
  await fetch(`http://127.0.0.1:${port}/x/health`, { headers })
  const proxied = (await startService({ trustedProxies: ['127.0.0.1'] })).service
  const { port: behind } = await proxied.listen()
  await fetch(`http://127.0.0.1:${behind}/x/health`, { headers })
  await vi.waitFor(() => expect(spans('GET /x/health')).toHaveLength(2))
  const [stranger, trusted] = spans('GET /x/health')
  expect(traceOf(stranger)).not.toBe(remote)
  expect(stranger?.parentSpanContext).toBeUndefined()
  expect(traceOf(trusted)).toBe(remote)
})

test('statements are named by what they do to which table', () => {
  const names = {
    'select "id" from "users" where "id" = $1': 'select users',
    'with written as (update users set a = $1 returning a), audited as (insert into audit (a) values ($2)) select a from written':
      'update users',
    'insert into "audit" ("a") values ($1)': 'insert audit',
    'delete from mail where created_at < $1': 'delete mail',
    'begin; set local lock_timeout = 5000': 'begin',
    "select 'a@example.com'": 'select',
  }
  expect(Object.keys(names).map(statementName)).toEqual(Object.values(names))
})

test('log lines within a trace have its id', async () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => void lines.push(line) })
  logger.info('outside')
  await inOwnTrace('a.trace', {}, async () => logger.info('inside'))
  const [outside, inside] = lines.map((line) => JSON.parse(line))
  expect(outside).not.toHaveProperty('trace_id')
  const [span] = spans('a.trace')
  expect(inside).toMatchObject({ trace_id: traceOf(span), span_id: span?.spanContext().spanId })
})
