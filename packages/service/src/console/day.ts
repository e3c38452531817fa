import { lastDay, lastMonth, MAX_COUNTED, MAX_OF_MONTH } from '../domain/operators/activity.ts'
import type { Call } from './call.ts'
import type { Chart, DayFigure } from './pages/index.ts'
import { message, type Text } from './texts/index.ts'

const DAY_SECONDS = 86_400

/** The numbers of the last 24 hours: of a tenant, or of the whole service. */
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

/** The logins of the last 30 days: of a tenant, or of the whole service. */
export async function chartOfMonth(
  { scope }: Pick<Call, 'scope'>,
  tenantId: string | undefined,
): Promise<Chart> {
  const month = await lastMonth(scope.context, tenantId)
  const days = month.map(({ day, ...counts }) => ({ at: day * DAY_SECONDS * 1_000, ...counts }))
  const most = Math.max(0, ...days.map(({ logins, refused }) => logins + refused))
  return { days, most, limit: MAX_OF_MONTH }
}

function shown(count: number): Text {
  return message(count > MAX_COUNTED ? 'more than {count}' : '{count}', {
    count: Math.min(count, MAX_COUNTED),
  })
}
