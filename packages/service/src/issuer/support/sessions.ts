import type { Provider } from 'oidc-provider'
import type { LiveSession, Support } from '../../domain/operators/support.ts'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { endAllSessions } from '../../domain/users/accounts.ts'
import { getUser } from '../../domain/users/users.ts'
import { note } from '../../domain/writes/audit.ts'
import { found } from '../../domain/writes/errors.ts'
import type { Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { distrust, listTrusted } from '../interaction/progress/known-device.ts'
import { browserOf } from '../requests/browser-name.ts'
import { endUserSession, sessionsOf, shownId, type UserSession } from '../sessions/user-sessions.ts'

/**
 * Creates the part of {@link Support} for the sessions of a user, and for the devices that need no
 * second step.
 */
export function sessionsOfUsers(
  context: IssuerContext,
  providerOf: (tenant: Tenant) => Promise<Provider>,
): Pick<Support, 'sessions' | 'endSession' | 'endSessions' | 'forgetDevice'> {
  return {
    async sessions(scope, userId) {
      const user = await getUser(scope, userId)
      return Promise.all((await sessionsOf(context, user)).map(liveSession))
    },

    async endSession(scope, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const session = found(
        (await sessionsOf(context, user)).find(({ uid }) => shownId(uid) === id),
      )
      await endUserSession(context, await providerOf(tenant), user, session)
      await note(scope, 'logout.succeeded', user.id)
      return liveSession(session)
    },

    async endSessions(scope, userId) {
      const user = await getUser(scope, userId)
      const sessions = await Promise.all((await sessionsOf(context, user)).map(liveSession))
      // The follower of the audit log notifies the applications and revokes the tokens.
      await endAllSessions(scope, userId)
      return sessions
    },

    async forgetDevice(scope, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const devices = await listTrusted({ context, tenant }, user, { changedAt: 0 })
      await distrust({ context, tenant }, found(devices.find(({ key }) => key === id)))
      await note(scope, 'device.forgotten', user.id)
    },
  }
}

/** A session, in the form for operators. */
export async function liveSession({
  uid,
  loginTs,
  userAgent,
  address = '',
  authorizations,
}: UserSession): Promise<LiveSession> {
  return {
    id: shownId(uid),
    loggedInAt: Math.floor(loginTs),
    address,
    applicationIds: Object.keys(authorizations),
    ...(await browserOf(userAgent)),
  }
}
