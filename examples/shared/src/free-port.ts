import { createServer } from 'node:net'

/**
 * The first free port from `wanted` on, other than `except`.
 *
 * @param option - The option that names the port.
 */
export async function freePort(
  wanted: number | string,
  except?: number,
  option = '--port',
): Promise<number> {
  const first = Number(wanted)
  if (!Number.isInteger(first) || first < 1 || first > 65_535) {
    throw new Error(`${option} must be a whole number from 1 to 65535, not "${wanted}".`)
  }
  const last = Math.min(first + 99, 65_535)
  for (let port = first; port <= last; port++) {
    if (port !== except && (await isFree(port))) return port
  }
  throw new Error(`The ports ${first} to ${last} are all taken; choose another with ${option}.`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
