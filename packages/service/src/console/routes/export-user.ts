import { lookUpApplication } from '../../domain/applications/applications.ts'
import { lastLoginOf } from '../../domain/users/user-lists.ts'
import { getAccount } from '../../domain/users/users.ts'
import type { Credential } from '../../store/records.ts'
import { serializeCredential } from '../../wire/credentials.ts'
import { jsonLines } from '../../wire/json-lines.ts'
import {
  serializeDevice,
  serializeGrant,
  serializeMail,
  serializeOperatorLogin,
  serializeSession,
} from '../../wire/support.ts'
import { formatTimestamp } from '../../wire/timestamps.ts'
import { serializeUser } from '../../wire/users.ts'
import { type ConsoleRoute, type Result, type TenantCall, tenantForm } from '../call.ts'
import { noted } from '../exports.ts'

/** The copy of their data that a person may ask for. */
export const exportUserRoutes: readonly ConsoleRoute[] = [
  tenantForm('/users/:user/export', exportUser, { needs: 'export', isDangerous: true }),
]

/** All that is stored of a user, as a file: a line for each object, whose `type` says what it is. */
async function exportUser(call: TenantCall): Promise<Result> {
  const id = call.ids.user ?? ''
  const account = await getAccount(call.scope, id)
  return noted(
    call,
    'user',
    { user: id, format: 'ndjson' },
    {
      kind: 'lines',
      fileName: `user-${id}.ndjson`,
      lines: jsonLines,
      read: async () => ({ items: await everythingOf(call, account), next: undefined }),
    },
  )
}

async function everythingOf(
  { scope, support, tenant }: TenantCall,
  { user, credentials }: Awaited<ReturnType<typeof getAccount>>,
): Promise<object[]> {
  const { context, tenantId } = scope
  const [state, mails, operatorLogins, lastLoginAt] = await Promise.all([
    support.stateOf(tenant, user, credentials),
    support.mails(scope, { userId: user.id, after: undefined, limit: MAILS }),
    support.impersonations(scope, user.id),
    lastLoginOf(scope, user.id),
  ])
  return [
    {
      ...serializeUser(user),
      ...(lastLoginAt !== undefined && { last_login_at: formatTimestamp(lastLoginAt) }),
    },
    ...credentials.map(credentialLine),
    ...state.sessions.map((one) => ({ ...serializeSession(one), address: one.address })),
    ...state.devices.map(serializeDevice),
    ...state.clients.map(serializeGrant),
    ...mails.map(serializeMail),
    ...(await Promise.all(
      operatorLogins.map(async (one) =>
        serializeOperatorLogin(
          one,
          await Promise.all(
            one.applications.map(async (id) => ({
              id,
              name: (await lookUpApplication(context, tenantId, id))?.name ?? '',
            })),
          ),
        ),
      ),
    )),
  ]
}

/** The most messages of a copy: more do not go to an address within the 7 days that they are kept. */
const MAILS = 1_000

/** A credential without what logins are verified with. */
function credentialLine(credential: Credential): object {
  const line = serializeCredential(credential)
  if (credential.kind !== 'password') return line
  const { alg, cost } = credential.password
  return { ...line, password: { alg, cost } }
}
