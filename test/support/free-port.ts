import { createServer } from 'node:net'

/**
 * Above 10080, the last of the ports that fetch and browsers refuse (Fetch, section 2.9), and below those that systems give to
 * connections, with ten thousand above them for the bus of a Redis Cluster.
 */
const FIRST = 10_081
const COUNT = 12_000

/**
 * A loopback port that is free, and so is the one ten thousand above it. It is random, so that a process of another run is
 * unlikely to take it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
