import { roleMay } from '../../domain/operators/roles.ts'
import { warningsOf } from '../../domain/operators/tenant-warnings.ts'
import { checkOwnerRules } from '../../domain/tenants/tenant-features.ts'
import { getTenant, listTenants, updateTenant } from '../../domain/tenants/tenants.ts'
import { type Reason, reason, sentenceIn } from '../../domain/writes/reasons/index.ts'
import { StoreError } from '../../store/errors.ts'
import type { Tenant } from '../../store/records.ts'
import { tenantBody } from '../../wire/schemas.ts'
import { serializeTenant, tenantInput } from '../../wire/tenants.ts'
import { type Call, list, type Route, write } from '../route.ts'

export const tenantRoutes: Route[] = [
  list({
    path: '/v1/tenants',
    operationId: 'listTenants',
    summary: 'The tenants that the API key can access',
    resource: 'Tenant',
    run: ({ scope, caller }, page) => listTenants(scope, caller.reach, page),
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
    async run(call, body) {
      const { scope, warn, login } = call
      const before = await getTenant(scope)
      const input = tenantInput(body)
      if (login && !roleMay(login.operator.operator.role, 'operators'))
        checkOwnerRules(before, input)
      // For an operator, the update is refused if the tenant was changed after the rules were
      // checked.
      const tenant = await updateTenant(scope, input, login && before.updatedAt)
      for (const one of await warningsAfter(call, tenant, before)) warn(sentenceIn('en', one))
      return serializeTenant(tenant)
    },
  }),
]

/**
 * The warnings about a tenant that was written. If the store fails, one warning says that they are
 * unknown: an error would tell the client that nothing was written.
 */
async function warningsAfter(
  { scope, logFault }: Pick<Call, 'scope' | 'logFault'>,
  tenant: Tenant,
  before: Tenant,
): Promise<Reason[]> {
  try {
    return await warningsOf(scope, tenant, before)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    logFault(error, 'the warnings about a tenant could not be read')
    return [reason('warning_unknown')]
  }
}
