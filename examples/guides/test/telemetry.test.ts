import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { serve, temporaryFolder } from '../../../packages/service/test/cli/support.ts'
import { createTracedApp, httpInstrumentation } from '../src/telemetry.ts'
import { start } from './support.ts'

test('a callback has a span below that of its request, and neither holds the code of the login (W12)', async () => {
  const exporter = new InMemorySpanExporter()
  const spans = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  trace.setGlobalTracerProvider(spans)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  httpInstrumentation.setTracerProvider(spans)
  // The instrumentation patches the module when it is required.
  createRequire(import.meta.url)('node:http')
  const site = await start((connection) => createTracedApp(connection))

  await createBrowser().open(`${site.url}/login`)
  await site.close()
  httpInstrumentation.disable()

  const all = exporter.getFinishedSpans()
  const callback = all.find(({ name }) => name === 'latchkey.callback')
  const request = all.find(
    (span) => span.spanContext().spanId === callback?.parentSpanContext?.spanId,
  )
  expect(request?.attributes).toMatchObject({ 'url.path': '/callback', 'url.query': '' })
  const servers = all.filter(({ attributes }) => attributes['url.path'] === '/callback')
  expect(JSON.stringify(servers.map(({ attributes }) => attributes))).not.toContain('code=')
})

/** A collector of traces: what it was sent, and the environment of a process that sends to it. */
async function startCollector() {
  let received = ''
  const server = createServer((request, response) => {
    // A process that ends may break off what it sends.
    text(request).then(
      (body) => {
        received += `${request.method} ${request.url} ${body}\n`
        response.setHeader('content-type', 'application/json').end('{}')
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const telemetry = new URL('../telemetry/telemetry.js', import.meta.url)
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  return { env, telemetry, received: () => received }
}

test('with the SDK of the guide in front of it, the service sends its spans to a collector, without a query (W12)', async () => {
  using data = temporaryFolder()
  const { env, telemetry, received } = await startCollector()
  const service = await serve(['--data', data.path], {
    ...env,
    NODE_OPTIONS: `--import ${telemetry}`,
  })
  onTestFinished(async () => void (await service.stop()))
  await fetch(`${service.url}/x/health?a-query=1`)
  await vi.waitFor(() => expect(received()).toContain('GET /x/health'))
  expect(received()).toContain('POST /v1/traces')
  expect(received()).toContain('"service.name","value":{"stringValue":"latchkey"}')
  expect(received()).not.toContain('a-query')
})

test('with the same SDK, an application sends the span of a login, and no query (W12)', async () => {
  const { env, telemetry, received } = await startCollector()
  const provider = await startMisbehavingProvider()
  onTestFinished(() => provider.close())
  const { issuer, clientId, clientSecret } = provider
  const connection = {
    ...{ issuer, clientId, clientSecret, baseUrl: 'http://127.0.0.1:3000', logger: false },
    session: { secret: 'a secret of the guides with 32 characters' },
  }
  const program = `
    import { createServer } from 'node:http'
    const { createTracedApp } = await import('./src/telemetry.ts')
    const server = createServer(createTracedApp(${JSON.stringify(connection)}))
    server.listen(0, '127.0.0.1', async () => {
      const { port } = server.address()
      await fetch('http://127.0.0.1:' + port + '/login?a-query=1', { redirect: 'manual' })
    })`
  const flags = ['--conditions=latchkey-source', '--import', telemetry.href]
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    cwd: new URL('..', import.meta.url),
    env: { ...process.env, ...env },
  })
  onTestFinished(() => void child.kill())
  await vi.waitFor(() => expect(received()).toContain('"latchkey.login"'))
  expect(received()).not.toContain('a-query')
})
