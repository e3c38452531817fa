import { hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { randomText } from '../crypto/random.ts'
import { createSealer, deriveKey, macOf } from '../crypto/sealing.ts'
import type { CookieScope } from '../http/cookies.ts'
import { clearCookie, cookieNames, readCookie, setCookie } from '../http/cookies.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { Replays } from '../session/replay-cache.ts'
import { createEarlierLogins } from './earlier-logins.ts'
import { safeReturnTo } from './return-to.ts'

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
  /** How often this login was begun again because its cookie had not come back. */
  readonly restarts: number
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
  readonly createdAt: number
}

/** The facts with which a login can be restarted. */
export type LostLogin = Pick<
  TransactionDraft,
  'returnTo' | 'restarts' | 'maxAge' | 'acr' | 'silent'
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
 * Login transactions. Each has a cookie of its own with a seed, from which nonce and PKCE verifier are
 * derived, and everything else travels sealed in `state`. The name of the cookie is part of the
 * `state`, and its value can be made from the name with the secret alone: the two belong together.
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
  spend(transaction: LoginTransaction): Promise<boolean>
  /** The `Set-Cookie` values that forget a login. */
  forget(cookieHeader: string | null, state: string): string[]
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
  const prefix = `${options.session.cookieName}.login.`
  const stateSealer = createSealer(options.secrets, 'login')
  const seedKeys = options.secrets.map((secret) => deriveKey(secret, 'login-cookie'))
  const earlier = createEarlierLogins(options)

  return {
    begin(cookieHeader, draft) {
      const name = newName()
      const seed = macOf(name, seedKeys[0] as KeyObject)
      const createdAt = options.now()
      const [path = ''] = draft.returnTo.split(/[?#]/, 1)
      let fitting = draft
      let state = ''
      // A place to return to that is too long loses its query, and in the end counts for nothing.
      for (const returnTo of [draft.returnTo, path, options.baseUrl.pathname]) {
        fitting = { ...draft, returnTo }
        state = `${name}.${stateSealer.seal(encode(fitting, createdAt), name)}`
        if (state.length <= MAX_STATE_LENGTH) break
      }
      return {
        transaction: { ...fitting, ...derive(seed), state, createdAt },
        setCookies: [
          setCookie(prefix + name, seed, { ...scope, maxAgeSeconds: TRANSACTION_SECONDS }),
          ...surplus(cookieNames(cookieHeader, prefix), prefix).map((old) =>
            clearCookie(old, scope),
          ),
          ...earlier.clear(cookieHeader),
        ],
      }
    },
    find(cookieHeader, state) {
      const name = nameOf(state)
      const plain = name && stateSealer.open(state.slice(name.length + 1), name)
      if (!plain) {
        const login = earlier.open(state)
        return login ? { kind: 'lost', login } : { kind: 'unknown' }
      }
      const { createdAt, ...sealed } = decode(plain)
      const draft = { ...sealed, returnTo: safeReturnTo(sealed.returnTo, options.baseUrl) }
      // A state of long ago says nothing about cookies: its count of restarts has ended with it.
      if (createdAt + TRANSACTION_SECONDS <= options.now()) {
        return { kind: 'lost', login: { ...draft, restarts: 0 } }
      }
      const seed = readCookie(cookieHeader, prefix + name)
      if (!seed || !seedKeys.some((key) => equal(seed, macOf(name, key)))) {
        return { kind: 'lost', login: draft }
      }
      return { kind: 'begun', transaction: { ...draft, ...derive(seed), state, createdAt } }
    },
    spend: ({ state }) => once(`login:${nameOf(state)}`, TRANSACTION_SECONDS),
    forget(cookieHeader, state) {
      const name = nameOf(state)
      return [...(name ? [clearCookie(prefix + name, scope)] : []), ...earlier.clear(cookieHeader)]
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

/**
 * Two values that say nothing about each other or the seed. The seed is 256 bits that nobody can guess
 * and always as long, so a hash does what HKDF would, in a tenth of the time.
 */
function derive(seed: string): Pick<LoginTransaction, 'nonce' | 'codeVerifier'> {
  return {
    nonce: hash('sha256', `latchkey/1/nonce.${seed}`, 'base64url'),
    codeVerifier: hash('sha256', `latchkey/1/verifier.${seed}`, 'base64url'),
  }
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

function encode(draft: TransactionDraft, createdAt: number): string {
  const { returnTo, issuer, clientId, redirectUri, restarts, maxAge, acr, silent } = draft
  const silently = silent ? 1 : undefined
  return JSON.stringify([
    ...[createdAt, returnTo, issuer, clientId, redirectUri, restarts, maxAge, acr, silently],
  ])
}

function decode(plain: string): TransactionDraft & { readonly createdAt: number } {
  const [createdAt, returnTo, issuer, clientId, redirectUri, restarts, maxAge, acr, silently] =
    JSON.parse(plain)
  return {
    ...{ createdAt, returnTo, issuer, clientId, redirectUri, restarts },
    ...{ maxAge: maxAge ?? undefined, acr: acr ?? undefined, silent: silently === 1 },
  }
}

function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
