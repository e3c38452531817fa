import { lookUpApplication } from '../../domain/applications/applications.ts'
import { endAllSessions } from '../../domain/users/accounts.ts'
import { note } from '../../domain/writes/audit.ts'
import { translator } from '../../pages/index.ts'
import { type FlowRequest, languageOf, scopeOf, show } from '../interaction/flow/flow-request.ts'
import { distrust, listTrusted } from '../interaction/progress/known-device.ts'
import { exceptThisSession } from '../interaction/second/own-session.ts'
import { deviceNameOf } from '../requests/browser-name.ts'
import { type Form, redirect } from '../requests/http.ts'
import { ACCOUNT_CLIENT, accountPaths, paths } from '../requests/paths.ts'
import { endUserSession, sessionsOf, shownId, type UserSession } from '../sessions/user-sessions.ts'
import type { Visit } from './entry.ts'

/** Shows the user's sessions, and the devices on which no second step is required. */
export async function showSessions(flow: FlowRequest, visit: Visit): Promise<void> {
  const { user, session, factors, csrf } = visit
  const found = await findSessions(flow, visit)
  const language = languageOf(flow)
  const t = translator(language)
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const trusted = await listTrusted(flow, user, factors)
  show(flow, 200, 'sessions', {
    csrf,
    logoutPath: paths.end_session,
    sessions: await Promise.all(
      found.map(async ({ uid, loginTs, userAgent, authorizations }) => ({
        id: shownId(uid),
        isThis: uid === session.uid,
        since: format.format(loginTs * 1_000),
        applications: (await namesOf(flow, Object.keys(authorizations))).join(', '),
        device: await deviceNameOf(userAgent, t),
      })),
    ),
    devices: await Promise.all(
      trusted.map(async ({ key, since, userAgent }) => ({
        id: key,
        since: format.format(since / 1_000),
        device: await deviceNameOf(userAgent, t),
      })),
    ),
  })
}

/** Ends a session or all other sessions, or removes a trusted device. */
export async function endSessions(flow: FlowRequest, visit: Visit, form: Form): Promise<void> {
  const { context, provider } = flow
  const { user, session, factors } = visit
  const scope = scopeOf(flow, user.id)
  if (form.get('step') === 'others') {
    await exceptThisSession(flow, user, (ending) => endAllSessions(scope, user.id, ending))
  }
  const others = (await findSessions(flow, visit)).filter(({ uid }) => uid !== session.uid)
  const ended = others.find(({ uid }) => shownId(uid) === form.get('end'))
  if (ended) {
    await endUserSession(context, provider, user, ended)
    await note(scope, 'logout.succeeded', user.id)
  }
  const devices = await listTrusted(flow, user, factors)
  const forgotten = devices.find(({ key }) => key === form.get('forget'))
  if (forgotten) await distrust(flow, forgotten)
  redirect(flow.response, accountPaths.sessions)
}

/** The valid sessions of the user: this session first, then the others from the newest. */
async function findSessions(
  { context }: FlowRequest,
  { user, session }: Visit,
): Promise<UserSession[]> {
  const isThis = ({ uid }: UserSession) => Number(uid === session.uid)
  return (await sessionsOf(context, user)).sort((a, b) => isThis(b) - isThis(a))
}

async function namesOf(
  { context, tenant }: FlowRequest,
  clientIds: readonly string[],
): Promise<string[]> {
  const ids = clientIds.filter((id) => id !== ACCOUNT_CLIENT)
  const found = await Promise.all(ids.map((id) => lookUpApplication(context.domain, tenant.id, id)))
  return found.flatMap((application) => application?.name || [])
}
