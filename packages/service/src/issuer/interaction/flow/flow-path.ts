import { hash, timingSafeEqual } from 'node:crypto'

/** The members of oidc-provider's interaction that the pages need. */
interface Interaction {
  uid: string
  params: { [name: string]: unknown }
}

/** The number of characters of a handle. */
const HANDLE_LENGTH = 16

/** The pages of a login, by the path after `/login/<handle>`. */
export type FlowPage =
  | ''
  | '/passkey'
  | '/code'
  | '/social'
  | '/signup'
  | '/reset'
  | '/sent'
  | '/other'
  | '/factor'
  | '/enrol'
  | '/act'

/** The action of a link in a message, from which the user returns to the login. */
export type Done = 'verified' | 'reset'

/**
 * The path of an interaction's page. The interaction's id is in a cookie that the browser sends
 * only to this path, so that two tabs do not interfere. The path contains a handle that is derived
 * from the id.
 *
 * The query names the application, so that a visitor of an expired login can return to the
 * application.
 */
export function flowPath(interaction: Interaction, page: FlowPage = ''): string {
  const { client_id: clientId, ui_locales: uiLocales } = interaction.params
  return pathOf(flowHandle(interaction.uid) + page, {
    application: clientId,
    ui_locales: uiLocales,
  })
}

/**
 * The path at which an interaction begins. Its query has `start=signup` if the application asks for
 * a sign-up.
 */
export function startPath(interaction: Interaction & { prompt: { name: string } }): string {
  const { prompt, params } = interaction
  const isSignup =
    prompt.name === 'create' || (prompt.name === 'login' && params.screen_hint === 'signup')
  return flowPath(interaction) + (isSignup ? '&start=signup' : '')
}

/** The path for a link in a message, which continues the login with this handle. */
export function returnPath(
  handle: string,
  done: Done,
  values: { application: string | undefined; uiLocales: string },
): string {
  return pathOf(handle, { application: values.application, ui_locales: values.uiLocales, done })
}

function pathOf(rest: string, values: { [name: string]: unknown }): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') query.set(name, value)
  }
  return `/login/${rest}?${query}`
}

/** An interaction with its prompt. */
type PromptedInteraction = Interaction & { prompt: { name: string } }

/**
 * The path of the login form. If the first page lets the user choose an account, the form is on
 * another page.
 */
export function loginPath(interaction: PromptedInteraction): string {
  return flowPath(interaction, interaction.prompt.name === 'select_account' ? '/other' : '')
}

/** The path at which the login begins again for another email address. */
export function otherPath(interaction: PromptedInteraction): string {
  return `${loginPath(interaction)}&start=other`
}

/** The handle of an interaction: a part of the hash of its id. */
export function flowHandle(uid: string): string {
  return digest('handle', uid).toString('base64url').slice(0, HANDLE_LENGTH)
}

/**
 * The token that every form of the interaction must contain. Only a browser with the interaction's
 * cookie knows it.
 */
export function csrfToken(uid: string): string {
  return digest('csrf', uid).toString('base64url')
}

/** Whether `sent` equals the interaction's {@link csrfToken}. */
export function isCsrfToken(uid: string, sent: string | undefined): boolean {
  const expected = digest('csrf', uid)
  const given = Buffer.from(sent ?? '', 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function digest(purpose: string, uid: string): Buffer {
  return hash('sha256', `latchkey ${purpose} ${uid}`, 'buffer')
}
