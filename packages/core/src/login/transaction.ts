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

/** The seconds that a visitor may spend at the provider. */
export const TRANSACTION_SECONDS = 600

/** The most characters of a `state`. Providers and proxies commonly accept 2 kB. */
const MAX_STATE_LENGTH = 2000

/** The number of earlier logins of a browser that stay valid when another login begins. */
const KEPT_LOGINS = 4

/** The most cookies that one response removes, so that its headers stay small. */
const MAX_REMOVED = 20

/** The facts of a login against which the callback is checked. They are sealed in `state`. */
export interface TransactionDraft {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly returnTo: string
  /**
   * The number of times that this login was started again, because its cookie was missing or the
   * login had expired at the provider.
   */
  readonly restarts: number
  /**
   * The number of times that this login succeeded within the last seconds; `undefined` if
   * repetitions are not counted.
   */
  readonly repetitions?: number | undefined
  /** The `max_age` of the authorization request. The callback checks it. */
  readonly maxAge?: number | undefined
  readonly acr?: readonly string[] | undefined
  /** Whether the provider was asked to show no page (`prompt=none`). */
  readonly silent?: boolean | undefined
}

/** One login, from the redirect to the provider until the callback. */
export interface LoginTransaction extends TransactionDraft {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly codeChallenge: string
  readonly createdAt: number
}

/** The facts from which a login can be started again. */
export type LostLogin = Pick<
  LoginTransaction,
  'returnTo' | 'restarts' | 'maxAge' | 'acr' | 'silent' | 'createdAt'
>

/** The login that a `state` belongs to. */
export type FoundLogin =
  /** A login that began in this browser less than ten minutes ago. */
  | { readonly kind: 'begun'; readonly transaction: LoginTransaction }
  /**
   * A login of this application whose cookie is missing, or that began more than ten minutes ago.
   */
  | { readonly kind: 'lost'; readonly login: LostLogin }
  /** A `state` that was not made here, or that was made at another base URL. */
  | { readonly kind: 'unknown' }

/**
 * Login transactions. Each has a separate cookie with a random seed, from which nonce and PKCE
 * verifier are derived. All other facts are sealed in `state`. `state` begins with the name of the
 * cookie. The sealed code challenge must match the seed, so a cookie with another seed is not
 * accepted.
 */
export interface Transactions {
  /**
   * Begins a login. The cookies store its seed, and remove all earlier logins but the newest four.
   * A `returnTo` that would make `state` too long loses its query, or is replaced by the start
   * page.
   */
  begin(
    cookieHeader: string | null,
    draft: TransactionDraft,
  ): { transaction: LoginTransaction; setCookies: string[] }
  /** Finds the login that a `state` belongs to. */
  find(cookieHeader: string | null, state: string): FoundLogin
  /** Marks a transaction as used: `true` for the first caller, `false` for every other. */
  spend(transaction: LoginTransaction): MaybePromise<boolean>
  /** The `Set-Cookie` values that remove a login. */
  forget(state: string): string[]
}

/**
 * Makes the transactions of one set of options.
 *
 * @param once - Marks a transaction as used; see {@link Replays}.
 */
export function createTransactions(
  options: ResolvedAuthOptions,
  once: Replays['consume'],
): Transactions {
  const scope: CookieScope = {
    path: '/',
    secure: options.secure,
    // With `form_post`, the provider's form comes from another site. Browsers send only
    // `SameSite=None` cookies with it.
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
      // If `returnTo` is too long, its query is dropped; if that is not enough, the start page
      // replaces it.
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
      // A provider answers a login of another base URL there, so this response is not genuine.
      if (!sealed.redirectUri.startsWith(`${partsOf(options.baseUrl).origin}/`)) {
        return { kind: 'unknown' }
      }
      const login = { ...sealed, returnTo: safeReturnTo(sealed.returnTo, options.baseUrl) }
      // After ten minutes the cookie has expired, so a missing cookie does not mean that cookies
      // are blocked. The count of restarts begins again.
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

/**
 * The form of a cookie's name: nine base-36 digits of the time, so that names sort by age, and 96
 * random bits.
 */
const NAME = /^[\da-z]{9}[\w-]{16}$/

function newName(): string {
  return Date.now().toString(36).padStart(9, '0') + randomText(12)
}

function nameOf(state: string): string | undefined {
  const name = state.slice(0, state.indexOf('.'))
  return NAME.test(name) ? name : undefined
}

/** The secrets of a login, and the code challenge, which is the hash of the code verifier. */
type Derived = Pick<LoginTransaction, 'nonce' | 'codeVerifier' | 'codeChallenge'>

/**
 * Derives the nonce and the code verifier from a seed. Neither reveals the seed or the other value.
 * The seed always has 256 random bits, so a plain hash is as safe as HKDF, in a tenth of the time.
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

/**
 * The names of the cookies to remove when a login begins: expired logins, all but the newest four,
 * and names of another form. At most {@link MAX_REMOVED}.
 */
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

/** The part of a transaction that is sealed in its `state`. */
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
