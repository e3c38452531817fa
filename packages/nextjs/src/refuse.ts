import {
  AccessError,
  type Answer,
  type Auth,
  LatchkeyError,
  type LatchkeyErrorCode,
} from '@latchkey/core'
import type { PageRequest } from './request-headers.ts'

/** The members of problem details that are used. */
interface Problem {
  readonly code?: LatchkeyErrorCode
  readonly loginUrl?: string
}

/**
 * Ends a page whose guard refused. A visitor is redirected to log in; a user who is not allowed gets a page that says
 * so.
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
    // Next.js shows `forbidden.tsx` for an error with a digest. Without `authInterrupts`, this is another error, without one.
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

/** The login route, which leads back to the page. An action was sent by the page that `Referer` names. */
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
