import type { AuthRequest } from './request.ts'

/**
 * Tells whether a request comes from a program (answer with a status and JSON) rather than from a
 * person following a link or sending a form (answer with a page or a redirect).
 *
 * The browser's own word comes first: `Sec-Fetch-Mode: navigate` with a document or frame as
 * `Sec-Fetch-Dest` is a page, any other mode a program. Without it `X-Requested-With:
 * XMLHttpRequest` is a program, and so is a request that does not prefer HTML in `Accept`: a
 * request that accepts `text/event-stream`, one without `Accept`, or with nothing but a wildcard, is a program too, because no browser
 * navigates so.
 */
export function isApiRequest(request: Pick<AuthRequest, 'method' | 'headers'>): boolean {
  const { headers } = request
  const mode = headers.get('sec-fetch-mode')
  if (mode) {
    const destination = headers.get('sec-fetch-dest') ?? 'document'
    return !(mode === 'navigate' && /^(document|i?frame|empty)$/.test(destination))
  }
  if (headers.get('x-requested-with')?.toLowerCase() === 'xmlhttprequest') return true
  if (!['GET', 'HEAD', 'POST'].includes(request.method)) return true
  return !prefersHtml(headers.get('accept'))
}

function prefersHtml(given: string | null): boolean {
  if (!given) return false
  const accept = given.toLowerCase()
  const html = Math.max(quality(accept, 'text/html'), quality(accept, 'application/xhtml+xml'))
  // No browser navigates to a stream of events: a program that can read both does.
  if (html === 0 || quality(accept, 'text/event-stream') > 0) return false
  const json = Math.max(
    quality(accept, 'application/json'),
    quality(accept, 'application/problem+json'),
  )
  return html >= json
}

/** The q-value of a media type that is named, 0 when it is not (RFC 9110 §12.5.1). */
function quality(accept: string, type: string): number {
  if (!accept.includes(type)) return 0
  for (const range of accept.split(',', 64)) {
    const [name, ...parameters] = range.split(';')
    if (name?.trim() !== type) continue
    const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
    return q === undefined ? 1 : Number(q) || 0
  }
  return 0
}
