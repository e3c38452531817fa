import { listApplications } from '../../domain/applications/applications.ts'
import { spendTicket } from '../../domain/operators/impersonations.ts'
import type { Pages } from '../../pages/index.ts'
import { showInvalidLink } from '../interaction/flow/dead-end.ts'
import { isCsrfToken } from '../interaction/flow/flow-path.ts'
import { type FlowRequest, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { refuseForm } from '../interaction/flow/page-route.ts'
import { wayToApplication } from '../requests/branding.ts'
import { IMPERSONATION_COOKIE, setHostCookie } from '../requests/cookies.ts'
import { readForm, redirect } from '../requests/http.ts'
import { endActing } from '../sessions/acting.ts'
import { actingLogin } from './client.ts'
import type { Visit } from './entry.ts'

/**
 * Accepts the ticket that the console has given an operator's browser. The form comes from another
 * site, without this site's cookies. So only the ticket is checked. It is valid once, and the next
 * page asks for confirmation.
 */
export async function takeTicket(flow: FlowRequest): Promise<void> {
  const { context, tenant, facts, provider, request, response } = flow
  const form = await readForm(request)
  const secret = await spendTicket({ context, tenant }, form.get('ticket') ?? '')
  if (!secret) return showInvalidLink(flow)
  const ctx = provider.createContext(request, response)
  setHostCookie(ctx, IMPERSONATION_COOKIE, secret.text, secret.seconds)
  redirect(response, actingLogin(facts.issuer))
}

/** Ends the operator's login in this browser. The banner has the form for this. */
export async function endByBanner(flow: FlowRequest): Promise<void> {
  const { context, tenant, provider, facts, request } = flow
  const form = await readForm(request)
  const { acting } = facts
  if (!acting || !isCsrfToken(acting.uid, form.get('csrf'))) return refuseForm(flow)
  const actor = { ...scopeOf(flow).actor, name: acting.by }
  await endActing({ context, tenant, provider }, actor, acting.id, 'operator')
  facts.acting = undefined
  show(flow, 200, 'message', { title: 'actingEndedTitle', text: 'actingEndedText' })
}

/**
 * Shows the account page for an operator who acts for the user: the facts about the user, and the
 * applications to open.
 */
export async function showForActing(
  flow: FlowRequest,
  { user }: Visit,
  rows: Pages['account']['rows'],
): Promise<void> {
  const { context, tenant } = flow
  const page = { after: undefined, limit: MOST_APPLICATIONS }
  const { items } = await listApplications(scopeOf(flow, user.id), page)
  const links = await Promise.all(
    items.map(({ id }) => wayToApplication(context, tenant, id, 'continueTo')),
  )
  show(flow, 200, 'account', {
    rows: rows.map(({ href: _, ...row }) => row),
    links: links.filter((one) => one !== undefined),
    logoutPath: undefined,
  })
}

/** The maximum number of applications on the page. Others are opened by their own URL. */
const MOST_APPLICATIONS = 20
