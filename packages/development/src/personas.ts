import {
  type AuthResponse,
  type ErrorClasses,
  escapeHtml,
  page,
  type RouteOptions,
  redirect,
} from '@latchkey/core/internal'
import { closestMatch } from 'leven'

/** A test user for development. */
export interface Persona {
  /** The value of `?as=` on the login route for this user. */
  readonly id: string
  readonly name: string
  /** The roles and the login method, such as `viewer, with a second factor`. */
  readonly note: string
}

/** The test users of an application in development, and their identity service in this process. */
export interface Personas {
  readonly clientId: string
  readonly clientSecret: string
  readonly users: readonly Persona[]
  /** Sends requests to the service, without a socket. */
  readonly fetch: typeof fetch
  /**
   * Completes the pages of a login as the persona with this id, including a second factor. Without
   * an id, the visitor stays unknown.
   *
   * @param query - The parameters of the authorization request.
   * @returns The URL at which the pages end: the callback of the application, with its parameters.
   * @throws If the pages do not end at the application.
   */
  logIn(query: URLSearchParams, id: string | undefined): Promise<string>
}

/** An application that personas log in to. */
export interface PersonaApplication {
  /** The issuer URL. Its host name needs no DNS, as in `http://personas.localhost`. */
  readonly issuer: string
  readonly baseUrl: string
  readonly routes: Pick<RouteOptions, 'callback' | 'loggedOut'>
}

/** A function that starts the personas of an application. */
export type StartPersonas = (application: PersonaApplication) => Promise<Personas>

/**
 * Answers an authorization request in place of the identity service. Shows the list of users,
 * unless `as` names a user or the request has `prompt=none`.
 *
 * @param query - The parameters of the request. `as` is the id of a persona.
 * @throws `RequestError` for a user that does not exist.
 */
export async function answerLogin(
  { users, logIn }: Personas,
  query: URLSearchParams,
  errors: ErrorClasses,
): Promise<AuthResponse> {
  const sent = new URLSearchParams(query)
  sent.delete('as')
  const as = query.get('as') ?? undefined
  if (as !== undefined && !users.some(({ id }) => id === as)) {
    throw unknownPersona(as, users, errors)
  }
  if (as === undefined && query.get('prompt') !== 'none') return personasPage(users, sent)
  return redirect(await logIn(sent, as), [])
}

function unknownPersona(
  as: string,
  users: readonly Persona[],
  { RequestError }: ErrorClasses,
): Error {
  const ids = users.map(({ id }) => id)
  const near = closestMatch(as, ids, { maxDistance: 2 })
  const hint = near ? ` Did you mean ${JSON.stringify(near)}?` : ''
  return new RequestError(
    'LATCHKEY_REQUEST_INVALID',
    `There is no test user ${JSON.stringify(as.slice(0, 50))}.${hint} There are: ${ids.join(', ')}.`,
  )
}

const STYLE =
  'ul{list-style:none;padding:0}li{margin:.75rem 0}' +
  'li a{display:block;padding:.75rem 1rem;border:1px solid var(--soft);border-radius:.7rem;text-decoration:none;color:inherit}' +
  'li a:hover,li a:focus-visible{border-color:currentColor}li strong,li small{display:block}'

function personasPage(users: readonly Persona[], query: URLSearchParams): AuthResponse {
  const items = users.map(({ id, name, note }) => {
    const href = `?${new URLSearchParams([...query, ['as', id]])}`
    return `<li><a href="${escapeHtml(href)}"><strong>${escapeHtml(name)}</strong><small>${escapeHtml(note)}</small></a></li>`
  })
  const body = `<p>No provider is configured, so test users log in: in development alone, and with one click.</p><ul>${items.join('')}</ul><p><small>In scripts, add <code>?as=${escapeHtml(users[0]?.id ?? '')}</code> to the login route. To log in at your own provider, set <code>issuer</code>, <code>clientId</code> and <code>clientSecret</code>.</small></p>`
  return page({ title: 'Log in as', body, style: STYLE })
}
