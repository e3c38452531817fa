import { listApiKeys } from '../../../domain/keys/api-keys.ts'
import { searchAudit } from '../../../domain/operators/audit-search.ts'
import { listTenants } from '../../../domain/tenants/tenants.ts'
import { listCredentials } from '../../../domain/users/credentials.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import type { ApiKey } from '../../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../../store/system-tenant.ts'
import { type Call, type ConsoleRoute, type Result, servicePage } from '../../calls/call.ts'
import { answerOf } from '../../forms/mail-form.ts'
import type { MailProblem } from '../../pages/index.ts'
import { asIs, many, type Text } from '../../texts/index.ts'
import { chartOfMonth, figuresOfDay } from './day.ts'

/** The maximum numbers of waiting messages, and of messages that were given up, that are read. */
const MAX_LOOKED_AT = 1_000

/** The maximum number of tenants that a list of messages names. */
const MAX_NAMED = 10

const DAY_MICROS = 86_400 * 1e6

const SOON_MICROS = 14 * 86_400 * 1e6

export const overviewRoutes: readonly ConsoleRoute[] = [
  { ...servicePage('/console', showOverview), concerns: 'any' },
]

/** The name of a tenant; “the console” for the system tenant, whose users are the operators. */
function nameOf(name: string | undefined): Text {
  return name === undefined ? 'the console' : asIs(name)
}

/** The page that lists the mail of a tenant. The mail of operators is listed beside them. */
function mailLink(tenantId: string, state: 'waiting' | 'given_up'): MailProblem['link'] {
  return tenantId === SYSTEM_TENANT_ID
    ? { href: '/console/operators', label: 'Operators' }
    : { href: `/console/t/${tenantId}/outbox?state=${state}`, label: 'Outbox' }
}

/**
 * The ids of the messages that were given up in the last 24 hours, by tenant. Deleted tenants are
 * left out.
 */
async function listGivenUp({ scope, operator }: Call): Promise<[string, string[]][]> {
  const { context } = scope
  const { reach } = operator.operator
  const question = { action: 'mail.given_up', from: nowMicros(context.clock) - DAY_MICROS }
  const page = { after: undefined, limit: MAX_LOOKED_AT }
  // A search of each tenant in reach, so that failures of other tenants do not use up the limit.
  const within = reach === 'all' ? [undefined] : reach
  const parts = await Promise.all(within.map((one) => searchAudit(context, one, question, page)))
  const messages = new Map<string, Set<string>>()
  for (const { tenantId = '', target } of parts.flatMap(({ items }) => items)) {
    messages.set(tenantId, (messages.get(tenantId) ?? new Set<string>()).add(target))
  }
  const ids = [...messages.keys()]
  const stored = await namesOf(scope, ids)
  return [...messages].flatMap(([id, found]) =>
    stored.has(id) || id === SYSTEM_TENANT_ID ? [[id, [...found]]] : [],
  )
}

/** The names of the tenants that exist, by id. */
async function namesOf(scope: Call['scope'], ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { items } = await listTenants(scope, ids, { after: undefined, limit: ids.length })
  return new Map(items.map((one) => [one.id, one.name || one.settings.domain]))
}

/** Shows the numbers of the service, and the points that need attention. */
async function showOverview(call: Call): Promise<Result> {
  const { scope, operator, system } = call
  const { reach, id } = operator.operator
  const own = { ...scope, tenantId: SYSTEM_TENANT_ID }
  const [tenants, credentials, keys, waiting, givenUp, figures, month] = await Promise.all([
    listTenants(scope, reach, { after: undefined, limit: 5 }),
    listCredentials(own, id, { after: undefined, limit: 20 }),
    reach === 'all' ? listApiKeys(scope) : [],
    system.queues.mail.waiting(MAX_LOOKED_AT),
    listGivenUp(call),
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
  const [shown, shownGivenUp] = [byTenant.slice(0, MAX_NAMED), givenUp.slice(0, MAX_NAMED)]
  const [names, last] = await Promise.all([
    namesOf(scope, [...new Set([...shown, ...shownGivenUp].map(([tenantId]) => tenantId))]),
    Promise.all(shownGivenUp.map(([of, [id = '']]) => system.queues.mail.get(of, id))),
  ])
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
        link: mailLink(tenantId, 'waiting'),
        name: nameOf(names.get(tenantId)),
        count: messages.length,
        answer: answerOf(messages.at(-1)?.answer),
      })),
      failingElsewhere: Math.max(0, byTenant.length - MAX_NAMED),
      givenUp: shownGivenUp.map(([tenantId, messages], n) => ({
        link: mailLink(tenantId, 'given_up'),
        name: nameOf(names.get(tenantId)),
        count: messages.length,
        answer: answerOf(last[n]?.answer),
      })),
      givenUpElsewhere:
        givenUp.length > MAX_NAMED
          ? many(
              givenUp.length - MAX_NAMED,
              'Mail of one more tenant was given up too.',
              'Mail of {count} more tenants was given up too.',
            )
          : undefined,
      expiring: good.filter(({ expiresAt }) => (expiresAt ?? now * 2) < now + SOON_MICROS),
      hasSecondStep: credentials.items.some(({ kind }) => kind !== 'password'),
    },
    commands: ['latchkey-service tenant list', 'latchkey-service key list'],
  }
}
