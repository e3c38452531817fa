import type { LatchkeyErrorCode } from './errors.ts'

/** Codes of log lines that are warnings, mostly about the configuration, and no errors. */
export type WarningCode =
  | 'LATCHKEY_SESSIONS_IN_MEMORY' // sessions live in this process
  | 'LATCHKEY_SESSIONS_IN_COOKIES' // sessions are in the cookies of browsers alone
  | 'LATCHKEY_SESSION_NOT_ADOPTED' // an old session could not be read or does not fit
  | 'LATCHKEY_STORE_WITHOUT_INDEX' // the session store cannot find the sessions of a user
  | 'LATCHKEY_STORE_WITHOUT_ONCE' // the session store remembers nothing for other processes
  | 'LATCHKEY_GUARD_REHEARSED' // a guard with `enforce: false` let a user pass
  | 'LATCHKEY_PERSONAS' // no provider is configured, and test users log in
  | 'LATCHKEY_DEVELOPMENT_KEY' // a browser without the key asked for the flight recorder or the personas
  | 'LATCHKEY_FORM_NOT_KEPT' // a form could not be kept through a login
  | 'LATCHKEY_RETURN_TO_SHORTENED' // an address was too long to come back to

/**
 * The remedy for each code. Log lines and the error page of development show it, and a test
 * compares docs/errors.md with it.
 */
export const REMEDIES: Readonly<Record<LatchkeyErrorCode | WarningCode, string>> = {
  LATCHKEY_CONFIG_INVALID:
    'Correct the options that the message lists. It names all faults at once, so you can fix them together.',
  LATCHKEY_ROUTER_NOT_MOUNTED:
    'Call `app.use(createAuthRouter(…))` before the routes that use the guard, without a path. For other addresses of the login, set `routes`.',
  LATCHKEY_SESSION_TWICE:
    'Remove the other session middleware and pass its store as `session.store`. `createAuthRouter()` brings express-session along, so `req.session` stays.',
  LATCHKEY_SESSIONS_IN_MEMORY:
    'Pass a `session.store`, such as `createSessionStore({ url })` of @latchkey/session-store. If you do, set the environment variable that the `url` comes from.',
  LATCHKEY_SESSIONS_IN_COOKIES:
    'Nothing, if you can do without these. Otherwise use a store, such as `createSessionStore()` of @latchkey/session-store.',
  LATCHKEY_STORE_WITHOUT_INDEX:
    'Use `createSessionStore()` of @latchkey/session-store, or set `routes.backchannelLogout` to `false`.',
  LATCHKEY_STORE_WITHOUT_ONCE:
    'Nothing, on a site of one process. Otherwise use `createSessionStore()` of @latchkey/session-store, or give your store `once` and `lock`.',
  LATCHKEY_SESSION_NOT_ADOPTED:
    'Nothing for single cases: the visitor logs in. If it is logged for all visitors, correct `session.adopt.read`.',
  LATCHKEY_GUARD_REHEARSED:
    'If the user should pass, correct the requirement or the claims. When only the right users are reported, remove `enforce: false`.',
  LATCHKEY_PERSONAS:
    'Nothing, in development. To log in at your own provider, set `issuer`, `clientId` and `clientSecret`.',
  LATCHKEY_DEVELOPMENT_KEY:
    'Open the link of the message, if the browser is yours. In scripts, set `LATCHKEY_DEVELOPMENT_KEY`.',
  LATCHKEY_RETURN_TO_SHORTENED:
    'Nothing, if it is a scanner. If your own pages have such addresses, keep long parameters out of them, in `req.session` or in a form.',
  LATCHKEY_REQUEST_INVALID:
    'Nothing for single cases, which are mostly scanners. If your own links cause it, look at their query. If a body was read before, mount the router in front of what reads it.',
  LATCHKEY_HOST_UNKNOWN:
    'Nothing, if it is a scanner or a health check. If visitors use this host, add it to `baseUrl` and register its redirect URI at the provider. If a proxy replaces the host, let it pass on `Host`.',
  LATCHKEY_METHOD_NOT_ALLOWED:
    'Use `GET` or `POST` for `/login`, `GET` for `/session`, `POST` for `/logout` and `/backchannel-logout`.',
  LATCHKEY_FORM_GONE:
    'Nothing: the visitor opens the page again and fills it in. If all visitors see it, give all processes one session store.',
  LATCHKEY_FORM_NOT_KEPT:
    'The message says why. If forms of yours are larger than 64 KiB, save them on the way. If a body was read before, let the parser put the form into `req.body`.',
  LATCHKEY_PROVIDER_UNAVAILABLE:
    'Check the address, DNS, the certificate and that the provider runs. `npx --package @latchkey/management latchkey doctor --issuer … --base-url …` does all four.',
  LATCHKEY_PROVIDER_INVALID:
    'Follow the message; it says what was found and which options to set. Configure `issuer` exactly as the provider names itself, including a slash at the end. If its discovery document is elsewhere, set `discoveryUrl`; if it has none, set `metadata`.',
  LATCHKEY_SESSION_UNAVAILABLE:
    'Start the store, or correct its address or password: the message says which. The underlying error is the `cause`.',
  LATCHKEY_ANSWER_LATE:
    'Look why the function that the message names does not answer: a query or a request without a limit of its own. If it may take that long, set `answerSeconds`.',
  LATCHKEY_SESSION_ENDED: 'Nothing. The visitor logs in again.',
  LATCHKEY_LOGIN_LOOP:
    'The message says what was seen. Mount one router, give all processes one store, and do not redirect to the login behind a guard: the visitor is logged in there.',
  LATCHKEY_SESSION_TOO_LARGE:
    'The message names the largest parts. Leave out what you do not need in the hook `onSession`, such as `idToken` or `tokens`, keep less in the session, or use a store.',
  LATCHKEY_SESSION_NOT_SENT:
    'Change the session, and call `accessToken()`, before the first byte of the answer is sent, or use a store.',
  LATCHKEY_TRANSACTION_MISSING:
    'Make sure that `baseUrl` is the address that visitors type, including host and scheme. If only some visitors see it, their browsers block cookies.',
  LATCHKEY_STATE_MISMATCH:
    'Nothing for single cases: this is what an attack on a login looks like. If all logins fail, the provider changes or drops `state`, or your processes have different session secrets. When you change the secret, keep the old one in the list for ten minutes or more.',
  LATCHKEY_ISSUER_MISMATCH:
    "Compare `issuer` with the issuer that the provider's discovery document names. With an issuer function, make sure that it chooses the same provider for the callback as for the login, and that each provider has its own redirect URI (`redirectUriFor`). If an answer came to the redirect URI of another provider, look at the provider that the login began with: it may be an attacker.",
  LATCHKEY_LOGIN_DENIED:
    'Show a way to try again. For `invalid_scope` or `unauthorized_client`, correct the registration.',
  LATCHKEY_CODE_REFUSED:
    "The message has the provider's own description. For `invalid_client`, check `clientSecret` and `clientId`; some providers need `clientAuth: 'client_secret_post'`. For `invalid_grant` on every login, compare the registered redirect URL with `baseUrl`, and the clocks with each other.",
  LATCHKEY_TOKEN_INVALID:
    'For the time checks, synchronize the clocks. For an algorithm, choose another for this application at the provider. For the schema, correct it or the claims that the provider sends. Anything else on more than single logins is a fault of the provider, or an attack.',
  LATCHKEY_USERINFO_INVALID:
    "Set `userinfo: 'never'` if the ID token has all you need; otherwise ask the provider's operator.",
  LATCHKEY_STEP_UP_FAILED:
    'Check that the provider knows the `acr` and that this user has the means for it. If the message names `auth_time`, let the provider send that claim.',
  LATCHKEY_USER_REFUSED:
    'Nothing: your own rule refused this user. `onError` can answer with a page of your own.',
  LATCHKEY_LOGIN_REQUIRED:
    "In a page's script, send the visitor to the `loginUrl` of the answer. For `getUser()`, put `requireUser()` in front of the route.",
  LATCHKEY_STEP_UP_REQUIRED:
    'Send the visitor to the `loginUrl` of the answer; it asks for the login that is missing.',
  LATCHKEY_FORBIDDEN:
    'Give the user the role, or look at what `rolesFrom` makes of their claims. `error.failed` names the requirement. Logging in again would not help.',
  LATCHKEY_REQUEST_FORGED:
    'Nothing, if another site sent it. If a page of your own did, list its origin in `trustedOrigins`. Programs and tests send `Origin` with the value of `baseUrl`.',
  LATCHKEY_BEARER_INVALID:
    'Nothing, if the token has expired: the client gets a new one. If it is for another audience, let the client ask for yours, or correct `bearer.audience`. For an opaque token, set `bearer.introspection` to `true`. A token that is bound to a key (`token.cnf`, `token.proof`) needs `Authorization: DPoP …` and a fresh proof in the header `DPoP`.',
  LATCHKEY_SCOPE_MISSING:
    'Let the client ask the provider for the scope. `WWW-Authenticate` of the answer names it.',
  LATCHKEY_REFRESH_UNAVAILABLE:
    'Answer your own caller with 503 and try again later. The session is kept.',
  LATCHKEY_REFRESH_REJECTED: 'Send the visitor to log in.',
  LATCHKEY_TOKEN_ABSENT:
    'Add `offline_access` to `scope`, so that the provider gives a refresh token at the next login.',
  LATCHKEY_LOGOUT_FORGED:
    'Log out with a form or link on your own pages. In tests, send `Origin` with the value of `baseUrl`.',
  LATCHKEY_LOGOUT_TOKEN_INVALID:
    "Compare the issuer and client id of the provider's notices with yours. A token that was already used is refused on purpose.",
  LATCHKEY_WEBHOOK_INVALID:
    'Nothing for single cases, which are mostly scanners. If no webhook arrives, make sure that nothing in front of the handler changes headers or body, and that the body is at most 64 KiB.',
  LATCHKEY_WEBHOOK_TIME_INVALID:
    'Synchronize the clocks of this machine and of the service. A single case may be the replay of an old webhook.',
  LATCHKEY_WEBHOOK_SIGNATURE_INVALID:
    'Compare `secret` with the secret of this endpoint; each endpoint has its own. After a rotation, list both: the new one and the old one. Make sure that nothing in front of the handler changes the body.',
  LATCHKEY_WEBHOOK_BODY_READ:
    'Mount the webhook handler in front of the body parser, or let the parser keep the raw body: `express.raw()`, or `rawBody: true` in NestJS.',
  LATCHKEY_WEBHOOK_BUSY:
    'Nothing: the service sends the event again. If it happens often, let your handler answer within 15 seconds and do long work later.',
  LATCHKEY_WEBHOOK_FAILED:
    'Look at the `cause`, which is the error that your handler threw. The service sends the event again.',
}
