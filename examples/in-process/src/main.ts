import { createIdentityService } from '@latchkey/service'

const service = await createIdentityService()
const tenant = await service.admin.createTenant({ domain: 'login.example.com' })
const { secret } = await service.admin.createApiKey({ name: 'setup', reach: [tenant.id] })

const response = await service.fetch(`https://api.internal/v1/tenants/${tenant.id}/users`, {
  method: 'POST',
  headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
  body: JSON.stringify({ type: 'User', profile: { email: 'ada@example.com' } }),
})
console.log(await response.json())

await service.close()
