import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type Auth, createAuth } from '@latchkey/core'
import { nodePlatform } from '@latchkey/core/node'
import type { Logger } from 'pino'
import { operatorOfLogin } from '../../domain/operators/operators.ts'
import type { DomainContext } from '../../domain/writes/context.ts'
import type { MasterKeys } from '../../domain/writes/vault.ts'
import type { OperatorUser } from '../../store/ports.ts'
import type { ProtocolStore } from '../../store/protocol-store.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { paths } from '../addresses/paths.ts'
import { CONSOLE_CLIENT } from './client.ts'

/** The maximum age of a login for dangerous actions, in seconds. */
export const FRESH_SECONDS = 300

const IDLE_SECONDS = 30 * 60
const ABSOLUTE_SECONDS = 12 * 3_600

/** The options of the login of operators. */
export interface LoginOptions {
  /** The origin of the console. */
  readonly url: string
  readonly masterKeys: MasterKeys
  readonly clientSecret: string
  /** A `fetch` that reaches the issuer within this process. */
  readonly fetch: typeof globalThis.fetch
  readonly logger: Logger
}

/**
 * Makes the login of operators. The console uses the kit like any application, with the system
 * tenant as its provider.
 */
export function createLogin(options: LoginOptions): Auth {
  const { url, clientSecret, fetch, logger, masterKeys } = options
  return createAuth(
    {
      issuer: url,
      baseUrl: url,
      clientId: CONSOLE_CLIENT,
      clientSecret,
      scope: 'openid email',
      fetch,
      logger: withoutAdvice(logger),
      returnTo: { default: paths.overview },
      logoutParams: { post_logout_redirect_uri: new URL(paths.overview, url).href },
      routes: {
        login: paths.login,
        callback: paths.callback,
        logout: paths.logout,
        session: false,
        backchannelLogout: false,
      },
      session: {
        // The cookie alone is not enough: `findOperator` checks the session at every request.
        store: 'cookie',
        secret: masterKeys.list().map((key) => derive(key, 'session')),
        idleSeconds: IDLE_SECONDS,
        absoluteSeconds: ABSOLUTE_SECONDS,
        cookie: { name: 'latchkey-console', sameSite: 'lax' },
      },
    },
    nodePlatform(),
  )
}

type LogLine = (facts: object, message: string) => void

/**
 * The logger without the kit's advice to keep sessions in a store. The console keeps its sessions
 * in cookies on purpose.
 */
function withoutAdvice(logger: Logger): Record<'info' | 'warn' | 'error', LogLine> {
  return {
    info(facts: object, message: string) {
      if ('code' in facts && facts.code === 'LATCHKEY_SESSIONS_IN_COOKIES') return
      logger.info(facts, message)
    },
    warn: (facts: object, message: string) => logger.warn(facts, message),
    error: (facts: object, message: string) => logger.error(facts, message),
  }
}

/** The members of a kit session that the console reads. Times are in seconds since the epoch. */
export interface ConsoleSession {
  readonly sub: string
  readonly authTime?: number | undefined
  readonly createdAt: number
}

/**
 * Whether a session of the console began at most five minutes after a login. The session at the
 * issuer lasts longer than that of the console. Without this check, an expired session of the
 * console could begin again without a login.
 */
export function beganFresh(session: ConsoleSession | undefined): boolean {
  if (!session) return false
  return session.createdAt - (session.authTime ?? 0) <= FRESH_SECONDS
}

/**
 * The operator of a session of the console; `undefined` if the operator's session at the issuer no
 * longer exists or its login is no longer valid.
 */
export async function findOperator(
  context: DomainContext,
  protocol: ProtocolStore,
  session: ConsoleSession,
): Promise<OperatorUser | undefined> {
  if (!beganFresh(session)) return undefined
  const entries = await protocol.listByAccount(SYSTEM_TENANT_ID, 'Session', session.sub)
  const found = entries
    .map(({ payload }) => JSON.parse(payload) as IssuerSession)
    .filter(({ authorizations }) => authorizations?.[CONSOLE_CLIENT])
    .find(({ loginTs = 0 }) => Math.floor(loginTs) === session.authTime)
  return found && operatorOfLogin(context, session.sub, found.loginTs, found.keptAt)
}

/**
 * The members of a session at the issuer that the console reads. Times are in seconds since the
 * epoch.
 */
interface IssuerSession {
  readonly loginTs?: number
  readonly keptAt?: number
  readonly authorizations?: Readonly<Record<string, unknown>>
}

/**
 * Makes and checks the CSRF token of a session, without which its forms are refused. Other sites do
 * not know the token.
 */
export function createCsrf(masterKeys: MasterKeys) {
  const tokenOf = ({ sub, createdAt }: ConsoleSession): string =>
    createHmac('sha256', derive(masterKeys.list()[0] as Uint8Array, 'csrf'))
      .update(`${sub} ${createdAt}`)
      .digest('base64url')
  return {
    tokenOf,
    isToken(session: ConsoleSession, sent: string): boolean {
      const expected = Buffer.from(tokenOf(session))
      const given = Buffer.from(sent)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}

function derive(masterKey: Uint8Array, purpose: string): string {
  const bytes = hkdfSync('sha256', masterKey, '', `latchkey-service console ${purpose}`, 32)
  return Buffer.from(bytes).toString('base64url')
}
