import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of several processes. */
export interface Balancer extends AsyncDisposable {
  readonly port: number
}

/**
 * Starts a proxy whose requests go to one process after the other, those of one browser and of one
 * connection included.
 *
 * @param ports - Of the processes that are there now.
 * @param address - Which client the processes are told of. Default: none.
 */
export async function startBalancer(
  ports: () => readonly number[],
  address?: string,
): Promise<Balancer> {
  let turn = 0

  function forward(req: IncomingMessage, res: ServerResponse): void {
    const all = ports()
    const port = all[turn++ % all.length] ?? 0
    const headers = withoutConnection(req.rawHeaders)
    if (address !== undefined) headers.push('x-forwarded-for', address)
    const { method, url } = req
    const onwards = request({ port, method, path: url, headers, setHost: false, agent: false })
    onwards.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, withoutConnection(answer.rawHeaders))
      answer.pipe(res)
      answer.on('error', () => res.destroy())
    })
    onwards.on('error', () => {
      if (res.headersSent) res.destroy()
      else res.writeHead(502).end()
    })
    res.on('close', () => onwards.destroy())
    req.pipe(onwards)
  }

  const server = createServer(forward)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** RFC 9110 §7.6.1. */
function withoutConnection(raw: readonly string[]): string[] {
  return raw.filter((_, i) => raw[i - (i % 2)]?.toLowerCase() !== 'connection')
}
