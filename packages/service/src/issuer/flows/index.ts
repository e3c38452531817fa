import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { sendText } from '../http.ts'
import { handleInteraction } from './interaction.ts'

/** A request for one of the hosted pages. */
export interface FlowRequest {
  context: IssuerContext
  provider: Provider
  tenant: Tenant
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

/** Answers a request for a hosted page. */
export async function handleFlow(flow: FlowRequest): Promise<void> {
  const { pathname } = flow.url
  if (pathname.startsWith('/login/')) return handleInteraction(flow)
  sendText(flow.response, 404, 'There is no such page.')
}
