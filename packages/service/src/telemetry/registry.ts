import {
  Counter,
  collectDefaultMetrics,
  Gauge as GaugeMetric,
  Histogram,
  Registry,
} from '@prometheus-io/client'
import type { Gauge, Reading } from './gauges.ts'
import { counters, histograms, type Recorder, recordTo } from './metrics.ts'

/** The metrics of a service as a response. */
export interface Metrics {
  /**
   * The metrics as text.
   *
   * @param accept - The header `accept`. Clients that accept only `text/plain` get the text format
   *   of Prometheus. All others get OpenMetrics.
   */
  text(accept?: string): Promise<{ text: string; contentType: string }>
  /** Stops recording. */
  close(): void
}

/** The timeout for reading a gauge. Scrapers give up after some seconds. */
const READ_MS = 2_000

/**
 * Starts recording the metrics of this process. The gauges are read whenever the text is requested.
 */
export function createMetrics(gauges: readonly Gauge[]): Metrics {
  const registry = new Registry(Registry.OPENMETRICS_CONTENT_TYPE)
  const registers = [registry]
  const counted = mapValues(
    counters,
    ({ name, help, labels }) => new Counter({ name, help, labelNames: labels, registers }),
  )
  const measured = mapValues(
    histograms,
    ({ name, help, labels, buckets }) =>
      new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers }),
  )
  for (const { name, help, labels, read } of gauges) {
    const gauge: GaugeMetric<string> = new GaugeMetric({
      name,
      help,
      labelNames: labels,
      registers,
      async collect() {
        const readings = await inTime(read)
        gauge.reset()
        // After a reset, a gauge without labels has the value 0. NaN says that the value is
        // unknown.
        if (!readings && labels.length === 0) gauge.set(Number.NaN)
        for (const { labels, value } of readings ?? []) gauge.set({ ...labels }, value)
      },
    })
  }
  // These are processor time, memory, the delay of the event loop and garbage collection.
  collectDefaultMetrics({ register: registry })
  const recorder: Recorder = {
    count: (name, labels) => counted[name].inc({ ...labels }),
    observe: (name, labels, seconds) => measured[name].observe({ ...labels }, seconds),
  }
  const stop = recordTo(recorder)
  return {
    async text(accept = '*/*') {
      const text = await registry.metrics()
      if (/openmetrics-text|\*\/\*/i.test(accept) || !/text\/(plain|\*)/i.test(accept)) {
        return { text, contentType: registry.contentType }
      }
      return { text: prometheusText(text), contentType: Registry.PROMETHEUS_CONTENT_TYPE }
    },
    close() {
      stop()
      registry.clear()
    },
  }
}

/**
 * Turns OpenMetrics into Prometheus's text format, where the family of a counter has the name of
 * its samples.
 */
function prometheusText(openMetrics: string): string {
  return openMetrics
    .replace(
      /^# HELP (\S+) (.*)\n# TYPE \1 counter$/gm,
      '# HELP $1_total $2\n# TYPE $1_total counter',
    )
    .replace(/# EOF\n$/, '')
}

/** The readings of a gauge; `undefined` if the gauge fails or takes too long. */
async function inTime(read: () => Promise<Reading[]>): Promise<Reading[] | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), READ_MS)
  try {
    return await Promise.race([read(), late.promise])
  } catch {
    // The store itself counts and logs its failure.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

function mapValues<K extends string, V, W>(
  of: Readonly<Record<K, V>>,
  change: (value: V) => W,
): Record<K, W> {
  const entries = Object.entries(of) as [K, V][]
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value)])) as Record<K, W>
}
