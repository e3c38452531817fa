import { waitIn } from '../../requests/branding.ts'
import { type FlowRequest, languageOf, show } from './flow-request.ts'

/** Says that only a mailed link helps after so many failures, on a device that is not known. */
export function showLinkNeeded(flow: FlowRequest, href: string): void {
  const link = { href, text: 'linkNeededWay' } as const
  show(flow, 429, 'message', { title: 'tooManyTitle', text: 'linkNeededText', link })
}

/** Says how long to wait before the next attempt; the visitor can then try again. */
export function showTooMany(flow: FlowRequest, retryAfterSeconds: number): void {
  const wait = waitIn(languageOf(flow), retryAfterSeconds)
  show(
    flow,
    429,
    'message',
    {
      title: 'tooManyTitle',
      text: 'tooManyText',
      values: { wait },
      link: { href: flow.url.pathname + flow.url.search, text: 'tooManyBack' },
    },
    { 'retry-after': String(retryAfterSeconds) },
  )
}
