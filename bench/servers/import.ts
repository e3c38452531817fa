/**
 * A service with a tenant and an API key, as the measurement of the import needs it: its issuer is at
 * a name of this machine, and `one-by-one` makes it a server that knows nothing but the specification.
 *
 *   node --conditions=latchkey-source bench/servers/import.ts <folder> [one-by-one] [requests per second]
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createIdentityService } from '@latchkey/service'

const [, , data = '', mode, limit] = process.argv
const service = await createIdentityService({
  data,
  allowHttpOnLoopback: true,
  ...(limit !== undefined && { requestsPerSecond: Number(limit) }),
})
const server = createServer((req, res) => {
  if (mode === 'one-by-one' && req.url?.startsWith('/x/')) res.writeHead(404).end()
  else service.handler(req, res)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
const domain = `acme.localhost:${port}`
const tenant = await service.admin.createTenant({ domain, settings: { allowUnverified: true } })
const createKey = async (name: string) =>
  (await service.admin.createApiKey({ name, reach: [tenant.id] })).secret
const [key, otherKey] = [await createKey('import'), await createKey('others')]
const url = `http://127.0.0.1:${port}`
console.log(JSON.stringify({ url, key, otherKey, tenantId: tenant.id, domain }))
