import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Gauge } from '../telemetry/gauges.ts'
import { createMetricsListener, type MetricsListener } from '../telemetry/metrics-listener.ts'
import {
  type ClosingTimes,
  closeServer,
  createHttpServer,
  drainServer,
  type ListenOptions,
  listen,
} from './http-server.ts'

/** The times for closing a metrics server. They are short, because a scraper asks again. */
const METRICS_CLOSING: ClosingTimes = { idleMs: 0, graceMs: 1_000 }

/** The servers of a service. There is one for each port. */
export interface Servers {
  /** Whether a server for requests is open. */
  isServing(): boolean
  /** Serves requests; see `IdentityService.listen`. */
  listen(where: ListenOptions): Promise<AddressInfo>
  /** Serves metrics; see `IdentityService.listenForMetrics`. */
  listenForMetrics(
    where: Omit<ListenOptions, 'tls'>,
    gauges: readonly Gauge[],
  ): Promise<AddressInfo>
  /** Closes each connection after its next response. The servers continue to answer. */
  drain(): void
  /**
   * Closes the servers for requests. Resolves when the requests in progress are answered, at most
   * `graceMs` later.
   */
  close(times: ClosingTimes): Promise<void>
  /** Closes the servers for metrics. */
  closeMetrics(): Promise<void>
}

/** Creates the servers for one request handler. */
export function createServers(handler: RequestListener): Servers {
  const servers: Server[] = []
  const metricsServers: { server: Server; listener: MetricsListener }[] = []
  return {
    isServing: () => servers.length > 0,
    listen(where) {
      const server = createHttpServer(handler, where.tls)
      servers.push(server)
      return listen(server, where)
    },
    async listenForMetrics(where, gauges) {
      const listener = await createMetricsListener(gauges)
      const server = createHttpServer(listener.handle)
      metricsServers.push({ server, listener })
      return listen(server, where)
    },
    drain() {
      servers.forEach(drainServer)
    },
    async close(times) {
      await Promise.all(servers.map((server) => closeServer(server, times)))
    },
    async closeMetrics() {
      for (const { server, listener } of metricsServers) {
        listener.close()
        await closeServer(server, METRICS_CLOSING)
      }
    },
  }
}
