import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { User, Visit } from '@latchkey/core'
import { serveNode } from '@latchkey/core/node'
import { strengthAt } from '../domain/operators/command-logins.ts'
import type { Support } from '../domain/operators/support.ts'
import { noteRefusal } from '../domain/writes/audit.ts'
import type { Actor, DomainContext } from '../domain/writes/context.ts'
import { refusalIn } from '../domain/writes/errors.ts'
import { isBrokenOff, RequestRefused, readFields, redirect } from '../issuer/requests/http.ts'
import { chooseLanguage, type Language } from '../pages/index.ts'
import { OutcomeUnknownError, StoreError } from '../store/errors.ts'
import type { ProtocolStore } from '../store/protocol-store.ts'
import { nameRoute } from '../telemetry/route.ts'
import type { Webhooks } from '../webhooks/index.ts'
import { type ClientIp, userAgentOf } from '../wire/client.ts'
import { sendLines } from '../wire/json-lines.ts'
import { paths } from './addresses/paths.ts'
import type { Answer, Call, Result, System } from './calls/call.ts'
import { keptNameIn } from './forms/kept-name.ts'
import { readSent, type SentForm } from './forms/uploads.ts'
import { notices, renderConsole } from './frame/page.ts'
import { checks } from './gate/checks.ts'
import type { Admitted, Arrived, Parts, Show } from './gate/context.ts'
import { answerInvitation } from './gate/invitation.ts'
import { createKeptForms } from './gate/kept-forms.ts'
import { createCsrf, createLogin, type LoginOptions } from './gate/login.ts'
import { messagePage, notFoundPage, withRequest } from './gate/messages.ts'
import type { Content, Frame } from './pages/index.ts'
import { serviceNavigation, tenantNavigation } from './routes/index.ts'
import { refusalText, type Sentence } from './texts/index.ts'

/** The options of the console: the stores and services that it uses. */
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
  /**
   * Whether a request is for the console. All other requests to its host are for the issuer at
   * which operators log in.
   */
  isFor(request: IncomingMessage): boolean
  handle(request: IncomingMessage, response: ServerResponse): void
}

/**
 * The paths that metrics and traces show as they are. A request to a route is shown by the path
 * pattern of the route.
 */
const namedPaths: ReadonlySet<string> = new Set(['/', ...Object.values(paths)])

/**
 * The maximum size of a form. It has room for an application with 50 URLs of each kind and 20 long
 * values of metadata.
 */
const MAX_FORM_BYTES = 512 * 1024

/**
 * Makes the management console. Operators log in to it through the kit, as users of the system
 * tenant.
 */
export function createConsole(options: ConsoleOptions): Console {
  const { context, protocol, support, webhooks, system, clientIp, logger } = options
  const { origin, host } = new URL(options.url)
  const login = createLogin(options)
  const parts: Parts = {
    ...{ context, protocol, support, webhooks, system, origin },
    strength: strengthAt(options.url),
    csrf: createCsrf(options.masterKeys),
    keptForms: createKeptForms(context, protocol, 'ConsoleForm'),
    keptSecrets: createKeptForms(context, protocol, 'ConsoleSecret'),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? '/', origin) ?? new URL(origin)
    const requestId = randomUUID()
    response.setHeader('request-id', requestId)
    if (namedPaths.has(url.pathname)) nameRoute(request, url.pathname)
    if (url.pathname === '/') return redirect(response, paths.overview)
    const actor: Actor = {
      name: 'visitor',
      requestId,
      address: clientIp(request) || undefined,
      userAgent: userAgentOf(request),
    }
    const show: Show = (content, frame) => send(request, response, url.pathname, content, frame)
    try {
      if (url.pathname === paths.invitation) {
        const fields = request.method === 'POST' ? await readFields(request) : undefined
        const answered = await answerInvitation({ context, actor }, parts, url, fields)
        return await finish(response, answered, show)
      }
      await serveNode(login, request, response, async (visit) => {
        await answer(await begin(visit, { request, response, url, actor, show }))
      })
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      show(failure(error, request))
    }
  }

  /**
   * The context for the first check. The form is read before the checks, because facts such as the
   * role of the operator can change while it arrives.
   */
  async function begin(
    visit: Visit<User, void>,
    given: Pick<Arrived, 'request' | 'response' | 'url' | 'actor' | 'show'>,
  ): Promise<Arrived> {
    const { method } = given.request
    const isWrite = method === 'POST'
    const isRead = method === 'GET' || method === 'HEAD'
    const { fields, upload }: SentForm = isWrite
      ? await readSent(given.request, given.response, MAX_FORM_BYTES)
      : { fields: new URLSearchParams() }
    return { parts, visit, ...given, given: fields, upload, isRead, isWrite }
  }

  function failure(error: unknown, request: IncomingMessage): Content {
    if (error instanceof RequestRefused) {
      return {
        ...messagePage('The request cannot be read', error.reason),
        status: error.statusCode,
      }
    }
    if (!isBrokenOff(request)) logger.error({ err: error }, 'A page of the console failed.')
    const isStore = error instanceof StoreError
    return {
      ...messagePage(
        'Something went wrong',
        error instanceof OutcomeUnknownError
          ? 'It may have been done. Look before you try again. The log of the service says more.'
          : 'Try again in a moment. The log of the service says more.',
      ),
      status: isStore ? 503 : 500,
    }
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

/** Runs the checks. A request that passes them is answered by its route. */
async function answer(arrived: Arrived): Promise<void> {
  const context = await checks.pass(arrived)
  if (!context) return
  const { parts, response, tenant, operator, url, form, isRead, show } = context
  const once = await secretsOf(context)
  const done = url.searchParams.get('done') ?? ''
  const notice =
    once === 'used' ? SHOWN_ALREADY : isRead && Object.hasOwn(notices, done) && notices[done]
  const result = await run(context, once)
  if (result.kind === 'secrets') {
    const { to: path, secrets } = result
    const fields = new URLSearchParams(secrets)
    const kept = { path, fields }
    const name = await parts.keptSecrets.keep(operator.operator.id, kept, keptNameIn(form))
    return redirect(response, `${path}?once=${name}`)
  }
  const made = await secretsAddress(context, result)
  if (made !== undefined) return redirect(response, made)
  const above = tenant && { id: tenant.id, name: tenant.name || tenant.settings.domain }
  const shared = { ...(above && { tenant: above }) }
  await finish(response, result, (content) =>
    show({ notice: notice || undefined, ...content, ...shared }),
  )
}

/**
 * The secrets that a page is to show once. They are deleted here, so that loading the page again
 * does not show them.
 */
async function secretsOf({ request, url, parts, operator, path }: Admitted): Promise<Call['once']> {
  const name = request.method === 'GET' ? url.searchParams.get('once') : null
  if (name === null) return undefined
  const kept = await parts.keptSecrets.take(operator.operator.id, name)
  return kept?.path === path ? kept.fields : 'used'
}

/**
 * The number of attempts to find the secrets of a form, and the milliseconds between them. The
 * request that made the secrets may be about to store them.
 */
const KEEP_TRIES = 10
const KEEP_MS = 30

/**
 * The address that shows the secrets of a form once, if the form was sent a second time before it
 * was opened. A browser that sends a form twice shows the second answer alone.
 */
async function secretsAddress(
  { parts, operator, form }: Admitted,
  result: Result,
): Promise<string | undefined> {
  const name = keptNameIn(form)
  if (name === undefined || result.kind !== 'page' || result.status !== 409) return undefined
  for (let tries = 0; tries < KEEP_TRIES; tries++) {
    const path = await parts.keptSecrets.pathOf(operator.operator.id, name)
    if (path !== undefined) return `${path}?once=${name}`
    await wait(KEEP_MS)
  }
  return undefined
}

/** Runs the route. A refusal by the domain is noted in the audit log and shown as a page. */
async function run(context: Admitted, once: Call['once']): Promise<Result> {
  const { route, parts, operator, ids, form, upload, tenant, scope, url, request } = context
  const { support, webhooks, system, origin } = parts
  try {
    return await context.run({
      ...{ scope, operator, support, webhooks, system },
      ...{ ids, form, upload, origin, tenant, once },
      query: url.searchParams,
      language: languageOf(request),
    })
  } catch (error) {
    const refused = refusalIn(error)
    const { code, statusCode: status } = refused
    if (code === 'not_found') return { kind: 'page', ...notFoundPage }
    const target = Object.values(ids).at(-1) ?? route.path
    await noteRefusal(scope, code, target)
    const refusal = { ...messagePage('It was not done', refusalText(refused)), status }
    return { kind: 'page', ...withRequest(refusal, scope.actor.requestId) }
  }
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

function send(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  content: Content,
  frame?: Partial<Frame>,
): undefined {
  const { html, headers } = renderConsole(content, {
    language: languageOf(request),
    operator: undefined,
    csrf: '',
    path,
    servicePages: serviceNavigation,
    tenantPages: tenantNavigation,
    ...frame,
  })
  response.writeHead(content.status ?? 200, {
    ...headers,
    'content-length': Buffer.byteLength(html),
  })
  response.end(request.method === 'HEAD' ? undefined : html)
}

function languageOf({ headers }: IncomingMessage): Language {
  return chooseLanguage(undefined, headers['accept-language'])
}

const SHOWN_ALREADY: Sentence =
  'The new secret was shown once, and is not shown again. Loading the page has made nothing new.'
