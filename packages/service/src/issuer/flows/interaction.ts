import { errors, type Provider } from 'oidc-provider'
import { flowHandle, isCsrfToken } from '../flow-path.ts'
import { type Form, readForm, sendText } from '../http.ts'
import type { FlowRequest } from './index.ts'
import { login, showLogin } from './login.ts'

/** An interaction of oidc-provider: what is kept while a visitor logs in. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** A request for a page of a login that is under way in this browser. */
export interface InteractionRequest extends FlowRequest {
  interaction: Interaction
}

/** Answers a request below `/login/<handle>`. */
export async function handleInteraction(flow: FlowRequest): Promise<void> {
  const interaction = await findInteraction(flow)
  if (!interaction) return sendText(flow.response, 400, 'This login has expired.')

  const current: InteractionRequest = { ...flow, interaction }
  if (flow.request.method === 'GET') return showLogin(current)
  if (flow.request.method !== 'POST') return sendText(flow.response, 405, 'Use GET or POST.')

  const form: Form = await readForm(flow.request)
  if (!isCsrfToken(interaction.uid, form.get('csrf'))) {
    return sendText(flow.response, 403, 'The form was not made by this page.')
  }
  return login(current, form)
}

/** The interaction whose cookie came along, if it is the one that the path names. */
async function findInteraction(flow: FlowRequest): Promise<Interaction | undefined> {
  const handle = flow.url.pathname.split('/')[2]
  try {
    const interaction = await flow.provider.interactionDetails(flow.request, flow.response)
    return flowHandle(interaction.uid) === handle ? interaction : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}
