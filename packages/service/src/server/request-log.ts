import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { observe, secondsSince } from '../telemetry/metrics.ts'
import { methodOf, routeOf } from '../telemetry/route.ts'
import { pathOf } from '../wire/path-of.ts'

/** Wraps a listener: measures each request by its route, and logs the request at level `debug`. */
export function observeRequests(logger: Logger, listener: RequestListener): RequestListener {
  return (req, res) => {
    const start = performance.now()
    res.once('close', () => {
      const status = res.writableFinished ? String(res.statusCode) : 'aborted'
      const labels = { method: methodOf(req), route: routeOf(req), status }
      observe('httpRequests', labels, secondsSince(start))
    })
    if (logger.isLevelEnabled('debug')) {
      const { method } = req
      const request = { method, host: req.headers.host, path: pathOf(req) }
      res.once('finish', () => {
        const requestId = res.getHeader('request-id')
        const ms = Math.round(performance.now() - start)
        logger.debug({ requestId, ...request, status: res.statusCode, ms }, 'request')
      })
    }
    return listener(req, res)
  }
}
