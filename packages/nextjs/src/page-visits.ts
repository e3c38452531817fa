import type { Auth, Visit } from '@latchkey/core'
import { toAuthRequest } from '@latchkey/core/web'
import { pageResponse } from './page-response.ts'
import { type PageRequest, requestOf } from './request-headers.ts'
import { untilAsked } from './until-asked.ts'

/** The visit of a page or a server action, and its request. */
export interface PageVisit<U> extends PageRequest {
  readonly visit: Visit<U, never>
}

/**
 * Returns a function that opens the visit of a page or a server action, once for each request. The
 * function reads the request from Next.js first. So `next build` stops there, and reads no options.
 */
export function createPageVisits<U>(auth: () => Auth<U>): () => Promise<PageVisit<U>> {
  const opened = new WeakMap<object, Promise<PageVisit<U>>>()
  return async () => {
    const sent = await untilAsked()
    const { cookies } = await import('next/headers.js')
    const jar = await cookies()
    const known = opened.get(sent)
    if (known) return known
    const { redirect } = await import('next/navigation.js')
    const open = async (): Promise<PageVisit<U>> => {
      const { baseUrl } = auth()
      const asked = requestOf(sent, auth())
      const exchange = { request: asked.subject }
      const request = toAuthRequest(asked.request, baseUrl, { exchange })
      const visit = await auth().visit(request, pageResponse(jar, redirect))
      if (visit.answer) visit.send(visit.answer)
      return { ...asked, visit }
    }
    const opening = open()
    opened.set(sent, opening)
    return opening
  }
}
