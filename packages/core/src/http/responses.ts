import { createHash } from 'node:crypto'
import type { LatchkeyError } from '../errors.ts'
import type { AuthResponse } from './request.ts'

/** Sends the visitor elsewhere. */
export function redirect(
  location: string,
  setCookies: readonly string[],
  status = 302,
): AuthResponse {
  return { status, headers: [['location', location], ...cookies(setCookies)] }
}

function cookies(values: readonly string[]): AuthResponse['headers'] {
  return values.map((value) => ['set-cookie', value])
}

/** Escapes text for HTML content and attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE =
  ':root{color-scheme:light dark;--page:#f3f4f8;--card:#fff;--ink:#171a26;--soft:#565d73;--edge:#e1e4ee;--accent:#3b46c8;--on:#fff}' +
  '@media(prefers-color-scheme:dark){:root{--page:#0f111a;--card:#191c28;--ink:#eef0f8;--soft:#aab1c8;--edge:#2a2f41;--accent:#aab4ff;--on:#10142c}}' +
  '*{box-sizing:border-box}' +
  'body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem 1rem;font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere;color:var(--ink);background:var(--page)}' +
  'main{width:100%;max-width:28rem;padding:2rem;background:var(--card);border:1px solid var(--edge);border-radius:1.25rem}' +
  'h1{margin:0 0 .5rem;font-size:1.55rem;line-height:1.25;text-wrap:balance}p{margin:0 0 1rem}' +
  'a{color:var(--accent);text-underline-offset:.18em}small{color:var(--soft)}' +
  'button,.button{display:block;width:100%;min-height:3rem;margin:1.25rem 0 1rem;padding:.7rem 1rem;font:inherit;font-weight:650;text-align:center;text-decoration:none;cursor:pointer;border:1px solid transparent;border-radius:.7rem;background:var(--accent);color:var(--on)}' +
  '.back{text-align:center}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}'

const POLICY = policyOf(STYLE)

function policyOf(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The parts of a page. `body` is HTML: values from outside are escaped in it. */
export interface Page {
  readonly title: string
  readonly body: string
  /**
   * Whether forms of the page say where they come from: browsers send `Origin: null` from a page that
   * keeps its address to itself. Default no.
   */
  readonly namesOrigin?: boolean
  readonly status?: number
  /** More rules of style, after those of every page. */
  readonly style?: string
}

/**
 * A page that needs no script, image or font. Its policy leaves `form-action` out on purpose:
 * browsers apply it to every redirect after a form is sent, and a logout ends at the provider.
 */
export function page(content: Page): AuthResponse {
  const { title, body, namesOrigin = false, status = 200, style: own = '' } = content
  const style = STYLE + own
  const headers: AuthResponse['headers'] = [
    ['content-type', 'text/html; charset=utf-8'],
    ['content-security-policy', own ? policyOf(style) : POLICY],
    ['referrer-policy', namesOrigin ? 'same-origin' : 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
  ]
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  return { status, headers, body: html }
}

/**
 * A page that goes on to an address by itself, without a script, and has a link for browsers that do
 * not. The navigation starts from this page, so it is one of this site, and what the page before
 * allowed its forms does not count for it.
 */
export function onwardPage(location: string, setCookies: readonly string[] = []): AuthResponse {
  const body = `<a class="button" href="${escapeHtml(location)}">Continue</a>`
  const answer = page({ title: 'One moment', body })
  answer.headers.push(['refresh', `0;url=${location}`], ...cookies(setCookies))
  return answer
}

/** An error for a program (RFC 9457). */
export function problem(
  error: LatchkeyError,
  title: string,
  more: Record<string, unknown> = {},
): AuthResponse {
  const headers: AuthResponse['headers'] = [['content-type', 'application/problem+json']]
  const body = {
    type: 'about:blank',
    title,
    status: error.status,
    code: error.code,
    correlationId: error.correlationId,
    ...more,
  }
  return { status: error.status, headers, body: JSON.stringify(body) }
}
