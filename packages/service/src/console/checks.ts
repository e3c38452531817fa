import { rolesThatMay } from '../domain/operators/roles.ts'
import { lookUpTenant } from '../domain/tenants/tenants.ts'
import { noteRefusal } from '../domain/writes/audit.ts'
import type { OperatorRole } from '../store/records.ts'
import { SYSTEM_TENANT_ID } from '../store/system-tenant.ts'
import { nameRoute } from '../telemetry/route.ts'
import { createRouter } from '../wire/router.ts'
import type { Asked } from './asked.ts'
import type { Answer } from './call.ts'
import { formName } from './form-names.ts'
import { beganFresh, FRESH_SECONDS, findOperator } from './login.ts'
import {
  forgedPage,
  goneForm,
  loggedOutPage,
  message,
  notFoundPage,
  withRequest,
} from './messages.ts'
import type { Content } from './page.ts'
import { paths } from './paths.ts'
import { consoleRoutes } from './routes.ts'
import { type Said, say } from './texts/index.ts'

/** The answer of a check, `answered` where it has written it already, or nothing: the next check decides. */
type Checked = Answer | 'answered' | undefined

/** A condition of a request. */
type Check = (asked: Asked) => Checked | Promise<Checked>

/** The age below which a session without an operator is not redirected to the login again. */
const JUST_NOW_SECONDS = 10

const findRoute = createRouter(consoleRoutes)

/** The session of the kit is there, began with a login of its own, and is strong enough. */
const visited: Check = async (asked) => {
  const { visit, url, isRead, parts } = asked
  if (isRead && !beganFresh(visit.session.current)) return logIn(asked)
  const maxAge = url.pathname === paths.confirm && { maxAge: FRESH_SECONDS }
  const refusal = await visit.admit({ respond: 'redirect', ...parts.strength, ...maxAge })
  if (!refusal) return undefined
  visit.send(refusal)
  return 'answered'
}

/** The session is that of an operator. */
const operator: Check = async (asked) => {
  const { context, protocol } = asked.parts
  const session = asked.visit.session.current
  const found = session && (await findOperator(context, protocol, session))
  if (!session || !found) {
    const isNew = session !== undefined && secondsNow(asked) - session.createdAt < JUST_NOW_SECONDS
    return asked.isRead && !isNew ? logIn(asked) : page(loggedOutPage)
  }
  const actor = { ...asked.actor, name: `operator:${found.operator.id}` }
  Object.assign(asked, { session, operator: found, actor })
  return undefined
}

/** A new login was the aim: the operator returns to the page. */
const confirmed: Check = ({ url }) =>
  url.pathname === paths.confirm ? { kind: 'redirect', to: backFrom(url) } : undefined

/** A form that was kept during a new login is shown, then taken out; any other request is for its own path. */
const resumed: Check = async (asked) => {
  const { url, parts, given, operator: by } = asked
  Object.assign(asked, { path: url.pathname, form: given })
  if (url.pathname !== paths.resume) return undefined
  if (asked.isRead) {
    const name = url.searchParams.get('kept') ?? ''
    const path = await parts.keptForms.pathOf(by.operator.id, name)
    return page(path === undefined ? goneForm : keptForm(name, path))
  }
  if (!isOwnForm(asked)) return page(forgedPage)
  const kept = await parts.keptForms.take(by.operator.id, given.get('kept') ?? '')
  if (!kept) return page(goneForm)
  Object.assign(asked, { path: kept.path, form: kept.fields })
  return undefined
}

/** The console has the route. */
const route: Check = (asked) => {
  const { request, response, path } = asked
  const { found, methods, params } = findRoute(path, request.method ?? '')
  if (methods.length === 0) return page(notFoundPage)
  if (!found) {
    response.setHeader('allow', methods.join(', '))
    return page({ ...message('This page is asked for in another way'), status: 405 })
  }
  nameRoute(request, found.path)
  Object.assign(asked, { route: found, ids: params })
  return undefined
}

/** The operator reaches the tenant of the path, or the whole service. */
const reach: Check = ({ route: { concerns }, ids, operator: { operator: by } }) => {
  const isReached =
    concerns === 'any' ||
    by.reach === 'all' ||
    (concerns === 'tenant' && by.reach.includes(ids.tenant ?? ''))
  return isReached && ids.tenant !== SYSTEM_TENANT_ID ? undefined : page(notFoundPage)
}

/** The operator has the permission, by the role that is stored now. */
const permission: Check = async ({ route: { needs }, operator: by, ...asked }) => {
  const own = by.operator.role
  const roles = rolesThatMay(needs)
  if (roles.includes(own)) return undefined
  const scope = { context: asked.parts.context, actor: asked.actor, tenantId: asked.ids.tenant }
  await noteRefusal(scope, 'not_permitted', `${asked.request.method} ${asked.path}`)
  const text = say('The roles that may do this: {roles}. Yours is “{own}”.', {
    roles: listed(roles),
    own: say(own),
  })
  const refusal = { ...message('You may not do this', text), status: 403 }
  return page(withRequest(refusal, asked.actor.requestId))
}

/** The tenant of the path is there. */
const tenant: Check = async (asked) => {
  const { ids, parts } = asked
  if (ids.tenant === undefined) return undefined
  asked.tenant = await lookUpTenant(parts.context, ids.tenant)
  return asked.tenant ? undefined : page(notFoundPage)
}

/** The form was sent from a page of this session. */
const formToken: Check = (asked) =>
  asked.isWrite && !isOwnForm(asked) ? page(forgedPage) : undefined

/** A dangerous action has a login of the last five minutes behind it; a form is kept during a new one. */
const freshLogin: Check = async (asked) => {
  const {
    route: { isDangerous },
    form,
    path,
    session,
    tenant: of,
  } = asked
  const needsFresh = typeof isDangerous === 'boolean' ? isDangerous : isDangerous(form, of)
  if (!needsFresh || secondsNow(asked) - (session.authTime ?? 0) <= FRESH_SECONDS) return undefined
  const query = new URLSearchParams({ to: pageOf(path) })
  if (asked.isWrite) {
    const { keptForms } = asked.parts
    query.set('kept', await keptForms.keep(asked.operator.operator.id, { path, fields: form }))
  }
  return { kind: 'redirect', to: `${paths.confirm}?${query}` }
}

/** The checks of every request, in this order. */
export const checks: readonly Check[] = [
  visited,
  operator,
  confirmed,
  resumed,
  route,
  reach,
  permission,
  tenant,
  formToken,
  freshLogin,
]

/** Names of roles beside each other. */
function listed([first = 'owner', ...more]: readonly OperatorRole[]): Said {
  return more.reduce(
    (before, next) => say('{before}, {next}', { before, next: say(next) }),
    say(first),
  )
}

async function logIn({ visit, parts }: Asked): Promise<'answered'> {
  await visit.auth.login({ ...parts.strength, maxAge: FRESH_SECONDS })
  return 'answered'
}

function isOwnForm({ request: { headers }, session, given, parts }: Asked): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  return parts.csrf.isToken(session, given.get('csrf') ?? '')
}

function secondsNow({ parts }: Asked): number {
  return Math.floor(parts.context.clock.now() / 1_000)
}

function page(content: Content): Answer {
  return { kind: 'page', ...content }
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
