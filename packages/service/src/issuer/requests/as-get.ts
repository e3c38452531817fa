import type { IncomingMessage, ServerResponse } from 'node:http'
import { OWN_CALLBACK, SHARED_CALLBACK } from '../../domain/connections/callback-paths.ts'
import { readFields, redirect } from './http.ts'
import { isProtocolPath, paths } from './paths.ts'

/** The endpoints to which an application or provider may send a browser with a form. */
export const formPaths: readonly string[] = [
  paths.authorization,
  paths.end_session,
  SHARED_CALLBACK,
  OWN_CALLBACK,
]

/** The parameters of a provider's response that are used. All others are left out of the URL. */
const OF_ANSWER = ['code', 'state', 'iss', 'error']

/**
 * Makes the browser repeat the request as GET. A form from another site comes without the session,
 * because the session's cookie is `SameSite=Lax`. The following GET has the cookie.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1, OpenID Connect RP-Initiated Logout 1.0 §2
 */
export async function repeatAsGet({
  request,
  response,
  url,
}: {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
}): Promise<void> {
  const fields = await readFields(request)
  if (!isProtocolPath(url.pathname)) {
    for (const name of [...fields.keys()]) if (!OF_ANSWER.includes(name)) fields.delete(name)
  }
  redirect(response, `${url.pathname}?${fields}`)
}
