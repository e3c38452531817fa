import { rolesThatMay } from '../../domain/operators/roles.ts'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { noteRefusal } from '../../domain/writes/audit.ts'
import { redirect } from '../../issuer/requests/http.ts'
import type { OperatorRole } from '../../store/records.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import { nameRoute } from '../../telemetry/route.ts'
import { createRouter } from '../../wire/router.ts'
import { paths } from '../addresses/paths.ts'
import type { Content } from '../pages/index.ts'
import { consoleRoutes } from '../routes/index.ts'
import { type Message, message } from '../texts/index.ts'
import type {
  Admitted,
  Arrived,
  Known,
  Parts,
  Permitted,
  Placed,
  Reached,
  Resumed,
  Routed,
  Visited,
} from './context.ts'
import { formName } from './form-names.ts'
import { type Check, type Gate, gate } from './gate.ts'
import { beganFresh, FRESH_SECONDS, findOperator } from './login.ts'
import {
  forgedPage,
  goneForm,
  loggedOutPage,
  messagePage,
  notFoundPage,
  withRequest,
} from './messages.ts'

/**
 * The age in seconds below which a session without an operator is not redirected to the login, to
 * avoid a redirect loop.
 */
const JUST_NOW_SECONDS = 10

const findRoute = createRouter(consoleRoutes)

/**
 * Requires a session of the kit that began with a login of its own and has the required strength.
 * Otherwise redirects to the login.
 */
export const visited: Check<Arrived, Visited> = async (context) => {
  const { visit, url, isRead, parts } = context
  if (isRead && !beganFresh(visit.session.current)) return logIn(context)
  const maxAge = url.pathname === paths.confirm && { maxAge: FRESH_SECONDS }
  const refusal = await visit.admit({ respond: 'redirect', ...parts.strength, ...maxAge })
  if (!refusal) return { ...context, session: visit.session.current }
  visit.send(refusal)
  return undefined
}

/**
 * Requires that the session belongs to an operator. Otherwise redirects to the login or answers
 * with 403. The later checks show their pages with the navigation for this operator.
 */
export const operator: Check<Visited, Known> = async (context) => {
  const { session, parts, isRead, actor, show } = context
  const found = session && (await findOperator(parts.context, parts.protocol, session))
  if (!session || !found) {
    const isNew = session !== undefined && secondsNow(parts) - session.createdAt < JUST_NOW_SECONDS
    return isRead && !isNew ? logIn(context) : show(loggedOutPage)
  }
  const frame = { operator: found, csrf: parts.csrf.tokenOf(session) }
  return {
    ...context,
    session,
    operator: found,
    actor: { ...actor, name: `operator:${found.operator.id}` },
    show: (content) => show(content, frame),
  }
}

/**
 * Ends a re-authentication: after the login, the path `/console/confirm` redirects the operator
 * back to the page that needed it.
 */
export const confirmed: Check<Known, Known> = (context) => {
  const { url } = context
  return url.pathname === paths.confirm ? leadTo(context, backFrom(url)) : context
}

/**
 * Resumes a form that was kept during a re-authentication: a `GET` shows it, and a `POST` deletes
 * it and acts on it. Any other request acts on its own path and form.
 */
export const resumed: Check<Known, Resumed> = async (context) => {
  const { url, parts, given, isRead, operator: by, show } = context
  if (url.pathname !== paths.resume) return { ...context, path: url.pathname, sent: given }
  if (isRead) {
    const name = url.searchParams.get('kept') ?? ''
    const path = await parts.keptForms.pathOf(by.operator.id, name)
    return show(path === undefined ? goneForm : keptForm(name, path))
  }
  if (!isOwnForm(context)) return show(forgedPage)
  const kept = await parts.keptForms.take(by.operator.id, given.get('kept') ?? '')
  return kept ? { ...context, path: kept.path, sent: kept.fields } : show(goneForm)
}

/**
 * Finds the route of the path and the method. Answers with 404 for an unknown path, and with 405
 * for a method that the path does not have.
 */
export const route: Check<Resumed, Routed> = (context) => {
  const { request, response, path, show } = context
  const { found, methods, params } = findRoute(path, request.method ?? '')
  if (methods.length === 0) return show(notFoundPage)
  if (!found) {
    response.setHeader('allow', methods.join(', '))
    return show({ ...messagePage('This page is asked for in another way'), status: 405 })
  }
  nameRoute(request, found.path)
  return { ...context, route: found, ids: params }
}

/**
 * Requires that the operator reaches the tenant of the path, or the whole service. Otherwise
 * answers with 404.
 */
export const reach: Check<Routed, Reached> = (context) => {
  const { route, ids, operator: by, parts, actor, show } = context
  const isReached =
    route.concerns === 'any' ||
    by.operator.reach === 'all' ||
    (route.concerns === 'tenant' && by.operator.reach.includes(ids.tenant ?? ''))
  if (!isReached || ids.tenant === SYSTEM_TENANT_ID) return show(notFoundPage)
  return { ...context, scope: { context: parts.context, actor, tenantId: ids.tenant } }
}

/**
 * Requires that the stored role of the operator has the permission of the route. Otherwise notes
 * the refusal in the audit log and answers with 403.
 */
export const permission: Check<Reached, Permitted> = async (context) => {
  const { route, operator: by, scope, request, path, show } = context
  const own = by.operator.role
  const roles = rolesThatMay(route.needs)
  if (roles.includes(own)) return { ...context, run: route.run }
  await noteRefusal(scope, 'not_permitted', `${request.method} ${path}`)
  const text = message('The roles that may do this: {roles}. Yours is “{own}”.', {
    roles: listed(roles),
    own: message(own),
  })
  const refusal = { ...messagePage('You may not do this', text), status: 403 }
  return show(withRequest(refusal, scope.actor.requestId))
}

/**
 * Looks up the tenant of the path, if the path names one. Answers with 404 if this tenant does not
 * exist.
 */
export const tenant: Check<Permitted, Placed> = async (context) => {
  const { ids, parts, show } = context
  if (ids.tenant === undefined) return { ...context, tenant: undefined }
  const found = await lookUpTenant(parts.context, ids.tenant)
  return found ? { ...context, tenant: found } : show(notFoundPage)
}

/** Requires that a form was sent from a page of this session. Otherwise answers with 403. */
export const formToken: Check<Placed, Admitted> = (context) =>
  context.isWrite && !isOwnForm(context)
    ? context.show(forgedPage)
    : { ...context, form: context.sent }

/**
 * Requires a login of the last five minutes for a dangerous route. Otherwise keeps the form, if
 * there is one, and redirects to a re-authentication.
 */
export const freshLogin: Check<Admitted, Admitted> = async (context) => {
  const { route, form, path, session, tenant, parts, isWrite, operator: by } = context
  const { isDangerous } = route
  const needsFresh = typeof isDangerous === 'boolean' ? isDangerous : isDangerous(form, tenant)
  if (!needsFresh || secondsNow(parts) - (session.authTime ?? 0) <= FRESH_SECONDS) return context
  const query = new URLSearchParams({ to: pageOf(path) })
  if (isWrite) query.set('kept', await parts.keptForms.keep(by.operator.id, { path, fields: form }))
  return leadTo(context, `${paths.confirm}?${query}`)
}

/** All checks of a request with a session, in order. */
export const checks: Gate<Arrived, Admitted> = gate(visited)
  .check(operator)
  .check(confirmed)
  .check(resumed)
  .check(route)
  .check(reach)
  .check(permission)
  .check(tenant)
  .check(formToken)
  .check(freshLogin)

/** The names of roles, separated by commas. */
function listed([first = 'owner', ...more]: readonly OperatorRole[]): Message {
  return more.reduce(
    (before, next) => message('{before}, {next}', { before, next: message(next) }),
    message(first),
  )
}

async function logIn({ visit, parts }: Arrived): Promise<undefined> {
  await visit.auth.login({ ...parts.strength, maxAge: FRESH_SECONDS })
}

function leadTo({ response }: Arrived, to: string): undefined {
  redirect(response, to)
}

/** Whether the form came from a page of the same origin and has the CSRF token of the session. */
function isOwnForm({ request: { headers }, session, given, parts }: Known): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  return parts.csrf.isToken(session, given.get('csrf') ?? '')
}

function secondsNow({ context }: Parts): number {
  return Math.floor(context.clock.now() / 1_000)
}

/** The page that offers to go on with a kept form. */
function keptForm(kept: string, formPath: string): Content {
  const route = findRoute(formPath, 'POST').found
  const form = route && formName(route.path)
  const data = { kept, form, page: pageOf(formPath) }
  return { name: 'kept-form', title: 'Go on with your form', data }
}

/**
 * The path of the page with the form that is sent to this path: the path itself if it is a page,
 * otherwise the path above it.
 */
function pageOf(pathname: string): string {
  const isPage = findRoute(pathname, 'GET').found !== undefined
  return isPage ? pathname : pathname.slice(0, pathname.lastIndexOf('/'))
}

/**
 * The path to return to after a re-authentication: that of the kept form, or the page that asked
 * for the login.
 */
function backFrom(url: URL): string {
  const kept = url.searchParams.get('kept')
  if (kept) return `${paths.resume}?${new URLSearchParams({ kept })}`
  const to = url.searchParams.get('to') ?? ''
  return /^\/console(\/[\w-]+)*$/.test(to) ? `${to}?done=confirmed` : paths.overview
}
