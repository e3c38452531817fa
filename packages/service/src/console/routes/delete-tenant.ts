import { listApplications } from '../../domain/applications/applications.ts'
import { deleteTenant } from '../../domain/tenants/tenants.ts'
import { listUsers } from '../../domain/users/users.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../call.ts'

const NO_ITEMS = { after: undefined, limit: 1 }

export const deleteTenantRoutes: readonly ConsoleRoute[] = [
  tenantPage('/delete', (call) => show(call), { role: 'admin', isDangerous: true }),
  tenantForm('/delete', remove, { isDangerous: true }),
]

async function show(
  { scope, tenant }: TenantCall,
  refused: { problem?: string; status?: number } = {},
): Promise<Result> {
  const [users, applications] = await Promise.all([
    listUsers(scope, NO_ITEMS),
    listApplications(scope, NO_ITEMS),
  ])
  return {
    kind: 'page',
    name: 'delete-tenant',
    title: 'Delete the tenant',
    data: {
      base: `/console/t/${tenant.id}`,
      domain: tenant.settings.domain,
      users: users.total,
      applications: applications.total,
    },
    commands: [`latchkey-service tenant delete ${tenant.id} --yes`],
    ...refused,
  }
}

async function remove(call: TenantCall): Promise<Result> {
  const { scope, tenant, form } = call
  if ((form.get('domain') ?? '').trim().toLowerCase() !== tenant.settings.domain) {
    return show(call, {
      problem: `Nothing was deleted: enter the domain as it is, ${tenant.settings.domain}.`,
      status: 422,
    })
  }
  await deleteTenant(scope)
  return redirectTo('/console/tenants', 'tenant_deleted')
}
