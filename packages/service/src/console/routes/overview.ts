import { listApiKeys } from '../../domain/api-keys.ts'
import { nowMicros } from '../../domain/context.ts'
import { listCredentials } from '../../domain/credentials.ts'
import { listTenants } from '../../domain/tenants.ts'
import type { ApiKey } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { type Call, type ConsoleRoute, type Result, servicePage } from '../call.ts'

const SOON_MICROS = 14 * 86_400 * 1e6

export const overviewRoutes: readonly ConsoleRoute[] = [
  { ...servicePage('/console', showOverview), concerns: 'any' },
]

/** The points that need attention. */
async function showOverview({ scope, operator }: Call): Promise<Result> {
  const { reach, id } = operator.operator
  const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
  const [tenants, credentials, keys] = await Promise.all([
    listTenants(scope, reach, { after: undefined, limit: 5 }),
    listCredentials(own, id, { after: undefined, limit: 20 }),
    reach === 'all' ? listApiKeys(scope) : [],
  ])
  const now = nowMicros(scope.context.clock)
  const isGood = ({ revokedAt, expiresAt = Number.POSITIVE_INFINITY }: ApiKey) =>
    revokedAt === undefined && expiresAt > now
  const good = keys.filter(isGood)
  return {
    kind: 'page',
    name: 'overview',
    title: 'Overview',
    data: {
      total: tenants.total,
      tenants: tenants.items,
      keys: good.length,
      expiring: good.filter(({ expiresAt }) => (expiresAt ?? now * 2) < now + SOON_MICROS),
      hasSecondStep: credentials.items.some(({ kind }) => kind !== 'password'),
    },
    commands: ['latchkey-service tenant list', 'latchkey-service key list'],
  }
}
