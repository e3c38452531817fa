import type { KeyObject } from 'node:crypto'
import type { AppUser } from '../guard/user.ts'
import type { AuthRequest } from '../http/request.ts'
import type { ResolvedResource, ResourceOptions } from '../http/resources.ts'
import type { Logger } from '../log/log.ts'
import type { ClaimsSchema } from '../session/claims-schema.ts'
import type { SessionTokens } from '../session/session.ts'
import type { SessionSettings } from '../session/session-record.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { TelemetryApi } from '../shared/telemetry.ts'
import type { Languages } from '../texts/languages.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import type { Hooks } from './hooks.ts'

/** How the application proves to the provider that it is the client (OIDC Core 1.0 §9). */
export type ClientAuth = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

/** A client secret, or a function that makes one and is called at every exchange. */
export type ClientSecret = string | (() => string | Promise<string>)

/** How the assertions of `private_key_jwt` are made (RFC 7523 §3). */
export interface ClientAssertionOptions {
  /** The `kid` of the header, for providers that know several keys of the client. Default none. */
  readonly keyId?: string
  /** Default `issuer`. Okta and Entra ID want `token_endpoint`. */
  readonly audience?: 'issuer' | 'token_endpoint'
  /** Default RS256, ES256 or Ed25519, by the kind of the key. PS256 takes RSA keys. */
  readonly algorithm?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'
}

/** One provider and this application's registration there. */
export interface IssuerRegistration {
  readonly issuer: string | URL
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /**
   * Whether this provider sends visitors back to the callback itself, instead of to a redirect URI
   * of its own (`redirectUriFor`). Only for providers that name themselves in their answers (RFC
   * 9207), which is checked. Only used with an issuer function. Default `false`.
   */
  readonly sharedCallback?: boolean | undefined
}

/**
 * Chooses the provider of a request, for applications that serve several tenants. Transactions and
 * sessions are bound to the choice: a login or session of one provider is not valid at another.
 */
export type IssuerResolver = (
  request: AuthRequest,
) => IssuerRegistration | Promise<IssuerRegistration>

/** The moment at which userinfo is read. */
export type UserinfoOption = 'never' | 'login' | { readonly everySeconds: number }

/** How bearer tokens are recognized, for guards with `accept: ['session', 'bearer']`. */
export interface BearerOptions {
  /**
   * The `aud` of access tokens for this application; one of several will do. Required, unless the application declares
   * `resources`: within these, the `aud` is the address of the resource.
   */
  readonly audience?: string | readonly string[]
  /**
   * The narrower scopes that a broader scope implies, for every guard: `{ 'notes:write': ['notes:read'] }`. They may imply
   * more. Default: a scope implies no other.
   */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /**
   * Whether to introspect (RFC 7662) tokens that are not JWT access tokens (RFC 9068), at every
   * request. Default `false`: such tokens are refused.
   */
  readonly introspection?: boolean
  /**
   * With `'required'`, guards accept only tokens that are bound to a key (DPoP, RFC 9449), with its proof;
   * a stolen token is refused. Default: bound tokens with their proof, and others without one. `profile: 'fapi2'` requires it too.
   */
  readonly dpop?: 'required'
}

/** The routes; a string renames one, `false` turns it off. Paths are relative to `baseUrl`. */
export interface RouteOptions {
  /** `GET`: begins a login. Default `/login`. */
  readonly login?: string | false
  /** `GET` or `POST`: where the provider sends the visitor back. Default `/callback`. */
  readonly callback?: string
  /** `POST`: logs out; `GET` asks first. Default `/logout`. */
  readonly logout?: string | false
  /**
   * `GET`: where the provider sends the visitor after its own logout (`post_logout_redirect_uri`).
   * Off by default: visitors come back to the root of `baseUrl`.
   */
  readonly loggedOut?: string | false
  /** `POST`: the provider's notices that a session ended. Default `/backchannel-logout`. */
  readonly backchannelLogout?: string | false
  /** `GET`: the user and the session's end as JSON, for single-page applications. Default `/session`. */
  readonly session?: string | false
  /** Shows a form that was kept through a login; see `keepForms`. Default `/kept-form`. */
  readonly keptForm?: string
}

/** The pages that logins end at. */
export interface ReturnToOptions {
  /** A path of this site, for logins that no page asked for. Default the path of `baseUrl`. */
  readonly default?: string
}

/** How forms are kept through a login. */
export interface KeepFormsOptions {
  /** More names of fields that are never kept, in any case: `['cardNumber']`. */
  readonly except?: readonly string[]
}

/** A session of another login kit. */
export interface AdoptedSession {
  /** The claims of the user; `sub` is required. The kit uses `iss` and `sid`. */
  readonly user: Readonly<Record<string, unknown>> & { readonly sub: string }
  /**
   * When the old session began, in seconds since the epoch. The new one ends `absoluteSeconds` after it.
   * Default now.
   */
  readonly startedAt?: number | undefined
  /** Names the old session, where its cookie changes while it lasts. Default the cookie. */
  readonly id?: string | undefined
  /** Sent to the provider at logout as `id_token_hint`. */
  readonly idToken?: string | undefined
  /** The tokens of the session. Without them, `accessToken()` throws until the next login. */
  readonly tokens?: SessionTokens | undefined
}

/** How sessions of another login kit are adopted, so that a switch logs no user out. */
export interface AdoptOptions {
  /** The name of the old session cookie, such as `appSession`. Its pieces `appSession.0` and so on belong to it. */
  readonly cookie: string
  /**
   * Reads an old session: `undefined` where the cookie opens none. It must verify the cookie as the
   * old kit did: the user that it names is logged in.
   */
  readonly read: (
    cookie: string,
    request: AuthRequest,
  ) => AdoptedSession | undefined | Promise<AdoptedSession | undefined>
}

/** The session's options. */
export interface AuthSessionOptions<Store = SessionStore> {
  /**
   * A text of at least 32 characters that can't be guessed; cookies are signed and sealed with keys derived
   * from it. In a list, the first is used for new cookies and all are accepted, so that secrets can
   * be changed without logging users out. Falls back to `LATCHKEY_SESSION_SECRET`.
   */
  readonly secret?: string | readonly string[] | undefined
  /**
   * Where sessions live. Without a store, they live in this process. `'cookie'` keeps each one sealed in
   * the cookie of its browser, at most 8 kB, for serverless functions and small sites; back-channel
   * logout, lists of sessions and revocation are off then.
   */
  readonly store?: Store | 'cookie' | undefined
  /** Seconds without a request after which a session ends. Default 86,400 (a day). */
  readonly idleSeconds?: number
  /** Seconds after login at which a session ends in any case. Default 604,800 (a week). */
  readonly absoluteSeconds?: number
  /** The name of the session cookie and its attribute `SameSite`. */
  readonly cookie?: {
    /**
     * Its name, before the prefix `__Host-` that it has on https. Default `latchkey`, and with a path in
     * `baseUrl` that too: `latchkey-shop`.
     */
    readonly name?: string
    /** Default `lax`. */
    readonly sameSite?: 'lax' | 'strict' | 'none'
  }
  /** Names of what an anonymous visitor's session keeps when they log in. Default none. */
  readonly keepAnonymousData?: readonly string[]
  /** Adopts the sessions of another login kit, each once. Default none. */
  readonly adopt?: AdoptOptions
}

/** The options of an application and its provider. */
export interface AuthOptions<U = AppUser, Exchange = unknown, Store = SessionStore> {
  /** The provider's issuer identifier, or a choice by request. Falls back to `LATCHKEY_ISSUER`. */
  readonly issuer?: string | URL | IssuerResolver | undefined
  /** The id of this application at the provider. Falls back to `LATCHKEY_CLIENT_ID`. */
  readonly clientId?: string | undefined
  /**
   * A secret, or a function that makes one, such as `appleClientSecret()`. Falls back to
   * `LATCHKEY_CLIENT_SECRET`.
   */
  readonly clientSecret?: ClientSecret | undefined
  /**
   * How the application authenticates at the provider. Default `client_secret_basic`, or
   * `client_secret_post` where the provider knows only that. `private_key_jwt` needs `clientKey`;
   * `none` is for clients without a secret.
   */
  readonly clientAuth?: ClientAuth
  /** The private key of `private_key_jwt`: RSA (RS256), P-256 (ES256) or Ed25519, PEM or key object. */
  readonly clientKey?: string | KeyObject | undefined
  /** How the assertions of `private_key_jwt` are made. */
  readonly clientAssertion?: ClientAssertionOptions
  /**
   * The security profile of logins. With `fapi2`, logins follow the FAPI 2.0 Security Profile: pushed requests,
   * `private_key_jwt`, and access tokens that are bound to a key of the session (DPoP), which guards demand as well. It
   * needs `clientKey`. Default: OpenID Connect as the other options say.
   */
  readonly profile?: 'fapi2'
  /**
   * Whether access tokens are bound to a key of the session (DPoP, RFC 9449), so that a stolen token opens nothing; call APIs
   * with `req.auth.fetch()`. The provider must announce ES256 in `dpop_signing_alg_values_supported`. Default `false`;
   * `profile: 'fapi2'` includes it.
   */
  readonly dpop?: boolean
  /**
   * The address of the provider's discovery document, where it is not at the issuer's own
   * `/.well-known/openid-configuration`. The document must name the issuer that `issuer` does.
   */
  readonly discoveryUrl?: string | URL | undefined
  /**
   * Members that replace those of the discovery document, such as `end_session_endpoint` where the
   * provider does not name the one that it has. With `authorization_endpoint`, `token_endpoint` and `jwks_uri` the provider is
   * not asked for a document, unless `discoveryUrl` is set.
   */
  readonly metadata?: Readonly<Record<string, unknown>>
  /**
   * Where visitors reach this application, such as `https://app.example.com`. Nothing is derived
   * from the `Host` header or forwarded headers. Falls back to `LATCHKEY_BASE_URL`. With a list,
   * such as the domains of one application, the `Host` of a request selects the entry; requests for
   * other hosts are refused. All have the same scheme and path, and each has a redirect URI to
   * register.
   */
  readonly baseUrl?: string | URL | readonly (string | URL)[] | undefined
  /**
   * The ids of the tenants whose users are admitted, where the issuer is Entra ID for several tenants:
   * `https://login.microsoftonline.com/common/v2.0` or `…/organizations/v2.0`.
   */
  readonly entraTenants?: readonly string[]
  /**
   * More origins whose pages may send writes (`POST`, `PUT`, `PATCH`, `DELETE`) through
   * `requireUser()`, and log out: `['https://admin.example.com']`. Default none: only pages of
   * `baseUrl` may. `'any'` allows writes from pages of every site; use it only if each form has a
   * CSRF token that you check.
   */
  readonly trustedOrigins?: readonly string[] | 'any'
  /** The scopes that logins ask for. Default `openid profile email`. */
  readonly scope?: string
  /** The pages that logins end at. */
  readonly returnTo?: ReturnToOptions
  /**
   * Whether a visitor who opens a page is logged in if the provider knows them already (`prompt=none`):
   * once in a browser session, and without a question. Others see the page as visitors. Default `false`.
   */
  readonly silentLogin?: boolean
  /**
   * Whether a form that is sent to a guard without a session is kept through the login: its fields are shown afterwards,
   * and one click sends them. It is kept in the session store for ten minutes, sealed, for its browser and user. Fields
   * named like secrets are left out, and those that `except` names. Kept forms take at most 20 MiB for each process. Default
   * `false`: the form is lost, and a page before the login and the log say so.
   */
  readonly keepForms?: boolean | KeepFormsOptions
  /** Parameters added to every authorization request, such as `audience`. */
  readonly authorizationParams?: Readonly<Record<string, string>>
  /** Parameters added to every request to the token endpoint, such as `resource`. */
  readonly tokenParams?: Readonly<Record<string, string>>
  /**
   * Parameters of the provider's logout, added or replaced; `false` leaves one out, such as
   * `id_token_hint` or `post_logout_redirect_uri`.
   */
  readonly logoutParams?: Readonly<Record<string, string | false>>
  /**
   * Whether the parameters of a login always go to the provider directly (RFC 9126), rather than
   * through the browser. Default: when the provider asks for it.
   */
  readonly pushedAuthorizationRequests?: boolean
  /** Query parameters that `/login` passes on. Default `login_hint` and `ui_locales`. */
  readonly allowedLoginParams?: readonly string[]
  /** How the provider sends its answer. Default `query`; `form_post` needs an https `baseUrl`. */
  readonly responseMode?: 'query' | 'form_post'
  readonly routes?: RouteOptions
  /** Lets guards accept access tokens, for programs and other applications. Default: none is accepted. */
  readonly bearer?: BearerOptions
  /**
   * APIs and MCP servers of this application that programs log in to on a user's behalf. The kit publishes the metadata of
   * each (RFC 9728), guards name it in their challenges, and a token for one is not valid at another. Default none.
   */
  readonly resources?: readonly ResourceOptions[]
  readonly session?: AuthSessionOptions<Store>
  /**
   * Whether to read userinfo and add its claims to the user. Default `never`. With `login` it is read at
   * login and when the tokens are refreshed; with `{ everySeconds: 300 }` also at the first request
   * after that time, so that roles that were taken away are gone within five minutes.
   */
  readonly userinfo?: UserinfoOption
  /** Validates the user's claims at login, and gives them their type. Any Standard Schema library. */
  readonly claims?: ClaimsSchema<U>
  /** The user's roles for `requireUser({ roles })`. Default the claim `roles`. */
  readonly rolesFrom?: (user: NoInfer<U>) => readonly string[]
  /** Functions that take part in logins and logouts, such as to refuse a user. Each is awaited. */
  readonly hooks?: Hooks<Exchange, NoInfer<U>>
  /**
   * Lets an issuer resolver name providers on private networks and over plain http. Use it in
   * tests, or if you trust every tenant; otherwise a tenant can make this server call internal
   * services.
   */
  readonly allowPrivateIssuers?: boolean
  /**
   * Hosts that `issuer` and `baseUrl` may name with plain http, such as `keycloak` in a network of
   * containers. Anybody on the network can read tokens and sessions, so it is for development: with
   * `NODE_ENV=production` it is refused.
   */
  readonly insecureHttpHosts?: readonly string[]
  /** Seconds that one exchange with the provider may take. Default 5. */
  readonly timeoutSeconds?: number
  /**
   * Seconds that all exchanges with the provider may take together for one request; hooks and the
   * session store are not counted. Default 10, or `timeoutSeconds` if that is longer.
   */
  readonly requestSeconds?: number
  /**
   * Seconds that each function and each call of a store may take that the application hands in: the
   * session store, hooks, checks, `session.adopt.read`, `claims`, and the functions `issuer` and
   * `clientSecret`. Default 10.
   */
  readonly answerSeconds?: number
  /**
   * Texts of the kit's own pages, by language, such as `{ fr: { logIn: 'Se connecter' } }`. They
   * take precedence over the kit's own texts in English (`en`) and German (`de`); texts that a
   * language lacks are in English. The page is in the language that the browser prefers.
   */
  readonly texts?: Readonly<Record<string, Partial<PageTexts>>>
  /**
   * Takes a line for each failed login, refused logout token, unreachable provider or store, and
   * warning about the configuration. pino, winston, `console` and their likes; `false` logs nothing.
   * Default `console`. Lines hold no secret.
   */
  readonly logger?: Logger | false
  /**
   * The module `@opentelemetry/api` of the application, 1.3 or newer. With it, the kit makes spans of logins, callbacks,
   * refreshes, logouts, calls of the session store and exchanges with the provider, counts logins, refreshes and errors
   * of the store, and its log lines have `trace_id`. Spans and counters hold no secret, query, body or user. Default:
   * none.
   */
  readonly telemetry?: TelemetryApi
  /**
   * How the provider is reached. Default: the platform's own way, on Node `node:http`. With an issuer
   * function it also takes the place of the guard against private addresses.
   */
  readonly fetch?: typeof fetch
  /** The clock: whole seconds since the epoch. For tests. Default: the time of the machine. */
  readonly now?: () => number
}

/** The routes as absolute paths on `baseUrl`; `undefined` when turned off. */
export interface ResolvedRoutes {
  readonly login: string | undefined
  readonly callback: string
  readonly logout: string | undefined
  readonly loggedOut: string | undefined
  readonly backchannelLogout: string | undefined
  readonly session: string | undefined
  readonly keptForm: string | undefined
}

/** A registration with its URL parsed. */
export interface ResolvedRegistration {
  readonly issuer: URL
  /** The address of the discovery document, or the document itself. */
  readonly discovery: URL | Readonly<Record<string, unknown>>
  readonly clientId: string
  readonly clientSecret: ClientSecret | undefined
}

/** How bearer tokens are recognized. */
export interface ResolvedBearer {
  /** The audiences of addresses outside of all resources. */
  readonly audiences: readonly string[]
  readonly introspection: boolean
  readonly impliedScopes: Readonly<Record<string, readonly string[]>> | undefined
  /** Whether tokens that are not bound to a key are refused. */
  readonly isProofRequired: boolean
}

/** The options with any type of user: within the kit a user is a record of claims. */
export type AnyAuthOptions = AuthOptions<Readonly<Record<string, unknown>>>

/** The options with every default filled in and every URL parsed. */
export interface ResolvedAuthOptions {
  /** The provider, or the choice of one. */
  readonly registration: ResolvedRegistration | IssuerResolver
  readonly clientAuth: ClientAuth | undefined
  readonly clientKey: KeyObject | undefined
  readonly clientAssertion: ClientAssertionOptions
  readonly profile: 'fapi2' | undefined
  readonly dpop: boolean
  readonly metadata: Readonly<Record<string, unknown>>
  readonly entraTenants: readonly string[] | undefined
  readonly tokenParams: Readonly<Record<string, string>>
  readonly logoutParams: Readonly<Record<string, string | false>>
  readonly pushedAuthorizationRequests: boolean
  readonly baseUrl: URL
  /** Every base URL, this one too. */
  readonly baseUrls: readonly URL[]
  /** More origins whose pages may send writes. */
  readonly trustedOrigins: readonly string[]
  /** Whether guards ask where a write comes from. */
  readonly checksWrites: boolean
  readonly redirectUri: string
  readonly defaultReturnTo: string
  readonly silentLogin: boolean
  readonly keepForms: Required<KeepFormsOptions> | undefined
  readonly scope: string
  readonly authorizationParams: Readonly<Record<string, string>>
  readonly allowedLoginParams: readonly string[]
  readonly responseMode: 'query' | 'form_post'
  readonly routes: ResolvedRoutes
  readonly bearer: ResolvedBearer | undefined
  /** The resources at `baseUrl`, the longest path first. */
  readonly resources: readonly ResolvedResource[]
  readonly secrets: readonly string[]
  readonly session: SessionSettings
  readonly adopt: AdoptOptions | undefined
  readonly userinfo: UserinfoOption
  readonly claims: ClaimsSchema | undefined
  readonly rolesFrom: (user: Readonly<Record<string, unknown>>) => readonly string[]
  readonly hooks: NonNullable<AnyAuthOptions['hooks']>
  readonly allowPrivateIssuers: boolean
  readonly logger: Logger | false
  readonly telemetry: TelemetryApi | undefined
  /**
   * Opens the flight recorder and the personas. `undefined` where this is not a developer's machine: there
   * are neither, and error pages do not help the developer.
   */
  readonly developmentKey: string | undefined
  /** Whether visitors come over https. */
  readonly secure: boolean
  readonly timeoutSeconds: number
  readonly requestSeconds: number
  readonly answerSeconds: number
  readonly languages: Languages
  /** The function that requests to the provider go through. Absent: connections of our own. */
  readonly fetch: typeof fetch | undefined
  readonly now: () => number
}
