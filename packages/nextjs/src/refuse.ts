import { AccessError, type Refusal } from '@latchkey/core'
import type { PageVisit } from './page-visits.ts'

/**
 * Ends a page or a server action whose guard has refused the request. A visitor is redirected to
 * the login. A user who is not allowed sees the page `forbidden.tsx`.
 *
 * @throws {@link AccessError} if `forbidden()` of Next.js is not enabled, and the error of every
 *   other refusal.
 */
export async function refuse<U>({ error, loginUrl }: Refusal, page: PageVisit<U>): Promise<never> {
  const { forbidden } = await import('next/navigation.js')
  if (loginUrl) page.redirect(addressOf(loginUrl, page))
  if (error.status !== 403) throw error
  try {
    forbidden()
  } catch (interrupt) {
    // Next.js shows `forbidden.tsx` for an error with a digest. Without `authInterrupts`,
    // `forbidden()` throws an error without a digest.
    if ((interrupt as { digest?: string }).digest) throw interrupt
  }
  throw new AccessError('LATCHKEY_FORBIDDEN', NOT_ALLOWED)
}

/**
 * The URL of the login route, with the page to return to. A server action returns to the page that
 * has sent it, which is in `Referer`.
 */
function addressOf<U>(loginUrl: string, { request, path, visit }: PageVisit<U>): string {
  const url = new URL(loginUrl, visit.baseUrl)
  const page = request.method === 'GET' ? path : request.headers.get('referer')
  if (page) url.searchParams.set('returnTo', page)
  return url.pathname + url.search
}

const NOT_ALLOWED =
  'The user is not allowed to see this page. To show them a page of yours, turn on experimental.authInterrupts in next.config.ts and write app/forbidden.tsx.'
