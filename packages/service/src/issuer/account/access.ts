import { isSelfDescribedId } from '../../domain/tenants/client-documents.ts'
import { note } from '../../domain/writes/audit.ts'
import { keyOf } from '../../domain/writes/entries.ts'
import { shownAccess, shownHost } from '../interaction/first/consent.ts'
import { type FlowRequest, languageOf, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { type Consent, consentsOf } from '../provider/consents.ts'
import { type Form, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import { withdrawConsent } from '../sessions/withdraw-consent.ts'
import type { Visit } from './entry.ts'

/**
 * Shows the clients that may act on the user's behalf: self-described clients, and clients on
 * devices.
 */
export async function showAccess(flow: FlowRequest, { user, csrf }: Visit): Promise<void> {
  const format = new Intl.DateTimeFormat(languageOf(flow), {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  // A use is recorded at most once per hour, so the page shows only the day.
  const days = new Intl.DateTimeFormat(languageOf(flow), { dateStyle: 'medium', timeZone: 'UTC' })
  const found = await consentsOf(flow, user.id)
  show(flow, 200, 'access', {
    csrf,
    isDone: flow.url.searchParams.has('done'),
    clients: await Promise.all(
      found.map(async (consent) => ({
        id: keyOf(consent.clientId),
        ...namesOf(consent),
        since: format.format(consent.since / 1_000),
        used: consent.usedAt === undefined ? undefined : days.format(consent.usedAt / 1_000),
        ...(await shownAccess(
          flow,
          consent,
          isSelfDescribedId(consent.clientId) ? undefined : consent.clientId,
        )),
      })),
    ),
  })
}

/**
 * The names of a client on the page. A self-described client is shown by its host, because anyone
 * can claim a name; other clients by the name of the application.
 */
function namesOf({ clientId, name, place }: Consent): {
  host: string | undefined
  name: string | undefined
} {
  return isSelfDescribedId(clientId)
    ? { host: shownHost(clientId, place), name }
    : { host: name ?? clientId, name: undefined }
}

/** Withdraws the access of a client. */
export async function withdrawAccess(
  flow: FlowRequest,
  { user }: Visit,
  form: Form,
): Promise<void> {
  const all = await consentsOf(flow, user.id)
  const consent = all.find(({ clientId }) => keyOf(clientId) === form.get('withdraw'))
  if (!consent) return redirect(flow.response, accountPaths.access)
  await withdrawConsent(flow.context, flow.provider, user, consent.clientId)
  const scope = scopeOf({ ...flow, applicationId: consent.clientId }, user.id)
  await note(scope, 'consent.withdrawn', user.id)
  redirect(flow.response, `${accountPaths.access}?done=withdrawn`)
}
