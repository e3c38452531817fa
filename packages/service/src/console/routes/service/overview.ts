import { listApiKeys } from '../../../domain/keys/api-keys.ts'
import { listTenants } from '../../../domain/tenants/tenants.ts'
import { listCredentials } from '../../../domain/users/credentials.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import type { ApiKey } from '../../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../../store/system-tenant.ts'
import { type Call, type ConsoleRoute, type Result, servicePage } from '../../calls/call.ts'
import { answerOf } from '../../forms/mail-form.ts'
import { asIs, type Text } from '../../texts/index.ts'
import { chartOfMonth, figuresOfDay } from './day.ts'

/** The maximum number of waiting messages that are read. */
const MAX_LOOKED_AT = 1_000

const SOON_MICROS = 14 * 86_400 * 1e6

export const overviewRoutes: readonly ConsoleRoute[] = [
  { ...servicePage('/console', showOverview), concerns: 'any' },
]

/** The name of a tenant; “the console” for the system tenant, whose users are the operators. */
function nameOf(name: string | undefined): Text {
  return name === undefined ? 'the console' : asIs(name)
}

/** Shows the numbers of the service, and the points that need attention. */
async function showOverview({ scope, operator, system }: Call): Promise<Result> {
  const { reach, id } = operator.operator
  const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
  const [tenants, credentials, keys, waiting, figures, month] = await Promise.all([
    listTenants(scope, reach, { after: undefined, limit: 5 }),
    listCredentials(own, id, { after: undefined, limit: 20 }),
    reach === 'all' ? listApiKeys(scope) : [],
    system.queues.mail.waiting(MAX_LOOKED_AT),
    reach === 'all' ? figuresOfDay({ scope, system }, undefined) : [],
    reach === 'all' ? chartOfMonth({ scope }, undefined) : undefined,
  ])
  const now = nowMicros(scope.context.clock)
  const isGood = ({ revokedAt, isUnconfirmed, expiresAt = Number.POSITIVE_INFINITY }: ApiKey) =>
    revokedAt === undefined && !isUnconfirmed && expiresAt > now
  const good = keys.filter(isGood)
  const failing = waiting.filter(
    ({ attempts, tenantId }) => attempts > 0 && (reach === 'all' || reach.includes(tenantId)),
  )
  const byTenant = [...Map.groupBy(failing, ({ tenantId }) => tenantId)]
  const shown = byTenant.slice(0, 10)
  const ids = shown.map(([tenantId]) => tenantId)
  const named =
    ids.length === 0
      ? []
      : (await listTenants(scope, ids, { after: undefined, limit: ids.length })).items
  const names = new Map(named.map((one) => [one.id, one.name || one.settings.domain]))
  return {
    kind: 'page',
    name: 'overview',
    title: 'Overview',
    data: {
      total: tenants.total,
      tenants: tenants.items,
      keys: good.length,
      figures,
      month,
      failing: shown.map(([tenantId, messages]) => ({
        tenantId,
        name: nameOf(names.get(tenantId)),
        count: messages.length,
        answer: answerOf(messages.at(-1)?.answer),
      })),
      failingElsewhere: Math.max(0, byTenant.length - 10),
      expiring: good.filter(({ expiresAt }) => (expiresAt ?? now * 2) < now + SOON_MICROS),
      hasSecondStep: credentials.items.some(({ kind }) => kind !== 'password'),
    },
    commands: ['latchkey-service tenant list', 'latchkey-service key list'],
  }
}
