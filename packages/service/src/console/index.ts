import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serveNode } from '@latchkey/core/node'
import type { Support } from '../domain/operators/support.ts'
import { lookUpTenant } from '../domain/tenants/tenants.ts'
import { noteRefusal } from '../domain/writes/audit.ts'
import type { Actor, DomainContext, ServiceScope } from '../domain/writes/context.ts'
import { ServiceError } from '../domain/writes/errors.ts'
import { isBrokenOff, RequestRefused, readFields, redirect } from '../issuer/requests/http.ts'
import { chooseLanguage } from '../pages/index.ts'
import { StoreError } from '../store/errors.ts'
import type { OperatorUser } from '../store/ports.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import type { OperatorRole } from '../store/records.ts'
import { SYSTEM_TENANT_ID } from '../store/system-tenant.ts'
import { nameRoute } from '../telemetry/route.ts'
import type { Webhooks } from '../webhooks/index.ts'
import { type ClientIp, userAgentOf } from '../wire/client.ts'
import { sendLines } from '../wire/json-lines.ts'
import type { Answer, Call, ConsoleRoute, Result, System } from './call.ts'
import { answerInvitation } from './invitation.ts'
import { createKeptForms } from './kept-forms.ts'
import {
  beganFresh,
  createCsrf,
  createLogin,
  FRESH_SECONDS,
  findOperator,
  type LoginOptions,
  strengthAt,
} from './login.ts'
import { type Content, type Frame, notices, renderConsole } from './page.ts'
import { paths } from './paths.ts'
import { consoleRoutes, serviceNavigation, tenantNavigation } from './routes.ts'
import { type Sentence, say, type Text, told } from './texts/index.ts'
import { readSent, type SentForm } from './uploads.ts'

/** The parts that the console works with. */
export interface ConsoleOptions extends LoginOptions {
  readonly context: DomainContext
  readonly protocol: ProtocolStore
  readonly support: Support
  readonly webhooks: Webhooks
  readonly system: System
  readonly clientIp: ClientIp
}

/** The management console. */
export interface Console {
  /** Whether a request is for the console; all else at its host is for the issuer of operators. */
  isFor(request: IncomingMessage): boolean
  handle(request: IncomingMessage, response: ServerResponse): void
}

/** The paths that no route of the console has. */
const namedPaths: ReadonlySet<string> = new Set(['/', ...Object.values(paths)])

const RANKS: Readonly<Record<OperatorRole, number>> = { viewer: 0, admin: 1, owner: 2 }

/** The age below which a session without an operator is not redirected to the login again. */
const JUST_NOW_SECONDS = 10

/** An application may have 50 URLs of each kind, and 20 long values of metadata. */
const MAX_FORM_BYTES = 512 * 1024

/** Makes the management console, an application of the kit that logs in at the system tenant. */
export function createConsole(options: ConsoleOptions): Console {
  const { context, protocol, support, webhooks, system, clientIp, logger } = options
  const { origin, host } = new URL(options.url)
  const login = createLogin(options)
  const csrf = createCsrf(options.masterKeys)
  const strength = strengthAt(options.url)
  const keptForms = createKeptForms(context, protocol, 'ConsoleForm')
  const keptSecrets = createKeptForms(context, protocol, 'ConsoleSecret')
  const freshLogin = { ...strength, maxAge: FRESH_SECONDS }
  const routes = consoleRoutes.map((route) => ({ route, pattern: patternOf(route.path) }))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '/', origin) ?? new URL(origin)
    const requestId = randomUUID()
    response.setHeader('request-id', requestId)
    if (namedPaths.has(url.pathname)) nameRoute(request, url.pathname)
    if (url.pathname === '/') return redirect(response, paths.overview)
    const visitor: Actor = {
      name: 'visitor',
      requestId,
      address: clientIp(request) || undefined,
      userAgent: userAgentOf(request),
    }
    const show = (content: Content, frame: Partial<Frame> = {}) =>
      send(request, response, content, {
        language: chooseLanguage(undefined, request.headers['accept-language']),
        operator: undefined,
        csrf: '',
        path: url.pathname,
        servicePages: serviceNavigation,
        tenantPages: tenantNavigation,
        ...frame,
      })
    try {
      if (url.pathname === paths.invitation) {
        const fields = request.method === 'POST' ? await readFields(request) : undefined
        const scope = { context, actor: visitor }
        return await finish(response, await answerInvitation(scope, url, fields), show)
      }
      await serveNode(login, request, response, async (visit) => {
        // The form is here before anything is asked: what was true before it came may not be now.
        const isWrite = request.method === 'POST'
        const isRead = request.method === 'GET' || request.method === 'HEAD'
        const { fields: given, upload }: SentForm = isWrite
          ? await readSent(request, response, MAX_FORM_BYTES)
          : { fields: new URLSearchParams() }
        if (isRead && !beganFresh(visit.session.current)) {
          return void (await visit.auth.login(freshLogin))
        }
        const refusal = await visit.admit({
          respond: 'redirect',
          ...strength,
          ...(url.pathname === paths.confirm && { maxAge: FRESH_SECONDS }),
        })
        if (refusal) return visit.send(refusal)
        const session = visit.session.current
        const operator = session && (await findOperator(context, protocol, session))
        const now = Math.floor(context.clock.now() / 1_000)
        if (!session || !operator) {
          const isNew = session !== undefined && now - session.createdAt < JUST_NOW_SECONDS
          if (isRead && !isNew) return void (await visit.auth.login(freshLogin))
          return show({
            ...message(
              'You are not logged in',
              'Your session has ended, or you are no operator any more.',
              { href: paths.login, label: 'Log in' },
            ),
            status: 403,
          })
        }
        const frame = { operator, csrf: csrf.tokenOf(session) }
        if (url.pathname === paths.confirm) return redirect(response, backFrom(url))
        const { id: operatorId } = operator.operator
        if (url.pathname === paths.resume && isRead) {
          const name = url.searchParams.get('kept') ?? ''
          const path = await keptForms.pathOf(operatorId, name)
          return show(path === undefined ? goneForm : keptForm(name, path, pageOf(path)), frame)
        }
        const isResumed = url.pathname === paths.resume
        if (isResumed && !isSent(request, given)) return show(forgedPage, frame)
        const kept = isResumed
          ? await keptForms.take(operatorId, given.get('kept') ?? '')
          : { path: url.pathname, fields: given }
        if (!kept) return show(goneForm, frame)
        const { path, fields: form } = kept
        const { found, methods, ids } = find(path, request.method ?? '')
        if (found) nameRoute(request, found.path)
        const actor = { ...visitor, name: `operator:${operator.operator.id}` }
        if (methods.length === 0) return show(notFoundPage, frame)
        if (!found) {
          response.setHeader('allow', methods.join(', '))
          return show({ ...message('This page is asked for in another way'), status: 405 }, frame)
        }
        const refused = refuse(found, ids, operator)
        if (refused?.status === 403) {
          const scope = { context, actor, tenantId: ids.tenant }
          await noteRefusal(scope, 'not_permitted', `${request.method} ${path}`)
          return show(withRequest(refused, requestId), frame)
        }
        if (refused) return show(refused, frame)
        const tenant =
          ids.tenant === undefined ? undefined : await lookUpTenant(context, ids.tenant)
        if (ids.tenant !== undefined && !tenant) return show(notFoundPage, frame)
        if (isWrite && !isSent(request, given)) return show(forgedPage, frame)
        function isSent({ headers }: IncomingMessage, sent: URLSearchParams): boolean {
          const site = headers['sec-fetch-site']
          if (site !== undefined && site !== 'same-origin') return false
          return session !== undefined && csrf.isToken(session, sent.get('csrf') ?? '')
        }
        const { isDangerous } = found
        const needsFresh = typeof isDangerous === 'boolean' ? isDangerous : isDangerous(form)
        if (needsFresh && now - (session.authTime ?? 0) > FRESH_SECONDS) {
          const to = encodeURIComponent(pageOf(path))
          const name =
            isWrite && `&kept=${await keptForms.keep(operatorId, { path, fields: form })}`
          return redirect(response, `${paths.confirm}?to=${to}${name || ''}`)
        }
        const scope: ServiceScope = { context, actor, tenantId: ids.tenant }
        const query = url.searchParams
        const once = request.method === 'GET' ? await secretsOf(operatorId, path, query) : undefined
        const call = {
          ...{ scope, operator, support, webhooks, system },
          ...{ ids, query, form, upload, origin, tenant, once },
        }
        const notice =
          once === 'used' ? SHOWN_ALREADY : isRead ? notices[query.get('done') ?? ''] : undefined
        const result = await run(found, call)
        const above = tenant && { id: tenant.id, name: tenant.name || tenant.settings.domain }
        if (result.kind === 'secrets') {
          const { to, secrets } = result
          const fields = new URLSearchParams(secrets)
          const name = await keptSecrets.keep(operatorId, { path: to, fields })
          return redirect(response, `${to}?once=${name}`)
        }
        await finish(response, result, (content) =>
          show({ notice, ...content, ...(above && { tenant: above }) }, frame),
        )
      })
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      show(failure(error, request))
    }
  }

  /** The secrets that a page was opened for. Taking them out is what makes a reload show nothing. */
  async function secretsOf(
    operatorId: string,
    path: string,
    query: URLSearchParams,
  ): Promise<Call['once']> {
    const name = query.get('once')
    if (name === null) return undefined
    const kept = await keptSecrets.take(operatorId, name)
    return kept?.path === path ? kept.fields : 'used'
  }

  function failure(error: unknown, request: IncomingMessage): Content {
    if (error instanceof RequestRefused) {
      return {
        ...message('The request cannot be read', told(error.message)),
        status: error.statusCode,
      }
    }
    if (!isBrokenOff(request)) logger.error({ err: error }, 'A page of the console failed.')
    const isStore = error instanceof StoreError
    return {
      ...message(
        'Something went wrong',
        'Try again in a moment. The log of the service says more.',
      ),
      status: isStore ? 503 : 500,
    }
  }

  function find(pathname: string, method: string) {
    const matches = routes.flatMap(({ route, pattern }) => {
      const match = pattern.exec(pathname)
      return match ? [{ route, ids: { ...match.groups } as Record<string, string> }] : []
    })
    const wanted = method === 'HEAD' ? 'GET' : method
    const match = matches.find(({ route }) => route.method === wanted)
    return {
      found: match?.route,
      ids: match?.ids ?? {},
      methods: matches.map(({ route }) => route.method),
    }
  }

  /** The page on which a form is. */
  function pageOf(pathname: string): string {
    const isPage = find(pathname, 'GET').found !== undefined
    return isPage ? pathname : pathname.slice(0, pathname.lastIndexOf('/'))
  }

  return {
    isFor(request) {
      if (request.headers.host?.toLowerCase() !== host) return false
      return /^\/(console(\/|$|\?)|$|\?)/.test(request.url ?? '/')
    },
    handle(request, response) {
      serve(request, response).catch((error) => {
        logger.error({ err: error }, 'The console failed.')
        response.destroy()
      })
    },
  }
}

async function run(route: ConsoleRoute, call: Parameters<ConsoleRoute['run']>[0]): Promise<Result> {
  try {
    return await route.run(call)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.statusCode >= 500) throw error
    if (error.code === 'not_found') return { kind: 'page', ...notFoundPage }
    const { scope, ids } = call
    const target = Object.values(ids).at(-1) ?? route.path
    await noteRefusal(scope, error.code, target)
    const refusal = { ...message('It was not done', told(error.message)), status: error.statusCode }
    return { kind: 'page', ...withRequest(refusal, scope.actor.requestId) }
  }
}

function refuse(
  route: ConsoleRoute,
  ids: Readonly<Record<string, string>>,
  { operator: { role, reach } }: OperatorUser,
): Content | undefined {
  const isReached =
    route.concerns === 'any' ||
    reach === 'all' ||
    (route.concerns === 'tenant' && reach.includes(ids.tenant ?? ''))
  if (!isReached || ids.tenant === SYSTEM_TENANT_ID) return notFoundPage
  if (RANKS[role] >= RANKS[route.role]) return undefined
  const text = say('This needs an operator with the role “{needed}”; yours is “{own}”.', {
    needed: say(route.role),
    own: say(role),
  })
  return { ...message('You may not do this', text), status: 403 }
}

async function finish(
  response: ServerResponse,
  result: Answer,
  show: (content: Content) => void,
): Promise<void> {
  if (result.kind === 'page') return show(result)
  if (result.kind === 'redirect') return redirect(response, result.to)
  response.setHeader('content-disposition', `attachment; filename="${result.fileName}"`)
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  await sendLines(response, result.read, undefined, result.lines)
}

/** A refusal with the id of its request, by which the audit log finds it. */
function withRequest(content: Content, requestId: string | undefined): Content {
  return { ...content, data: { ...content.data, requestId } }
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  content: Content,
  frame: Frame,
): void {
  const { html, headers } = renderConsole(content, frame)
  response.writeHead(content.status ?? 200, {
    ...headers,
    'content-length': Buffer.byteLength(html),
  })
  response.end(request.method === 'HEAD' ? undefined : html)
}

function message(
  title: Sentence,
  text?: Text,
  wayOn: { href: string; label: Sentence } = {
    href: paths.overview,
    label: 'Back to the overview',
  },
): Content {
  return { name: 'message', title, data: { message: text, wayOn } }
}

const SHOWN_ALREADY: Sentence =
  'The new secret was shown once, and is not shown again. Loading the page has made nothing new.'

const notFoundPage: Content = {
  ...message('There is no such page', 'It may have been removed, or you may not see it.'),
  status: 404,
}

const forgedPage: Content = {
  ...message(
    'The form is out of date',
    'It was not sent from a page of this session. Open the page again and repeat it.',
  ),
  status: 403,
}

function keptForm(kept: string, formPath: string, page: string): Content {
  return { name: 'kept-form', title: 'Go on with your form', data: { kept, formPath, page } }
}

const goneForm: Content = {
  ...message(
    'The form is kept no longer',
    'It was used, or is older than ten minutes. Open its page again and repeat it.',
  ),
  status: 404,
}

/** The page of the console to return to after a new login: the form that was sent before it, or its page. */
function backFrom(url: URL): string {
  const kept = url.searchParams.get('kept')
  if (kept) return `${paths.resume}?${new URLSearchParams({ kept })}`
  const to = url.searchParams.get('to') ?? ''
  return /^\/console(\/[\w-]+)*$/.test(to) ? `${to}?done=confirmed` : paths.overview
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[\\w-]+)')}$`)
}
