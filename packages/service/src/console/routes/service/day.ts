import {
  lastDay,
  lastMonth,
  MAX_COUNTED,
  MAX_OF_MONTH,
  MONTH_DAYS,
} from '../../../domain/tenants/activity.ts'
import { mailsOfMonth } from '../../../domain/tenants/mail-days.ts'
import type { Call, TenantCall } from '../../calls/call.ts'
import type { Chart, DayFigure } from '../../pages/index.ts'
import { message, type Text } from '../../texts/index.ts'

const DAY_SECONDS = 86_400

/**
 * The numbers of logins, refused logins and mails of the last 24 hours: of a tenant, or of the
 * whole service if `tenantId` is `undefined`.
 */
export async function figuresOfDay(
  { scope, system }: Pick<Call, 'scope' | 'system'>,
  tenantId: string | undefined,
): Promise<DayFigure[]> {
  const [{ logins, refused }, mails] = await Promise.all([
    lastDay(scope.context, tenantId),
    system.queues.mail.count(tenantId, DAY_SECONDS, MAX_COUNTED + 1),
  ])
  const base = tenantId === undefined ? '/console' : `/console/t/${tenantId}`
  const audit = `${base}/audit?action=login.`
  return [
    { label: 'Logins, last 24 hours', figure: shown(logins), href: `${audit}succeeded` },
    { label: 'Refused logins, last 24 hours', figure: shown(refused), href: audit },
    {
      label: 'Mails, last 24 hours',
      figure: shown(mails),
      href: tenantId === undefined ? '/console/system' : `${base}/outbox`,
    },
  ]
}

/**
 * The logins of the last 30 days: of a tenant, or of the whole service if `tenantId` is
 * `undefined`.
 */
export async function chartOfMonth(
  { scope }: Pick<Call, 'scope'>,
  tenantId: string | undefined,
): Promise<Chart> {
  const month = await lastMonth(scope.context, tenantId)
  return {
    title: 'Logins of the last 30 days',
    ...charted(month.map(({ day, logins, refused }) => [day, logins, refused])),
    series: { done: 'Logins', failed: 'Refused' },
    none: 'No logins in the last 30 days.',
    note:
      month.length < MONTH_DAYS
        ? message('The latest {limit} logins are counted, and the days that they fill.', {
            limit: MAX_OF_MONTH,
          })
        : undefined,
  }
}

/** The mails of a tenant in the last 30 days. */
export async function chartOfMails({ scope }: Pick<TenantCall, 'scope'>): Promise<Chart> {
  const month = await mailsOfMonth(scope.context, scope.tenantId)
  return {
    title: 'Mails of the last 30 days',
    ...charted(month.map(({ day, sent, givenUp }) => [day, sent, givenUp])),
    series: { done: 'Sent', failed: 'Given up' },
    none: 'No mail was sent in the last 30 days.',
    note: undefined,
  }
}

function charted(
  month: readonly (readonly [day: number, done: number, failed: number])[],
): Pick<Chart, 'days' | 'most'> {
  const days = month.map(([day, done, failed]) => ({ at: day * DAY_SECONDS * 1_000, done, failed }))
  return { days, most: Math.max(0, ...days.map(({ done, failed }) => done + failed)) }
}

function shown(count: number): Text {
  return message(count > MAX_COUNTED ? 'more than {count}' : '{count}', {
    count: Math.min(count, MAX_COUNTED),
  })
}
