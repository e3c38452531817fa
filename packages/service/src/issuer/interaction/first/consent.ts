import { lookUpApplication } from '../../../domain/applications/applications.ts'
import { isRegisteredId, judgedHosts } from '../../../domain/tenants/client-documents.ts'
import { note } from '../../../domain/writes/audit.ts'
import type { Pages } from '../../../pages/index.ts'
import type { User } from '../../../store/records.ts'
import { keepRegistered } from '../../provider/clients/registrations.ts'
import { isCommand } from '../../provider/command-logins.ts'
import {
  type Access,
  accessOf,
  isOnDevice,
  keepConsent,
  placeOf,
  readConsent,
} from '../../provider/consents.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { withdrawConsent } from '../../sessions/withdraw-consent.ts'
import { csrfToken, flowPath } from '../flow/flow-path.ts'
import { type FlowRequest, type InteractionRequest, scopeOf, show } from '../flow/flow-request.ts'
import { finishInteraction } from '../progress/finish.ts'
import { currentUser } from './select-account.ts'

/** Asks the logged-in user whether a self-described client may act on the user's behalf. */
export async function showConsent(flow: InteractionRequest): Promise<void> {
  const { interaction } = flow
  const { client_id: clientId, redirect_uri: redirectUri } = interaction.params
  const user = await currentUser(flow)
  if (!user) return redirect(flow.response, flowPath(interaction))
  const onDevice = isOnDevice(redirectUri)
  show(flow, 200, 'consent', {
    csrf: csrfToken(interaction.uid),
    email: user.email,
    host: shownHost(String(clientId), placeOf(redirectUri)),
    name: interaction.clientName,
    goesTo: onDevice ? undefined : hostOf(redirectUri),
    ...(await shownAccess(flow, await accessAsked(flow))),
  })
}

/** Stores the consent, or tells the client that the user has denied it. */
export async function answerConsent(flow: InteractionRequest, form: Form): Promise<void> {
  const { interaction, tenant, context } = flow
  const { client_id: clientId, redirect_uri: redirectUri } = interaction.params
  const user = await currentUser(flow)
  const scope = scopeOf(flow, user?.id)
  if (!user || form.get('answer') !== 'allow') return denyAccess(flow, user)
  const id = String(clientId)
  const holder = { context, tenant }
  // With a new consent, grants from before the client's host was blocked must not become valid
  // again.
  if (!(await readConsent(holder, user.id, id)))
    await withdrawConsent(context, flow.provider, user, id)
  const registered = isRegisteredId(id) ? await keepRegistered(holder, user.id, id) : undefined
  await keepConsent(holder, user.id, {
    clientId: id,
    name: interaction.clientName,
    place: placeOf(redirectUri),
    hosts: judgedHosts(id, registered?.redirectUris ?? []),
    ...(await accessAsked(flow)),
  })
  await note(scope, 'consent.granted', user.id)
  const consent = { accountId: user.id }
  await finishInteraction(flow, { ...interaction.lastSubmission, consent } as never)
}

/** Tells the client that the user has denied the access. */
export async function denyAccess(flow: InteractionRequest, user: User | undefined): Promise<void> {
  if (user) await note(scopeOf(flow, user.id), 'consent.denied', user.id)
  const denied = { error: 'access_denied', error_description: 'the user has denied the access' }
  return finishInteraction(flow, denied)
}

/** The access that an interaction asks for. */
export async function accessAsked({
  context,
  tenant,
  interaction,
}: InteractionRequest): Promise<Access> {
  const { scope, resource } = interaction.params
  const asked = typeof scope === 'string' ? scope.split(' ') : []
  const names = [resource ?? []].flat().map(String)
  const apis = names.map(async (name) => {
    const api = await context.directory.api(tenant.id, name)
    return [name, [...(api?.scopes.keys() ?? [])]] as const
  })
  return accessOf(asked, await Promise.all(apis))
}

/**
 * The access in words: for each API, the name of its application and the sentences of the scopes.
 *
 * @param deviceClient - The id of a client on a device, whose access does not depend on a session.
 *   The `latchkey` command acts as an operator. Default: the client is not on a device.
 */
export async function shownAccess(
  { context, tenant }: Pick<FlowRequest, 'context' | 'tenant'>,
  access: Access,
  deviceClient?: string,
): Promise<Pick<Pages['consent'], 'apis' | 'ofLogin'>> {
  if (isCommand(tenant.id, deviceClient)) return { apis: [], ofLogin: ['consentCommand'] }
  const apis = Object.entries(access.apis).map(async ([identifier, scopes]) => {
    const api = await context.directory.api(tenant.id, identifier)
    const owner = api && (await lookUpApplication(context.domain, tenant.id, api.applicationId))
    return {
      name: owner?.name || identifier,
      sentences: scopes.map((scope) => api?.scopes.get(scope) ?? scope),
    }
  })
  const texts = { profile: 'consentProfile', email: 'consentEmail' } as const
  const known = access.scopes.flatMap((scope) =>
    Object.hasOwn(texts, scope) ? [texts[scope as keyof typeof texts]] : [],
  )
  const isOffline = access.scopes.includes('offline_access')
  const untilLogout = deviceClient ? 'consentHour' : 'consentSession'
  const id = access.scopes.includes('openid') ? (['consentIdentity'] as const) : []
  return {
    apis: await Promise.all(apis),
    ofLogin: [...id, ...known, isOffline ? 'consentOffline' : untilLogout],
  }
}

/**
 * The host that pages show as the name of a client: the host of its metadata document; if the
 * client has registered itself, the host that receives its codes.
 *
 * @returns `undefined` for a program on the user's device.
 */
export function shownHost(clientId: string, place: string): string | undefined {
  return hostOf(isRegisteredId(clientId) ? place : clientId) || undefined
}

/** The host of a URL, with its port if it has one. Empty if the value is no URL. */
function hostOf(url: unknown): string {
  return URL.parse(String(url))?.host ?? ''
}
