import { hash } from 'node:crypto'
import type { RequestContext } from '../context.ts'
import { LatchkeyError } from '../errors/errors.ts'
import { type CookieScope, clearCookie, readCookie, setCookie } from '../http/cookies.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { TransactionDraft } from './transaction.ts'

/** The seconds after a completed login within which a start of the same login is a repetition. */
const SOON_SECONDS = 10

/**
 * The number of repetitions that are allowed, because a visitor may follow a link from another site
 * twice.
 */
const MOST_REPETITIONS = 1

type Login = Pick<TransactionDraft, 'issuer' | 'clientId' | 'returnTo' | 'maxAge' | 'acr'>

/**
 * Detects a redirect loop: counts how often this browser has completed this login and started it
 * again within seconds, by requests that came from another site.
 *
 * @returns The number of repetitions; `undefined` for a login that begins on this site, as most do.
 *   Such a login is not counted, and sets no cookie for it.
 * @throws {@link LatchkeyError} with `LATCHKEY_LOGIN_LOOP` for more than {@link MOST_REPETITIONS}.
 */
export async function countRepetitions(
  asked: RequestContext,
  login: Login,
): Promise<number | undefined> {
  const { headers } = asked.request
  // Browsers send these values if any redirect on the way came from another origin, even if later
  // redirects stay on this site.
  const site = headers.get('sec-fetch-site')
  if (site !== 'cross-site' && site !== 'same-site') return undefined
  const { options } = asked.context
  const mark = readCookie(headers.get('cookie'), nameOf(options)) ?? ''
  const [, count, endedAt, name] = /^(\d)\.(\d{1,12})\.([\w-]{16})$/.exec(mark) ?? []
  if (name !== fingerprint(login) || Number(endedAt) + SOON_SECONDS < options.now()) return 0
  const repetitions = Number(count) + 1
  if (repetitions > MOST_REPETITIONS) {
    throw new LatchkeyError('LATCHKEY_LOGIN_LOOP', await explain(asked, login))
  }
  return repetitions
}

/**
 * The `Set-Cookie` value by which {@link countRepetitions} recognizes a login that was just
 * completed; none if repetitions are not counted.
 */
export function markEnd(
  options: ResolvedAuthOptions,
  login: Login & Pick<TransactionDraft, 'repetitions'>,
): string[] {
  if (login.repetitions === undefined) return []
  const value = `${login.repetitions}.${options.now()}.${fingerprint(login)}`
  return [setCookie(nameOf(options), value, { ...scopeOf(options), maxAgeSeconds: SOON_SECONDS })]
}

/**
 * The `Set-Cookie` values that remove the cookie of {@link markEnd} at a logout, so that a login at
 * once is no repetition.
 */
export function forgetEnd(options: ResolvedAuthOptions, cookieHeader: string | null): string[] {
  const name = nameOf(options)
  return readCookie(cookieHeader, name) === undefined ? [] : [clearCookie(name, scopeOf(options))]
}

/** The message for a redirect loop. It depends on whether the session and its cookie exist. */
async function explain(
  { context, request, session }: RequestContext,
  { returnTo }: Login,
): Promise<string> {
  const { cookieName } = context.options.session
  const [page = ''] = returnTo.split(/[?#]/, 1)
  const seen = `A visitor logged in several times within seconds, and each time came back to ${page} and was sent to log in again.`
  if (await session.read()) {
    return `${seen} The session is there: a route or a guard of your own sends visitors who are logged in to the login.`
  }
  if (readCookie(request.headers.get('cookie'), cookieName) === undefined) {
    return `${seen} The browser did not send the cookie "${cookieName}": it was not kept, or ${page} is on another host or scheme than "baseUrl".`
  }
  return `${seen} The browser sent the cookie "${cookieName}", but the session store does not know its session: are there two createAuthRouter() with a store each, several processes with sessions in memory, or a store that keeps nothing?`
}

function fingerprint({ issuer, clientId, returnTo, maxAge, acr }: Login): string {
  const facts = JSON.stringify([issuer, clientId, returnTo, maxAge, acr?.join(' ')])
  return hash('sha256', facts, 'base64url').slice(0, 16)
}

function nameOf({ session }: ResolvedAuthOptions): string {
  return `${session.cookieName}.ended`
}

function scopeOf({ secure }: ResolvedAuthOptions): CookieScope {
  return { path: '/', secure, sameSite: 'lax' }
}
