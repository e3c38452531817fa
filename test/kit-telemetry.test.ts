import type { Server } from 'node:http'
import { inspect } from 'node:util'
import {
  type AuthOptions,
  createMemoryStore,
  DeniedError,
  type Logger,
  type TelemetryApi,
} from '@latchkey/core'
import { createSessionStore } from '@latchkey/session-store'
import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '@latchkey/testing/misbehaving-provider'
import * as telemetry from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import supertest from 'supertest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createServer as overExpress } from '../packages/express/test/support/application.ts'
import { startRedis } from '../packages/session-store/test/support/redis.ts'
import { middlewareAdapters } from '../scripts/packages.ts'

const { context, metrics, trace } = telemetry
const spans = new InMemorySpanExporter()
const processor = new SimpleSpanProcessor({ exporter: spans })
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }))
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const counted = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({
  exporter: counted,
  exportIntervalMillis: 3_600_000,
})
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))

const SECRET = 'a secret of tests that protects nothing'
const BASE_URL = 'http://localhost:3000'
const frameworks = await Promise.all(
  middlewareAdapters().map(async ({ name, title }) => {
    const { createServer } = await import(`../packages/${name}/test/support/application.ts`)
    return [title, createServer as typeof overExpress] as const
  }),
)

const fails = (): never => {
  throw new Error('the exporter is closed')
}
const brokenSpan = { spanContext: fails, setAttribute: fails, setStatus: fails, end: fails }
const spansThat = (api: Partial<TelemetryApi['trace']>) => ({
  getTracer: () => ({ startSpan: () => brokenSpan }),
  getActiveSpan: () => brokenSpan,
  setSpan: () => ({}),
  ...api,
})
const runs = (_context: object, work: () => unknown): unknown => work()

/** Modules of OpenTelemetry that fail, each at another place. */
const FAILING: Record<string, TelemetryApi> = {
  'telemetry whose every method throws': {
    trace: spansThat({ getTracer: fails, getActiveSpan: fails, setSpan: fails }),
    context: { active: fails, with: fails },
    metrics: { getMeter: fails },
  },
  'spans and counters that throw': {
    trace: spansThat({}),
    context: { active: () => ({}), with: runs },
    metrics: { getMeter: () => ({ createCounter: () => ({ add: fails }) }) },
  },
  'contexts that throw before the work': {
    trace: spansThat({}),
    context: { active: () => ({}), with: fails },
    metrics: { getMeter: () => ({ createCounter: fails }) },
  },
  'contexts that throw after the work': {
    trace: spansThat({ getActiveSpan: () => undefined }),
    context: { active: () => ({}), with: (_, work) => [work(), fails()] },
    metrics: { getMeter: () => ({ createCounter: () => ({ add: fails }) }) },
  },
}

const opened: (() => unknown)[] = []
beforeEach(async () => {
  await reader.forceFlush()
  spans.reset()
  counted.reset()
})
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

interface Site {
  readonly provider: MisbehavingProvider
  readonly server: Server
  readonly agent: ReturnType<typeof supertest.agent>
  /** Every `Set-Cookie`, `Location` and path, which hold the secrets of the browser. */
  readonly seen: string[]
  open(path: string): Promise<supertest.Response>
  post(path: string): Promise<supertest.Response>
  /** Follows the redirect of the login to the provider, and opens the callback. */
  logIn(): Promise<supertest.Response>
}

async function start(
  createServer: typeof overExpress,
  options: Partial<AuthOptions> = {},
): Promise<Site> {
  const provider = await startMisbehavingProvider()
  opened.push(() => provider.close())
  const server = await createServer(
    {
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      baseUrl: BASE_URL,
      scope: 'openid profile email offline_access',
      logger: false,
      telemetry,
      ...options,
      session: { secret: SECRET, ...options.session },
    },
    {
      parser: 'none',
      routes: [
        {
          method: 'get',
          path: '/token',
          requirement: {},
          handle: async ({ auth }) => ({ body: String(await auth.accessToken({ force: true })) }),
        },
      ],
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => new Promise((resolve) => server.close(resolve)))
  const agent = supertest.agent(server)
  const seen: string[] = []
  const note = (path: string, answer: supertest.Response) => {
    seen.push(path, answer.headers.location ?? '', String(answer.headers['set-cookie'] ?? ''))
    return answer
  }
  const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
  const open = async (path: string) => note(path, await agent.get(path).set(page))
  return {
    provider,
    server,
    agent,
    seen,
    open,
    async post(path) {
      return note(path, await agent.post(path).set({ ...page, origin: BASE_URL }))
    },
    async logIn() {
      const begun = await open('/login?returnTo=/token')
      const answered = await fetch(String(begun.headers.location), { redirect: 'manual' })
      const back = new URL(String(answered.headers.get('location')))
      return open(back.pathname + back.search)
    },
  }
}

/** Does what an instrumentation of HTTP does: each request has a span, which is the active one. */
function instrument(server: Server): void {
  const emit = server.emit.bind(server)
  const tracer = trace.getTracer('an instrumentation of HTTP')
  server.emit = ((name: string, ...given: unknown[]) => {
    if (name !== 'request') return emit(name, ...given)
    const [, response] = given as [unknown, { once(name: 'close', end: () => void): void }]
    return tracer.startActiveSpan('request', (span) => {
      response.once('close', () => span.end())
      return emit(name, ...given)
    })
  }) as typeof server.emit
}

const named = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name)
const ofKit = () =>
  spans.getFinishedSpans().filter((span) => span.instrumentationScope.name === '@latchkey/core')
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId
const traceOf = (span: ReadableSpan | undefined) => span?.spanContext().traceId

/** What has been counted since the test began. */
async function counts(): Promise<Record<string, number>> {
  await reader.forceFlush()
  const all = counted.getMetrics().flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics: found }) =>
      found.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => {
          const labels = Object.entries(attributes).map(([key, label]) => `${key}=${label}`)
          return [`${descriptor.name}{${labels.join()}}`, Number(value)] as const
        }),
      ),
    ),
  )
  return Object.fromEntries(all)
}

describe.each(frameworks)('%s', (_, createServer) => {
  test('a login, a refresh and a logout have spans within the requests of the application, and are counted', async () => {
    await using redis = await startRedis()
    const store = createSessionStore({ url: redis.url })
    opened.push(() => store.close())
    const site = await start(createServer, { session: { store } })
    instrument(site.server)

    expect((await site.logIn()).headers.location).toBe('/token')
    expect((await site.open('/token')).status).toBe(200)
    await site.post('/logout')

    expect(named('latchkey.login')).toHaveLength(1)
    const [callback] = named('latchkey.callback')
    const [request] = spans
      .getFinishedSpans()
      .filter((span) => idOf(span) === callback?.parentSpanContext?.spanId)
    expect(request?.name).toBe('request')
    const below = ofKit().filter(
      ({ parentSpanContext }) => parentSpanContext?.spanId === idOf(callback),
    )
    expect(new Set(below.map(({ name }) => name))).toEqual(
      new Set(['latchkey.store.once.consume', 'latchkey.provider', 'latchkey.store.index.begin']),
    )
    expect(new Set(ofKit().map(({ name }) => name))).toEqual(
      new Set([
        ...['login', 'callback', 'refresh', 'logout', 'provider'].map((one) => `latchkey.${one}`),
        ...['once.consume', 'index.begin', 'get', 'lock.acquire', 'update', 'index.end'].map(
          (one) => `latchkey.store.${one}`,
        ),
      ]),
    )
    expect(ofKit().filter(({ parentSpanContext }) => !parentSpanContext)).toEqual([])
    expect(await counts()).toEqual({
      'latchkey.logins{outcome=succeeded}': 1,
      'latchkey.refreshes{outcome=succeeded}': 1,
    })
  })

  test('no span and no metric of a login, a refresh and a logout holds a secret, a code, a query or a user', async () => {
    await using redis = await startRedis()
    const store = createSessionStore({ url: redis.url })
    opened.push(() => store.close())
    const site = await start(createServer, { session: { store } })
    const { provider } = site

    await site.logIn()
    const { text: accessToken } = await site.open('/token')
    await site.open('/callback?code=a-code-of-a-stranger&state=a-state-of-a-stranger')
    provider.fault = 'error_description repeats the request'
    await site.open('/token')
    await site.logIn()
    await site.post('/logout')
    const logoutToken = provider.logoutToken({ sub: 'ada' })
    await site.agent.post('/backchannel-logout').type('form').send({ logout_token: logoutToken })

    const all = ofKit()
    expect(named('latchkey.backchannel_logout')).toHaveLength(1)
    expect(all.length).toBeGreaterThan(10)
    await reader.forceFlush()
    const text = inspect(
      [
        all.map(({ name, attributes, events, status, links }) => ({
          ...{ name, attributes, events, status, links },
        })),
        counted.getMetrics(),
      ],
      { depth: 12, maxStringLength: null, maxArrayLength: null },
    )
    const parameters = site.seen.flatMap((one) =>
      URL.canParse(one, BASE_URL) ? [...new URL(one, BASE_URL).searchParams.values()] : [],
    )
    const cookies = site.seen.flatMap((one) => one.match(/(?<==)[^;,\s]{12,}/g) ?? [])
    const secrets = [logoutToken, ...provider.secrets, ...parameters, ...cookies].filter(
      (one) => one.length > 10,
    )
    expect(secrets.length).toBeGreaterThan(20)
    expect(secrets).toContain(accessToken)
    const user = provider.user as { sub: string; email?: string }
    const found = [...secrets, SECRET, user.sub, user.email ?? user.sub, 'stranger', '?', 'code=']
    expect(found.filter((one) => text.includes(one))).toEqual([])
    expect([...new Set(all.flatMap(({ attributes }) => Object.keys(attributes)))].sort()).toEqual([
      'error.type',
      'http.request.method',
      'http.response.status_code',
      'server.address',
    ])
  })

  test('a failed login is counted by its code, and its log line has the ids of the span', async () => {
    const lines: Record<string, unknown>[] = []
    const keep = (facts: Record<string, unknown>) => void lines.push(facts)
    const logger = { info: keep, warn: keep, error: keep } as unknown as Logger
    const site = await start(createServer, { logger })
    site.provider.fault = 'access_denied'

    await site.logIn()

    const [failed] = named('latchkey.callback')
    expect(failed?.attributes).toEqual({ 'error.type': 'LATCHKEY_LOGIN_DENIED' })
    // The user has cancelled: nothing is wrong with the application.
    expect(failed?.status.code).toBe(telemetry.SpanStatusCode.UNSET)
    expect(lines.filter(({ code }) => code === 'LATCHKEY_LOGIN_DENIED')).toEqual([
      expect.objectContaining({ trace_id: traceOf(failed), span_id: idOf(failed) }),
    ])
    expect(await counts()).toEqual({ 'latchkey.logins{outcome=LATCHKEY_LOGIN_DENIED}': 1 })
  })

  test('a store that fails is counted by the operation, and so is the login that it has cost', async () => {
    const memory = createMemoryStore()
    const down = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7'))
    const site = await start(createServer, { session: { store: { ...memory, set: down } } })

    expect((await site.logIn()).status).toBe(503)

    expect(await counts()).toEqual({
      'latchkey.store.errors{operation=set}': 1,
      'latchkey.logins{outcome=LATCHKEY_SESSION_UNAVAILABLE}': 1,
    })
    const [callback] = named('latchkey.callback')
    expect(callback?.status.code).toBe(telemetry.SpanStatusCode.ERROR)
  })

  test.each(Object.entries(FAILING))(
    'a login, a refresh and a guarded page work with %s',
    async (_name, failing) => {
      const lines: Record<string, unknown>[] = []
      const keep = (facts: Record<string, unknown>) => void lines.push(facts)
      const logger = { info: keep, warn: keep, error: keep } as unknown as Logger
      const store = { ...createMemoryStore(), isInProcess: false }
      const site = await start(createServer, { logger, telemetry: failing, session: { store } })

      expect((await site.logIn()).headers.location).toBe('/token')
      expect((await site.open('/token')).status).toBe(200)
      await site.open('/callback?code=a-code&state=a-state')
      await site.post('/logout')

      expect(site.provider.count('/token')).toBe(2)
      const failures = lines.filter(({ code }) => code === 'LATCHKEY_TELEMETRY_FAILED')
      expect(failures).toHaveLength(1)
      expect(failures[0]?.remedy).toContain('OpenTelemetry')
    },
  )

  test('a `traceparent` of the request is not read: the context of the application decides', async () => {
    const remote = '0af7651916cd43dd8448eb211c80319c'
    const site = await start(createServer)

    await site.agent.get('/login').set('traceparent', `00-${remote}-b7ad6b7169203331-01`)

    const [login] = named('latchkey.login')
    expect(login?.parentSpanContext).toBeUndefined()
    expect(traceOf(login)).not.toBe(remote)
  })
})

test('a login that cannot begin is counted once, by the code of the provider that is down', async () => {
  const site = await start(overExpress)
  await site.provider.close()

  expect((await site.open('/login')).status).toBe(503)

  expect(await counts()).toEqual({ 'latchkey.logins{outcome=LATCHKEY_PROVIDER_UNAVAILABLE}': 1 })
})

test('a login that begins again in its callback, and fails, is counted once', async () => {
  let isRefused = false
  const beforeLogin = () => {
    if (isRefused) throw new DeniedError('no logins at the moment')
    return undefined
  }
  const site = await start(overExpress, { hooks: { beforeLogin } })
  const begun = await site.open('/login')
  const { searchParams } = new URL(String(begun.headers.location))
  isRefused = true

  // Without the cookie of the login, the callback begins another.
  const callback = `/callback?state=${searchParams.get('state')}&code=a-code`
  expect((await supertest(site.server).get(callback)).status).toBe(403)

  expect(named('latchkey.login')).toHaveLength(2)
  expect(named('latchkey.callback')).toHaveLength(1)
  expect(await counts()).toEqual({ 'latchkey.logins{outcome=LATCHKEY_USER_REFUSED}': 1 })
})

test('without a span of the application, a guarded request has none for its session', async () => {
  const site = await start(overExpress, { session: { store: createMemoryStore() } })
  await site.logIn()
  spans.reset()

  await site.open('/session')

  expect(ofKit()).toEqual([])
})

test('a refresh that the provider refuses is counted by its code', async () => {
  const site = await start(overExpress)
  await site.logIn()
  site.provider.fault = 'invalid_grant'

  await site.open('/token')

  expect(await counts()).toMatchObject({
    'latchkey.refreshes{outcome=LATCHKEY_REFRESH_REJECTED}': 1,
  })
  expect(named('latchkey.refresh')[0]?.attributes).toEqual({
    'error.type': 'LATCHKEY_REFRESH_REJECTED',
  })
})

test('without the option there are no spans and no counters', async () => {
  const site = await start(overExpress, { telemetry: undefined as never })
  await site.logIn()
  expect(ofKit()).toEqual([])
  expect(await counts()).toEqual({})
})
