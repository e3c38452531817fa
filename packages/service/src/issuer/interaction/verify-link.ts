import { confirmAddress } from '../../domain/accounts.ts'
import { type Form, redirect } from '../requests/http.ts'
import { showDeadEnd, showInvalidLink } from './dead-end.ts'
import { readEmailToken, spendEmailToken } from './email-tokens.ts'
import { returnPath } from './flow-path.ts'
import { type FlowRequest, languageOf, scopeOf, show } from './flow-request.ts'

/**
 * Shows a button, and does nothing yet: programs that look for malice in mail follow every link.
 */
export async function showVerify(flow: FlowRequest): Promise<void> {
  const token = flow.url.searchParams.get('token') ?? ''
  const content = await readEmailToken(flow.context, flow.tenant.id, 'VerifyToken', token)
  if (!content) return showInvalidLink(flow)
  const application = content.applicationId ?? ''
  show(flow, 200, 'verify', { token, email: content.email, application })
}

/** Notes that the address is proven, and leads back to where the visitor began. */
export async function verify(flow: FlowRequest, form: Form): Promise<void> {
  const { context, tenant, response } = flow
  const token = form.get('token') ?? ''
  const content = await spendEmailToken(context, tenant.id, 'VerifyToken', token)
  if (!content) return showInvalidLink(flow)
  const { userId, emailKey, flow: handle, applicationId } = content
  const isDone = await confirmAddress(scopeOf(flow, userId), userId, emailKey)
  if (!isDone) return showInvalidLink(flow)

  const values = { application: applicationId, uiLocales: languageOf(flow) }
  if (handle !== undefined) return redirect(response, returnPath(handle, 'verified', values))
  const url = new URL(flow.url)
  url.searchParams.set('done', 'verified')
  return showDeadEnd({ ...flow, url, applicationId })
}
