import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Scope } from '../../../domain/writes/context.ts'
import { idPattern } from '../../../domain/writes/ids.ts'
import {
  type Language,
  type PageName,
  type Pages,
  renderPage,
  translator,
} from '../../../pages/index.ts'
import type { Tenant } from '../../../store/records.ts'
import type { IssuerContext } from '../../context.ts'
import { lastApplication } from '../../requests/application-cookie.ts'
import { brandingFor } from '../../requests/branding.ts'
import { sendJson } from '../../requests/http.ts'
import { type RequestFacts, scopeOfRequest } from '../../requests/request-facts.ts'
import type { MailContext } from '../mail/messages.ts'
import { bannerOf } from './acting-banner.ts'

const APPLICATION_ID = idPattern('app')

/** A request for one of the hosted pages. */
export interface FlowRequest {
  context: IssuerContext
  provider: Provider
  facts: RequestFacts
  tenant: Tenant
  url: URL
  request: IncomingMessage
  response: ServerResponse
  /** The languages from the application's request or the link in a message. */
  uiLocales: string | undefined
  /** The application that the visitor came from, if it is known. */
  applicationId: string | undefined
  /** The handle of the login in progress. */
  handle?: string
}

/** An interaction of oidc-provider: the stored state of a login. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>> & {
  /** The browser in which the login began, as a hash of the browser's secret. */
  browser?: string
  /** The name that a self-described client claims. */
  clientName?: string
  /** The id of the pushed request with which the login began. */
  parJti?: string
}

/** A request for a page of a login that is in progress in this browser. */
export interface InteractionRequest extends FlowRequest {
  interaction: Interaction
  /**
   * Whether this is the first request for a page of the login, so that no progress can be stored
   * for it.
   */
  isFresh: boolean
  handle: string
}

/**
 * The languages and the application in the query of a page. Default application: the one that the
 * browser came from last.
 */
export function originOf(
  request: IncomingMessage,
  url: URL,
): Pick<FlowRequest, 'uiLocales' | 'applicationId'> {
  return {
    uiLocales: url.searchParams.get('ui_locales') ?? undefined,
    applicationId:
      applicationIdIn(url.searchParams.get('application')) ??
      applicationIdIn(lastApplication(request)),
  }
}

/**
 * The value, if it has the form of an application's id. Messages and the audit log repeat it, and a
 * stranger can send any text.
 */
export function applicationIdIn(value: string | null | undefined): string | undefined {
  return value && APPLICATION_ID.test(value) ? value : undefined
}

/** Answers with a page in the visitor's language. Programs get an error message as JSON instead. */
export function show<Name extends PageName>(
  flow: FlowRequest,
  status: number,
  name: Name,
  page: Pages[Name],
  headers: Record<string, string> = {},
): void {
  const branding = brandingFor(flow.tenant, flow.request, flow.uiLocales)
  if (name === 'message' && status >= 400 && !wantsPage(flow)) {
    const body = refusal(status, branding.language, page as Pages['message'])
    sendJson(flow.response, status, body, headers)
    return
  }
  const { html, headers: own } = renderPage(name, branding, page, bannerOf(flow.facts.acting))
  flow.response.writeHead(status, {
    ...own,
    'content-length': Buffer.byteLength(html),
    ...headers,
  })
  flow.response.end(html)
}

/** Whether the client is a browser, by the same rule as oidc-provider. */
export function wantsPage({ provider, request, response }: FlowRequest): boolean {
  return provider.createContext(request, response).accepts('json', 'html') === 'html'
}

/**
 * The error response for programs, with the message of a page.
 *
 * @see RFC 6749 §5.2
 */
function refusal(
  status: number,
  language: Language,
  { title, text = title, values, detail }: Pages['message'],
): object {
  const error = status >= 500 ? 'server_error' : 'invalid_request'
  const description = detail ?? translator(language)(text, values)
  const isBusy = status === 429 || status === 503
  return {
    error: isBusy ? 'temporarily_unavailable' : error,
    error_description: description,
  }
}

/** The language of the pages for this visitor. */
export function languageOf(flow: FlowRequest): Language {
  return brandingFor(flow.tenant, flow.request, flow.uiLocales).language
}

/** The facts about this request for the messages that it causes. */
export function mailContextOf(flow: FlowRequest | InteractionRequest): MailContext {
  const { facts, handle, applicationId } = flow
  const browser = 'interaction' in flow ? flow.interaction.browser : undefined
  return { facts, language: languageOf(flow), flow: handle, applicationId, browser }
}

/** The scope for operations of the domain, with the actor of this request. */
export function scopeOf(flow: FlowRequest, userId?: string): Scope {
  return scopeOfRequest(flow.context, flow.facts, { userId, applicationId: flow.applicationId })
}
