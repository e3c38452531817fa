import type { IncomingMessage, ServerResponse } from 'node:http'
import { type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { replace, storeAlso } from './replace.ts'

/** A browser's session at the issuer. */
export type Session = InstanceType<Provider['Session']> & LoginFacts & { stored?: StoredForm }

/** The stored form of a session or a device login: the key of its entry, and the payload. */
export interface StoredForm {
  readonly key: string
  readonly payload: string
}

/** Facts about a login that oidc-provider does not have. Times are in seconds since the epoch. */
export interface LoginFacts {
  /**
   * The time at which the user's other sessions were last revoked from this session, which
   * survived.
   */
  keptAt?: number | undefined
  /**
   * For a login at a provider: the time at which the provider authenticated the user; 0 if unknown.
   */
  provenAt?: number | undefined
  /** The operator who acts for the user, if the login is an operator's. */
  acting?: Acting | undefined
}

/** A login of an operator as the user; see `domain/operators/impersonations.ts`. */
export interface Acting {
  /** The id of the login's record, which decides whether the login is still valid. */
  readonly id: string
  /** The name of the operator in tokens, such as `operator:usr_…`. */
  readonly by: string
  /** The time at which the login ends at the latest, in seconds since the epoch. */
  readonly until: number
}

/** The user agent and the IP address of a login. */
interface LoginClient {
  userAgent: string | undefined
  address: string | undefined
}

/** The method that stores a login in its session. */
export type LoginAccount = (this: Session, details: object) => void

/** Stores the user agent and the IP address of the login with every session. */
export function keepClients(
  provider: Provider,
  clientOf: (request: IncomingMessage) => LoginClient,
): void {
  storeAlso(provider, 'Session', ['userAgent', 'address'])
  const loginAccount: LoginAccount = replace(
    provider,
    'Session.prototype.loginAccount',
    function (details) {
      loginAccount.call(this, details)
      if (Provider.ctx) Object.assign(this, clientOf(Provider.ctx.req))
    },
  )
}

/**
 * Keeps the stored form with each session and each device login that is read, so that a write can
 * depend on it.
 *
 * @param remove - Destroys a session in the store. oidc-provider would delete the entry that the
 *   request has read, but a login may have moved the session to another entry meanwhile.
 */
export function keepStoredForms(
  provider: Provider,
  remove: (session: Session) => Promise<void>,
): void {
  for (const name of ['Session', 'DeviceCode'] as const) storeAlso(provider, name, ['stored'])
  replace(provider, 'Session.prototype.destroy', async function (this: Session) {
    await remove(this)
    Object.assign(this, { destroyed: true })
  })
}

type SaveSession = (this: Session, seconds: number) => Promise<string>

/**
 * Stores a new session only for a user who is logged in, or with the secret of a form. oidc-provider
 * would also store one at each logout of a visitor, and for each unknown cookie, and no limit of
 * logins counts these requests.
 *
 * @param hasForm - Whether the response of the request has such a form.
 */
export function storeNeededSessions(
  provider: Provider,
  hasForm: (ctx: KoaContextWithOIDC) => boolean,
): void {
  const save: SaveSession = replace(provider, 'Session.prototype.save', async function (seconds) {
    const { accountId, stored } = this
    const isKept = accountId !== undefined || stored || (Provider.ctx && hasForm(Provider.ctx))
    if (isKept) return save.call(this, seconds)
    Object.assign(this, { touched: false })
    return ''
  })
}

/** The session of the browser, for a request to one of our own pages. */
export function readSession(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Session> {
  return provider.Session.get(provider.createContext(request, response))
}
