import type { ConfigFault } from './errors.ts'
import { ConfigError } from './errors.ts'
import type { SessionStore } from './session-store.ts'
import type { SessionSettings } from './stored-session.ts'

/** The routes; a string renames one, `false` turns it off. Paths are relative to `baseUrl`. */
export interface RouteOptions {
  /** `GET`: begins a login. Default `/login`. */
  readonly login?: string | false
  /** `GET` or `POST`: where the provider sends the visitor back. Default `/callback`. */
  readonly callback?: string
  /** `POST`: signs out; `GET` asks first. Default `/logout`. */
  readonly logout?: string | false
}

/** The session's options. */
export interface AuthSessionOptions {
  /**
   * At least 32 characters that nobody can guess; cookies are signed and sealed with keys derived
   * from it. Of a list the first is used for new cookies and all are accepted, so that secrets can be
   * changed without signing anybody out. Falls back to `LATCHKEY_SESSION_SECRET`.
   */
  readonly secret?: string | readonly string[] | undefined
  /** Any store of express-session's kind. Without one, sessions live in this process. */
  readonly store?: SessionStore | undefined
  /** Seconds without a request after which a session ends. Default 86,400 (a day). */
  readonly idleSeconds?: number
  /** Seconds after login at which a session ends in any case. Default 604,800 (a week). */
  readonly absoluteSeconds?: number
  /** The session cookie. */
  readonly cookie?: {
    /** Its name, before the prefix `__Host-` that it has on https. Default `latchkey`. */
    readonly name?: string
    /** Default `lax`. */
    readonly sameSite?: 'lax' | 'strict' | 'none'
  }
  /** Names of what an anonymous visitor's session keeps when they sign in. Default none. */
  readonly keepAnonymousData?: readonly string[]
}

/** What an application says about itself and its provider. */
export interface AuthOptions {
  /** The provider's issuer identifier. Falls back to `LATCHKEY_ISSUER`. */
  readonly issuer?: string | URL | undefined
  /** Falls back to `LATCHKEY_CLIENT_ID`. */
  readonly clientId?: string | undefined
  /** Falls back to `LATCHKEY_CLIENT_SECRET`. */
  readonly clientSecret?: string | undefined
  /**
   * Where visitors reach this application, such as `https://app.example.com`. Nothing is derived from
   * the `Host` header or forwarded headers. Falls back to `LATCHKEY_BASE_URL`.
   */
  readonly baseUrl?: string | URL | undefined
  /** Default `openid profile email`. */
  readonly scope?: string
  readonly routes?: RouteOptions
  readonly session?: AuthSessionOptions
  /** How the provider is reached. Default the global `fetch`. */
  readonly fetch?: typeof fetch
  /** The time in whole seconds since the epoch. */
  readonly now?: () => number
}

/** The routes as absolute paths on `baseUrl`; `undefined` when turned off. */
export interface ResolvedRoutes {
  readonly login: string | undefined
  readonly callback: string
  readonly logout: string | undefined
}

/** The options with every default filled in and every URL parsed. */
export interface ResolvedAuthOptions {
  readonly issuer: URL
  readonly clientId: string
  readonly clientSecret: string
  readonly baseUrl: URL
  readonly redirectUri: string
  readonly scope: string
  readonly routes: ResolvedRoutes
  readonly secrets: readonly string[]
  readonly session: SessionSettings
  readonly secure: boolean
  readonly fetch: typeof fetch
  readonly now: () => number
}

/** Where values that the options leave out are looked up. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Checks the options and fills in the defaults, without touching the network.
 *
 * @throws {@link ConfigError} listing every fault at once.
 */
export function resolveOptions(
  options: AuthOptions,
  environment: Environment = {},
): ResolvedAuthOptions {
  const faults: ConfigFault[] = []
  const text = (option: string, value: unknown, variable: string): string => {
    const found = value ?? environment[variable]
    if (typeof found === 'string' && found.trim() !== '') return found
    faults.push({
      option,
      variable,
      remedy: 'must be a non-empty string; is the environment variable set?',
    })
    return ''
  }
  const address = (option: string, value: unknown, variable: string): URL => {
    const found = text(option, value instanceof URL ? value.href : value, variable)
    const url = URL.canParse(found) ? new URL(found) : undefined
    if (found && !isUsableUrl(url)) {
      faults.push({
        option,
        variable,
        remedy:
          'must be an https:// URL without credentials, query or fragment (http:// on a loopback host only)',
      })
    }
    return url ?? new URL('https://invalid.invalid')
  }

  const issuer = address('issuer', options.issuer, 'LATCHKEY_ISSUER')
  const clientId = text('clientId', options.clientId, 'LATCHKEY_CLIENT_ID')
  const clientSecret = text('clientSecret', options.clientSecret, 'LATCHKEY_CLIENT_SECRET')
  const baseUrl = address('baseUrl', options.baseUrl, 'LATCHKEY_BASE_URL')
  const secrets = resolveSecrets(options, environment, faults)
  const routes = resolveRoutes(options.routes ?? {}, baseUrl, faults)
  if (faults.length > 0) throw new ConfigError(faults)

  const secure = baseUrl.protocol === 'https:'
  const session = options.session ?? {}
  return {
    issuer,
    clientId,
    clientSecret,
    baseUrl,
    redirectUri: baseUrl.origin + routes.callback,
    scope: options.scope ?? 'openid profile email',
    routes,
    secrets,
    secure,
    session: {
      secrets,
      cookieName: `${secure ? '__Host-' : ''}${session.cookie?.name ?? 'latchkey'}`,
      cookie: { path: '/', secure, sameSite: session.cookie?.sameSite ?? 'lax' },
      idleSeconds: session.idleSeconds ?? 86_400,
      absoluteSeconds: session.absoluteSeconds ?? 604_800,
      touchSeconds: 60,
      keepAnonymousData: session.keepAnonymousData ?? [],
    },
    fetch: options.fetch ?? globalThis.fetch,
    now: options.now ?? (() => Math.floor(Date.now() / 1000)),
  }
}

function resolveSecrets(
  options: AuthOptions,
  environment: Environment,
  faults: ConfigFault[],
): readonly string[] {
  const given = options.session?.secret ?? environment.LATCHKEY_SESSION_SECRET
  const secrets = typeof given === 'string' ? [given] : (given ?? [])
  if (secrets.length === 0 || secrets.some((secret) => (secret?.length ?? 0) < 32)) {
    faults.push({
      option: 'session.secret',
      variable: 'LATCHKEY_SESSION_SECRET',
      remedy: 'must be at least 32 random characters; make one with: openssl rand -base64 32',
    })
  }
  return secrets
}

function resolveRoutes(routes: RouteOptions, baseUrl: URL, faults: ConfigFault[]): ResolvedRoutes {
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  const taken = new Map<string, string>()
  const resolve = (name: keyof RouteOptions, fallback: string): string | undefined => {
    const route = routes[name] ?? fallback
    if (route === false) return undefined
    if (!/^\/[\w\-./~]+$/.test(route)) {
      faults.push({ option: `routes.${name}`, remedy: 'must be a path such as "/auth/login"' })
    }
    const other = taken.get(route)
    if (other)
      faults.push({ option: `routes.${name}`, remedy: `is the same path as "routes.${other}"` })
    taken.set(route, name)
    return prefix + route
  }
  return {
    login: resolve('login', '/login'),
    callback: resolve('callback', '/callback') ?? '/callback',
    logout: resolve('logout', '/logout'),
  }
}

/** Whether a host only ever means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}

function isUsableUrl(url: URL | undefined): boolean {
  if (!url || url.search || url.hash || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}
