import { listApiKeys } from '../../../domain/keys/api-keys.ts'
import { listTenants } from '../../../domain/tenants/tenants.ts'
import { listCredentials } from '../../../domain/users/credentials.ts'
import { nowMicros } from '../../../domain/writes/context.ts'
import type { UndeliveredMessages } from '../../../store/protocol-store.ts'
import type { ApiKey } from '../../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../../store/system-tenant.ts'
import { type Call, type ConsoleRoute, type Result, servicePage } from '../../calls/call.ts'
import { answerOf } from '../../forms/mail-form.ts'
import type { MailProblem } from '../../pages/index.ts'
import { asIs, many, type Sentence, type Text } from '../../texts/index.ts'
import { chartOfMonth, figuresOfDay } from './day.ts'

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

/** The sentences about the messages of a tenant, by their state and number. */
const sentences: Readonly<
  Record<UndeliveredMessages['state'], Record<'one' | 'several' | 'orMore', Sentence>>
> = {
  waiting: {
    one: 'A message of {tenant} could not be sent.',
    several: '{count} messages of {tenant} could not be sent.',
    orMore: '{count} or more messages of {tenant} could not be sent.',
  },
  given_up: {
    one: 'A message of {tenant} was given up in the last 24 hours.',
    several: '{count} messages of {tenant} were given up in the last 24 hours.',
    orMore: '{count} or more messages of {tenant} were given up in the last 24 hours.',
  },
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
  const now = nowMicros(scope.context.clock)
  const within = reach === 'all' ? undefined : reach
  const [tenants, credentials, keys, undelivered, figures, month] = await Promise.all([
    listTenants(scope, reach, { after: undefined, limit: 5 }),
    listCredentials(own, id, { after: undefined, limit: 20 }),
    reach === 'all' ? listApiKeys(scope) : [],
    system.queues.mail.undelivered(within, now - DAY_MICROS),
    reach === 'all' ? figuresOfDay({ scope, system }, undefined) : [],
    reach === 'all' ? chartOfMonth({ scope }, undefined) : undefined,
  ])
  const isGood = ({ revokedAt, isUnconfirmed, expiresAt = Number.POSITIVE_INFINITY }: ApiKey) =>
    revokedAt === undefined && !isUnconfirmed && expiresAt > now
  const good = keys.filter(isGood)
  const names = await namesOf(scope, [...new Set(undelivered.map(({ tenantId }) => tenantId))])
  const isKnown = (id: string) => names.has(id) || id === SYSTEM_TENANT_ID
  const inState = (wanted: UndeliveredMessages['state']) =>
    undelivered.filter(({ state, tenantId }) => state === wanted && isKnown(tenantId))
  const [failing, givenUp] = [inState('waiting'), inState('given_up')]
  const shown = (found: readonly UndeliveredMessages[]) =>
    found.slice(0, MAX_NAMED).map(({ tenantId, state, count, isMore, answer }) => ({
      link: mailLink(tenantId, state),
      sentence: sentences[state][isMore ? 'orMore' : count === 1 ? 'one' : 'several'],
      name: nameOf(names.get(tenantId)),
      count,
      answer: answerOf(answer),
    }))
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
      failing: shown(failing),
      failingElsewhere: Math.max(0, failing.length - MAX_NAMED),
      givenUp: shown(givenUp),
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
