import { lastDay, MAX_COUNTED } from '../domain/operators/activity.ts'
import type { Call } from './call.ts'
import { type Sentence, say, type Text } from './texts/index.ts'

const DAY_SECONDS = 86_400

/** A number of the last 24 hours, by its name. */
export interface DayFigure {
  readonly label: Sentence
  readonly figure: Text
  readonly href: string
}

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

function shown(count: number): Text {
  return say(count > MAX_COUNTED ? 'more than {count}' : '{count}', {
    count: Math.min(count, MAX_COUNTED),
  })
}
