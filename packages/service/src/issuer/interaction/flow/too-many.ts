import { waitIn } from '../../requests/branding.ts'
import { type FlowRequest, languageOf, show } from './flow-request.ts'

/** Shows that too many attempts failed, and that an unknown device needs a link by mail. */
export function showLinkNeeded(flow: FlowRequest, href: string): void {
  const link = { href, text: 'linkNeededWay' } as const
  show(flow, 429, 'message', { title: 'tooManyTitle', text: 'linkNeededText', link })
}

/** Shows how long to wait until the next attempt. */
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
