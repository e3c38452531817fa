import { createRequire } from 'node:module'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createTracedApp, httpInstrumentation } from '../src/telemetry.ts'
import { start } from './support.ts'

test('a callback has a span below that of its request, and neither holds the code of the login', async () => {
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
