import { createHash } from 'node:crypto'
import type { LatchkeyError } from '../errors/errors.ts'
import { isRightToLeft, type Translation } from '../texts/languages.ts'
import type { AuthResponse } from './request.ts'

/** Redirects the visitor. */
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
  ':root{color-scheme:light dark;--page:#f3f4f8;--card:#fff;--ink:#171a26;--soft:#565d73;--edge:#e1e4ee;--accent:#3b46c8;--on:#fff;--bad:#a3172b;--bad-back:#fdeef0;--good:#14613a;--good-back:#e8f6ee;--plain-back:#eff1f7}' +
  '@media(prefers-color-scheme:dark){:root{--page:#0f111a;--card:#191c28;--ink:#eef0f8;--soft:#aab1c8;--edge:#2a2f41;--accent:#aab4ff;--on:#10142c;--bad:#ffb3bd;--bad-back:#3a1a21;--good:#a3e5bf;--good-back:#15301f;--plain-back:#232838}}' +
  '*{box-sizing:border-box}' +
  'body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem 1rem;font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere;color:var(--ink);background:var(--page)}' +
  'main{width:100%;max-width:26rem;padding:2.25rem 2rem;background:var(--card);border:1px solid var(--edge);border-radius:1.25rem;box-shadow:0 12px 40px rgb(16 20 44/.08)}' +
  '@media(max-width:30rem){main{padding:1.75rem 1.25rem}}main>:last-child{margin-bottom:0}' +
  '.icon{display:block;width:3rem;height:3rem;padding:.5rem;margin-bottom:1rem;border-radius:50%;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round;background:var(--plain-back);color:var(--soft)}' +
  '.icon.bad{background:var(--bad-back);color:var(--bad)}.icon.good{background:var(--good-back);color:var(--good)}' +
  // A text that a language lacks is in English, so each block has the direction of its own text.
  'h1,p,button,.button{unicode-bidi:plaintext}' +
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

/** Pictures of 24 by 24 pixels, each in the colors of its kind of message. */
const ICONS = {
  alert: { tone: ' bad', shape: '<circle cx="12" cy="12" r="9"/><path d="M12 8v5m0 3.5v.01"/>' },
  check: { tone: ' good', shape: '<path d="m5 12.5 4.5 4.5L19 7.5"/>' },
  door: { tone: '', shape: '<path d="M14 4H6v16h8M10 12h10m-3-3 3 3-3 3"/>' },
  lock: {
    tone: '',
    shape: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  },
} as const

/** The parts of a page. `body` is HTML, in which the caller has escaped outside values. */
export interface Page {
  readonly title: string
  readonly body: string
  /** The language of title and body. Default `en`. */
  readonly language?: string
  /**
   * Whether browsers send the real `Origin` with forms of the page. By default, the page has the
   * referrer policy `no-referrer`, with which browsers send `Origin: null`. Default `false`.
   */
  readonly namesOrigin?: boolean
  readonly status?: number
  /** A decorative picture above the title. */
  readonly icon?: keyof typeof ICONS
  /** More CSS rules, after those of every page. */
  readonly style?: string
}

/**
 * A page that needs no script, image or font. Its Content Security Policy has no `form-action`,
 * because browsers apply this rule to every redirect after a form is sent, and a logout redirects
 * to the provider.
 */
export function page(content: Page): AuthResponse {
  const { title, body, language = 'en', namesOrigin = false } = content
  const { status = 200, icon, style: own = '' } = content
  const style = STYLE + own
  const headers: AuthResponse['headers'] = [
    ['content-type', 'text/html; charset=utf-8'],
    ['content-security-policy', own ? policyOf(style) : POLICY],
    ['referrer-policy', namesOrigin ? 'same-origin' : 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
    ['content-language', language],
    ['vary', 'accept-language'],
  ]
  const direction = isRightToLeft(language) ? ' dir="rtl"' : ''
  const html = `<!doctype html><html lang="${language}"${direction}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><main>${icon ? pictureOf(icon) : ''}<h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  return { status, headers, body: html }
}

function pictureOf(icon: keyof typeof ICONS): string {
  const { tone, shape } = ICONS[icon]
  return `<svg class="icon${tone}" viewBox="0 0 24 24" aria-hidden="true">${shape}</svg>`
}

/**
 * A page that redirects to a URL without a script, and has a link for browsers that do not follow
 * the redirect. The navigation starts on this page, so browsers treat it as same-site, and the CSP
 * `form-action` of the previous page does not apply.
 */
export function onwardPage(
  { language, texts }: Translation,
  location: string,
  setCookies: readonly string[] = [],
): AuthResponse {
  const body = `<a class="button" href="${escapeHtml(location)}">${escapeHtml(texts.continue)}</a>`
  const answer = page({ title: texts.oneMoment, body, language })
  answer.headers.push(['refresh', `0;url=${location}`], ...cookies(setCookies))
  return { ...answer, onward: location }
}

/**
 * A page that says that a form was not sent, with a link to the login. It does not redirect, so
 * that the visitor can read it.
 */
export function lostFormPage(
  { language, texts }: Translation,
  location: string,
  setCookies: readonly string[] = [],
): AuthResponse {
  const { title, advice } = texts.formLost
  const link = `<a class="button" href="${escapeHtml(location)}">${escapeHtml(texts.logIn)}</a>`
  const body = `<p>${escapeHtml(advice)}</p>${link}`
  const answer = page({ title, body, language, icon: 'alert' })
  answer.headers.push(...cookies(setCookies))
  return { ...answer, onward: location }
}

/** The problem details of an error, for a program (RFC 9457). */
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
