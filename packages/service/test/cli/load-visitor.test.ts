import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { logIn } from '../../src/cli/load-visitor.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a load test sends nothing to a host that the installation leads to', async () => {
  const seen: string[] = []
  const stranger = await serve((request, response) => {
    seen.push(String(request.headers['x-proxy']))
    response.end()
  })
  const issuer = await serve((_request, response) => {
    response.writeHead(302, { location: `${stranger}/login`, 'set-cookie': 'session=1' }).end()
  })
  const application = { issuer, clientId: 'app', clientSecret: 's', redirectUri: `${issuer}/back` }
  const user = { id: 'usr_1', email: 'ada@example.com', password: 'a long one' }
  const login = logIn(application, user, { 'x-proxy': 'secret' }, AbortSignal.timeout(60_000))
  await expect(login).rejects.toMatchObject({ code: 'another host' })
  expect(seen).toEqual([])
})
