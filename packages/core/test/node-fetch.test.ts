import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNodeTransport } from '@latchkey/core/node'
import { expect, test } from 'vitest'
import { fetchOver } from '../../../test/support/fetch-over.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a request on a keep-alive connection that the provider closed is sent once more on a new one', async () => {
  const requests: string[] = []
  await using server = await serve((req, res) => {
    requests.push(`${req.method} ${req.socket.remotePort}`)
    if (requests.length === 2) req.socket.destroy()
    else res.end('ok')
  })
  const fetch = fetchOver(createNodeTransport())

  expect(await (await fetch(server.url, { method: 'POST', body: 'a=b' })).text()).toBe('ok')
  await sleep(20)
  expect(await (await fetch(server.url, { method: 'POST', body: 'a=b' })).text()).toBe('ok')

  expect(requests).toHaveLength(3)
  expect(requests[1]).toBe(requests[0])
  expect(requests[2]).not.toBe(requests[0])
})

test('a request on a new connection that is reset fails', async () => {
  let requests = 0
  await using server = await serve((req) => {
    requests++
    req.socket.destroy()
  })

  await expect(fetchOver(createNodeTransport())(server.url)).rejects.toThrow('socket hang up')
  expect(requests).toBe(1)
})

test('a redirect is an answer, and is not followed', async () => {
  await using server = await serve((_req, res) => res.writeHead(302, { location: '/else' }).end())
  const response = await fetchOver(createNodeTransport())(server.url)

  expect([response.status, response.headers.get('location')]).toEqual([302, '/else'])
})
