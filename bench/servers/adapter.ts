import type { AddressInfo } from 'node:net'
import { adapters } from '../parts/adapters.ts'
import { serveCommands } from '../parts/child.ts'

/** An application under one of the frameworks: `adapter.ts NAME ISSUER [REDIS_PORT]`. */
const [name = '', issuer = '', redisPort] = process.argv.slice(2)
const create = adapters[name]
if (!create)
  throw new Error(`There is no "${name}"; there are ${Object.keys(adapters).join(', ')}.`)
// The address has to be known before the application is made.
const { createServer } = await import('node:http')
const probe = createServer().listen(0, '127.0.0.1')
await new Promise((resolve) => probe.once('listening', resolve))
const { port } = probe.address() as AddressInfo
await new Promise((resolve) => probe.close(resolve))
const server = await create({ issuer, baseUrl: `http://127.0.0.1:${port}`, redisPort })
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
serveCommands(port, {}, async () => server.closeAllConnections())
