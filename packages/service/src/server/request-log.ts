import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'

/** The path of a request for the log: its query may hold a secret or an address. */
export function pathOf(req: { originalUrl?: string; url?: string | undefined }): string {
  return (req.originalUrl ?? req.url ?? '/').split('?', 1)[0] as string
}

/** Logs every request at the level `debug`. */
export function logRequests(logger: Logger, listener: RequestListener): RequestListener {
  return (req, res) => {
    if (logger.isLevelEnabled('debug')) {
      const start = performance.now()
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
