import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toAuthRequest } from '@latchkey/core/node'
import { expect, test } from 'vitest'

test('a header of a request of node:http is found in any case, as in a Request of the web', async () => {
  const server = createServer((req, res) => {
    const { headers } = toAuthRequest(req, new URL('http://localhost:3000'))
    const names = ['x-tenant', 'X-Tenant', 'X-TENANT', 'X-Other']
    res.end(JSON.stringify(names.map((name) => headers.get(name))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Tenant': 'acme' } })

  expect(await answer.json()).toEqual(['acme', 'acme', 'acme', null])
  server.close()
  server.closeAllConnections()
})
