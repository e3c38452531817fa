import { createServer } from 'node:net'

/** The first free port from `wanted` on, other than `except`. */
export async function freePort(wanted: number, except?: number): Promise<number> {
  for (let port = wanted; port < wanted + 100; port++) {
    if (port !== except && (await isFree(port))) return port
  }
  throw new Error(
    `The ports ${wanted} to ${wanted + 99} are all taken; choose another with --port.`,
  )
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
