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
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color:#1b1b1f;background:#fff}' +
  'h1{font-size:1.5rem}a,button{font:inherit}button{padding:.5rem 1rem}small{color:#5f5f6b}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#17171c}a{color:#9db8ff}small{color:#a5a5b3}}'

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
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  return { status, headers, body: html }
}

/**
 * A page that goes on to an address by itself, without a script, and has a link for browsers that do
 * not. The navigation starts from this page, so it is one of this site, and what the page before
 * allowed its forms does not count for it.
 */
export function onwardPage(location: string, setCookies: readonly string[] = []): AuthResponse {
  const body = `<p><a href="${escapeHtml(location)}">Continue</a></p>`
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
