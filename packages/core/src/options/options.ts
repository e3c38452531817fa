import type { KeyObject } from 'node:crypto'
import type { AppUser } from '../guard/user.ts'
import type { AuthRequest } from '../http/request.ts'
import type { ResolvedResource, ResourceOptions } from '../http/resources.ts'
import type { Logger } from '../log/log.ts'
import type { ClaimsSchema } from '../session/claims-schema.ts'
import type { SessionTokens } from '../session/session.ts'
import type { SessionSettings } from '../session/session-record.ts'
import type { SessionStore } from '../session/stores/session-store.ts'
import type { TelemetryApi } from '../shared/telemetry.ts'
import type { Languages } from '../texts/languages.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import type { Hooks } from './hooks.ts'

/**
 * The method by which the application authenticates at the provider's token endpoint (OIDC Core 1.0
 * §9).
 */
export type ClientAuth = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

/**
 * A client secret, or a function that returns one. The function is called whenever the secret is
 * needed.
 */
export type ClientSecret = string | (() => string | Promise<string>)

/** Options of the client assertions for `private_key_jwt` (RFC 7523 §3). */
export interface ClientAssertionOptions {
  /**
   * The `kid` in the header. Providers need it if several keys of the client are registered.
   * Default none.
   */
  readonly keyId?: string
  /** The `aud` of the assertion. Default `issuer`. Okta and Entra ID require `token_endpoint`. */
  readonly audience?: 'issuer' | 'token_endpoint'
  /**
   * The signature algorithm. Default RS256, ES256 or EdDSA, by the type of the key. RSA keys can
   * also use PS256, which is the default with `profile: 'fapi2'`.
   */
  readonly algorithm?: 'RS256' | 'PS256' | 'ES256' | 'EdDSA'
}

/** One provider and this application's registration there. */
export interface IssuerRegistration {
  /** The issuer identifier of the provider. */
  readonly issuer: string | URL
  /** The client id of this application at the provider. */
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /**
   * Whether this provider uses the plain callback as its redirect URI, instead of a redirect URI of
   * its own (`redirectUriFor`). Allowed only for providers that name themselves in the callback
   * (RFC 9207). Used only if `issuer` is a function. Default `false`.
   */
  readonly sharedCallback?: boolean | undefined
}

/**
 * Chooses the provider of a request, for applications with several tenants. A login or session of
 * one provider is not valid for requests of another.
 */
export type IssuerResolver = (
  request: AuthRequest,
) => IssuerRegistration | Promise<IssuerRegistration>

/** The option that says when userinfo is read: never, at login, or again every few seconds. */
export type UserinfoOption = 'never' | 'login' | { readonly everySeconds: number }

/** Options of access tokens, for guards with `accept: ['session', 'bearer']`. */
export interface BearerOptions {
  /**
   * The `aud` that access tokens must have; with a list, one of them. Required unless `resources`
   * is set. A token for a resource must have the URL of the resource instead.
   */
  readonly audience?: string | readonly string[]
  /**
   * Scopes that imply narrower ones, for every guard: `{ 'notes:write': ['notes:read'] }`. An
   * implied scope can imply others. Default none.
   */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /**
   * Whether to ask the provider, at every request, about tokens that are not JWT access tokens
   * (introspection, RFC 7662; RFC 9068). Default `false`: such tokens are refused.
   */
  readonly introspection?: boolean
  /**
   * `'required'` accepts only tokens that are bound to a key (DPoP, RFC 9449), so that a stolen
   * token is refused. Default: unbound tokens are accepted too; bound tokens always need a proof.
   * `profile: 'fapi2'` implies `'required'`.
   */
  readonly dpop?: 'required'
}

/** The paths of the kit's routes, relative to `baseUrl`. `false` turns a route off. */
export interface RouteOptions {
  /** `GET`: starts a login. Default `/login`. */
  readonly login?: string | false
  /**
   * `GET` or `POST`: the redirect URI, to which the provider sends the visitor back. Default
   * `/callback`.
   */
  readonly callback?: string
  /** `POST`: logs out. `GET`: shows a page that asks first. Default `/logout`. */
  readonly logout?: string | false
  /**
   * `GET`: the page to which the provider sends the visitor after its logout
   * (`post_logout_redirect_uri`). Off by default: visitors come back to `baseUrl`.
   */
  readonly loggedOut?: string | false
  /**
   * `POST`: receives the provider's logout tokens (OpenID Connect Back-Channel Logout 1.0). Default
   * `/backchannel-logout`.
   */
  readonly backchannelLogout?: string | false
  /**
   * `GET`: the user and the expiry of the session as JSON, for single-page applications. Default
   * `/session`.
   */
  readonly session?: string | false
  /** The page that shows a kept form after the login; see `keepForms`. Default `/kept-form`. */
  readonly keptForm?: string
}

/** The pages to show after logins. */
export interface ReturnToOptions {
  /**
   * The page to show if the login names no other: a path of this site. Default: the path of
   * `baseUrl`.
   */
  readonly default?: string
}

/** Options of kept forms. */
export interface KeepFormsOptions {
  /**
   * Names of more fields that are never kept, such as `['cardNumber']`. Upper and lower case are
   * the same.
   */
  readonly except?: readonly string[]
}

/** A session of another login kit. */
export interface AdoptedSession {
  /** The claims of the user. `sub` is required. The kit also uses `iss` and `sid`. */
  readonly user: Readonly<Record<string, unknown>> & { readonly sub: string }
  /**
   * When the old session began, in seconds since the epoch. The new session expires
   * `absoluteSeconds` later. Default now.
   */
  readonly startedAt?: number | undefined
  /**
   * The id of the old session. Needed if its cookie changes from request to request. Default: the
   * cookie.
   */
  readonly id?: string | undefined
  /** Sent to the provider at logout as `id_token_hint`. */
  readonly idToken?: string | undefined
  /** The tokens of the user. Without them, `accessToken()` throws until the next login. */
  readonly tokens?: SessionTokens | undefined
}

/** Adopts the sessions of another login kit, so that a switch to Latchkey logs no user out. */
export interface AdoptOptions {
  /**
   * The name of the old session cookie, such as `appSession`. Parts such as `appSession.0` are read
   * too.
   */
  readonly cookie: string
  /**
   * Reads an old session; `undefined` if the cookie is not valid. The function must verify the
   * cookie as the old kit did, because the user that it returns is logged in.
   */
  readonly read: (
    cookie: string,
    request: AuthRequest,
  ) => AdoptedSession | undefined | Promise<AdoptedSession | undefined>
}

/** Options of sessions. */
export interface AuthSessionOptions<Store = SessionStore> {
  /**
   * A random text of at least 32 characters. Cookies are signed and sealed with keys derived from
   * it. With a list, new cookies use the first secret and all are accepted. To rotate secrets
   * without logging users out, deploy `[old, new]` to all processes, then `[new, old]`. Remove the
   * old secret after `absoluteSeconds`. Falls back to `LATCHKEY_SESSION_SECRET`, which holds one
   * secret.
   */
  readonly secret?: string | readonly string[] | undefined
  /**
   * The session store. Default: the memory of this process. `'cookie'` keeps each session sealed in
   * the browser's cookie, at most 8 kB, for serverless functions and small sites. Back-channel
   * logout, lists of sessions and revocation do not work with `'cookie'`.
   */
  readonly store?: Store | 'cookie' | undefined
  /** Seconds without a request after which a session expires. Default 86,400 (a day). */
  readonly idleSeconds?: number
  /** Seconds after the login at which a session expires in any case. Default 604,800 (a week). */
  readonly absoluteSeconds?: number
  /** The name of the session cookie, and its attribute `SameSite`. */
  readonly cookie?: {
    /**
     * The name, without the prefix `__Host-` that is added on https. Default `latchkey`, or with
     * the path of `baseUrl`, if it has one: `latchkey-shop`.
     */
    readonly name?: string
    /** The attribute `SameSite`. Default `lax`. */
    readonly sameSite?: 'lax' | 'strict' | 'none'
  }
  /**
   * Names of session data that an anonymous visitor keeps at login, such as `cart`. Default none.
   */
  readonly keepAnonymousData?: readonly string[]
  /** Adopts the sessions of another login kit. Default none. */
  readonly adopt?: AdoptOptions
}

/** The options of `createAuth()` and of the adapters, such as `createAuthRouter()`. */
export interface AuthOptions<U = AppUser, Exchange = unknown, Store = SessionStore> {
  /**
   * The issuer identifier of the provider, or a function that chooses the provider of each request.
   * Falls back to `LATCHKEY_ISSUER`.
   */
  readonly issuer?: string | URL | IssuerResolver | undefined
  /** The client id of this application at the provider. Falls back to `LATCHKEY_CLIENT_ID`. */
  readonly clientId?: string | undefined
  /**
   * The client secret, or a function that returns one, such as `appleClientSecret()`. Falls back to
   * `LATCHKEY_CLIENT_SECRET`.
   */
  readonly clientSecret?: ClientSecret | undefined
  /**
   * How the application authenticates at the provider. Default `client_secret_basic`, or
   * `client_secret_post` if the provider supports only that. `private_key_jwt` needs `clientKey`.
   * `none` is for clients without a secret.
   */
  readonly clientAuth?: ClientAuth
  /** The private key for `private_key_jwt`: RSA, P-256 or Ed25519, as PEM or key object. */
  readonly clientKey?: string | KeyObject | undefined
  /** Options of the client assertions for `private_key_jwt`. */
  readonly clientAssertion?: ClientAssertionOptions
  /**
   * `fapi2` makes logins follow the FAPI 2.0 Security Profile: pushed requests, `private_key_jwt`,
   * and access tokens that are bound to a key of the session (DPoP). Guards then accept only bound
   * tokens. Needs `clientKey`. Default: no profile.
   */
  readonly profile?: 'fapi2'
  /**
   * Whether access tokens are bound to a key of the session (DPoP, RFC 9449), so that a stolen
   * token is useless. Call APIs with `req.auth.fetch()` then. The provider must list ES256 in
   * `dpop_signing_alg_values_supported`. Default `false`; `profile: 'fapi2'` turns it on.
   */
  readonly dpop?: boolean
  /**
   * The URL of the provider's discovery document. Default: `/.well-known/openid-configuration`
   * below the issuer. The document must name the same issuer as the option `issuer`.
   */
  readonly discoveryUrl?: string | URL | undefined
  /**
   * Members that replace those of the discovery document, such as an `end_session_endpoint` that
   * the provider does not publish. If you set `authorization_endpoint`, `token_endpoint` and
   * `jwks_uri`, no document is fetched, unless `discoveryUrl` is set.
   */
  readonly metadata?: Readonly<Record<string, unknown>>
  /**
   * The URL at which visitors reach this application, such as `https://app.example.com`. URLs are
   * never built from the `Host` header or forwarded headers. Falls back to `LATCHKEY_BASE_URL`.
   * With a list, for an application with several domains, `Host` selects the entry and requests for
   * other hosts are refused. All entries need the same scheme and path. Register the redirect URI
   * of each.
   */
  readonly baseUrl?: string | URL | readonly (string | URL)[] | undefined
  /**
   * The ids of the Entra ID tenants whose users may log in. Used with the issuers
   * `https://login.microsoftonline.com/common/v2.0` and `…/organizations/v2.0`.
   */
  readonly entraTenants?: readonly string[]
  /**
   * More origins whose pages may send writes (`POST`, `PUT`, `PATCH`, `DELETE`) to guarded routes
   * and log out, such as `['https://admin.example.com']`. Default none: only pages of `baseUrl`
   * may. `'any'` allows every site; use it only if you check a CSRF token in each form.
   */
  readonly trustedOrigins?: readonly string[] | 'any'
  /** The scopes that logins request. Default `openid profile email`. */
  readonly scope?: string
  /** The pages to show after logins. */
  readonly returnTo?: ReturnToOptions
  /**
   * Whether to log in visitors without a question if they have a session at the provider
   * (`prompt=none`). Tried once in a browser session, when a page is opened. Visitors without such
   * a session see the page without a login. Default `false`.
   */
  readonly silentLogin?: boolean
  /**
   * Whether to keep a form that a visitor sent to a guarded route without being logged in. After
   * the login its fields are shown, and one click sends them. The form is kept sealed in the
   * session store for ten minutes, for this browser and user. Fields that are named like secrets or
   * in `except` are left out. At most 20 MiB of forms are kept per process. Default `false`: the
   * form is lost; a page before the login and the log say so.
   */
  readonly keepForms?: boolean | KeepFormsOptions
  /** Parameters to add to every authorization request, such as `audience`. */
  readonly authorizationParams?: Readonly<Record<string, string>>
  /** Parameters to add to every request to the token endpoint, such as `resource`. */
  readonly tokenParams?: Readonly<Record<string, string>>
  /**
   * Parameters to add to the logout request to the provider, or to replace in it. `false` leaves
   * one out, such as `id_token_hint` or `post_logout_redirect_uri`.
   */
  readonly logoutParams?: Readonly<Record<string, string | false>>
  /**
   * Whether to send the parameters of a login directly to the provider, instead of through the
   * browser (pushed authorization requests, RFC 9126). Default: only if the provider requires it.
   */
  readonly pushedAuthorizationRequests?: boolean
  /**
   * Query parameters that the login route passes on to the provider. Default `login_hint` and
   * `ui_locales`.
   */
  readonly allowedLoginParams?: readonly string[]
  /**
   * How the provider sends the result of a login to the callback. Default `query`; `form_post`
   * needs an https `baseUrl`.
   */
  readonly responseMode?: 'query' | 'form_post'
  /** The paths of the kit's routes. Default: those of {@link RouteOptions}. */
  readonly routes?: RouteOptions
  /**
   * Lets guards accept access tokens from programs and other applications. Default: none is
   * accepted.
   */
  readonly bearer?: BearerOptions
  /**
   * APIs and MCP servers of this application that programs use on behalf of users. The kit
   * publishes the metadata of each (RFC 9728), and guards name it in `WWW-Authenticate`. A token
   * for one resource is not valid at another. Default none.
   */
  readonly resources?: readonly ResourceOptions[]
  /** Options of sessions. */
  readonly session?: AuthSessionOptions<Store>
  /**
   * Whether to read userinfo and add its claims to the user. Default `never`. `login` reads it at
   * login and when tokens are refreshed. `{ everySeconds: 300 }` also reads it at the first request
   * after that time, so that roles which userinfo no longer has are gone after five minutes. Roles
   * that only an ID token has had stay until a refresh of tokens brings a new one.
   */
  readonly userinfo?: UserinfoOption
  /**
   * A schema that validates the user's claims at login and gives them their type: Zod, Valibot,
   * ArkType or another library of Standard Schema.
   */
  readonly claims?: ClaimsSchema<U>
  /** Returns the user's roles for `requireUser({ roles })`. Default: the claim `roles`. */
  readonly rolesFrom?: (user: NoInfer<U>) => readonly string[]
  /**
   * Functions that take part in logins and logouts, for example to refuse a user. Each hook is
   * awaited.
   */
  readonly hooks?: Hooks<Exchange, NoInfer<U>>
  /**
   * Whether an `issuer` function may name providers on private networks and over plain http. Set it
   * in tests, or if you trust every tenant. Otherwise a tenant could make this server call internal
   * services. Default `false`.
   */
  readonly allowPrivateIssuers?: boolean
  /**
   * Hosts for which `issuer` and `baseUrl` may use plain http, such as `keycloak` in a network of
   * containers. For development only, because everyone on the network can read tokens and sessions:
   * refused with `NODE_ENV=production`.
   */
  readonly insecureHttpHosts?: readonly string[]
  /** Seconds that one request to the provider may take. Default 5. */
  readonly timeoutSeconds?: number
  /**
   * Seconds that all requests to the provider may take together while one request is served. Hooks
   * and the session store are not counted. Default 10, or `timeoutSeconds` if that is longer.
   */
  readonly requestSeconds?: number
  /**
   * Seconds that a call of your code may take: the session store, hooks, checks,
   * `session.adopt.read`, `claims`, and the functions `issuer` and `clientSecret`. Default 10.
   */
  readonly answerSeconds?: number
  /**
   * Texts of the kit's pages by language, such as `{ fr: { logIn: 'Se connecter' } }`. They replace
   * the kit's texts in English (`en`) and German (`de`). Missing texts of a language are in
   * English. A page is in the language that the browser prefers, and goes from right to left in
   * Arabic, Hebrew and the like.
   */
  readonly texts?: Readonly<Record<string, Partial<PageTexts>>>
  /**
   * The logger for failed logins, refused logout tokens, a provider or store that cannot be
   * reached, and warnings about the configuration: pino, winston, `console` or a similar one.
   * `false` logs nothing. Default `console`. Lines contain no secret.
   */
  readonly logger?: Logger | false
  /**
   * The module `@opentelemetry/api` of the application, version 1.3 or newer. The kit then makes
   * spans of logins, callbacks, refreshes, logouts, calls of the session store and requests to the
   * provider. It counts logins, refreshes and errors of the store, and adds `trace_id` to log
   * lines. Spans and counters contain no secret, query, body or user. Default none.
   */
  readonly telemetry?: TelemetryApi
  /**
   * The `fetch` for requests to the provider. Default: that of the platform; on Node, `node:http`.
   * If `issuer` is a function, your `fetch` also replaces the protection against private addresses.
   */
  readonly fetch?: typeof fetch
  /** Returns the time in whole seconds since the epoch, for tests. Default: the system clock. */
  readonly now?: () => number
}

/**
 * The paths of the kit's routes, with the path of `baseUrl`. `undefined` if a route is turned off.
 */
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
  /** The URL of the discovery document, or the document itself. */
  readonly discovery: URL | Readonly<Record<string, unknown>>
  readonly clientId: string
  readonly clientSecret: ClientSecret | undefined
}

/** The rules for bearer tokens. */
export interface ResolvedBearer {
  /** The accepted audiences of tokens for requests outside of all resources. */
  readonly audiences: readonly string[]
  readonly introspection: boolean
  readonly impliedScopes: Readonly<Record<string, readonly string[]>> | undefined
  /** Whether tokens that are not bound to a key are refused. */
  readonly isProofRequired: boolean
}

/** The options with any type of user. Inside the kit, a user is a record of claims. */
export type AnyAuthOptions = AuthOptions<Readonly<Record<string, unknown>>>

/** The options with every default filled in and every URL parsed. */
export interface ResolvedAuthOptions {
  /** The provider, or the function that chooses one. */
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
  /** All base URLs, including `baseUrl`. */
  readonly baseUrls: readonly URL[]
  /** More origins whose pages may send writes. */
  readonly trustedOrigins: readonly string[]
  /** Whether guards check which page sent a write. */
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
   * The key that opens the flight recorder and the personas; `undefined` unless this is a
   * developer's machine. Without the key, both are off, and error pages have no help for
   * developers.
   */
  readonly developmentKey: string | undefined
  /** Whether visitors come over https. */
  readonly secure: boolean
  readonly timeoutSeconds: number
  readonly requestSeconds: number
  readonly answerSeconds: number
  readonly languages: Languages
  /**
   * The function for requests to the provider; `undefined` to use the connections of the platform.
   */
  readonly fetch: typeof fetch | undefined
  readonly now: () => number
}
