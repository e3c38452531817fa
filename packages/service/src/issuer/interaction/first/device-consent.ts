import { lookUpApplication } from '../../../domain/applications/applications.ts'
import { clientNetwork } from '../../../domain/writes/addresses.ts'
import { note } from '../../../domain/writes/audit.ts'
import { translator } from '../../../pages/index.ts'
import { shownName } from '../../provider/clients/self-described.ts'
import { COMMAND_NAME, isCommand } from '../../provider/command-logins.ts'
import { keepConsent, placeOf, readConsent } from '../../provider/consents.ts'
import { endDeviceLogins } from '../../provider/device-codes.ts'
import type { DeviceFacts } from '../../provider/device-logins.ts'
import { browserOf, deviceNameOf } from '../../requests/browser-name.ts'
import { type Form, redirect } from '../../requests/http.ts'
import { csrfToken, flowPath } from '../flow/flow-path.ts'
import { type InteractionRequest, languageOf, scopeOf, show } from '../flow/flow-request.ts'
import { finishInteraction } from '../progress/finish.ts'
import { accessAsked, denyAccess, shownAccess } from './consent.ts'
import { currentUser } from './select-account.ts'

/**
 * Asks the logged-in user whether a device may log in as the user. A stranger can send the code of
 * another device, so the page warns, and says where the request came from.
 *
 * @see RFC 8628 §5.4
 */
export async function showDeviceConsent(flow: InteractionRequest): Promise<void> {
  const { interaction, facts, provider } = flow
  const code = await provider.DeviceCode.find(String(interaction.deviceCode), {
    ignoreExpiration: true,
  })
  const user = await currentUser(flow)
  if (!user || !code) return redirect(flow.response, flowPath(interaction))
  const device = code.deviceInfo as unknown as DeviceFacts
  const language = languageOf(flow)
  const format = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' })
  // Only the names of browsers are shown, because a command line could claim any name.
  const { browser } = await browserOf(device.userAgent)
  const isNear = clientNetwork(device.address) === clientNetwork(facts.clientIp)
  show(flow, 200, 'deviceConsent', {
    csrf: csrfToken(interaction.uid),
    email: user.email,
    application: await applicationName(flow),
    code: code.userCode?.replace(/^(.{4})/, '$1-') ?? '',
    from: {
      device: browser ? await deviceNameOf(device.userAgent, translator(language)) : '',
      address: device.address,
      time: format.format((code.iat ?? 0) * 1_000),
    },
    isNear,
    ...(await shownAccess(flow, await accessAsked(flow), String(interaction.params.client_id))),
  })
}

/**
 * Logs the device in, or records that the user has denied it. The device gets the result with its
 * next poll.
 */
export async function answerDeviceConsent(flow: InteractionRequest, form: Form): Promise<void> {
  const { interaction, tenant, context } = flow
  const user = await currentUser(flow)
  if (!user || form.get('answer') !== 'allow') return denyAccess(flow, user)
  const holder = { context, tenant }
  const clientId = String(interaction.params.client_id)
  // A token from before the consent was withdrawn must not become valid again.
  if (!(await readConsent(holder, user.id, clientId)))
    await endDeviceLogins(holder, user.id, clientId)
  await keepConsent(holder, user.id, {
    clientId,
    name: await applicationName(flow),
    place: placeOf(undefined),
    ...(await accessAsked(flow)),
  })
  await note(scopeOf(flow, user.id), 'consent.granted', user.id)
  const consent = { accountId: user.id }
  await finishInteraction(flow, { ...interaction.lastSubmission, consent } as never)
}

async function applicationName({
  context,
  tenant,
  interaction,
}: InteractionRequest): Promise<string> {
  const id = String(interaction.params.client_id)
  if (isCommand(tenant.id, id)) return COMMAND_NAME
  const application = await lookUpApplication(context.domain, tenant.id, id)
  return shownName(application?.name) ?? id
}
