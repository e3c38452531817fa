import type { ServerResponse } from 'node:http'
import type { AuthResponse } from '../http/request.ts'

/**
 * Sends an answer of the core over node:http, with more cookies if the session asks for them. Does
 * nothing when a response has been sent already, and only adds cookies to one that the hook `onError`
 * is about to send.
 */
export function writeResponse(
  target: ServerResponse,
  response: AuthResponse,
  setCookies: readonly string[] = [],
): void {
  if (target.headersSent) return
  if (response.isAnswered) {
    if (setCookies.length > 0) target.appendHeader('set-cookie', setCookies)
    return
  }
  target.statusCode = response.status
  const cookies: string[] = []
  for (const [name, value] of response.headers) {
    if (name === 'set-cookie') cookies.push(value)
    else if (name === 'vary') addVary(target, value)
    else target.setHeader(name, value)
  }
  cookies.push(...setCookies)
  if (cookies.length > 0) target.appendHeader('set-cookie', cookies)
  target.end(response.body)
}

/** Tells caches to leave a response alone that was made for one person. */
export function markPrivate(target: ServerResponse): void {
  if (target.headersSent) return
  if (!target.hasHeader('cache-control')) target.setHeader('cache-control', 'private, no-store')
  addVary(target, 'Cookie')
}

function addVary(target: ServerResponse, name: string): void {
  const present = target.getHeader('vary')
  if (present === undefined) {
    target.setHeader('vary', name)
    return
  }
  const names = String(present)
    .toLowerCase()
    .split(/\s*,\s*/)
  if (!names.includes(name.toLowerCase())) target.setHeader('vary', `${String(present)}, ${name}`)
}
