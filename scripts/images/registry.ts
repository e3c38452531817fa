import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { devNull } from 'node:os'

/** The port at which {@link reachRegistry} listens. */
export const PROXY_PORT = 3128

/** Serves a proxy to the registry of npm at a socket of the file system, which a namespace without a network can open. */
export async function shareRegistry(socket: string): Promise<AsyncDisposable> {
  const open = new Set<Socket>()
  const { hostname, port } = defaultRegistry()
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', ({ url }, near: Socket) => {
    if (url !== `${hostname}:${port || 443}`) {
      near.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const far = connect(Number(port || 443), hostname, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
    })
    join(near, far)
  })
  server.on('connection', (one: Socket) => {
    open.add(one)
    one.once('close', () => open.delete(one))
  })
  await once(server.listen(socket), 'listening')
  return {
    async [Symbol.asyncDispose]() {
      for (const one of open) one.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The registry of an npm that nobody has configured, as that of a build. */
function defaultRegistry(): URL {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)),
  )
  // Two files that are not there: npm refuses to read one file as both.
  const files = ['--userconfig', `${devNull}/user`, '--globalconfig', `${devNull}/global`]
  const words = ['config', 'get', 'registry', ...files]
  return new URL(execFileSync('npm', words, { env, encoding: 'utf8' }))
}

/** Leads {@link PROXY_PORT} of this namespace to the socket of {@link shareRegistry}. It keeps no process running. */
export async function reachRegistry(socket: string): Promise<void> {
  const server = createTcpServer((near) => join(near, connect(socket))).unref()
  await once(server.listen(PROXY_PORT), 'listening')
}

/** Passes everything on in both directions, until either side ends. */
function join(near: Socket, far: Socket): void {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.pipe(other)
    one.on('error', () => other.destroy()).on('close', () => other.destroy())
  }
}
