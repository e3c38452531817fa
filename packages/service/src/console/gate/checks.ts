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

/** The age below which a session without an operator is not redirected to the login again. */
const JUST_NOW_SECONDS = 10

const findRoute = createRouter(consoleRoutes)

/** The session of the kit is there, began with a login of its own, and is strong enough. */
export const visited: Check<Arrived, Visited> = async (context) => {
  const { visit, url, isRead, parts } = context
  if (isRead && !beganFresh(visit.session.current)) return logIn(context)
  const maxAge = url.pathname === paths.confirm && { maxAge: FRESH_SECONDS }
  const refusal = await visit.admit({ respond: 'redirect', ...parts.strength, ...maxAge })
  if (!refusal) return { ...context, session: visit.session.current }
  visit.send(refusal)
  return undefined
}

/** The session is that of an operator, in whose frame pages are shown from here on. */
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

/** A new login was the aim: the operator returns to the page. */
export const confirmed: Check<Known, Known> = (context) => {
  const { url } = context
  return url.pathname === paths.confirm ? leadTo(context, backFrom(url)) : context
}

/** A form that was kept during a new login is shown, then taken out; any other request is for its own path. */
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

/** The console has the route. */
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

/** The operator reaches the tenant of the path, or the whole service. */
export const reach: Check<Routed, Reached> = (context) => {
  const { route, ids, operator: by, parts, actor, show } = context
  const isReached =
    route.concerns === 'any' ||
    by.operator.reach === 'all' ||
    (route.concerns === 'tenant' && by.operator.reach.includes(ids.tenant ?? ''))
  if (!isReached || ids.tenant === SYSTEM_TENANT_ID) return show(notFoundPage)
  return { ...context, scope: { context: parts.context, actor, tenantId: ids.tenant } }
}

/** The operator has the permission, by the role that is stored now. */
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

/** The tenant of the path is there. */
export const tenant: Check<Permitted, Placed> = async (context) => {
  const { ids, parts, show } = context
  if (ids.tenant === undefined) return { ...context, tenant: undefined }
  const found = await lookUpTenant(parts.context, ids.tenant)
  return found ? { ...context, tenant: found } : show(notFoundPage)
}

/** The form was sent from a page of this session. */
export const formToken: Check<Placed, Admitted> = (context) =>
  context.isWrite && !isOwnForm(context)
    ? context.show(forgedPage)
    : { ...context, form: context.sent }

/** A dangerous action has a login of the last five minutes behind it; a form is kept during a new one. */
export const freshLogin: Check<Admitted, Admitted> = async (context) => {
  const { route, form, path, session, tenant, parts, isWrite, operator: by } = context
  const { isDangerous } = route
  const needsFresh = typeof isDangerous === 'boolean' ? isDangerous : isDangerous(form, tenant)
  if (!needsFresh || secondsNow(parts) - (session.authTime ?? 0) <= FRESH_SECONDS) return context
  const query = new URLSearchParams({ to: pageOf(path) })
  if (isWrite) query.set('kept', await parts.keptForms.keep(by.operator.id, { path, fields: form }))
  return leadTo(context, `${paths.confirm}?${query}`)
}

/** The checks of every request, in this order. */
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

/** Names of roles beside each other. */
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

function isOwnForm({ request: { headers }, session, given, parts }: Known): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  return parts.csrf.isToken(session, given.get('csrf') ?? '')
}

function secondsNow({ context }: Parts): number {
  return Math.floor(context.clock.now() / 1_000)
}

function keptForm(kept: string, formPath: string): Content {
  const route = findRoute(formPath, 'POST').found
  const form = route && formName(route.path)
  const data = { kept, form, page: pageOf(formPath) }
  return { name: 'kept-form', title: 'Go on with your form', data }
}

/** The page on which a form is. */
function pageOf(pathname: string): string {
  const isPage = findRoute(pathname, 'GET').found !== undefined
  return isPage ? pathname : pathname.slice(0, pathname.lastIndexOf('/'))
}

/** The page of the console to return to after a new login: the form that was sent before it, or its page. */
function backFrom(url: URL): string {
  const kept = url.searchParams.get('kept')
  if (kept) return `${paths.resume}?${new URLSearchParams({ kept })}`
  const to = url.searchParams.get('to') ?? ''
  return /^\/console(\/[\w-]+)*$/.test(to) ? `${to}?done=confirmed` : paths.overview
}
