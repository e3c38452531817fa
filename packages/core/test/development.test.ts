import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createAuth } from '@latchkey/core'
import { nodePlatform, serveNode } from '@latchkey/core/node'
import { expect, test } from 'vitest'

const OPTIONS = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'a secret of tests that protects nothing',
  baseUrl: 'http://localhost:3000',
  session: { secret: 'another secret of tests that protects nothing' },
  logger: false,
} as const

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) => ({
  method: 'GET',
  url: 'http://localhost:3000/__latchkey',
  headers: new Headers({ host: 'localhost:3000', ...headers }),
  remoteAddress,
  text: async () => '',
})

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['192.168.1.20', false],
  ['::ffff:192.168.1.20', false],
  ['fe80::1', false],
  ['127.0.0.1.evil.example', false],
  ['', false],
  [undefined, false],
])('a connection from %s gets the flight recorder: %s', async (address, isShown) => {
  const auth = createAuth(OPTIONS, nodePlatform())
  const visit = await auth.visit(from(address), new Headers())
  expect(visit.answer?.status).toBe(isShown ? 200 : undefined)
})

test.each([
  ['localhost:3000', true],
  ['app.localhost', true],
  ['127.0.0.1:8080', true],
  ['[::1]:3000', true],
  ['192.168.1.20:3000', false],
  ['localhost.evil.example', false],
  ['evil.example', false],
  ['', false],
])('a request to the host "%s" gets the flight recorder: %s', async (host, isShown) => {
  const auth = createAuth(OPTIONS, nodePlatform())
  const visit = await auth.visit(from('127.0.0.1', { host }), new Headers())
  expect(visit.answer?.status).toBe(isShown ? 200 : undefined)
})

test.each([
  [['https://localhost:3000', 'https://app.localhost'], true],
  [['https://localhost:3000', 'https://app.example.com'], false],
])(
  'of base URLs %j, all have to be on loopback for the flight recorder: %s',
  async (baseUrl, isShown) => {
    const auth = createAuth({ ...OPTIONS, baseUrl }, nodePlatform())
    const request = { ...from('127.0.0.1'), url: 'https://localhost:3000/__latchkey' }
    const visit = await auth.visit(request, new Headers())
    expect(visit.answer?.status).toBe(isShown ? 200 : undefined)
  },
)

test('where the environment cannot be read there is no flight recorder', async () => {
  const auth = createAuth(OPTIONS, { publish: () => {} })
  const visit = await auth.visit(from('127.0.0.1'), new Headers())
  expect(visit.answer).toBe(undefined)
})

test('another machine does not get the flight recorder, whatever it says its host is', async ({
  skip,
}) => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address
  if (!outside) return skip('this machine has no address but loopback')
  const auth = createAuth(OPTIONS, nodePlatform())
  const server = createServer((req, res) => {
    void serveNode(auth, req, res, () => void res.writeHead(404).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  const status = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: `localhost:${port}` }
      send({ host, port, path: '/__latchkey', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
  expect(await status('127.0.0.1')).toBe(200)
  expect(await status(outside)).toBe(404)
  server.close()
  server.closeAllConnections()
})
