import { translator } from '../../pages/index.ts'
import { type FlowRequest, languageOf, show } from './flow-request.ts'

/** Says how long to wait before the next attempt; the visitor can then try again. */
export function showTooMany(flow: FlowRequest, retryAfterSeconds: number): void {
  const t = translator(languageOf(flow))
  const wait =
    retryAfterSeconds < 90
      ? t('seconds', { count: String(retryAfterSeconds) })
      : t('minutes', { count: String(Math.ceil(retryAfterSeconds / 60)) })
  show(
    flow,
    429,
    'message',
    {
      title: 'tooManyTitle',
      text: 'tooManyText',
      values: { wait },
      wayOn: { href: flow.url.pathname + flow.url.search, text: 'tooManyBack' },
    },
    { 'retry-after': String(retryAfterSeconds) },
  )
}
