import { CODES, type LatchkeyErrorCode } from '../errors/codes.ts'
import type { LatchkeyError } from '../errors/errors.ts'
import { en } from '../texts/en.ts'
import { type Languages, type Translation, translate } from '../texts/languages.ts'
import { isApiRequest } from './is-api-request.ts'
import type { AuthRequest, AuthResponse } from './request.ts'
import { escapeHtml, page, problem } from './responses.ts'

const ENGLISH: Translation = { language: 'en', texts: en }

const ASKS_FOR_LOGIN: readonly LatchkeyErrorCode[] = [
  'LATCHKEY_LOGIN_REQUIRED',
  'LATCHKEY_STEP_UP_REQUIRED',
]

/** Options of an error response. */
export interface ErrorResponseOptions {
  /** The path of this site that starts a login. */
  readonly loginUrl?: string | undefined
  /** A sentence about this request, in the response to a program only. */
  readonly detail?: string
  /** The path of the start page, for visitors who cannot continue here. */
  readonly homeUrl?: string | undefined
  /**
   * Whether to answer with problem details instead of a page. Default: {@link isApiRequest}
   * decides.
   */
  readonly api?: boolean
  /**
   * The path of the flight recorder. If it is set, the page also shows the developer the message of
   * the error and its remedy.
   */
  readonly recorder?: string | undefined
  /** Whether the request is part of a login, so that the visitor is not logged in yet. */
  readonly isLogin?: boolean
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The response to an error: a page for a browser, problem details for a program. Neither contains
 * any part of the request. The error's own message is shown only in development.
 */
export function errorResponse(
  error: LatchkeyError,
  request: AuthRequest,
  languages: Languages,
  options: ErrorResponseOptions = {},
): AuthResponse {
  const isApi = options.api ?? isApiRequest(request)
  // Programs compare titles (RFC 9457 §3.1.4), so the titles for programs are always in English.
  const translation = isApi ? ENGLISH : translate(languages, request)
  const { texts } = translation
  const isLoginLost = options.isLogin && error.code === 'LATCHKEY_SESSION_UNAVAILABLE'
  const ofCode = texts.errors[error.code] ?? CODES[error.code].visitor ?? texts.otherError
  const text = isLoginLost ? texts.loginNotStored : ofCode
  const { loginUrl, homeUrl, recorder, detail } = options
  const response = isApi
    ? problem(error, text.title, { ...(detail && { detail }), ...(loginUrl && { loginUrl }) })
    : page({
        language: translation.language,
        title: text.title,
        body: [
          `<p>${escapeHtml(text.advice)}</p>`,
          loginUrl
            ? `<a class="button" href="${escapeHtml(loginUrl)}">${escapeHtml(texts.logIn)}</a>`
            : '',
          homeUrl ? wayHome(homeUrl, texts.startPage, loginUrl === undefined) : '',
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

/** The title of an error for API clients, in English. It contains nothing from the request. */
export function titleOf({ code }: LatchkeyError): string {
  return (en.errors[code] ?? CODES[code].visitor ?? en.otherError).title
}

/** The link to the start page. It looks like a button if the page has no other button. */
function wayHome(homeUrl: string, label: string, isButton: boolean): string {
  const [href, text] = [escapeHtml(homeUrl), escapeHtml(label)]
  if (isButton) return `<a class="button" href="${href}">${text}</a>`
  return `<p class="back"><a href="${href}">${text}</a></p>`
}

function forDeveloper({ message, remedy }: LatchkeyError, recorder: string): string {
  const lines = [`In development: ${message}`, `What to do: ${remedy}`]
  const said = lines.map((line) => `<p><small>${escapeHtml(line)}</small></p>`).join('')
  return `${said}<p><small><a href="${escapeHtml(recorder)}">What happened, step by step</a></small></p>`
}
