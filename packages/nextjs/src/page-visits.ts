import type { Auth, Visit } from '@latchkey/core'
import { toAuthRequest } from '@latchkey/core/web'
import { pageResponse } from './page-response.ts'
import { type PageRequest, requestOf } from './request-headers.ts'
import { untilAsked } from './until-asked.ts'

/** The visit of a page or a server action, and its request. */
export interface PageVisit<U> extends PageRequest {
  readonly visit: Visit<U, never>
  /** Redirects the browser to a path of the kit or to another URL. */
  redirect(address: string): never
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
      const leave = (address: string): never => redirect(forRedirect(address, visit.baseUrl))
      const visit: Visit<U, never> = await auth().visit(request, pageResponse(jar, leave))
      if (visit.answer) visit.send(visit.answer)
      return { ...asked, visit, redirect: leave }
    }
    const opening = open()
    opened.set(sent, opening)
    return opening
  }
}

/**
 * The address to pass to `redirect()` of Next.js. If the application is under a path, a path
 * becomes a URL: Next.js adds its `basePath` to a path, but the kit's paths already have it.
 */
function forRedirect(address: string, { origin, pathname }: URL): string {
  return pathname !== '/' && address.startsWith('/') ? origin + address : address
}
