import { clearCookie, cookieNames } from '../http/cookies.ts'
import { safeReturnTo } from '../http/return-to.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import { createSealer } from '../shared/sealing.ts'

/** Logins begun by version 0.1, also by an old process during a rolling deploy: begun again here. */
export interface EarlierLogins {
  /** The login in a `state` of 0.1; `undefined` for any other. */
  open(state: string): { readonly returnTo: string; readonly restarts: number } | undefined
  /** The `Set-Cookie` values that remove the cookies of 0.1 which a request brings. */
  clear(cookieHeader: string | null): string[]
}

/** Recognizes logins that version 0.1 began. */
export function createEarlierLogins({
  secrets,
  secure,
  routes,
  responseMode,
  session,
  baseUrl,
}: ResolvedAuthOptions): EarlierLogins {
  const sealer = createSealer(secrets, 'state')
  // The default name had no path of `baseUrl` in it.
  const name = session.cookieName.replace('__Host-', '').replace(/^latchkey-.*/, 'latchkey')
  const base = `${secure ? '__Secure-' : ''}${name}.`
  const sameSite = responseMode === 'form_post' ? 'none' : 'lax'
  return {
    open(state) {
      const [, sealed] = /^[\w-]{22}\.([\w-]+)$/.exec(state) ?? []
      const returnTo = sealed && sealer.open(sealed)
      if (returnTo === undefined) return undefined
      return { returnTo: safeReturnTo(returnTo, baseUrl), restarts: 0 }
    },
    clear: (cookieHeader) =>
      cookieNames(cookieHeader, base)
        .filter((name) => /^(login\.[\w-]{22}|logins|retry)$/.test(name.slice(base.length)))
        .slice(0, MAX_REMOVED)
        .map((name) => {
          const path = name === `${base}logins` ? '/' : routes.callback
          return clearCookie(name, { path, secure, sameSite })
        }),
  }
}

const MAX_REMOVED = 20
