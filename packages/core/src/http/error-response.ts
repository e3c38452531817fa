import type { LatchkeyError, LatchkeyErrorCode } from '../errors.ts'
import { REMEDIES } from '../remedies.ts'
import { isApiRequest } from './is-api-request.ts'
import type { AuthRequest, AuthResponse } from './request.ts'
import { escapeHtml, page, problem } from './responses.ts'

interface VisitorText {
  readonly title: string
  readonly advice: string
}

const GENERIC: VisitorText = {
  title: 'Something went wrong',
  advice: 'The login could not be completed. Please try again.',
}

const LOGIN_NOT_STORED: VisitorText = {
  title: 'You cannot log in at the moment',
  advice: 'This usually passes. Please try again in a moment.',
}

const TEXTS: Partial<Record<LatchkeyErrorCode, VisitorText>> = {
  LATCHKEY_REQUEST_INVALID: {
    title: 'This request cannot be understood',
    advice: 'Please go back and start again.',
  },
  LATCHKEY_HOST_UNKNOWN: {
    title: 'This site has another address',
    advice: 'Please open it at its usual address.',
  },
  LATCHKEY_METHOD_NOT_ALLOWED: {
    title: 'This address does not work that way',
    advice: 'Please go back and start again.',
  },
  LATCHKEY_PROVIDER_UNAVAILABLE: {
    title: 'The login service cannot be reached',
    advice: 'This usually passes. Please try again in a moment.',
  },
  LATCHKEY_PROVIDER_INVALID: {
    title: 'The login service sent an answer that cannot be used',
    advice: 'Please try again in a moment.',
  },
  LATCHKEY_SESSION_UNAVAILABLE: {
    title: 'Your session cannot be read at the moment',
    advice: 'You have not been logged out. Please try again in a moment.',
  },
  LATCHKEY_ANSWER_LATE: {
    title: 'This takes too long at the moment',
    advice: 'This usually passes. Please try again in a moment.',
  },
  LATCHKEY_SESSION_ENDED: {
    title: 'Your session has ended',
    advice: 'You were logged out while this page was loading. Please log in again.',
  },
  LATCHKEY_LOGIN_LOOP: {
    title: 'This site sends you round in a circle',
    advice:
      'You have logged in, and this site asked you to log in again. Please tell the people who run it.',
  },
  LATCHKEY_SESSION_TOO_LARGE: {
    title: 'Your session cannot be stored',
    advice: 'Please tell the people who run this site.',
  },
  LATCHKEY_TRANSACTION_MISSING: {
    title: 'The login could not be completed here',
    advice:
      'Your browser did not send the cookie with which the login began. Allow cookies for this site, and begin at the address that you see now.',
  },
  LATCHKEY_STATE_MISMATCH: {
    title: 'This login was started somewhere else',
    advice: 'Please log in again from this site.',
  },
  LATCHKEY_LOGIN_DENIED: {
    title: 'You were not logged in',
    advice: 'The login service did not complete the login. You can try again.',
  },
  LATCHKEY_STEP_UP_FAILED: {
    title: 'A stronger login is needed',
    advice: 'This page asks for a more recent or a stronger login than the one that took place.',
  },
  LATCHKEY_USER_REFUSED: {
    title: 'You cannot use this application',
    advice: 'Your login worked, but this application does not let you in.',
  },
  LATCHKEY_FORBIDDEN: {
    title: 'You are not allowed to see this',
    advice: 'You are logged in, but your account does not have access to this page.',
  },
  LATCHKEY_REQUEST_FORGED: {
    title: 'Nothing has been changed',
    advice: 'The request did not come from this site. Go back, reload the page and try again.',
  },
  LATCHKEY_BEARER_INVALID: {
    title: 'The access token is not valid',
    advice: 'Get a new access token and try again.',
  },
  LATCHKEY_SCOPE_MISSING: {
    title: 'The access token does not allow this',
    advice: 'Get an access token with more scopes and try again.',
  },
  LATCHKEY_LOGIN_REQUIRED: {
    title: 'Please log in',
    advice: 'Log in to see this page.',
  },
  LATCHKEY_STEP_UP_REQUIRED: {
    title: 'Please log in again',
    advice: 'This needs a more recent or a stronger login.',
  },
  LATCHKEY_LOGOUT_FORGED: {
    title: 'You have not been logged out',
    advice: 'The request did not come from this site.',
  },
}

const ASKS_FOR_LOGIN: readonly LatchkeyErrorCode[] = [
  'LATCHKEY_LOGIN_REQUIRED',
  'LATCHKEY_STEP_UP_REQUIRED',
]

/** Options of an error response. */
export interface ErrorResponseOptions {
  /** A path of this site that begins a login. */
  readonly loginUrl?: string | undefined
  /** A path of this site for visitors who cannot go on here. */
  readonly homeUrl?: string | undefined
  /** Whether to answer a program; decided from the request when absent. */
  readonly api?: boolean
  /**
   * Where the flight recorder is; with it, the page also shows the error's message and its remedy, for
   * the developer.
   */
  readonly recorder?: string | undefined
  /** Whether the request is part of a login, so that the visitor is not logged in yet. */
  readonly isLogin?: boolean
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The answer to an error: a page for a person, problem details for a program. Neither repeats
 * anything of the request. The error's own message is shown in development alone.
 */
export function errorResponse(
  error: LatchkeyError,
  request: AuthRequest,
  options: ErrorResponseOptions = {},
): AuthResponse {
  const isLoginLost = options.isLogin && error.code === 'LATCHKEY_SESSION_UNAVAILABLE'
  const text = isLoginLost ? LOGIN_NOT_STORED : (TEXTS[error.code] ?? GENERIC)
  const { loginUrl, homeUrl, recorder } = options
  const response =
    (options.api ?? isApiRequest(request))
      ? problem(error, text.title, loginUrl ? { loginUrl } : {})
      : page({
          title: text.title,
          body: [
            `<p>${text.advice}</p>`,
            loginUrl ? `<a class="button" href="${escapeHtml(loginUrl)}">Log in</a>` : '',
            homeUrl ? wayHome(homeUrl, loginUrl === undefined) : '',
            recorder ? forDeveloper(error, recorder) : '',
            `<p><small>${error.code}<br>${error.correlationId}</small></p>`,
          ].join(''),
          status: error.status,
          icon: ASKS_FOR_LOGIN.includes(error.code) ? 'lock' : 'alert',
        })
  response.headers.push(...Object.entries(options.headers ?? {}))
  if (error.retryable) response.headers.push(['retry-after', '5'])
  return response
}

/** The way to the start page: the button of a page that has no other. */
function wayHome(homeUrl: string, isButton: boolean): string {
  const href = escapeHtml(homeUrl)
  if (isButton) return `<a class="button" href="${href}">Start page</a>`
  return `<p class="back"><a href="${href}">Start page</a></p>`
}

function forDeveloper({ code, message }: LatchkeyError, recorder: string): string {
  const lines = [`In development: ${message}`, `What to do: ${REMEDIES[code]}`]
  const said = lines.map((line) => `<p><small>${escapeHtml(line)}</small></p>`).join('')
  return `${said}<p><small><a href="${escapeHtml(recorder)}">What happened, step by step</a></small></p>`
}
