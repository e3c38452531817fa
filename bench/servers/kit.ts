import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { serveCommands } from '../parts/child.ts'
import { kits } from '../parts/kits.ts'

/** An application on one of the kits: `kit.ts NAME ISSUER [REDIS_PORT]`. */
const [name = '', issuer = '', redisPort] = process.argv.slice(2)
const app = express()
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
// The modules that a kit loads behind its first answer are not part of it.
let first = 0
server.once('request', (_request, response) => {
  response.once('finish', () => {
    const { user, system } = process.cpuUsage()
    first = (user + system) / 1e6
  })
})
await kits[name]?.(app, { issuer, baseUrl: `http://127.0.0.1:${port}`, redisPort })
serveCommands(port, { first: () => first }, async () => server.closeAllConnections())
