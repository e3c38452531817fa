import { warningsOf } from '../domain/operators/tenant-warnings.ts'
import { getTenant, listTenants, updateTenant } from '../domain/tenants/tenants.ts'
import { sentenceIn } from '../domain/writes/reasons/index.ts'
import { tenantBody } from '../wire/schemas.ts'
import { serializeTenant, tenantInput } from '../wire/tenants.ts'
import { list, type Route, write } from './route.ts'

export const tenantRoutes: Route[] = [
  list({
    path: '/v1/tenants',
    operationId: 'listTenants',
    summary: 'The tenants that the API key can access',
    resource: 'Tenant',
    run: ({ scope, key }, page) => listTenants(scope, key.reach, page),
    serialize: (_, tenant) => serializeTenant(tenant),
  }),
  {
    kind: 'get',
    path: '/v1/tenants/:tenant_id',
    operationId: 'getTenant',
    summary: 'One tenant',
    resource: 'Tenant',
    run: async ({ scope }) => serializeTenant(await getTenant(scope)),
  },
  write({
    path: '/v1/tenants/:tenant_id',
    operationId: 'updateTenant',
    summary: 'Replace the name, metadata and settings of a tenant',
    resource: 'Tenant',
    body: tenantBody,
    async run({ scope, warn }, body) {
      const before = await getTenant(scope)
      const tenant = await updateTenant(scope, tenantInput(body))
      for (const one of await warningsOf(scope, tenant, before)) warn(sentenceIn('en', one))
      return serializeTenant(tenant)
    },
  }),
]
