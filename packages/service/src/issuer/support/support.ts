import type { Provider } from 'oidc-provider'
import { offeredConnections } from '../../domain/connections/connections.ts'
import { factorsChangedAt } from '../../domain/factors/factors.ts'
import { loginObstacles } from '../../domain/factors/login-obstacles.ts'
import type { Support, UserState } from '../../domain/operators/support.ts'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { listCredentials } from '../../domain/users/credentials.ts'
import { withLegacyPassword } from '../../domain/users/legacy-passwords.ts'
import { getUser } from '../../domain/users/users.ts'
import { holdOf } from '../../domain/ways/second-operator.ts'
import { readStanding } from '../../domain/ways/valid-links.ts'
import { note } from '../../domain/writes/audit.ts'
import { nowMicros } from '../../domain/writes/context.ts'
import type { QueuedMessage } from '../../store/protocol-store.ts'
import type { Credential, Tenant, User } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import { listTrusted } from '../interaction/progress/known-device.ts'
import { consentsOf } from '../provider/consents.ts'
import { browserOf } from '../requests/browser-name.ts'
import { sessionsOf } from '../sessions/user-sessions.ts'
import { accessOf, accessTo } from './access.ts'
import { impersonationsBy } from './impersonations.ts'
import { mailsOf, recordOf } from './mails.ts'
import { noticesOf } from './notices.ts'
import { liveSession, sessionsOfUsers } from './sessions.ts'

/**
 * Creates the actions of operators that help the users of a tenant, for the API and the console.
 */
export function createSupport(
  context: IssuerContext,
  providerOf: (tenant: Tenant) => Promise<Provider>,
): Support {
  async function stateOf(
    tenant: Tenant,
    user: User,
    credentials: readonly Credential[],
  ): Promise<UserState> {
    const changedAt = factorsChangedAt(credentials)
    const newest = { userId: user.id, after: undefined, limit: 10 }
    const [standing, sessions, devices, mails, offered, ways, consents] = await Promise.all([
      readStanding(context.domain, user),
      sessionsOf(context, user),
      listTrusted({ context, tenant }, user, { changedAt }),
      context.outbox.find(tenant.id, newest),
      offeredConnections(context.domain, tenant),
      withLegacyPassword({ context: context.domain, tenantId: tenant.id }, user, credentials),
      consentsOf({ context, tenant }, user.id),
    ])
    const addresses = sessions.map(({ address = '' }) => address)
    const { settings } = tenant
    const pauses = await context.throttle.pausesOf(tenant.id, user, addresses)
    const refusedMail = refusalOf(mails[0])
    const heldUntil = holdOf({ user, standing }, nowMicros(context.domain.clock))?.until
    return {
      sessions: await Promise.all(sessions.map(liveSession)),
      devices: await Promise.all(
        devices.map(async ({ key, since, userAgent }) => ({
          id: key,
          since,
          ...(await browserOf(userAgent)),
        })),
      ),
      clients: consents.map((consent) => accessOf({ ...consent, userId: user.id })),
      ways,
      mails: mails.map(recordOf),
      obstacles: loginObstacles({
        ...{ settings, user, standing, credentials: ways, offered, pauses, refusedMail, heldUntil },
      }),
    }
  }

  return {
    ...mailsOf(context),
    ...sessionsOfUsers(context, providerOf),
    ...accessTo(context, providerOf),
    ...noticesOf(context),
    ...impersonationsBy(context, providerOf),

    stateOf,

    async obstacles(scope, userId) {
      const [tenant, user, { items }] = await Promise.all([
        getTenant(scope),
        getUser(scope, userId),
        listCredentials(scope, userId, { after: undefined, limit: 100 }),
      ])
      return (await stateOf(tenant, user, items)).obstacles
    },

    contact: (connection) => context.upstreams.contact(connection),

    async letTryAgain(scope, userId) {
      const user = await getUser(scope, userId)
      await context.throttle.resetUser(scope.tenantId, user)
      await note(scope, 'limit.forgiven', user.id)
    },
  }
}

/**
 * The mail server's last answer about a message that was given up; `undefined` for other messages.
 */
function refusalOf(message: QueuedMessage | undefined): string | undefined {
  return message?.outcome === 'given_up' ? (message.answer ?? 'no answer') : undefined
}
