import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { countEvents, createLoggingApp } from '../src/logging.ts'
import { start } from './support.ts'

test('pino writes a failed login, and OpenTelemetry counts it', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  countEvents()
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const site = await start((connection) => createLoggingApp(connection, destination))
  site.provider.fault = 'access_denied'

  const visit = await createBrowser().open(`${site.url}/login`)
  await reader.forceFlush()
  await site.close()

  const [line = '{}', ...others] = lines
  expect(others).toEqual([])
  const { name, level, msg, code, remedy, correlationId } = JSON.parse(line)
  expect([name, level, code]).toEqual(['shop', 40, 'LATCHKEY_LOGIN_DENIED'])
  expect([msg, remedy]).toEqual([expect.stringContaining('access_denied'), expect.any(String)])
  expect(visit.text).toContain(correlationId)
  const counted = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap((scope) =>
        scope.metrics.flatMap(({ dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({ ...attributes, value })),
        ),
      ),
    )
  expect(counted).toEqual([{ name: 'login.failed', code: 'LATCHKEY_LOGIN_DENIED', value: 1 }])
})
