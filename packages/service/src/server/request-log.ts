import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'

/** Logs every request at the level `debug`. Of its address the path alone: a query may hold a secret. */
export function logRequests(logger: Logger, listener: RequestListener): RequestListener {
  return (req, res) => {
    if (logger.isLevelEnabled('debug')) {
      const start = performance.now()
      const { method, url = '/' } = req
      const request = { method, host: req.headers.host, path: url.split('?', 1)[0] }
      res.once('finish', () => {
        const requestId = res.getHeader('request-id')
        const ms = Math.round(performance.now() - start)
        logger.debug({ requestId, ...request, status: res.statusCode, ms }, 'request')
      })
    }
    return listener(req, res)
  }
}
