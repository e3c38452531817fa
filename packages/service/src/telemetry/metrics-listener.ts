import type { RequestListener } from 'node:http'
import type { Gauge } from './gauges.ts'

/** The path of the metrics. */
export const METRICS_PATH = '/x/metrics'

/** The request listener for the port of the metrics. */
export interface MetricsListener {
  readonly handle: RequestListener
  /** Stops recording. */
  close(): void
}

/**
 * Starts recording, and creates the listener for `GET /x/metrics`, which answers in the format that
 * the client accepts.
 */
export async function createMetricsListener(gauges: readonly Gauge[]): Promise<MetricsListener> {
  // Imported here, so that a service without metrics need not load this module.
  const { createMetrics } = await import('./registry.ts')
  const metrics = createMetrics(gauges)
  return {
    handle(request, response) {
      const isMetrics = request.url?.split('?', 1)[0] === METRICS_PATH
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isMetrics || !isRead) {
        response.statusCode = isMetrics ? 405 : 404
        if (isMetrics) response.setHeader('allow', 'GET, HEAD')
        response.setHeader('content-type', 'text/plain; charset=utf-8')
        response.end(`The metrics are at GET ${METRICS_PATH}.\n`)
        return
      }
      metrics.text(request.headers.accept).then(
        ({ text, contentType }) => {
          response.setHeader('content-type', contentType)
          response.setHeader('vary', 'accept')
          response.setHeader('cache-control', 'no-store')
          response.end(text)
        },
        (error) => response.destroy(error),
      )
    },
    close: metrics.close,
  }
}
