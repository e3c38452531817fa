import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import type { TestIssuer } from './issuer.ts'

/** An application that takes logout tokens; it answers with the given statuses first. */
export async function startReceiver(...statuses: number[]) {
  const tokens: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      tokens.push(new URLSearchParams(body).get('logout_token') ?? '')
      response.writeHead(statuses.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/backchannel-logout`,
    tokens,
    async verified(issuer: TestIssuer, audience: string): Promise<JWTPayload[]> {
      const answer = await issuer.fetch(`${issuer.url}/oidc/jwks`)
      const keys = createLocalJWKSet((await answer.json()) as never)
      const options = { issuer: issuer.url, audience, typ: 'logout+jwt', algorithms: ['RS256'] }
      const results = tokens.map((token) => jwtVerify(token, keys, options))
      return (await Promise.all(results)).map(({ payload }) => payload)
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
