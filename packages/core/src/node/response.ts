import type { ServerResponse } from 'node:http'

/**
 * Sends a `Response` over node:http, with more cookies if the session asks for them. Does nothing
 * when the response has been sent already.
 */
export async function writeResponse(
  target: ServerResponse,
  response: Response,
  setCookies: readonly string[] = [],
): Promise<void> {
  if (target.headersSent) return
  target.statusCode = response.status
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie' && name !== 'vary') target.setHeader(name, value)
  }
  addVary(target, response.headers.get('vary'))
  for (const cookie of response.headers.getSetCookie()) target.appendHeader('set-cookie', cookie)
  for (const cookie of setCookies) target.appendHeader('set-cookie', cookie)
  target.end(response.body ? Buffer.from(await response.arrayBuffer()) : undefined)
}

/** Tells caches to leave a response alone that was made for one person. */
export function markPrivate(target: ServerResponse): void {
  if (target.headersSent) return
  if (!target.hasHeader('cache-control')) target.setHeader('cache-control', 'private, no-store')
  addVary(target, 'Cookie')
}

function addVary(target: ServerResponse, names: string | null): void {
  if (!names) return
  const present = String(target.getHeader('vary') ?? '')
  if (
    present
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(names.toLowerCase())
  )
    return
  target.setHeader('vary', present ? `${present}, ${names}` : names)
}
