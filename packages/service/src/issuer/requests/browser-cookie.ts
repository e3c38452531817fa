import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { readHostCookie, setHostCookie } from './cookies.ts'

const NAME = 'latchkey-browser'

/** Matches 32 random bytes as base64url. */
const TOKEN = /^[\w-]{43}$/

/**
 * Sets a cookie with a secret for the browser, or extends the current cookie, for as long as a
 * login may take.
 *
 * @returns A hash of the secret, to be stored with data of this browser.
 */
export function markBrowser(ctx: CookieContext): string {
  return digest(mark(ctx))
}

/**
 * Like {@link markBrowser}, and also derives secrets that only this browser can present again.
 *
 * @param purpose - Different purposes have different secrets.
 */
export function markWithSecrets(ctx: CookieContext, purpose: string): BrowserSecrets {
  const token = mark(ctx)
  return { browser: digest(token), secrets: (name) => secretOf(token, `${purpose} ${name}`) }
}

/** The secrets of {@link markWithSecrets}, in a later request of the same browser. */
export function secretsOf(request: IncomingMessage, purpose: string): BrowserSecrets['secrets'] {
  const token = tokenOf(request) ?? ''
  return (name) => secretOf(token, `${purpose} ${name}`)
}

type CookieContext = Parameters<typeof setHostCookie>[0]

interface BrowserSecrets {
  /** The value for {@link isSameBrowser}. */
  browser: string
  /** Derives a secret of 256 bits from the browser's secret. The derived secret is not stored. */
  secrets: (name: string) => string
}

/** Whether the request has the cookie with the browser's secret. */
export function isMarked(request: IncomingMessage): boolean {
  return tokenOf(request) !== undefined
}

/** Whether {@link markBrowser} returned `browser` for this browser. */
export function isSameBrowser(request: IncomingMessage, browser: string | undefined): boolean {
  const token = tokenOf(request)
  if (token === undefined || browser === undefined) return false
  const [given, expected] = [Buffer.from(digest(token)), Buffer.from(browser)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function mark(ctx: CookieContext): string {
  const token = tokenOf(ctx.req) ?? randomBytes(32).toString('base64url')
  setHostCookie(ctx, NAME, token, lifetimes.interactionSeconds)
  return token
}

function secretOf(token: string, purpose: string): string {
  return createHmac('sha256', token).update(`latchkey ${purpose}`).digest('base64url')
}

function tokenOf(request: IncomingMessage): string | undefined {
  const token = readHostCookie(request, NAME)
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

function digest(token: string): string {
  return hash('sha256', token, 'base64url')
}
