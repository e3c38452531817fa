import { waitIn } from '../../requests/branding.ts'
import { type FlowRequest, languageOf, show } from './flow-request.ts'

/** Shows that too many attempts failed, and that an unknown device needs a link by mail. */
export function showLinkNeeded(flow: FlowRequest, href: string): void {
  const link = { href, text: 'linkNeededWay' } as const
  show(flow, 429, 'message', { title: 'tooManyTitle', text: 'linkNeededText', link })
}

/**
 * Shows how long to wait until the next attempt.
 *
 * @param back - The page on which to try again. Default: the page of this request.
 */
export function showTooMany(
  flow: FlowRequest,
  retryAfterSeconds: number,
  back: string = flow.url.pathname + flow.url.search,
): void {
  const wait = waitIn(languageOf(flow), retryAfterSeconds)
  show(
    flow,
    429,
    'message',
    {
      title: 'tooManyTitle',
      text: 'tooManyText',
      values: { wait },
      link: { href: back, text: 'tooManyBack' },
    },
    { 'retry-after': String(retryAfterSeconds) },
  )
}
