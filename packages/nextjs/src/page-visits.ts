import type { Auth, Visit } from '@latchkey/core'
import { toAuthRequest } from '@latchkey/core/web'
import { pageResponse } from './page-response.ts'
import { requestOf } from './request-headers.ts'

/** The visit of a page or a server action, and its request. */
export interface PageVisit<U> {
  readonly visit: Visit<U, never>
  readonly request: Request
}

/**
 * The visits of pages and server actions, one for each request. Next.js is asked for the request first, so that
 * `next build` leaves such a page for later and looks at no option.
 */
export function createPageVisits<U>(auth: () => Auth<U>): () => Promise<PageVisit<U>> {
  const opened = new WeakMap<object, Promise<PageVisit<U>>>()
  return async () => {
    const { cookies, headers } = await import('next/headers.js')
    const { connection } = await import('next/server.js')
    // Nothing of a session is for a page that is made in advance, not even the time at which it is read.
    await connection()
    const sent = await headers()
    const jar = await cookies()
    const known = opened.get(sent)
    if (known) return known
    const { redirect } = await import('next/navigation.js')
    const open = async (): Promise<PageVisit<U>> => {
      const { baseUrl } = auth()
      const request = requestOf(sent, baseUrl)
      const visit = await auth().visit(toAuthRequest(request, baseUrl), pageResponse(jar, redirect))
      if (visit.answer) visit.send(visit.answer)
      return { visit, request }
    }
    const opening = open()
    opened.set(sent, opening)
    return opening
  }
}
