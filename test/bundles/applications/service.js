import { createIdentityService } from '@latchkey/service'

// A service with its databases in a folder. It prints how to reach its tenant.
async function start() {
  const service = await createIdentityService({
    data: 'data',
    allowHttpOnLoopback: true,
    idTokenClaims: () => ({ plan: 'gold' }),
  })
  const { port } = await service.listen()
  const tenant = await service.admin.createTenant({ domain: `login.localhost:${port}` })
  const { secret } = await service.admin.createApiKey({ name: 'test', reach: [tenant.id] })
  const place = { port, tenantId: tenant.id, apiKey: secret }
  process.stdout.write(`${JSON.stringify(place)}\n`)
}
void start()
