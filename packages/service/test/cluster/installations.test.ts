import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { freePort } from '../../../../test/support/free-port.ts'
import { startNginx } from '../../../../test/support/nginx.ts'
import { createIdentityService } from '../../src/service.ts'
import { overHttp } from '../support/cluster.ts'

const file = new URL('../../../../examples/guides/deploy/nginx-installations.conf', import.meta.url)
const http = readFileSync(fileURLToPath(file), 'utf8')

/** The directives of the guide that do not choose the installation. */
const location = `location / {
  if ($installation = "") { return 421; }
  proxy_pass http://$installation;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $host;
}`

async function startInstallation(domain: string) {
  const service = await createIdentityService({})
  const { id } = await service.admin.createTenant({ domain })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const { port } = await service.listen({ port: 0 })
  return { service, id, secret, address: `127.0.0.1:${port}` }
}

test('the nginx.conf of the guide sends each domain to its installation, and no other', async () => {
  const [first, second] = await Promise.all([
    startInstallation('login.example.com'),
    startInstallation('login.example.org'),
  ])
  const port = await freePort()
  try {
    await using _ = await startNginx(
      port,
      location,
      http.replace('10.0.0.11:4400', first.address).replace('10.1.0.11:4400', second.address),
    )
    const ask = overHttp(port)
    const statusOf = async (url: string, secret?: string) => {
      const headers = secret ? { authorization: `Bearer ${secret}` } : {}
      return (await ask(url, { headers })).status
    }
    for (const domain of ['login.example.com', 'login.example.org']) {
      const answer = await ask(`https://${domain}/.well-known/openid-configuration`)
      expect(await answer.json()).toMatchObject({ issuer: `https://${domain}` })
    }
    expect(await statusOf('https://login.example.net/.well-known/openid-configuration')).toBe(421)
    const path = `/v1/tenants/${second.id}`
    expect(await statusOf(`https://api-2.example.net${path}`, second.secret)).toBe(200)
    // A key is of one installation.
    expect(await statusOf(`https://api-1.example.net${path}`, second.secret)).toBe(401)
    expect(await statusOf(`https://api-1.example.net${path}`, first.secret)).toBe(404)
  } finally {
    await Promise.all([first, second].map(({ service }) => service.close()))
  }
})
