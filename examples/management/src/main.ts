import { createManagementClient } from '@latchkey/management'
import { createIdentityService } from '@latchkey/service'
import { invite } from './invite.ts'

// Elsewhere the client takes the address and key of a service that runs.
const service = await createIdentityService()
const tenant = await service.admin.createTenant({ domain: 'login.example.com' })
const { secret } = await service.admin.createApiKey({ name: 'setup', reach: [tenant.id] })

const client = createManagementClient({
  baseUrl: 'https://api.internal',
  apiKey: secret,
  fetch: service.fetch,
})
await invite(client, tenant.id)

await service.close()
