import type { RequestContext } from '../context.ts'
import { AccessError, RequestError } from '../errors/errors.ts'
import type { AuthResponse } from '../http/request.ts'
import { redirect } from '../http/responses.ts'
import { isFromTrustedPage, sendingPage } from '../http/sending-page.ts'
import { keptFormPage } from '../login/kept-form-page.ts'
import { beginLogin } from '../login/login.ts'
import { sessionAt } from '../login/session-strength.ts'

/**
 * Answers the route of kept forms. `GET` shows the fields of a form and asks whether to send them.
 * `POST` removes the kept form and redirects with 307, so that the browser sends the fields to the
 * form's own path. An error page is shown if the form was sent, has expired, or belongs to another
 * browser or user.
 *
 * @throws {@link AccessError} with `LATCHKEY_REQUEST_FORGED` for a `POST` from another site.
 */
export async function handleKeptForm(asked: RequestContext): Promise<AuthResponse> {
  const { context, request, session } = asked
  const isSending = request.method === 'POST'
  if (isSending && !isFromTrustedPage(request, context.options)) {
    const message = `A kept form must be sent by a page of this site: ${sendingPage(request)}.`
    throw new AccessError('LATCHKEY_REQUEST_FORGED', message, { failed: 'origin' })
  }
  const read = session.read()
  const login = read && sessionAt(await asked.provider(), read)
  if (!login) return beginLogin(asked, { returnTo: request.url })
  const form = await context.keptForms?.find(asked, login)
  if (!form || (isSending && !(await context.keptForms?.spend(asked)))) {
    const message =
      'The kept form was sent already, is older than ten minutes, or is of another browser or user.'
    return context.answerError(new RequestError('LATCHKEY_FORM_GONE', message), request, {})
  }
  if (isSending) return redirect(form.target, [], 307)
  return keptFormPage(form, request, context.options.languages)
}
