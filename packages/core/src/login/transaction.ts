import { hash } from 'node:crypto'
import type { CookieScope } from '../http/cookies.ts'
import { clearCookie, cookieNames, readCookie, setCookie } from '../http/cookies.ts'
import { partsOf } from '../http/request.ts'
import { safeReturnTo } from '../http/return-to.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { Replays } from '../session/replay-cache.ts'
import type { MaybePromise } from '../shared/maybe-promise.ts'
import { randomText } from '../shared/random.ts'
import { createSealer } from '../shared/sealing.ts'

/** How long a visitor may take at the provider. */
export const TRANSACTION_SECONDS = 600

/** The most characters of a `state`; providers and proxies commonly take 2 kB. */
const MAX_STATE_LENGTH = 2000

/** How many earlier logins of a browser stay under way when another begins. */
const KEPT_LOGINS = 4

/** The most cookies that one answer removes, so that its headers stay small. */
const MAX_REMOVED = 20

/** The facts of a login that it is checked against when the visitor returns; sealed in `state`. */
export interface TransactionDraft {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly returnTo: string
  /**
   * How often this login was started again, because its cookie was missing or it had expired at the
   * provider.
   */
  readonly restarts: number
  /** How often it has succeeded before within seconds, if that is counted. */
  readonly repetitions?: number | undefined
  /** Constraints that were sent and are checked when the visitor returns. */
  readonly maxAge?: number | undefined
  readonly acr?: readonly string[] | undefined
  /** The visitor was not to be asked anything (`prompt=none`). */
  readonly silent?: boolean | undefined
}

/** One login between sending a visitor to the provider and seeing them return. */
export interface LoginTransaction extends TransactionDraft {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly codeChallenge: string
  readonly createdAt: number
}

/** The facts with which a login can be restarted. */
export type LostLogin = Pick<
  LoginTransaction,
  'returnTo' | 'restarts' | 'maxAge' | 'acr' | 'silent' | 'createdAt'
>

/** The login that a `state` belongs to. */
export type FoundLogin =
  /** Begun in this browser, less than ten minutes ago. */
  | { readonly kind: 'begun'; readonly transaction: LoginTransaction }
  /** Begun at this application, but its cookie is not here, or it took too long. */
  | { readonly kind: 'lost'; readonly login: LostLogin }
  /** The state was not made here. */
  | { readonly kind: 'unknown' }

/**
 * Login transactions. Each has a cookie of its own with a random seed, from which nonce and PKCE
 * verifier are derived, and everything else travels sealed in `state`. The name of the cookie is part
 * of the `state`, and the code challenge is sealed in it: a cookie with another seed does not fit.
 */
export interface Transactions {
  /**
   * Begins a login. The cookies keep it, and remove all but the newest four others. A `returnTo` that
   * would make the `state` too long loses its query.
   */
  begin(
    cookieHeader: string | null,
    draft: TransactionDraft,
  ): { transaction: LoginTransaction; setCookies: string[] }
  /** Finds the login that a `state` belongs to. */
  find(cookieHeader: string | null, state: string): FoundLogin
  /** Uses a transaction up: `true` for the first caller, `false` for every other. */
  spend(transaction: LoginTransaction): MaybePromise<boolean>
  /** The `Set-Cookie` values that forget a login. */
  forget(state: string): string[]
}

/**
 * Makes the transactions of one set of options.
 *
 * @param once - Remembers which have been spent.
 */
export function createTransactions(
  options: ResolvedAuthOptions,
  once: Replays['consume'],
): Transactions {
  const scope: CookieScope = {
    path: '/',
    secure: options.secure,
    // A provider's form comes from another site; browsers send only such cookies along with it.
    sameSite: options.responseMode === 'form_post' ? 'none' : 'lax',
  }
  const seedScope: CookieScope = { ...scope, maxAgeSeconds: TRANSACTION_SECONDS }
  const prefix = `${options.session.cookieName}.login.`
  const stateSealer = createSealer(options.secrets, 'login')

  return {
    begin(cookieHeader, draft) {
      const name = newName()
      const seed = randomText(32)
      const { nonce, codeVerifier, codeChallenge } = derive(seed)
      const createdAt = options.now()
      const stateTo = (returnTo: string): string => {
        const sealed = encode({ ...draft, returnTo, codeChallenge, createdAt })
        return `${name}.${stateSealer.seal(sealed, name)}`
      }
      let { returnTo } = draft
      let state = stateTo(returnTo)
      // A place to return to that is too long loses its query, and in the end counts for nothing.
      for (const shorter of [withoutQuery(returnTo), options.baseUrl.pathname]) {
        if (state.length <= MAX_STATE_LENGTH) break
        returnTo = shorter
        state = stateTo(returnTo)
      }
      return {
        transaction: {
          ...draft,
          returnTo,
          nonce,
          codeVerifier,
          codeChallenge,
          createdAt,
          state,
        },
        setCookies: [
          setCookie(prefix + name, seed, seedScope),
          ...surplus(cookieNames(cookieHeader, prefix), prefix).map((old) =>
            clearCookie(old, scope),
          ),
        ],
      }
    },
    find(cookieHeader, state) {
      const name = nameOf(state)
      const plain = name && stateSealer.open(state.slice(name.length + 1), name)
      if (!plain) return { kind: 'unknown' }
      const sealed = decode(plain)
      // Begun at another base URL: no provider sends its answer here.
      if (!sealed.redirectUri.startsWith(`${partsOf(options.baseUrl).origin}/`)) {
        return { kind: 'unknown' }
      }
      const login = { ...sealed, returnTo: safeReturnTo(sealed.returnTo, options.baseUrl) }
      // A state of long ago says nothing about cookies: its count of restarts has ended with it.
      if (login.createdAt + TRANSACTION_SECONDS <= options.now()) {
        return { kind: 'lost', login: { ...login, restarts: 0 } }
      }
      const derived = derive(readCookie(cookieHeader, prefix + name) ?? '')
      if (derived.codeChallenge !== login.codeChallenge) return { kind: 'lost', login }
      return { kind: 'begun', transaction: { ...login, ...derived, state } }
    },
    spend: ({ state }) => once(`login:${nameOf(state)}`, TRANSACTION_SECONDS),
    forget(state) {
      const name = nameOf(state)
      return name ? [clearCookie(prefix + name, scope)] : []
    },
  }
}

/** Nine digits of time, so that names sort by age, and 96 random bits. */
const NAME = /^[\da-z]{9}[\w-]{16}$/

function newName(): string {
  return Date.now().toString(36).padStart(9, '0') + randomText(12)
}

function nameOf(state: string): string | undefined {
  const name = state.slice(0, state.indexOf('.'))
  return NAME.test(name) ? name : undefined
}

/** The secrets of a login, and the hash of one that goes to the provider. */
type Derived = Pick<LoginTransaction, 'nonce' | 'codeVerifier' | 'codeChallenge'>

/**
 * Two values that say nothing about each other or the seed. The seed is 256 random bits and always as
 * long, so a hash does what HKDF would, in a tenth of the time.
 */
function derive(seed: string): Derived {
  const codeVerifier = hash('sha256', `latchkey/1/verifier.${seed}`, 'base64url')
  return {
    nonce: hash('sha256', `latchkey/1/nonce.${seed}`, 'base64url'),
    codeVerifier,
    codeChallenge: hash('sha256', codeVerifier, 'base64url'),
  }
}

function withoutQuery(address: string): string {
  return /^[^?#]*/.exec(address)?.[0] ?? ''
}

/** The cookies to remove when another login begins: those that are too old, too many, or not ours. */
function surplus(names: readonly string[], prefix: string): string[] {
  const isCurrent = (name: string): boolean => {
    const id = name.slice(prefix.length)
    const age = Date.now() - Number.parseInt(id.slice(0, 9), 36)
    return NAME.test(id) && Math.abs(age) <= TRANSACTION_SECONDS * 1000
  }
  const current = names.filter(isCurrent).sort().reverse()
  return [...names.filter((name) => !isCurrent(name)), ...current.slice(KEPT_LOGINS)].slice(
    0,
    MAX_REMOVED,
  )
}

/** The part of a transaction that its `state` carries. */
type SealedLogin = TransactionDraft & Pick<LoginTransaction, 'codeChallenge' | 'createdAt'>

function encode(login: SealedLogin): string {
  const { createdAt, returnTo, issuer, clientId, redirectUri, restarts } = login
  const { maxAge, acr, silent, codeChallenge, repetitions } = login
  const facts: unknown[] = [createdAt, returnTo, issuer, clientId, redirectUri, restarts]
  facts.push(maxAge, acr, silent ? 1 : undefined, codeChallenge, repetitions)
  return JSON.stringify(facts)
}

function decode(plain: string): SealedLogin {
  const [createdAt, returnTo, issuer, clientId, redirectUri, restarts, ...more] = JSON.parse(plain)
  const [maxAge, acr, silently, codeChallenge, repetitions] = more
  return {
    ...{ createdAt, returnTo, issuer, clientId, redirectUri, restarts, codeChallenge },
    ...{ maxAge: maxAge ?? undefined, acr: acr ?? undefined, silent: silently === 1 },
    repetitions: repetitions ?? undefined,
  }
}
