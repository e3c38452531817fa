import { timingSafeEqual } from 'node:crypto'
import type { CookieScope } from './cookies.ts'
import { clearCookie, cookieNames, readCookie, setCookie } from './cookies.ts'
import type { ResolvedAuthOptions } from './options.ts'
import { randomText } from './random.ts'
import { safeReturnTo } from './return-to.ts'
import { createSealer } from './sealing.ts'
import type { OnceMemory } from './session-store.ts'

/** How long a visitor may take at the provider. */
export const TRANSACTION_SECONDS = 600

/** How many logins one browser may have under way; beginning another drops the oldest. */
export const MAX_TRANSACTIONS = 5

/**
 * How many when the new one is long: all of them go to the callback in one header, and common proxies
 * take no more than 8 KiB of it.
 */
const MAX_LONG_TRANSACTIONS = 3
const LONG_COOKIE = 800

const RETRY_SECONDS = 30
const MAX_RETURN_TO_IN_STATE = 300

/** What is kept in the browser between sending a visitor away and seeing them return. */
export interface LoginTransaction {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly returnTo: string
  readonly createdAt: number
  /** Constraints that were sent and are checked when the visitor returns. */
  readonly maxAge?: number | undefined
  readonly acr?: readonly string[] | undefined
  /** The visitor was not to be asked anything (`prompt=none`). */
  readonly silent?: boolean | undefined
}

/** A transaction before it has a state. */
export type TransactionDraft = Omit<
  LoginTransaction,
  'state' | 'nonce' | 'codeVerifier' | 'createdAt'
>

/** Keeps login transactions in sealed cookies, one for each `state`, sent to the callback alone. */
export interface Transactions {
  /** Begins one. The cookies keep it, and remove the oldest when there are too many. */
  begin(
    cookieHeader: string | null,
    draft: TransactionDraft,
  ): {
    transaction: LoginTransaction
    setCookies: string[]
  }
  /** Finds the transaction that a `state` belongs to, in this browser and not expired. */
  find(cookieHeader: string | null, state: string): LoginTransaction | undefined
  /** Uses it up: `true` for the first caller, `false` for every other. */
  spend(transaction: LoginTransaction): Promise<boolean>
  /** The `Set-Cookie` values that forget it. */
  forget(cookieHeader: string | null, state: string): string[]
  /** Where the login with this state was to end, even when its cookie is gone. */
  returnToOf(state: string): string | undefined
  /** Whether a login was restarted here moments ago; if so, cookies do not come back. */
  wasRestarted(cookieHeader: string | null): boolean
  /** The `Set-Cookie` value that remembers a restart for half a minute. */
  markRestart(): string
  /** The `Set-Cookie` value that ends that memory. */
  clearRestart(): string
  /** Seals where a logout ends, to be carried by the provider. */
  sealLogoutState(returnTo: string): string
  /** Opens what {@link Transactions.sealLogoutState} sealed; `undefined` for anything else. */
  openLogoutState(state: string): string | undefined
}

/**
 * Makes the transactions of one set of options.
 *
 * @param once - Remembers which have been spent.
 */
export function createTransactions(options: ResolvedAuthOptions, once: OnceMemory): Transactions {
  const prefix = options.secure ? '__Secure-' : ''
  const base = `${prefix}${options.session.cookieName.replace('__Host-', '')}.`
  const atCallback: CookieScope = {
    path: options.routes.callback,
    secure: options.secure,
    // A provider's form comes from another site; browsers send only such cookies along with it.
    sameSite: options.responseMode === 'form_post' ? 'none' : 'lax',
  }
  const everywhere: CookieScope = { ...atCallback, path: '/' }
  const ledgerName = `${base}logins`
  const retryName = `${base}retry`
  const cookieName = (id: string): string => `${base}login.${id}`
  const transactionSealer = createSealer(options.secrets, 'transaction')
  const stateSealer = createSealer(options.secrets, 'state')
  const logoutSealer = createSealer(options.secrets, 'logout')

  const writeLedger = (ids: readonly string[]): string =>
    ids.length === 0
      ? clearCookie(ledgerName, everywhere)
      : setCookie(ledgerName, ids.join('.'), { ...everywhere, maxAgeSeconds: TRANSACTION_SECONDS })

  return {
    begin(cookieHeader, draft) {
      const id = randomText(16)
      const short = draft.returnTo.length <= MAX_RETURN_TO_IN_STATE ? draft.returnTo : ''
      const transaction: LoginTransaction = {
        ...draft,
        state: `${id}.${stateSealer.seal(short)}`,
        nonce: randomText(32),
        codeVerifier: randomText(32),
        createdAt: options.now(),
      }
      const sealed = transactionSealer.seal(JSON.stringify(transaction))
      const max = sealed.length > LONG_COOKIE ? MAX_LONG_TRANSACTIONS : MAX_TRANSACTIONS
      const ids = [...ledgerIds(readCookie(cookieHeader, ledgerName)), id]
      const dropped = ids.splice(0, Math.max(0, ids.length - max))
      return {
        transaction,
        setCookies: [
          setCookie(cookieName(id), sealed, { ...atCallback, maxAgeSeconds: TRANSACTION_SECONDS }),
          writeLedger(ids),
          ...dropped.map((old) => clearCookie(cookieName(old), atCallback)),
        ],
      }
    },
    find(cookieHeader, state) {
      const id = idOf(state)
      const sealed = id && readCookie(cookieHeader, cookieName(id))
      const plain = sealed && transactionSealer.open(sealed)
      if (!plain) return undefined
      const transaction = JSON.parse(plain) as LoginTransaction
      if (!equal(transaction.state, state)) return undefined
      if (transaction.createdAt + TRANSACTION_SECONDS <= options.now()) return undefined
      return { ...transaction, returnTo: safeReturnTo(transaction.returnTo, options.baseUrl) }
    },
    spend: ({ state }) => once(`login:${idOf(state)}`, TRANSACTION_SECONDS),
    forget(cookieHeader, state) {
      const id = idOf(state)
      if (!id) return []
      const rest = ledgerIds(readCookie(cookieHeader, ledgerName)).filter((other) => other !== id)
      const stray = cookieNames(cookieHeader, cookieName('')).filter(
        (name) => !rest.includes(name.slice(cookieName('').length)) && name !== cookieName(id),
      )
      const tooMany = stray.slice(0, Math.max(0, stray.length + rest.length - MAX_TRANSACTIONS))
      return [cookieName(id), ...tooMany]
        .map((name) => clearCookie(name, atCallback))
        .concat(writeLedger(rest))
    },
    returnToOf(state) {
      const plain = stateSealer.open(state.slice(state.indexOf('.') + 1))
      return plain === undefined ? undefined : safeReturnTo(plain, options.baseUrl)
    },
    wasRestarted: (cookieHeader) => readCookie(cookieHeader, retryName) === '1',
    markRestart: () => setCookie(retryName, '1', { ...atCallback, maxAgeSeconds: RETRY_SECONDS }),
    clearRestart: () => clearCookie(retryName, atCallback),
    sealLogoutState: (returnTo) =>
      logoutSealer.seal(returnTo.length <= MAX_RETURN_TO_IN_STATE ? returnTo : '/'),
    openLogoutState(state) {
      const plain = logoutSealer.open(state)
      return plain === undefined ? undefined : safeReturnTo(plain, options.baseUrl)
    },
  }
}

function idOf(state: string): string | undefined {
  const id = state.slice(0, state.indexOf('.'))
  return /^[\w-]{22}$/.test(id) ? id : undefined
}

function ledgerIds(ledger: string | undefined): string[] {
  if (!ledger || ledger.length > 23 * 2 * MAX_TRANSACTIONS) return []
  return ledger.split('.').filter((id) => /^[\w-]{22}$/.test(id))
}

function equal(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
