import {
  AccessError,
  type Answer,
  type Auth,
  LatchkeyError,
  type LatchkeyErrorCode,
} from '@latchkey/core'
import type { PageRequest } from './request-headers.ts'

/** The members of problem details that {@link refuse} uses. */
interface Problem {
  readonly code?: LatchkeyErrorCode
  readonly loginUrl?: string
}

/**
 * Ends a page or a server action whose guard has refused the request. A visitor is redirected to
 * the login. A user who is not allowed sees the page `forbidden.tsx`.
 *
 * @throws {@link AccessError} if `forbidden()` of Next.js is not enabled, and a {@link
 *   LatchkeyError} for a refusal with another status.
 */
export async function refuse<U>(
  { status, body }: Answer,
  page: PageRequest,
  { baseUrl }: Auth<U>,
): Promise<never> {
  const { forbidden, redirect } = await import('next/navigation.js')
  const { code = 'LATCHKEY_FORBIDDEN', loginUrl } = problemOf(body)
  if (status === 401 && loginUrl) redirect(addressOf(loginUrl, page, baseUrl))
  if (status !== 403)
    throw new LatchkeyError(code, `The guard of a page could not let the request in (${status}).`)
  try {
    forbidden()
  } catch (error) {
    // Next.js shows `forbidden.tsx` for an error with a digest. Without `authInterrupts`,
    // `forbidden()` throws an error without a digest.
    if ((error as { digest?: string }).digest) throw error
  }
  throw new AccessError('LATCHKEY_FORBIDDEN', NOT_ALLOWED)
}

function problemOf(body: Answer['body']): Problem {
  try {
    return JSON.parse(String(body)) as Problem
  } catch {
    return {}
  }
}

/**
 * The URL of the login route, with the page to return to. A server action returns to the page that
 * has sent it, which is in `Referer`.
 */
function addressOf(
  loginUrl: string,
  { request, path }: PageRequest,
  { origin, pathname }: URL,
): string {
  const url = new URL(loginUrl, origin)
  const page = request.method === 'GET' ? path : request.headers.get('referer')
  if (page) url.searchParams.set('returnTo', page)
  // Next.js adds its `basePath` to a path, but the kit's path already has it.
  return pathname === '/' ? url.pathname + url.search : url.href
}

const NOT_ALLOWED =
  'The user is not allowed to see this page. To show them a page of yours, turn on experimental.authInterrupts in next.config.ts and write app/forbidden.tsx.'
