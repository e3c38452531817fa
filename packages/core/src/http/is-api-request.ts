import type { AuthRequest } from './request.ts'

/**
 * Whether a request comes from a program, which gets a status and JSON. A browser that follows a
 * link or sends a form gets a page or a redirect.
 *
 * If the request has `Sec-Fetch-Mode`, only a navigation to a document or frame counts as a
 * browser. Otherwise a request counts as a program if it has `X-Requested-With: XMLHttpRequest`, a
 * method other than `GET`, `HEAD` and `POST`, or an `Accept` that is missing, does not name HTML,
 * prefers JSON to HTML or names `text/event-stream`.
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
  // Every browser names HTML first and without a weight. Such an `Accept` prefers no type to HTML.
  if (/^text\/html(,|$)/.test(accept) && !accept.includes('text/event-stream')) return true
  const html = Math.max(quality(accept, 'text/html'), quality(accept, 'application/xhtml+xml'))
  // No browser navigates to an event stream, so a request that also accepts one comes from a
  // program.
  if (html === 0 || quality(accept, 'text/event-stream') > 0) return false
  const json = Math.max(
    quality(accept, 'application/json'),
    quality(accept, 'application/problem+json'),
  )
  return html >= json
}

/** The q-value of a media type in `Accept`; 0 if it is not named (RFC 9110 §12.5.1). */
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
