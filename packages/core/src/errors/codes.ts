/** A title for a visitor, and advice on what to do. */
export interface VisitorText {
  readonly title: string
  readonly advice: string
}

/** The meaning of a code and its remedy. */
interface CodeEntry {
  /** The situation, in the words of docs/errors.md. */
  readonly is: string
  /** The remedy, shown in log lines, on the error page of development and in docs/errors.md. */
  readonly remedy: string
}

interface ErrorEntry extends CodeEntry {
  /** The HTTP status to answer with. */
  readonly status: number
  /**
   * The English text of the error page, also for languages without a text of their own. Default: a
   * general text.
   */
  readonly visitor?: VisitorText
}

const GENERAL = {
  LATCHKEY_CONFIG_INVALID: {
    status: 500,
    is: 'an option is missing or wrong',
    remedy:
      'Correct the options that the message lists. It names all faults at once, so you can fix them together.',
  },
  LATCHKEY_ROUTER_NOT_MOUNTED: {
    status: 500,
    is: 'a guard ran on a request that no router had prepared',
    remedy:
      'Call `app.use(createAuthRouter(…))` before the routes that use the guard, without a path. For other addresses of the login, set `routes`.',
  },
  LATCHKEY_ADDRESS_UNKNOWN: {
    status: 500,
    is: 'a check under Next.js read an address that no proxy had told',
    remedy:
      'Export `auth.proxy` from `proxy.ts`, and let its `matcher` include the page. Otherwise write a check that reads neither `url` nor `method`.',
  },
  LATCHKEY_SESSION_TWICE: {
    status: 500,
    is: 'another middleware has put a session on the request already',
    remedy:
      'Remove the other session middleware and pass its store as `session.store`. `createAuthRouter()` brings express-session along, so `req.session` stays.',
  },
  LATCHKEY_REQUEST_INVALID: {
    status: 400,
    is: 'a parameter is repeated, or the body cannot be read',
    remedy:
      'Nothing for single cases, which are mostly scanners. If your own links cause it, look at their query. If a body was read before, mount the router in front of what reads it.',
    visitor: {
      title: 'This request cannot be understood',
      advice: 'Please go back and start again.',
    },
  },
  LATCHKEY_HOST_UNKNOWN: {
    status: 421,
    is: 'the request names a host that is in no base URL',
    remedy:
      'Nothing, if it is a scanner or a health check. If visitors use this host, add it to `baseUrl` and register its redirect URI at the provider. If a proxy replaces the host, let it pass on `Host`.',
    visitor: {
      title: 'This site has another address',
      advice: 'Please open it at its usual address.',
    },
  },
  LATCHKEY_METHOD_NOT_ALLOWED: {
    status: 405,
    is: 'the route exists, under another method',
    remedy:
      'Use `GET` or `POST` for `/login`, `GET` for `/session`, `POST` for `/logout` and `/backchannel-logout`.',
    visitor: {
      title: 'This address does not work that way',
      advice: 'Please go back and start again.',
    },
  },
  LATCHKEY_FORM_GONE: {
    status: 410,
    is: 'a kept form was sent, has expired, or is of another browser or user',
    remedy:
      'Nothing: the visitor opens the page again and fills it in. If all visitors see it, give all processes one session store.',
    visitor: {
      title: 'This form is no longer here',
      advice:
        'It was sent already, it is older than ten minutes, or another user wrote it. To write it again, go back to its page.',
    },
  },
  LATCHKEY_PROVIDER_UNAVAILABLE: {
    status: 503,
    is: 'the provider did not answer, or not in time',
    remedy:
      'Check the address, DNS, the certificate and that the provider runs. `npx --package @latchkey/management latchkey doctor --issuer … --base-url …` does all four.',
    visitor: {
      title: 'The login service cannot be reached',
      advice: 'This usually passes. Please try again in a moment.',
    },
  },
  LATCHKEY_PROVIDER_INVALID: {
    status: 502,
    is: 'the provider answered something that cannot be used',
    remedy:
      'Follow the message; it says what was found and which options to set. Configure `issuer` exactly as the provider names itself, including a slash at the end. If its discovery document is elsewhere, set `discoveryUrl`; if it has none, set `metadata`.',
    visitor: {
      title: 'The login service sent an answer that cannot be used',
      advice: 'Please try again in a moment.',
    },
  },
  LATCHKEY_SESSION_UNAVAILABLE: {
    status: 503,
    is: 'the session store did not answer',
    remedy: 'Look at the underlying error, which is the `cause`, and at the store.',
    visitor: {
      title: 'Your session cannot be read at the moment',
      advice: 'You have not been logged out. Please try again in a moment.',
    },
  },
  LATCHKEY_ANSWER_LATE: {
    status: 503,
    is: 'a function of the application did not answer in time',
    remedy:
      'Look why the function that the message names does not answer: a query or a request without a limit of its own. If it may take that long, set `answerSeconds`.',
    visitor: {
      title: 'This takes too long at the moment',
      advice: 'This usually passes. Please try again in a moment.',
    },
  },
  LATCHKEY_BODY_SENT: {
    status: 503,
    is: 'an API asked for a nonce after a stream was sent',
    remedy:
      'Call `req.auth.fetch()` again with a new body: the nonce of the API is known now. To have it done for you, pass a text, a `Blob` or a `Uint8Array` instead of a stream.',
  },
  LATCHKEY_SESSION_ENDED: {
    status: 401,
    is: 'the session ended while the request was at work',
    remedy: 'Nothing. The visitor logs in again.',
    visitor: {
      title: 'Your session has ended',
      advice: 'You were logged out while this page was loading. Please log in again.',
    },
  },
  LATCHKEY_LOGIN_LOOP: {
    status: 500,
    is: 'a login ends and begins again, round in a circle',
    remedy:
      'The message says what was seen. Mount one router, give all processes one store, and do not redirect to the login behind a guard: the visitor is logged in there.',
    visitor: {
      title: 'This site sends you round in a circle',
      advice:
        'You have logged in, and this site asked you to log in again. Please tell the people who run it.',
    },
  },
  LATCHKEY_USER_REFUSED: {
    status: 403,
    is: 'the application turned this user away',
    remedy:
      'Nothing: your own rule refused this user. `onError` can answer with a page of your own.',
    visitor: {
      title: 'You cannot use this application',
      advice: 'Your login worked, but this application does not let you in.',
    },
  },
}

const COOKIE_SESSION = {
  LATCHKEY_SESSION_TOO_LARGE: {
    status: 500,
    is: 'it does not fit into cookies',
    remedy:
      'The message names the largest parts. Leave out what you do not need in the hook `onSession`, such as `idToken` or `tokens`, keep less in the session, or use a store.',
    visitor: {
      title: 'Your session cannot be stored',
      advice: 'Please tell the people who run this site.',
    },
  },
  LATCHKEY_SESSION_NOT_SENT: {
    status: 500,
    is: 'the headers of the answer have left',
    remedy:
      'Change the session, and call `accessToken()`, before the first byte of the answer is sent, or use a store.',
  },
}

/** The reason why a session in the cookie could not be written. */
export type CookieSessionErrorCode = keyof typeof COOKIE_SESSION

const CALLBACK = {
  LATCHKEY_TRANSACTION_MISSING: {
    status: 400,
    is: 'no login was started in this browser, or it has expired',
    remedy:
      'Make sure that `baseUrl` is the address that visitors type, including host and scheme. If only some visitors see it, their browsers block cookies.',
    visitor: {
      title: 'The login could not be completed here',
      advice:
        'Your browser did not send the cookie with which the login began. Allow cookies for this site, and begin at the address that you see now.',
    },
  },
  LATCHKEY_STATE_MISMATCH: {
    status: 400,
    is: 'the response answers a login started elsewhere',
    remedy:
      'Nothing for single cases: this is what an attack on a login looks like. If all logins fail, the provider changes or drops `state`, or your processes have different session secrets. To change the secret without this, deploy `[old, new]` to all processes, then `[new, old]`.',
    visitor: {
      title: 'This login was started somewhere else',
      advice: 'Please log in again from this site.',
    },
  },
  LATCHKEY_ISSUER_MISMATCH: {
    status: 400,
    is: 'the response, or its token, is from another provider',
    remedy:
      "Compare `issuer` with the issuer that the provider's discovery document names. With an issuer function, make sure that it chooses the same provider for the callback as for the login, and that each provider has its own redirect URI (`redirectUriFor`). If an answer came to the redirect URI of another provider, look at the provider that the login began with: it may be an attacker.",
  },
  LATCHKEY_LOGIN_DENIED: {
    status: 403,
    is: 'the provider answered with an error',
    remedy:
      'Show a way to try again. For `invalid_scope` or `unauthorized_client`, correct the registration.',
    visitor: {
      title: 'You were not logged in',
      advice: 'The login service did not complete the login. You can try again.',
    },
  },
  LATCHKEY_CODE_REFUSED: {
    status: 400,
    is: 'the provider did not redeem the code',
    remedy: "Follow the provider's own description, which is in the message.",
  },
  LATCHKEY_TOKEN_INVALID: {
    status: 400,
    is: 'the tokens did not pass validation',
    remedy:
      "Nothing for single logins. If every login fails, ask the provider's operator: its tokens lack what the message names.",
  },
  LATCHKEY_USERINFO_INVALID: {
    status: 400,
    is: 'userinfo is about another user, or cannot be used',
    remedy:
      "Set `userinfo: 'never'` if the ID token has all you need; otherwise ask the provider's operator.",
  },
  LATCHKEY_STEP_UP_FAILED: {
    status: 403,
    is: 'the stronger login that was asked for did not take place',
    remedy:
      'Check that the provider knows the `acr` and that this user has the means for it. If the message names `auth_time`, let the provider send that claim.',
    visitor: {
      title: 'A stronger login is needed',
      advice: 'This page asks for a more recent or a stronger login than the one that took place.',
    },
  },
}

/** The reason why a callback failed. Switch on it to choose the message for the visitor. */
export type CallbackErrorCode = keyof typeof CALLBACK

const ACCESS = {
  LATCHKEY_LOGIN_REQUIRED: {
    status: 401,
    is: 'no user is logged in',
    remedy:
      "In a page's script, send the visitor to the `loginUrl` of the answer. For `getUser()`, put `requireUser()` in front of the route.",
    visitor: {
      title: 'Please log in',
      advice: 'Log in to see this page.',
    },
  },
  LATCHKEY_STEP_UP_REQUIRED: {
    status: 401,
    is: 'logged in, but not recently or not strongly enough',
    remedy:
      'Send the visitor to the `loginUrl` of the answer; it asks for the login that is missing.',
    visitor: {
      title: 'Please log in again',
      advice: 'This needs a more recent or a stronger login.',
    },
  },
  LATCHKEY_FORBIDDEN: {
    status: 403,
    is: 'logged in, and not allowed',
    remedy:
      'Give the user the role, or look at what `rolesFrom` makes of their claims. `error.failed` names the requirement. Logging in again would not help.',
    visitor: {
      title: 'You are not allowed to see this',
      advice: 'You are logged in, but your account does not have access to this page.',
    },
  },
  LATCHKEY_REQUEST_FORGED: {
    status: 403,
    is: 'logged in, but another site sent the request',
    remedy:
      'Nothing, if another site sent it. If a page of your own did, list its origin in `trustedOrigins`. Programs and tests send `Origin` with the value of `baseUrl`.',
    visitor: {
      title: 'Nothing has been changed',
      advice: 'The request did not come from this site. Go back, reload the page and try again.',
    },
  },
  LATCHKEY_BEARER_INVALID: {
    status: 401,
    is: 'the bearer token does not pass a check',
    remedy: 'Let the client get a new token from your provider, for your audience.',
    visitor: {
      title: 'The access token is not valid',
      advice: 'Get a new access token and try again.',
    },
  },
  LATCHKEY_SCOPE_MISSING: {
    status: 403,
    is: 'the bearer token lacks a scope',
    remedy:
      'Let the client ask the provider for the scope. `WWW-Authenticate` of the answer names it.',
    visitor: {
      title: 'The access token does not allow this',
      advice: 'Get an access token with more scopes and try again.',
    },
  },
}

/** The reason why a guard refused a request. */
export type AccessErrorCode = keyof typeof ACCESS

const REFRESH = {
  LATCHKEY_REFRESH_UNAVAILABLE: {
    status: 503,
    is: 'the tokens could not be refreshed; trying later may succeed',
    remedy: 'Answer your own caller with 503 and try again later. The session is kept.',
  },
  LATCHKEY_REFRESH_REJECTED: {
    status: 401,
    is: 'the provider ended the grant; the session has ended with it',
    remedy: 'Send the visitor to log in.',
  },
  LATCHKEY_TOKEN_ABSENT: {
    status: 401,
    is: 'there is no valid access token and no refresh token',
    remedy:
      'Add `offline_access` to `scope`, so that the provider gives a refresh token at the next login.',
  },
}

/** The reason why there is no access token. */
export type RefreshErrorCode = keyof typeof REFRESH

const LOGOUT = {
  LATCHKEY_LOGOUT_FORGED: {
    status: 403,
    is: 'the request does not come from this site',
    remedy:
      'Log out with a form or link on your own pages. In tests, send `Origin` with the value of `baseUrl`.',
    visitor: {
      title: 'You have not been logged out',
      advice: 'The request did not come from this site.',
    },
  },
  LATCHKEY_LOGOUT_TOKEN_INVALID: {
    status: 400,
    is: 'a back-channel logout token did not pass validation',
    remedy:
      "Compare the issuer and client id of the provider's notices with yours. A token that was already used is refused on purpose.",
  },
}

/** The reason why a logout was refused. */
export type LogoutErrorCode = keyof typeof LOGOUT

const WEBHOOK = {
  LATCHKEY_WEBHOOK_INVALID: {
    status: 400,
    is: 'a header is missing, or the body is no event',
    remedy:
      'Nothing for single cases, which are mostly scanners. If no webhook arrives, make sure that nothing in front of the handler changes headers or body, and that the body is at most 64 KiB.',
  },
  LATCHKEY_WEBHOOK_TIME_INVALID: {
    status: 400,
    is: 'the timestamp is more than five minutes off',
    remedy:
      'Synchronize the clocks of this machine and of the service. A single case may be the replay of an old webhook.',
  },
  LATCHKEY_WEBHOOK_SIGNATURE_INVALID: {
    status: 401,
    is: 'no signature was made with a secret of the handler',
    remedy:
      'Compare `secret` with the secret of this endpoint; each endpoint has its own. After a rotation, list both: the new one and the old one. Make sure that nothing in front of the handler changes the body.',
  },
  LATCHKEY_WEBHOOK_BODY_READ: {
    status: 500,
    is: 'a body parser has read the body and kept no copy',
    remedy:
      'Mount the webhook handler in front of the body parser, or let the parser keep the raw body: `express.raw()`, or `rawBody: true` in NestJS.',
  },
  LATCHKEY_WEBHOOK_BUSY: {
    status: 503,
    is: 'the same event is being handled',
    remedy:
      'Nothing: the service sends the event again. If it happens often, let your handler answer within 15 seconds and do long work later.',
  },
  LATCHKEY_WEBHOOK_FAILED: {
    status: 500,
    is: 'the handler of the application threw an error',
    remedy:
      'Look at the `cause`, which is the error that your handler threw. The service sends the event again.',
  },
}

/**
 * The reason why a webhook was not accepted. The service sends the webhook again, except after 410.
 */
export type WebhookErrorCode = keyof typeof WEBHOOK

const WARNING = {
  LATCHKEY_SESSIONS_IN_MEMORY: {
    is: 'sessions live in this process',
    remedy:
      'Pass a `session.store`, such as `createSessionStore({ url })` of @latchkey/session-store. If you do, set the environment variable that the `url` comes from.',
  },
  LATCHKEY_SESSIONS_IN_COOKIES: {
    is: 'sessions are in the cookies of browsers alone',
    remedy:
      'Nothing, if you can do without these. Otherwise use a store, such as `createSessionStore()` of @latchkey/session-store.',
  },
  LATCHKEY_METADATA_OUTSIDE: {
    is: 'the metadata of `resources` is outside of the path of `baseUrl`',
    remedy:
      'Let the proxy pass the addresses that the line lists on to the application. If it does, there is nothing to do.',
  },
  LATCHKEY_SESSION_NOT_ADOPTED: {
    is: 'an old session could not be read or does not fit',
    remedy:
      'Nothing for single cases: the visitor logs in. If it is logged for all visitors, correct `session.adopt.read`.',
  },
  LATCHKEY_STORE_WITHOUT_INDEX: {
    is: 'the session store cannot find the sessions of a user',
    remedy:
      'Use `createSessionStore()` of @latchkey/session-store, or set `routes.backchannelLogout` to `false`.',
  },
  LATCHKEY_STORE_WITHOUT_ONCE: {
    is: 'the session store remembers nothing for other processes',
    remedy:
      'Nothing, on a site of one process. Otherwise use `createSessionStore()` of @latchkey/session-store, or give your store `once` and `lock`.',
  },
  LATCHKEY_TELEMETRY_FAILED: {
    is: 'the module of the option `telemetry` has thrown an error',
    remedy:
      'Correct the setup of OpenTelemetry that the message names. Start its SDK before the application.',
  },
  LATCHKEY_GUARD_REHEARSED: {
    is: 'a guard with `enforce: false` let a user pass',
    remedy:
      'If the user should pass, correct the requirement or the claims. When only the right users are reported, remove `enforce: false`.',
  },
  LATCHKEY_PERSONAS: {
    is: 'no provider is configured, and test users log in',
    remedy:
      'Nothing, in development. To log in at your own provider, set `issuer`, `clientId` and `clientSecret`.',
  },
  LATCHKEY_DEVELOPMENT_KEY: {
    is: 'a browser without the key asked for the login recorder or the personas',
    remedy:
      'Open the link of the message, if the browser is yours. In scripts, set `LATCHKEY_DEVELOPMENT_KEY`.',
  },
  LATCHKEY_DEVELOPMENT_MISSING: {
    is: 'the login recorder is asked for, and not installed',
    remedy: 'Run `npm install --save-dev @latchkey/development` and start the application again.',
  },
  LATCHKEY_FORM_NOT_KEPT: {
    is: 'a form could not be kept through a login',
    remedy:
      'The message says why. If `keepForms` is not set, set it. If forms of yours are larger than 64 KiB or have files, save them on the way. If a body was read before, let the parser put the form into `req.body`. If too many forms are kept at a time, limit how often one address may send them.',
  },
  LATCHKEY_RETURN_TO_SHORTENED: {
    is: 'an address was too long to come back to',
    remedy:
      'Nothing, if it is a scanner. If your own pages have such addresses, keep long parameters out of them, in `req.session` or in a form.',
  },
}

/**
 * Codes of log lines that are warnings, mostly about the configuration. No error has such a code.
 */
export type WarningCode = keyof typeof WARNING

/**
 * The codes of all failures that the kit can report. They are public API and keep their meaning.
 */
export type LatchkeyErrorCode =
  | keyof typeof GENERAL
  | CookieSessionErrorCode
  | CallbackErrorCode
  | AccessErrorCode
  | RefreshErrorCode
  | LogoutErrorCode
  | WebhookErrorCode

/** Errors and warnings by code. A new code needs an entry above and one in docs/errors.md. */
export const CODES: Readonly<
  Record<LatchkeyErrorCode, ErrorEntry> & Record<WarningCode, CodeEntry>
> = {
  ...GENERAL,
  ...COOKIE_SESSION,
  ...CALLBACK,
  ...ACCESS,
  ...REFRESH,
  ...LOGOUT,
  ...WEBHOOK,
  ...WARNING,
}

/** The codes of errors, such as `LATCHKEY_FORBIDDEN`. */
export const ERROR_CODES: readonly LatchkeyErrorCode[] = (
  Object.keys(CODES) as LatchkeyErrorCode[]
).filter((code) => 'status' in CODES[code])
